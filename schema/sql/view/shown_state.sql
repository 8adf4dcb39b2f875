CREATE VIEW shown_state ( -- the state of each device that segment and block show: its last oom, else captured
	snapshot_id, -- snapshot.id
	state_id, -- state.id
	device, -- number of the device
	name -- of the state
) AS
SELECT snapshot_id, id, device, name
FROM state AS s
WHERE id = (
	SELECT id FROM state AS o
	WHERE o.snapshot_id = s.snapshot_id AND o.device IS s.device AND (o.name = 'captured' OR o.name LIKE 'oom %')
	ORDER BY o.name <> 'captured' DESC, o.idx DESC, o.id DESC LIMIT 1);
