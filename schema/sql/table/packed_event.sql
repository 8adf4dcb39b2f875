CREATE TABLE packed_event ( -- an event in few bytes; the view event shows it in full
	snapshot_id INTEGER NOT NULL, -- snapshot.id
	id INTEGER PRIMARY KEY, -- trace.first + idx
	action INTEGER NOT NULL, -- number of the action, in the order of the view event
	address INTEGER, -- of the block or segment
	size INTEGER NOT NULL, -- bytes
	stream INTEGER, -- handle of the stream
	pool_id TEXT, -- where it is known
	time INTEGER, -- microseconds after trace.base_us
	stack_id INTEGER, -- stack.id
	tag_id INTEGER, -- tag.id
	more_id INTEGER -- more.id
);
