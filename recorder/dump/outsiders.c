#include "recorder/dump/outsiders.h"

#include "recorder/dump/text.h"

void gs_outsiders_add(gs_staging *s, int32_t device, uint32_t pid, int64_t bytes, const char *known,
	const char *holder)
{
	if (s->outside.n == GS_STAGE_OUTSIDERS || bytes < 0)
		return;
	char *row = s->outside.rows[s->outside.n++];
	gs_line line = {row, 0, sizeof s->outside.rows[0]};
	gs_line_signed(&line, device);
	gs_line_char(&line, ' ');
	if (pid)
		gs_line_number(&line, pid, 1);
	else
		gs_line_char(&line, '-');
	gs_line_char(&line, ' ');
	gs_line_number(&line, (uint64_t)bytes, 1);
	gs_line_char(&line, ' ');
	gs_line_text(&line, known);
	gs_line_char(&line, '\t');
	gs_line_text(&line, holder);
}
