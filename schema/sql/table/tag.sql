CREATE TABLE tag ( -- a name that the program gave to allocations
	snapshot_id INTEGER NOT NULL, -- snapshot.id
	id INTEGER NOT NULL, -- number of the tag in its snapshot
	name TEXT NOT NULL, -- the name
	PRIMARY KEY (snapshot_id, id)
) WITHOUT ROWID;
