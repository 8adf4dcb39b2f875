CREATE TABLE stack_frame ( -- the frames of the stacks
	stack_id INTEGER NOT NULL, -- stack.id
	depth INTEGER NOT NULL, -- 0 is the innermost
	frame_id INTEGER NOT NULL, -- frame.id
	PRIMARY KEY (stack_id, depth)
) WITHOUT ROWID;
