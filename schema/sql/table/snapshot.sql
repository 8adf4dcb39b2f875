CREATE TABLE snapshot ( -- an input: one process at one moment
	id INTEGER PRIMARY KEY, -- number of the snapshot in this database, from 1
	path TEXT, -- file it came from
	kind TEXT, -- gsnap, pytorch, bfc, rmm, text
	host TEXT, -- machine of the process
	pid INTEGER, -- process
	rank INTEGER, -- rank in a distributed job, from the file's facts or its name
	time_us INTEGER, -- when it was made, microseconds since 1970 UTC
	tool TEXT, -- what made it
	sha256 TEXT, -- of the file's bytes
	complete BOOLEAN NOT NULL, -- 0: the file was cut, what is here stood before the cut
	cut_at INTEGER, -- byte at which it was cut
	rules TEXT, -- release whose rules the allocator followed
	library TEXT, -- whose allocator it was
	argv TEXT, -- command line of the process
	driver TEXT, -- version of the device's driver
	release_min TEXT, -- oldest PyTorch release that can have written it, as far as its keys tell
	release_max TEXT, -- newest such release
	reason TEXT, -- of our own files, what made it: out of memory, refused, signal, demand
	above TEXT -- the caching allocator below which it was recorded: blocks are its segments
);
