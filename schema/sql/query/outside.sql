-- who holds memory of a device beside this allocator; of a recording the whole capacity by name
WITH whole AS (
	SELECT t.snapshot_id, t.device, d.capacity, s.reserved, s.device_free, s.reserved IS NOT NULL AND d.others IS NOT NULL AS told,
		coalesce((SELECT sum(bytes) FROM outsider AS o WHERE o.snapshot_id = t.snapshot_id AND o.device IS t.device), 0) AS outside,
		coalesce((SELECT CASE max(library) WHEN 'cuda' THEN 'driver calls' ELSE max(library) END FROM oom AS o
			WHERE o.snapshot_id = t.snapshot_id), CASE p.library WHEN 'cuda' THEN 'driver calls' ELSE p.library END, p.kind, 'allocator') AS allocator
	FROM shown_state AS t JOIN state AS s ON s.id = t.state_id
		JOIN device AS d ON d.snapshot_id = t.snapshot_id AND d.device IS t.device
		JOIN snapshot AS p ON p.id = t.snapshot_id
	WHERE d.has_layout AND d.name IS NOT 'host' AND d.capacity IS NOT NULL AND s.device_free IS NOT NULL),
part AS (
	SELECT snapshot_id, device, 0 AS place, allocator AS holder, NULL AS pid, reserved AS bytes, 'recorded' AS known FROM whole
	UNION ALL
	SELECT snapshot_id, device, 1, holder, pid, bytes, known FROM outsider
	UNION ALL
	SELECT snapshot_id, device, 2, CASE WHEN told THEN 'CUDA context' ELSE 'CUDA context and other processes' END, NULL,
		capacity - reserved - device_free - outside, 'the rest' FROM whole
		WHERE capacity - reserved - device_free - outside <> 0
	UNION ALL
	SELECT snapshot_id, device, 3, 'free', NULL, device_free, 'driver' FROM whole)
SELECT snapshot_id, device, holder, pid, bytes, known
FROM part
ORDER BY snapshot_id, device, place, bytes DESC, pid, holder
