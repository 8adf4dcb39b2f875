-- the largest hole of each device, beside all that is free
SELECT t.snapshot_id, t.device, b.address, coalesce(b.size, 0) AS size, b.segment, b.pool, b.pool_id, b.stream,
	s.free, s.free_blocks, s.device_free
FROM shown_state AS t JOIN state AS s ON s.id = t.state_id
	LEFT JOIN all_block AS b ON b.rowid = (
		SELECT rowid FROM all_block WHERE state_id = t.state_id AND state = 'inactive'
		ORDER BY size DESC, address LIMIT 1)
WHERE s.segments IS NOT NULL
ORDER BY t.snapshot_id, t.device
