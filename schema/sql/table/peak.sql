CREATE TABLE peak ( -- the moment at which a device had most allocated, and what was live then
	snapshot_id INTEGER NOT NULL, -- snapshot.id
	device INTEGER, -- number of the device
	idx INTEGER, -- event after which it was, NULL: no events, what was captured stands for it
	time_us INTEGER, -- microseconds since 1970 UTC
	allocated INTEGER NOT NULL, -- bytes allocated then
	reserved INTEGER NOT NULL, -- bytes reserved then
	step INTEGER, -- number of the step that it was in
	parameter INTEGER, -- live bytes of the category; NULL: a peak that figures alone tell of
	buffer INTEGER, -- live bytes of the category; NULL: a peak that figures alone tell of
	gradient INTEGER, -- live bytes of the category; NULL: a peak that figures alone tell of
	optimizer_state INTEGER, -- live bytes of the category; NULL: a peak that figures alone tell of
	activation INTEGER, -- live bytes of the category; NULL: a peak that figures alone tell of
	input INTEGER, -- live bytes of the category; NULL: a peak that figures alone tell of
	workspace INTEGER, -- live bytes of the category; NULL: a peak that figures alone tell of
	temporary INTEGER, -- live bytes of the category; NULL: a peak that figures alone tell of
	unknown INTEGER, -- live bytes of the category; NULL: a peak that figures alone tell of
	own INTEGER -- live bytes of categories that the user's rules name
);
