-- stacks whose live bytes outgrow the steps: leaks, or caches without a limit
SELECT g.snapshot_id, g.device, k.text AS stack, k.user_frame, g.blocks, g.bytes, g.first_idx, g.last_idx, g.estimated
FROM growth AS g LEFT JOIN stack AS k ON k.id = g.stack_id
ORDER BY g.bytes DESC, g.snapshot_id, g.device, stack
