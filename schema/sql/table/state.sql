CREATE TABLE state ( -- a moment of a device for which segments and blocks are here, with its totals
	snapshot_id INTEGER NOT NULL, -- snapshot.id
	id INTEGER PRIMARY KEY, -- number of the state in this database
	device INTEGER, -- number of the device
	name TEXT NOT NULL, -- captured, oom 1, oom 2 …, peak, peak reserved, or an event's number
	idx INTEGER, -- event after which it holds, NULL: as captured
	exact BOOLEAN NOT NULL, -- 0: something in it is bounded, not determined
	note TEXT, -- what that is
	device_free INTEGER, -- bytes free on the device then
	segments INTEGER, -- number of segments
	blocks INTEGER, -- number of blocks
	reserved INTEGER, -- bytes of all segments
	allocated INTEGER, -- bytes of allocated blocks
	pending INTEGER, -- bytes of blocks freed but awaited by a stream
	free INTEGER, -- bytes of inactive blocks
	free_blocks INTEGER, -- number of inactive blocks
	largest_free INTEGER, -- bytes of the largest inactive block
	rounding INTEGER, -- bytes of live blocks beyond what was requested
	free_whole INTEGER -- of free: bytes that emptying the cache gives back to the driver
);
