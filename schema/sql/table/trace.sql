CREATE TABLE trace ( -- where the events of a device stand in packed_event
	snapshot_id INTEGER NOT NULL, -- snapshot.id
	device INTEGER NOT NULL, -- number of the device
	first INTEGER NOT NULL, -- packed_event.id of event 0
	events INTEGER NOT NULL, -- number of events
	base_us INTEGER NOT NULL, -- time from which packed_event.time counts
	PRIMARY KEY (snapshot_id, device)
) WITHOUT ROWID;
