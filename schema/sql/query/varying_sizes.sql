-- stacks that ask for many sizes: what leaves holes behind
SELECT v.snapshot_id, v.device, k.text AS stack, k.user_frame, v.requests, v.sizes, v.min, v.max
FROM varying_size AS v LEFT JOIN stack AS k ON k.id = v.stack_id
ORDER BY v.sizes DESC, v.requests DESC, v.snapshot_id, v.device, stack
