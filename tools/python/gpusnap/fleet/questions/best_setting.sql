-- which setting would have saved most runs: the failures that pass with it, and the jobs none of whose failures is left
SELECT w.conf, sum(w.saved) AS saved, sum(w.exact) AS saved_exactly, count(*) AS failures,
	round(CAST(sum(w.saved) AS DOUBLE) / count(*), 3) AS share,
	count(DISTINCT CASE WHEN w.left_in_job = 0 THEN w.job END) AS jobs_saved, count(DISTINCT w.job) AS jobs
FROM (
	SELECT conf, job, CASE WHEN fits THEN 1 ELSE 0 END AS saved, CASE WHEN fits AND exact THEN 1 ELSE 0 END AS exact,
		sum(CASE WHEN fits THEN 0 ELSE 1 END) OVER (PARTITION BY conf, job) AS left_in_job
	FROM whatif WHERE NOT recorded) AS w
GROUP BY w.conf
ORDER BY saved DESC, jobs_saved DESC, w.conf
