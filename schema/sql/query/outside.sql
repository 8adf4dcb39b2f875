-- who holds memory of a device outside this allocator
SELECT o.snapshot_id, o.device, o.holder, o.pid, o.bytes, o.known
FROM outsider AS o
ORDER BY o.snapshot_id, o.device, o.bytes DESC, o.pid, o.holder
