-- every segment and what it holds
SELECT * FROM segment ORDER BY snapshot_id, device, address, size DESC
