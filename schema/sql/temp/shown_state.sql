CREATE TABLE temp.shown_state ( -- the selected state of each device
	snapshot_id INTEGER NOT NULL, -- snapshot.id
	state_id INTEGER, -- state.id
	device INTEGER, -- number of the device
	name TEXT NOT NULL -- of the state
);
