CREATE TABLE stat ( -- a statistic that the allocator kept
	snapshot_id INTEGER NOT NULL, -- snapshot.id
	device INTEGER, -- number of the device
	name TEXT NOT NULL, -- its name
	pool TEXT, -- all, small_pool or large_pool; NULL for plain counters
	current INTEGER, -- value when the snapshot was made
	peak INTEGER, -- greatest value
	allocated INTEGER, -- sum of all increases
	freed INTEGER -- sum of all decreases
);
