/* Patterns of names. */
#include "recorder/dump/file_name.h"

#include "schema/terms.h"

static void put_host(gs_line *line, const char *host)
{
	for (; *host; host++) /* a name from outside must not leave the folder */
		gs_line_char(line, *host == '/' || (unsigned char)*host < ' ' ? '_' : *host);
}

void gs_name_put(gs_line *line, const char *pattern, const gs_name_facts *f)
{
	for (const char *p = pattern; *p; p++) {
		if (*p != '%' || !p[1]) {
			gs_line_char(line, *p == '/' && !f->is_path ? '_' : *p);
			continue;
		}
		switch (*++p) {
		case 'h': put_host(line, f->host); break;
		case 'p': gs_line_signed(line, f->pid); break;
		case 'r': gs_line_signed(line, f->rank == GS_NONE ? 0 : f->rank); break;
		case 'd': gs_line_signed(line, f->device); break;
		case 't': gs_line_utc(line, f->now / 1000000000); break;
		case 'n': gs_line_number(line, f->number, 1); break;
		case '%': gs_line_char(line, '%'); break;
		default: gs_line_char(line, '%'); gs_line_char(line, *p);
		}
	}
}
