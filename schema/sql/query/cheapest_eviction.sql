-- for each segment the cheapest run of blocks whose release would hold the failed request
SELECT snapshot_id, device, segment, address, size, live_bytes, live_blocks, sufficient
FROM eviction
ORDER BY sufficient DESC, live_bytes, live_blocks, snapshot_id, device, segment
