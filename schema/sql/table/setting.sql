CREATE TABLE setting ( -- an allocator setting
	snapshot_id INTEGER NOT NULL, -- snapshot.id
	name TEXT NOT NULL, -- its name
	value TEXT -- its value
);
