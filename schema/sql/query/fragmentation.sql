-- how far the free bytes of each pool and stream are from being one piece; cache that can go back does not count
WITH holes AS (
	SELECT snapshot_id, device, pool, pool_id, stream, count(*) AS free_blocks FROM block
	WHERE state = 'inactive' GROUP BY snapshot_id, device, pool, pool_id, stream),
pools AS (
	SELECT snapshot_id, device, pool, pool_id, stream, sum(free) AS free, max(largest_free) AS largest_free,
		sum(free_whole) AS free_whole, max(largest_left) AS largest_left
	FROM segment GROUP BY snapshot_id, device, pool, pool_id, stream)
SELECT p.snapshot_id, p.device, p.pool, p.pool_id, p.stream, p.free, p.largest_free,
	coalesce(h.free_blocks, 0) AS free_blocks,
	1 - 1.0 * (p.free_whole + p.largest_left) / nullif(p.free, 0) AS fragmentation,
	p.free_whole
FROM pools AS p LEFT JOIN holes AS h ON h.snapshot_id = p.snapshot_id AND h.device IS p.device AND h.pool IS p.pool
	AND h.pool_id IS p.pool_id AND h.stream IS p.stream
ORDER BY p.snapshot_id, p.device, p.pool, p.pool_id, p.stream
