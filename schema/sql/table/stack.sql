CREATE TABLE stack ( -- a call stack, shared by all snapshots
	id INTEGER PRIMARY KEY, -- number of the stack
	text TEXT NOT NULL, -- its frames, innermost first, a line each; the interpreter's own left out
	user_frame TEXT, -- innermost frame of the user's code; else of a library that is not PyTorch; else the autograd node
	user_frame_id INTEGER -- frame.id of that
);
