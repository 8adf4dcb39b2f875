-- stacks whose live bytes outgrow the steps: leaks, or caches without a limit; where, and from which step to which
SELECT g.snapshot_id, g.device,
	coalesce(CASE WHEN f.line IS NOT NULL THEN substr(f.file, length(rtrim(f.file, replace(f.file, '/', ''))) + 1) || ':' || f.line || ' ' || f.name END,
		k.user_frame) AS "where",
	k.text AS stack, k.user_frame, g.blocks, g.bytes, a.step AS first_step, z.step AS last_step, g.first_idx, g.last_idx, g.estimated
FROM growth AS g LEFT JOIN stack AS k ON k.id = g.stack_id LEFT JOIN frame AS f ON f.id = k.user_frame_id
	LEFT JOIN step AS a ON a.snapshot_id = g.snapshot_id AND a.device IS g.device AND g.first_idx BETWEEN a.first_idx AND a.last_idx
	LEFT JOIN step AS z ON z.snapshot_id = g.snapshot_id AND z.device IS g.device AND g.last_idx BETWEEN z.first_idx AND z.last_idx
ORDER BY g.bytes DESC, g.snapshot_id, g.device, stack
