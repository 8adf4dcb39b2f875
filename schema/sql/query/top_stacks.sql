-- which stacks hold the most live bytes (--by stack, line, function, file or module)
WITH held AS (
	SELECT snapshot_id, device, stack_id, sum(size) AS bytes, count(*) AS blocks
	FROM block WHERE state <> 'inactive' GROUP BY snapshot_id, device, stack_id),
named AS (
	SELECT h.*, k.user_frame, k.text AS stack,
		CASE :by WHEN 'line' THEN k.user_frame WHEN 'function' THEN f.name WHEN 'file' THEN f.file WHEN 'module' THEN f.module ELSE h.stack_id END AS part
	FROM held AS h LEFT JOIN stack AS k ON k.id = h.stack_id LEFT JOIN frame AS f ON f.id = k.user_frame_id),
ranked AS ( -- of each part the stack that holds most stands for it
	SELECT snapshot_id, device, part, sum(bytes) AS bytes, sum(blocks) AS blocks, user_frame, stack, max(bytes)
	FROM named GROUP BY snapshot_id, device, part)
SELECT snapshot_id, device, bytes, blocks,
	CASE WHEN coalesce(:by, 'stack') = 'stack' THEN user_frame ELSE part END AS user_frame, stack
FROM ranked
ORDER BY bytes DESC, snapshot_id, device, user_frame, stack
