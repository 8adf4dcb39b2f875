CREATE TABLE step ( -- a step of the program: what it does again and again, of training as a rule
	snapshot_id INTEGER NOT NULL, -- snapshot.id
	device INTEGER, -- number of the device
	step INTEGER NOT NULL, -- its number: the annotation's, else counted from 0
	name TEXT NOT NULL, -- as the program named it, else 'step N'
	first_idx INTEGER NOT NULL, -- its first event
	last_idx INTEGER NOT NULL, -- its last event
	how TEXT NOT NULL, -- annotation, or period: where the program comes back to earlier lines
	start_allocated INTEGER NOT NULL, -- bytes allocated before it
	peak_allocated INTEGER NOT NULL, -- most bytes allocated in it
	peak_reserved INTEGER NOT NULL, -- most bytes reserved in it
	peak_idx INTEGER NOT NULL, -- event after which most were allocated
	end_allocated INTEGER NOT NULL, -- bytes allocated after it
	growth INTEGER NOT NULL, -- end_allocated - start_allocated
	retries INTEGER NOT NULL, -- times that the cache was given back for a request in it
	whole BOOLEAN NOT NULL -- 0: the recording ends, or a request failed, inside it
);
