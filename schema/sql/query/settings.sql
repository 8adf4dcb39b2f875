-- the allocator's settings
SELECT snapshot_id, name, value FROM setting ORDER BY snapshot_id, name
