-- the statistics that the allocator kept
SELECT snapshot_id, device, name, pool, current, peak, allocated, freed FROM stat ORDER BY snapshot_id, device, name, pool
