-- where a device's memory is: reserved by this allocator, free, or held outside of it
SELECT t.snapshot_id, t.device, d.capacity, coalesce(s.reserved, d.said_reserved) AS reserved, s.device_free,
	d.capacity - coalesce(s.reserved, d.said_reserved) - s.device_free AS outside
FROM shown_state AS t JOIN state AS s ON s.id = t.state_id
	JOIN device AS d ON d.snapshot_id = t.snapshot_id AND d.device IS t.device AND d.name IS NOT 'host'
ORDER BY t.snapshot_id, t.device
