CREATE INDEX all_segment_of ON all_segment (state_id);
