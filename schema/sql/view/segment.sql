CREATE VIEW segment ( -- a segment in the selected state: memory taken from the driver in one piece
	snapshot_id, -- snapshot.id
	device, -- number of the device
	address, -- of its first byte
	size, -- bytes
	pool, -- small or large
	pool_id, -- 0,0 is the default pool
	stream, -- handle of the stream it belongs to
	expandable, -- 1: part of an expandable segment
	stack_id, -- stack.id of the request that made it
	allocated, -- bytes of allocated blocks
	pending, -- bytes of blocks freed but awaited by a stream
	free, -- bytes of inactive blocks
	largest_free, -- bytes of the largest inactive block
	blocks, -- number of blocks
	free_whole, -- of free: bytes that emptying the cache gives back to the driver
	largest_left -- bytes of the largest free piece that stays
) AS
SELECT a.snapshot_id, a.device, a.address, a.size, a.pool, a.pool_id, a.stream, a.expandable, a.stack_id,
	a.allocated, a.pending, a.free, a.largest_free, a.blocks, a.free_whole, a.largest_left
FROM shown_state AS t JOIN all_segment AS a ON a.state_id = t.state_id;
