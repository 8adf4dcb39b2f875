/* The options of each command, caught on their way to --help. */
#include "tools/describe.h"

#include <ctype.h>
#include <string.h>

#include "analyzer/diagnose/diagnose.h"
#include "tools/output.h"

static gs_option_table *caught;

static void catch_table(const gs_option *options)
{
	int n = 0;
	for (; options[n].type != GS_OPT_END && n < GS_TABLE_MAX; n++) {
		caught->options[n] = options[n];
		caught->options[n].value = NULL; /* it is the command's, which has returned by then */
	}
	caught->options[n].type = GS_OPT_END;
}

void gs_table_of(const gs_command *command, gs_option_table *table)
{
	char name[32], flag[] = "--help";
	memset(table, 0, sizeof *table);
	if (!strcmp(command->name, "help"))
		return;
	snprintf(name, sizeof name, "%s", command->name);
	char *args[] = {name, flag, NULL};
	caught = table;
	gs_options_show_by(catch_table);
	command->run(2, args);
	gs_options_show_by(NULL);
	caught = NULL;
}

static void add_choice(gs_choices *c, const char *word, size_t n)
{
	if (c->n < GS_CHOICES_MAX && n < sizeof c->words[0]) {
		memcpy(c->words[c->n], word, n);
		c->words[c->n++][n] = '\0';
	}
	c->kind = GS_VALUE_WORDS;
}

static size_t word_length(const char *p)
{
	size_t n = 0;
	while (islower((unsigned char)p[n]) || isdigit((unsigned char)p[n]) || p[n] == '_')
		n++;
	return n;
}

/* Past " (the default)". */
static const char *after_remark(const char *p)
{
	const char *end = strncmp(p, " (", 2) ? NULL : strchr(p, ')');
	return end ? end + 1 : p;
}

/* The list "a, b (the default) or c" that begins at p; false where none does. */
static bool read_list(const char *p, gs_choices *c)
{
	c->n = 0;
	for (;;) {
		size_t n = word_length(p);
		if (!n)
			return false;
		add_choice(c, p, n);
		p = after_remark(p + n);
		bool last = !strncmp(p, " or ", 4) || !strncmp(p, ", or ", 5);
		if (last) {
			p = strstr(p, "or ") + 3;
			n = word_length(p);
			if (!n || c->n < 1)
				return false;
			add_choice(c, p, n);
			return !isalpha((unsigned char)p[n]);
		}
		if (strncmp(p, ", ", 2))
			return false;
		p += 2;
	}
}

/* A list of three, or one that stands at the beginning or after a colon: "a or b" is said of much
 * else. */
static void read_help(const char *help, gs_choices *c)
{
	for (const char *p = help; *p; p++)
		if ((p == help || p[-1] == ' ') && read_list(p, c) &&
			(c->n > 2 || p == help || p[-2] == ':'))
			return;
	c->n = 0;
	c->kind = GS_VALUE_ANY;
}

static bool has(const gs_choices *c, const char *word)
{
	for (int i = 0; i < c->n; i++)
		if (!strcmp(c->words[i], word))
			return true;
	return false;
}

/* What --fail-on takes: kinds of verdicts and the verdicts themselves. */
static void add_verdicts(gs_choices *c)
{
	for (int i = 0; i < GS_VERDICT_NONE; i++) {
		const char *kind = gs_step_kind((gs_step)i);
		if (kind && !has(c, kind))
			add_choice(c, kind, strlen(kind));
	}
	for (int i = 0; i < GS_VERDICT_NONE; i++) {
		const char *word = gs_step_word((gs_step)i);
		if (word && !has(c, word))
			add_choice(c, word, strlen(word));
	}
	c->kind = GS_VALUE_LIST;
}

void gs_choices_of(const gs_option *o, gs_choices *c)
{
	static const char *const states[] = {"captured", "oom", "peak", "peak reserved"};
	memset(c, 0, sizeof *c);
	if (!o->argument)
		return;
	if (o->type == GS_OPT_FORMAT) {
		for (const char *const *w = gs_format_words; *w; w++)
			add_choice(c, *w, strlen(*w));
	} else if (!strcmp(o->argument, "STATE")) {
		for (size_t i = 0; i < sizeof states / sizeof *states; i++)
			add_choice(c, states[i], strlen(states[i]));
	} else if (!strncmp(o->argument, "KIND", 4)) {
		add_verdicts(c);
	} else if (!strcmp(o->argument, "D") || !strcmp(o->argument, "DIR")) {
		c->kind = GS_VALUE_FOLDER;
	} else if (strstr(o->argument, "FILE")) {
		c->kind = GS_VALUE_FILE;
	} else if (o->type == GS_OPT_TEXT) {
		read_help(o->help, c);
	}
}
