CREATE TEMP VIEW stack ( -- a call stack with all its frames, the interpreter's own too
	id, -- number of the stack
	text, -- its frames, innermost first, a line each
	user_frame, -- first frame outside the interpreter, its library, site-packages and C++ plumbing, else the innermost
	user_frame_id -- frame.id of that
) AS
SELECT k.id,
	(SELECT group_concat(line, char(10)) FROM (
		SELECT coalesce(f.name, '') || coalesce(' (' || f.file || coalesce(':' || f.line, '') || ')', '') AS line
		FROM main.stack_frame AS s JOIN main.frame AS f ON f.id = s.frame_id
		WHERE s.stack_id = k.id ORDER BY s.depth)),
	k.user_frame, k.user_frame_id
FROM main.stack AS k;
