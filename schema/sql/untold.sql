-- what each device's recording tells, for the reason why a question about it has no rows
SELECT d.events, (SELECT count(*) FROM step AS p WHERE p.snapshot_id = d.snapshot_id AND p.device IS d.device),
	(SELECT coalesce(sum(p.whole), 0) FROM step AS p WHERE p.snapshot_id = d.snapshot_id AND p.device IS d.device),
	d.capacity - d.device_free
FROM device AS d WHERE d.name IS NOT 'host'
