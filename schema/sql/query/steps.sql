-- the steps of the program: what each held at its beginning, peak and end
SELECT snapshot_id, device, step, name, first_idx, last_idx, start_allocated, peak_allocated, peak_reserved, peak_idx,
	end_allocated, growth, retries, how, whole
FROM step ORDER BY snapshot_id, device, first_idx
