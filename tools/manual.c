/* Pages of the manual in mdoc(7), from the tables that --help prints. */
#include <string.h>

#include "schema/version.h"
#include "tools/describe.h"

/* Text as mdoc takes it: no escapes, no macro in the first word, the ellipsis and dashes by name.
 */
static void put_text(FILE *out, const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", out);
	for (const char *p = text; *p; p++)
		if (!strncmp(p, "…", strlen("…"))) {
			fputs("...", out);
			p += strlen("…") - 1;
		} else if (*p == '\\') {
			fputs("\\e", out);
		} else if (*p == '-' && p[1] == '-') {
			fputs("\\-", out);
		} else {
			putc(*p, out);
		}
}

static void put_option(FILE *out, const gs_option *o)
{
	fputs(".It ", out);
	if (o->letter) {
		fprintf(out, "Fl %c", o->letter);
		if (o->argument) {
			fputs(" Ar ", out);
			put_text(out, o->argument);
		}
		fputs(" , ", out);
	}
	fprintf(out, "Fl \\-%s", o->name);
	if (o->argument) {
		fputs(" Ar ", out);
		put_text(out, o->argument);
	}
	putc('\n', out);
	put_text(out, o->help);
	putc('\n', out);
}

static void put_options(FILE *out, const gs_command *command)
{
	gs_option_table table;
	gs_table_of(command, &table);
	fputs(".Sh OPTIONS\n.Bl -tag -width Ds\n", out);
	for (const gs_option *o = table.options; o->type != GS_OPT_END; o++)
		put_option(out, o);
	fputs(".It Fl \\-help\nthe options in short\n.El\n", out);
}

static void put_commands(FILE *out)
{
	for (const gs_command *c = gs_commands; c->name; c++) {
		if (!c->run)
			continue;
		fprintf(out, ".It Cm %s\n", c->name);
		put_text(out, c->summary);
		putc('\n', out);
	}
}

void gs_describe_manual(const gs_command *c, FILE *out)
{
	if (!c) {
		put_commands(out);
		return;
	}
	fprintf(out, ".Dd %s\n.Dt GPUSNAP-", GS_RELEASED);
	for (const char *p = c->name; *p; p++)
		putc(*p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p, out);
	fprintf(out, " 1\n.Os gpusnap %s\n.Sh NAME\n.Nm gpusnap-%s\n.Nd ", GS_RELEASE, c->name);
	put_text(out, c->summary);
	fprintf(out, "\n.Sh SYNOPSIS\n.Nm gpusnap Cm %s\n.Op Ar option ...\n", c->name);
	put_text(out, c->arguments);
	fputs("\n.\\\" prose\n", out);
	if (strcmp(c->name, "help"))
		put_options(out, c);
	fputs(
		".Sh EXIT STATUS\nAs\n.Xr gpusnap 1\ntells: 0 done, 1 failed, 2 wrong usage.\n.\\\" examples\n",
		out);
	fputs(".Sh SEE ALSO\n.Xr gpusnap 1\n", out);
}
