-- bytes allocated and reserved over the run, sampled
SELECT snapshot_id, device, idx, time_us, allocated, reserved FROM timeline ORDER BY snapshot_id, device, idx
