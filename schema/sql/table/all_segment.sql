CREATE TABLE all_segment ( -- a segment: memory that the allocator took from the driver in one piece
	snapshot_id INTEGER NOT NULL, -- snapshot.id
	state_id INTEGER NOT NULL, -- state.id
	device INTEGER, -- number of the device
	address INTEGER, -- of its first byte
	size INTEGER NOT NULL, -- bytes
	pool TEXT, -- small or large
	pool_id TEXT, -- 0,0 is the default pool
	stream INTEGER, -- handle of the stream it belongs to
	expandable BOOLEAN NOT NULL, -- 1: part of an expandable segment
	stack_id INTEGER, -- stack.id of the request that made it
	allocated INTEGER NOT NULL, -- bytes of allocated blocks
	pending INTEGER NOT NULL, -- bytes of blocks freed but awaited by a stream
	free INTEGER NOT NULL, -- bytes of inactive blocks
	largest_free INTEGER NOT NULL, -- bytes of the largest inactive block
	blocks INTEGER NOT NULL, -- number of blocks
	free_whole INTEGER NOT NULL, -- of free: bytes that emptying the cache gives back to the driver
	largest_left INTEGER NOT NULL -- bytes of the largest free piece that stays
);
