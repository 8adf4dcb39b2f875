-- when each device had most allocated, and what that was by category
SELECT snapshot_id, device, idx, time_us, allocated, reserved, step, parameter, buffer, gradient, optimizer_state, activation, input, workspace, temporary, unknown, own
FROM peak ORDER BY snapshot_id, device
