CREATE TABLE varying_size ( -- a stack that asks for many sizes
	snapshot_id INTEGER NOT NULL, -- snapshot.id
	device INTEGER, -- number of the device
	stack_id INTEGER NOT NULL, -- stack.id
	requests INTEGER NOT NULL, -- allocations in the trace
	sizes INTEGER NOT NULL, -- different sizes among them
	min INTEGER NOT NULL, -- smallest request in bytes
	max INTEGER NOT NULL -- largest request in bytes
);
