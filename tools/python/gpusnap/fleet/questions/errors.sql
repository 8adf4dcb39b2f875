-- the dumps that could not be read, and why
SELECT job, day, rank, host, error, size, path, snapshot_id
FROM snapshot WHERE error IS NOT NULL
ORDER BY job, path
