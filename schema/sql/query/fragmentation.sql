-- how far the free bytes of each pool and stream are from being one piece
SELECT snapshot_id, device, pool, pool_id, stream,
	coalesce(sum(size) FILTER (WHERE state = 'inactive'), 0) AS free,
	coalesce(max(size) FILTER (WHERE state = 'inactive'), 0) AS largest_free,
	count(*) FILTER (WHERE state = 'inactive') AS free_blocks,
	1 - 1.0 * max(size) FILTER (WHERE state = 'inactive') / nullif(sum(size) FILTER (WHERE state = 'inactive'), 0)
		AS fragmentation
FROM block
GROUP BY snapshot_id, device, pool, pool_id, stream
ORDER BY snapshot_id, device, pool, pool_id, stream
