-- which tags hold the most live bytes
SELECT snapshot_id, device, sum(size) AS bytes, count(*) AS blocks, tag
FROM block
WHERE state <> 'inactive'
GROUP BY snapshot_id, device, tag
ORDER BY bytes DESC, snapshot_id, device, tag
