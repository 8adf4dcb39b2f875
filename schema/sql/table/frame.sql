CREATE TABLE frame ( -- a place in a program, shared by all snapshots
	id INTEGER PRIMARY KEY, -- number of the frame
	name TEXT, -- function
	file TEXT, -- source file or binary
	line INTEGER, -- line in the file
	module TEXT, -- package, or the file's name without its ending
	class INTEGER -- what it is apart from its words, where a redacted copy has those no more: bits of FORMAT.md, frame
);
