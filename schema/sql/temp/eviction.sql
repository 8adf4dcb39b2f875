CREATE TABLE temp.eviction ( -- the cheapest run of neighbouring blocks of a segment that would hold the failed request
	snapshot_id INTEGER NOT NULL, -- snapshot.id
	device INTEGER, -- number of the device
	segment INTEGER, -- address of the segment; NULL: whole segments given back together
	address INTEGER, -- of the run's first byte
	size INTEGER, -- bytes of the run
	live_bytes INTEGER NOT NULL, -- bytes in it that are allocated or pending
	live_blocks INTEGER NOT NULL, -- blocks of these
	sufficient BOOLEAN NOT NULL -- 1: the request would fit then
);
