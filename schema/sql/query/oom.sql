-- every out-of-memory: what was asked for and what there was
SELECT o.snapshot_id, o.device, o.idx, o.time_us, o.requested, o.needed, o.device_free, o.capacity, o.allocated,
	o.reserved, o.allowed, o.library, o.pool, o.stream, k.user_frame, k.text AS stack, o.pool_id, o.message
FROM oom AS o LEFT JOIN stack AS k ON k.id = o.stack_id
ORDER BY o.snapshot_id, o.device, o.number
