CREATE INDEX all_block_of ON all_block (state_id);
