-- what each device holds: segments, blocks, bytes reserved, allocated and free
SELECT t.snapshot_id, t.device, s.segments, s.blocks, coalesce(s.reserved, d.said_reserved) AS reserved,
	coalesce(s.allocated, d.said_allocated) AS allocated, s.pending, s.free, s.free_blocks, s.largest_free, s.rounding,
	s.device_free, d.capacity, d.events,
	CASE WHEN d.at_oom IS NOT NULL THEN
		(SELECT count(*) FROM oom AS o WHERE o.snapshot_id = t.snapshot_id AND o.device IS t.device) END AS ooms,
	s.free_whole
FROM shown_state AS t JOIN state AS s ON s.id = t.state_id
	JOIN device AS d ON d.snapshot_id = t.snapshot_id AND d.device IS t.device
ORDER BY t.snapshot_id, t.device
