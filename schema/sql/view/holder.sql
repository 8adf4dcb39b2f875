CREATE VIEW holder ( -- a place in the program that holds live memory in the selected state
	snapshot_id, -- snapshot.id
	device, -- number of the device
	"where", -- the place: file:line function; of the backward pass the gradient of a forward line, or the autograd node
	called_by, -- nearest frame of the user's code at another place; of a gradient its autograd node
	category, -- what it is for
	bytes, -- bytes of its live blocks
	blocks, -- their number
	stack_id -- stack.id of the stack of it that holds most
) AS
SELECT h.snapshot_id, h.device, h."where", h.called_by, h.category, h.bytes, h.blocks, h.stack_id
FROM shown_state AS t JOIN all_holder AS h ON h.state_id = t.state_id;
