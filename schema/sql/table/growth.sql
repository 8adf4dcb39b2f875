CREATE TABLE growth ( -- a stack whose live bytes outgrow the steps
	snapshot_id INTEGER NOT NULL, -- snapshot.id
	device INTEGER, -- number of the device
	stack_id INTEGER NOT NULL, -- stack.id
	blocks INTEGER NOT NULL, -- blocks that live at its end
	bytes INTEGER NOT NULL, -- their bytes
	first_idx INTEGER, -- event of the first such allocation
	last_idx INTEGER, -- event of the last
	estimated INTEGER NOT NULL -- 1: the trace shows no steps; it grows in each third of it
);
