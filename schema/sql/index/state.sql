CREATE INDEX state_of ON state (snapshot_id, device);
