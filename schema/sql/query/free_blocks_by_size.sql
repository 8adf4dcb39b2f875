-- how many holes there are of each power-of-two size
WITH RECURSIVE class(from_size) AS (
	VALUES (1) UNION ALL SELECT from_size * 2 FROM class WHERE from_size < 1 << 61)
SELECT b.snapshot_id, b.device, c.from_size, count(*) AS blocks, sum(b.size) AS bytes
FROM block AS b JOIN class AS c ON b.size >= c.from_size AND b.size < c.from_size * 2
WHERE b.state = 'inactive'
GROUP BY b.snapshot_id, b.device, c.from_size
ORDER BY b.snapshot_id, b.device, c.from_size
