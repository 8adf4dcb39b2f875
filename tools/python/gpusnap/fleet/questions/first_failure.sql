-- which rank failed first in each job, and why; the ranks that failed after it are counted
SELECT d.job, d.day, d.rank, d.host, d.time_us, d.verdict, d.where AS place, d.requested, d.holder, d.cause,
	n.failures, n.ranks AS failed_ranks, d.snapshot_id
FROM (
	SELECT *, row_number() OVER (PARTITION BY job
		ORDER BY CASE WHEN time_us IS NULL THEN 1 ELSE 0 END, time_us, rank, snapshot_id) AS place_in_job
	FROM diagnosis WHERE verdict IS NOT NULL) AS d
JOIN (
	SELECT job, count(*) AS failures, count(DISTINCT rank) AS ranks
	FROM diagnosis WHERE verdict IS NOT NULL GROUP BY job) AS n ON n.job = d.job
WHERE d.place_in_job = 1
ORDER BY d.job
