CREATE TABLE peak ( -- the moment at which a device had most allocated, and what was live then
	snapshot_id INTEGER NOT NULL, -- snapshot.id
	device INTEGER, -- number of the device
	idx INTEGER, -- event after which it was, NULL: no events, what was captured stands for it
	time_us INTEGER, -- microseconds since 1970 UTC
	allocated INTEGER NOT NULL, -- bytes allocated then
	reserved INTEGER NOT NULL, -- bytes reserved then
	step INTEGER, -- number of the step that it was in
	parameter INTEGER NOT NULL, -- live bytes of the category
	buffer INTEGER NOT NULL, -- live bytes of the category
	gradient INTEGER NOT NULL, -- live bytes of the category
	optimizer_state INTEGER NOT NULL, -- live bytes of the category
	activation INTEGER NOT NULL, -- live bytes of the category
	input INTEGER NOT NULL, -- live bytes of the category
	workspace INTEGER NOT NULL, -- live bytes of the category
	temporary INTEGER NOT NULL, -- live bytes of the category
	unknown INTEGER NOT NULL, -- live bytes of the category
	own INTEGER NOT NULL -- live bytes of categories that the user's rules name
);
