CREATE VIEW block ( -- a block in the selected state: a piece of a segment
	snapshot_id, -- snapshot.id
	device, -- number of the device
	segment, -- address of its segment
	address, -- of its first byte
	size, -- bytes, rounded
	requested, -- bytes asked for; NULL on inactive blocks
	state, -- active_allocated, active_pending_free or inactive
	pool, -- small or large
	pool_id, -- 0,0 is the default pool
	stream, -- handle of the stream it belongs to
	stack_id, -- stack.id of its allocation
	tag, -- tag of its allocation
	idx, -- of its alloc event
	more, -- what else PyTorch tells of it, a JSON object
	category, -- what it is for: parameter, activation …, unknown; NULL on inactive blocks
	category_why, -- the rule that said so, "id: sentence"; NULL where none did
	user_frame -- frame of its allocation that people look for, as in stack
) AS
SELECT a.snapshot_id, a.device, a.segment, a.address, a.size, a.requested, a.state, a.pool, a.pool_id, a.stream,
	a.stack_id, a.tag, a.idx, a.more, a.category, a.category_why,
	(SELECT k.user_frame FROM stack AS k WHERE k.id = a.stack_id)
FROM shown_state AS t JOIN all_block AS a ON a.state_id = t.state_id;
