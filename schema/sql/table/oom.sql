CREATE TABLE oom ( -- an out-of-memory: an event of a trace, or a message
	snapshot_id INTEGER NOT NULL, -- snapshot.id
	device INTEGER, -- number of the device
	number INTEGER NOT NULL, -- from 1, for each device: state 'oom NUMBER'
	idx INTEGER, -- of its event; NULL for a message
	time_us INTEGER, -- microseconds since 1970 UTC
	requested INTEGER, -- bytes asked for, rounded; from a message: what it prints
	needed INTEGER, -- bytes of the segment that was asked of the driver
	stream INTEGER, -- handle of the stream
	pool TEXT, -- small or large
	pool_id TEXT, -- where it is known
	device_free INTEGER, -- bytes free on the device then
	capacity INTEGER, -- bytes of the device in all
	allocated INTEGER, -- bytes allocated then
	reserved INTEGER, -- bytes reserved then
	allowed INTEGER, -- limit of the allocator in bytes
	library TEXT, -- whose allocator failed
	stack_id INTEGER, -- stack.id of the request
	message TEXT, -- the text, from a message
	others INTEGER, -- bytes that other processes hold, as a message tells
	own INTEGER, -- bytes that the process holds in all, likewise
	counted INTEGER, -- bytes that count against allowed, where those are not reserved
	private_free INTEGER, -- bytes free in private pools, at most
	pool_free INTEGER, -- bytes free in the pool that had to serve it
	pool_largest INTEGER, -- the largest free piece of that pool
	line INTEGER, -- of the text
	says INTEGER -- what the message proves: bits of FORMAT.md, oom
);
