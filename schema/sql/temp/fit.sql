CREATE TABLE temp.fit ( -- a step of the ladder: would the failed request have fit if …
	snapshot_id INTEGER NOT NULL, -- snapshot.id
	device INTEGER, -- number of the device
	step TEXT NOT NULL, -- name of the step, a verdict
	question TEXT NOT NULL, -- what it asks
	available INTEGER, -- bytes that it would have had
	needed INTEGER, -- bytes that it needed
	fits BOOLEAN -- NULL: not to be told from this input
);
