CREATE TABLE all_holder ( -- a place in the program that holds live memory in a state
	snapshot_id INTEGER NOT NULL, -- snapshot.id
	state_id INTEGER NOT NULL, -- state.id
	device INTEGER, -- number of the device
	"where" TEXT NOT NULL, -- the place: file:line function; of the backward pass the gradient of a forward line, or the autograd node
	called_by TEXT, -- nearest frame of the user's code at another place; of a gradient its autograd node
	category TEXT NOT NULL, -- what it is for
	bytes INTEGER NOT NULL, -- bytes of its live blocks
	blocks INTEGER NOT NULL, -- their number
	stack_id INTEGER -- stack.id of the stack of it that holds most
);
