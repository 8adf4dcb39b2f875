CREATE TEMP VIEW stack ( -- a call stack with all its frames, the interpreter's own too
	id, -- number of the stack
	text, -- its frames, innermost first, a line each
	user_frame, -- innermost frame of the user's code; else of a library that is not PyTorch; else the autograd node
	user_frame_id -- frame.id of that
) AS
SELECT k.id,
	(SELECT group_concat(line, char(10)) FROM (
		SELECT coalesce(f.name, '') || coalesce(' (' || f.file || coalesce(':' || f.line, '') || ')', '') AS line
		FROM main.stack_frame AS s JOIN main.frame AS f ON f.id = s.frame_id
		WHERE s.stack_id = k.id ORDER BY s.depth)),
	k.user_frame, k.user_frame_id
FROM main.stack AS k;
