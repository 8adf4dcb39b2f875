-- every hole, biggest first
SELECT snapshot_id, device, address, size, segment, pool, pool_id, stream
FROM block
WHERE state = 'inactive'
ORDER BY size DESC, snapshot_id, device, address
