CREATE VIEW event ( -- an event of a device's trace
	snapshot_id, -- snapshot.id
	device, -- number of the device
	idx, -- from 0, for each device
	action, -- what happened, in PyTorch's words
	address, -- of the block or segment
	size, -- bytes: of requests as asked for, of segments their own
	stream, -- handle of the stream
	pool_id, -- where it is known
	time_us, -- microseconds since 1970 UTC
	stack_id, -- stack.id
	tag, -- of the allocation
	more -- what else PyTorch tells of it, a JSON object
) AS
SELECT e.snapshot_id, t.device, e.id - t.first,
	CASE e.action
		WHEN 0 THEN 'alloc' WHEN 1 THEN 'free_requested' WHEN 2 THEN 'free_completed'
		WHEN 3 THEN 'segment_alloc' WHEN 4 THEN 'segment_free' WHEN 5 THEN 'segment_map'
		WHEN 6 THEN 'segment_unmap' WHEN 7 THEN 'snapshot' WHEN 8 THEN 'oom' WHEN 9 THEN 'refused'
		WHEN 10 THEN 'record_stream' WHEN 11 THEN 'empty_cache' WHEN 12 THEN 'annotate' ELSE 'unknown'
	END,
	e.address, e.size, e.stream, e.pool_id, t.base_us + e.time, e.stack_id,
	(SELECT name FROM tag WHERE tag.snapshot_id = e.snapshot_id AND tag.id = e.tag_id),
	(SELECT text FROM more WHERE more.snapshot_id = e.snapshot_id AND more.id = e.more_id)
FROM trace AS t JOIN packed_event AS e ON e.id >= t.first AND e.id < t.first + t.events;
