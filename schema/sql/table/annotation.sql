CREATE TABLE annotation ( -- a mark that the program set, a phase of its run
	snapshot_id INTEGER NOT NULL, -- snapshot.id
	name TEXT, -- what it marks
	stage TEXT, -- START or END
	device INTEGER, -- number of the device
	time_us INTEGER -- microseconds since 1970 UTC
);
