-- who holds live memory: place, caller and category, merged where they read alike
SELECT snapshot_id, device, "where", called_by, category, bytes, blocks
FROM holder ORDER BY bytes DESC, snapshot_id, device, "where", called_by, category
