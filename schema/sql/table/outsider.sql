CREATE TABLE outsider ( -- who holds memory of a device beside the allocator, as a text or a recording names them
	snapshot_id INTEGER NOT NULL, -- snapshot.id
	device INTEGER, -- number of the device
	holder TEXT, -- process, or the name of its program; a library of this process
	pid INTEGER, -- of the process
	bytes INTEGER, -- that it holds
	known TEXT -- who says so: message, nvidia-smi, nvml, driver calls
);
