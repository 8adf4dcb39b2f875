-- which capacity each job needs: with its settings and with expandable segments, the most of its dumps; beyond the failure none can tell
SELECT p.job, count(*) AS dumps, sum(CASE WHEN p.verdict IS NULL THEN 0 ELSE 1 END) AS failures,
	max(p.capacity) AS capacity, max(p.peak_allocated) AS peak_allocated, max(p.peak_reserved) AS peak_reserved,
	max(coalesce(p.least, p.peak_reserved)) AS needed, max(coalesce(p.expandable, p.least, p.peak_reserved)) AS needed_expandable
FROM (
	SELECT d.job, d.snapshot_id, d.verdict, v.capacity, v.peak_allocated, v.peak_reserved, w.capacity AS had, w.least, w.expandable
	FROM diagnosis AS d
	LEFT JOIN (
		SELECT snapshot_id, max(capacity) AS capacity, max(peak_allocated) AS peak_allocated, max(reserved) AS peak_reserved
		FROM device GROUP BY snapshot_id) AS v ON v.snapshot_id = d.snapshot_id
	LEFT JOIN (
		SELECT snapshot_id, max(capacity) AS capacity, max(CASE WHEN recorded THEN least_capacity END) AS least,
			max(CASE WHEN conf = 'expandable_segments:True' THEN least_capacity END) AS expandable
		FROM whatif GROUP BY snapshot_id) AS w ON w.snapshot_id = d.snapshot_id) AS p
GROUP BY p.job
ORDER BY p.job
