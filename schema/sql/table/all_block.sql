CREATE TABLE all_block ( -- a block: a piece of a segment
	snapshot_id INTEGER NOT NULL, -- snapshot.id
	state_id INTEGER NOT NULL, -- state.id
	device INTEGER, -- number of the device
	segment INTEGER, -- address of its segment
	address INTEGER, -- of its first byte
	size INTEGER NOT NULL, -- bytes, rounded
	requested INTEGER, -- bytes asked for; NULL on inactive blocks
	state TEXT NOT NULL, -- active_allocated, active_pending_free or inactive
	pool TEXT, -- small or large
	pool_id TEXT, -- 0,0 is the default pool
	stream INTEGER, -- handle of the stream it belongs to
	stack_id INTEGER, -- stack.id of its allocation
	tag TEXT, -- tag of its allocation
	idx INTEGER, -- of its alloc event
	stale INTEGER, -- bytes its last user asked for, where an inactive block still says so
	more TEXT, -- what else PyTorch tells of it, a JSON object
	category TEXT, -- what it is for: parameter, activation …, unknown; NULL on inactive blocks
	category_why TEXT -- the rule that said so, "id: sentence"; NULL where none did
);
