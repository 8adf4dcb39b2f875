CREATE TABLE warning ( -- what the reader noticed in the input
	snapshot_id INTEGER NOT NULL, -- snapshot.id
	text TEXT NOT NULL -- in words
);
