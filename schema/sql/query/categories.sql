-- what live memory is for
WITH live AS (
	SELECT snapshot_id, device, category, sum(size) AS bytes, count(*) AS blocks
	FROM block WHERE state <> 'inactive' GROUP BY snapshot_id, device, category)
SELECT snapshot_id, device, category, bytes, blocks,
	1.0 * bytes / sum(bytes) OVER (PARTITION BY snapshot_id, device) AS share
FROM live ORDER BY snapshot_id, device, bytes DESC, category
