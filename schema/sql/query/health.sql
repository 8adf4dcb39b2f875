-- four figures of the allocator's health, and what is healthy
WITH split AS (
	SELECT snapshot_id, device, count(*) AS segments,
		count(*) FILTER (WHERE free > 0 AND allocated + pending > 0) AS split
	FROM segment GROUP BY snapshot_id, device),
metric(rank, metric, healthy, meaning) AS (VALUES
	(1, 'num_alloc_retries', 'near 0', 'times the cache was emptied because the driver had no more memory'),
	(2, 'largest_free_block', 'near what is free', 'largest request that the cache serves by itself; free is without what the driver would get back'),
	(3, 'num_segments', 'few', 'pieces that the memory was taken from the driver in'),
	(4, 'segment_split_ratio', '< 0.3', 'share of segments that hold live blocks beside free ones')),
figure AS (
	SELECT t.snapshot_id, t.device, m.rank, m.metric, m.healthy, m.meaning, s.free, s.free_whole,
		CASE m.rank
			WHEN 1 THEN (SELECT max(current) FROM stat AS r
				WHERE r.snapshot_id = t.snapshot_id AND r.device IS t.device AND r.name = 'num_alloc_retries')
			WHEN 2 THEN s.largest_free
			WHEN 3 THEN coalesce(s.segments, (SELECT max(current) FROM stat AS r
				WHERE r.snapshot_id = t.snapshot_id AND r.device IS t.device AND r.name = 'segment' AND r.pool = 'all'))
			ELSE (SELECT 1.0 * split / segments FROM split AS p
				WHERE p.snapshot_id = t.snapshot_id AND p.device IS t.device)
		END AS value
	FROM shown_state AS t JOIN state AS s ON s.id = t.state_id
		JOIN device AS d ON d.snapshot_id = t.snapshot_id AND d.device IS t.device AND d.name IS NOT 'host'
		CROSS JOIN metric AS m)
SELECT snapshot_id, device, metric, value, healthy,
	CASE rank WHEN 1 THEN value <= 2 WHEN 2 THEN value >= 0.7 * (nullif(free, 0) - free_whole) WHEN 4 THEN value < 0.3 END AS ok,
	meaning
FROM figure
WHERE :metric IS NULL OR metric = :metric
ORDER BY snapshot_id, device, rank
