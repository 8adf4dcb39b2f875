CREATE TABLE device ( -- a device of a snapshot
	snapshot_id INTEGER NOT NULL, -- snapshot.id
	device INTEGER, -- number of the device, NULL where the input names none
	name TEXT, -- model; host: pinned host memory
	capacity INTEGER, -- bytes of memory in all
	device_free INTEGER, -- bytes free on the device when the snapshot was made
	allowed INTEGER, -- limit of the allocator (memory fraction) in bytes
	others INTEGER, -- bytes that other processes held
	events INTEGER, -- events of the trace; NULL: a cut took them away
	dropped INTEGER NOT NULL, -- events known to be lost before the first
	from_start BOOLEAN, -- 1: recording began before the first allocation; NULL not known
	at_oom BOOLEAN, -- 1: the captured layout is that of the last out-of-memory; NULL: a cut took away what is told of them
	has_layout BOOLEAN NOT NULL, -- 0: the input tells nothing of segments
	captured_idx INTEGER, -- event after which the captured layout holds, NULL: after all of them
	said_reserved INTEGER, -- bytes reserved as a text says
	said_allocated INTEGER -- bytes allocated as a text says
);
