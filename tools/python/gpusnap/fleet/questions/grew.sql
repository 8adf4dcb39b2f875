-- what holds more since a day (--since; by default a week before the last): mean bytes a dump of each place, over dumps of the same job
SELECT g.job, g.place, g.category, g.bytes_before, g.bytes_after, g.bytes_after - g.bytes_before AS change,
	g.dumps_before, g.dumps_after
FROM (
	SELECT n.job, h.place, h.category,
		CAST(round(coalesce(sum(CASE WHEN h.day < a.since THEN h.bytes END), 0) / min(n.dumps_before)) AS BIGINT) AS bytes_before,
		CAST(round(coalesce(sum(CASE WHEN h.day >= a.since THEN h.bytes END), 0) / min(n.dumps_after)) AS BIGINT) AS bytes_after,
		min(n.dumps_before) AS dumps_before, min(n.dumps_after) AS dumps_after
	FROM holders AS h CROSS JOIN asked AS a
	JOIN (
		SELECT s.job, sum(CASE WHEN s.day < b.since THEN 1.0 ELSE 0.0 END) AS dumps_before,
			sum(CASE WHEN s.day >= b.since THEN 1.0 ELSE 0.0 END) AS dumps_after
		FROM snapshot AS s CROSS JOIN asked AS b WHERE s.error IS NULL GROUP BY s.job) AS n ON n.job = h.job
	WHERE n.dumps_before > 0 AND n.dumps_after > 0
	GROUP BY n.job, h.place, h.category) AS g
WHERE g.bytes_after > g.bytes_before
ORDER BY change DESC, g.job, g.place, g.category
