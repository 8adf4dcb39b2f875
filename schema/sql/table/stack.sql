CREATE TABLE stack ( -- a call stack, shared by all snapshots
	id INTEGER PRIMARY KEY, -- number of the stack
	text TEXT NOT NULL, -- its frames, innermost first, a line each; the interpreter's own left out
	user_frame TEXT, -- first frame outside the interpreter, its library, site-packages and C++ plumbing, else the innermost
	user_frame_id INTEGER -- frame.id of that
);
