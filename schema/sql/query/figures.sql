-- a device's figures, each a name that an assertion may use; peaks, growth and steps are of the whole recording
WITH pools AS (
	SELECT snapshot_id, device, sum(free) AS free, sum(free_whole) + max(largest_left) AS easy
	FROM segment GROUP BY snapshot_id, device, pool, pool_id, stream),
worst AS (
	SELECT snapshot_id, device, max(1 - 1.0 * easy / nullif(free, 0)) AS fragmentation FROM pools GROUP BY snapshot_id, device),
grown AS (SELECT snapshot_id, device, sum(bytes) AS bytes FROM growth GROUP BY snapshot_id, device),
walked AS (SELECT snapshot_id, device, count(*) AS steps, sum(whole) AS whole FROM step GROUP BY snapshot_id, device),
top AS (
	SELECT snapshot_id, device, max(allocated) AS allocated, max(reserved) AS reserved FROM timeline
	GROUP BY snapshot_id, device),
live AS (
	SELECT snapshot_id, device, count(*) AS blocks,
		coalesce(sum(size) FILTER (WHERE category = 'parameter'), 0) AS parameter,
		coalesce(sum(size) FILTER (WHERE category = 'buffer'), 0) AS buffer,
		coalesce(sum(size) FILTER (WHERE category = 'gradient'), 0) AS gradient,
		coalesce(sum(size) FILTER (WHERE category = 'optimizer_state'), 0) AS optimizer_state,
		coalesce(sum(size) FILTER (WHERE category = 'activation'), 0) AS activation,
		coalesce(sum(size) FILTER (WHERE category = 'input'), 0) AS input,
		coalesce(sum(size) FILTER (WHERE category = 'workspace'), 0) AS workspace,
		coalesce(sum(size) FILTER (WHERE category = 'temporary'), 0) AS temporary,
		coalesce(sum(size) FILTER (WHERE category = 'unknown'), 0) AS unknown
	FROM block WHERE state <> 'inactive' GROUP BY snapshot_id, device),
shown AS (
	SELECT t.snapshot_id, t.device, s.segments, coalesce(s.reserved, d.said_reserved) AS reserved,
		coalesce(s.allocated, d.said_allocated) AS allocated, s.pending, s.free, s.free_blocks, s.largest_free,
		s.free_whole, s.rounding, s.device_free, d.capacity, d.events, d.at_oom, s.blocks IS NOT NULL AS layout
	FROM shown_state AS t JOIN state AS s ON s.id = t.state_id
		JOIN device AS d ON d.snapshot_id = t.snapshot_id AND d.device IS t.device
	WHERE d.name IS NOT 'host')
SELECT x.snapshot_id, x.device, coalesce(p.allocated, x.allocated) AS peak_allocated,
	coalesce(p.reserved, x.reserved) AS peak_reserved, x.reserved, x.allocated, x.pending, x.free, x.free_blocks,
	x.largest_free, x.free_whole, w.fragmentation, x.segments, x.rounding, x.device_free, x.capacity, x.events,
	CASE WHEN x.at_oom IS NOT NULL THEN
		(SELECT count(*) FROM oom AS o WHERE o.snapshot_id = x.snapshot_id AND o.device IS x.device) END AS ooms,
	(SELECT max(current) FROM stat AS r
		WHERE r.snapshot_id = x.snapshot_id AND r.device IS x.device AND r.name = 'num_alloc_retries') AS retries,
	coalesce(g.bytes, CASE WHEN n.whole >= 3 THEN 0 END) AS growth,
	CASE WHEN x.layout THEN coalesce(l.parameter, 0) END AS parameter,
	CASE WHEN x.layout THEN coalesce(l.buffer, 0) END AS buffer,
	CASE WHEN x.layout THEN coalesce(l.gradient, 0) END AS gradient,
	CASE WHEN x.layout THEN coalesce(l.optimizer_state, 0) END AS optimizer_state,
	CASE WHEN x.layout THEN coalesce(l.activation, 0) END AS activation,
	CASE WHEN x.layout THEN coalesce(l.input, 0) END AS input,
	CASE WHEN x.layout THEN coalesce(l.workspace, 0) END AS workspace,
	CASE WHEN x.layout THEN coalesce(l.temporary, 0) END AS temporary,
	CASE WHEN x.layout THEN coalesce(l.unknown, 0) END AS unknown,
	coalesce(n.steps, 0) AS steps, coalesce(n.whole, 0) AS whole_steps
FROM shown AS x LEFT JOIN top AS p ON p.snapshot_id = x.snapshot_id AND p.device IS x.device
	LEFT JOIN worst AS w ON w.snapshot_id = x.snapshot_id AND w.device IS x.device
	LEFT JOIN grown AS g ON g.snapshot_id = x.snapshot_id AND g.device IS x.device
	LEFT JOIN walked AS n ON n.snapshot_id = x.snapshot_id AND n.device IS x.device
	LEFT JOIN live AS l ON l.snapshot_id = x.snapshot_id AND l.device IS x.device
ORDER BY x.snapshot_id, x.device
