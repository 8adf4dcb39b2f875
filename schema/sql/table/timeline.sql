CREATE TABLE timeline ( -- bytes over time: events sampled evenly, and those of the peaks
	snapshot_id INTEGER NOT NULL, -- snapshot.id
	device INTEGER NOT NULL, -- number of the device
	idx INTEGER NOT NULL, -- of the event
	time_us INTEGER, -- microseconds since 1970 UTC
	allocated INTEGER NOT NULL, -- bytes allocated after it
	reserved INTEGER NOT NULL, -- bytes reserved after it
	PRIMARY KEY (snapshot_id, device, idx)
) WITHOUT ROWID;
