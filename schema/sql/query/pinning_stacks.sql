-- which stacks keep free memory from going back to the driver: free_pinned = free - free_whole of their segments
WITH part AS (
	SELECT b.snapshot_id, b.device, b.stack_id, s.address, s.free - s.free_whole AS pinned, count(*) AS blocks, sum(b.size) AS bytes
	FROM segment AS s JOIN block AS b
		ON b.snapshot_id = s.snapshot_id AND b.device IS s.device AND b.segment = s.address
	WHERE s.free > s.free_whole AND b.state <> 'inactive'
	GROUP BY b.snapshot_id, b.device, b.stack_id, s.address)
SELECT p.snapshot_id, p.device, k.text AS stack, k.user_frame, sum(p.blocks) AS blocks, sum(p.bytes) AS bytes,
	count(*) AS segments, sum(p.pinned) AS free_pinned
FROM part AS p LEFT JOIN stack AS k ON k.id = p.stack_id
GROUP BY p.snapshot_id, p.device, p.stack_id
ORDER BY free_pinned DESC, bytes DESC, p.snapshot_id, p.device, stack
