CREATE TABLE more ( -- what PyTorch tells of events beyond their columns
	snapshot_id INTEGER NOT NULL, -- snapshot.id
	id INTEGER NOT NULL, -- number of the text in its snapshot
	text TEXT NOT NULL, -- a JSON object
	PRIMARY KEY (snapshot_id, id)
) WITHOUT ROWID;
