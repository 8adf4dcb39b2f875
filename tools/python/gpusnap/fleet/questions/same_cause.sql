-- which jobs died of the same cause: a row a cause and job, the cause of most jobs first
SELECT c.signature, c.jobs, c.failures AS failures_of_all, j.job, j.failures, j.first_day, j.last_day,
	CASE WHEN f.signature = c.signature THEN TRUE ELSE FALSE END AS failed_first, c.cause
FROM (
	SELECT signature, min(cause) AS cause, count(DISTINCT job) AS jobs, count(*) AS failures
	FROM diagnosis WHERE signature IS NOT NULL GROUP BY signature) AS c
JOIN (
	SELECT signature, job, count(*) AS failures, min(day) AS first_day, max(day) AS last_day
	FROM diagnosis WHERE signature IS NOT NULL GROUP BY signature, job) AS j ON j.signature = c.signature
JOIN (
	SELECT job, signature, row_number() OVER (PARTITION BY job
		ORDER BY CASE WHEN time_us IS NULL THEN 1 ELSE 0 END, time_us, rank, snapshot_id) AS place_in_job
	FROM diagnosis WHERE signature IS NOT NULL) AS f ON f.job = j.job AND f.place_in_job = 1
ORDER BY c.jobs DESC, c.failures DESC, c.signature, j.job
