/* Options as data: parsing, help, suggestions. */
#include "tools/options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/replay/cards.h"
#include "schema/size.h"
#include "tools/command.h"
#include "tools/message.h"
#include "tools/output.h"

enum { MOST_TOLD = 4, MOST_OWNERS = 3 };

typedef struct parse {
	const gs_option *options;
	const char *command;
	int argc, at;
	char **argv;
	char *value; /* that stands in the same word as the option, or NULL */
	struct {
		const char *text;
		int64_t bytes;
	} told[MOST_TOLD]; /* capacities, when all options are known: one of them may be --quiet */
	size_t ntold;
} parse;

static gs_options_show *show_by;

void gs_options_show_by(gs_options_show *show) { show_by = show; }

/* What is looked for in the tables of all commands, and what the last of them said. */
static struct {
	const char *name; /* "--capacity", "-c" */
	bool found;
	const char *names[512]; /* of all options that were shown; ended by NULL */
	size_t n;
} search;

static void look_at(const gs_option *options)
{
	for (const gs_option *o = options; o->type != GS_OPT_END; o++) {
		bool same = search.name[1] == '-' ? !strcmp(search.name + 2, o->name)
										  : o->letter && search.name[1] == o->letter;
		search.found |= same;
		if (search.n + 1 < sizeof search.names / sizeof *search.names)
			search.names[search.n++] = o->name;
	}
}

static bool has_option(const gs_command *c, const char *name)
{
	char command[32], flag[] = "--help";
	if (!c->run || !strcmp(c->name, "help"))
		return false;
	snprintf(command, sizeof command, "%s", c->name);
	char *args[] = {command, flag, NULL};
	gs_options_show *before = show_by;
	search.name = name, search.found = false;
	show_by = look_at;
	c->run(2, args);
	show_by = before;
	return search.found;
}

/* Commands that read a recording come before those that make one. */
static bool reads(const gs_command *c) { return strstr(c->arguments, "FILE") != NULL; }

bool gs_options_elsewhere(const char *name, char *text, size_t cap)
{
	const gs_command *owners[64];
	size_t n = 0, used;
	search.n = 0;
	for (int first = 1; first >= 0; first--)
		for (const gs_command *c = gs_commands; c->name; c++)
			if (reads(c) == first && n < 64 && has_option(c, name))
				owners[n++] = c;
	search.names[search.n] = NULL;
	if (!n)
		return false;
	used = (size_t)snprintf(text, cap, "`gpusnap %s %s` has it", owners[0]->name, name);
	for (size_t i = 1; i < n && i <= MOST_OWNERS && used < cap; i++)
		used += (size_t)snprintf(text + used, cap - used, "%s%s",
			i > 1 && i + 1 == n ? " and "
				: i > 1         ? ", "
				: n == 2        ? ", and so has "
								: ", and so have ",
			owners[i]->name);
	if (n - 1 > MOST_OWNERS && used < cap)
		snprintf(text + used, cap - used, " and %zu other commands", n - 1 - MOST_OWNERS);
	return true;
}

/* The nearest word of this command's options; else of any other's. */
static void hint_at(const parse *p, const char *name, char *hint, size_t cap)
{
	const char *names[64] = {"help"}, *near;
	char owner[200], other[64];
	int n = 1;
	for (const gs_option *o = p->options; o->type != GS_OPT_END && n < 63; o++)
		names[n++] = o->name;
	if (gs_options_elsewhere(name, owner, sizeof owner)) {
		snprintf(hint, cap, "%s; `gpusnap help %s` lists what this one has", owner, p->command);
	} else if (name[1] == '-' && (near = gs_nearest_word(name + 2, names))) {
		snprintf(hint, cap, "did you mean --%s? see `gpusnap help %s`", near, p->command);
	} else if (name[1] == '-' && (near = gs_nearest_word(name + 2, search.names))) {
		snprintf(other, sizeof other, "--%s", near);
		gs_options_elsewhere(other, owner, sizeof owner);
		snprintf(hint, cap, "did you mean %s? %s", other, owner);
	}
}

static int complain_unknown(const parse *p, const char *word)
{
	char name[64], hint[320] = "";
	snprintf(name, sizeof name, "%.*s", word[1] == '-' ? (int)strcspn(word, "=") : 2, word);
	hint_at(p, name, hint, sizeof hint);
	return gs_fail_usage(p->command, *hint ? hint : NULL, "no option is called %s", name);
}

static int complain_value(const parse *p, const gs_option *o, const char *value, const char *wanted)
{
	return gs_fail_usage(p->command, NULL, "--%s wants %s, not `%s`", o->name, wanted, value);
}

static int set_number(const parse *p, const gs_option *o, const char *value)
{
	char *end;
	errno = 0;
	if (o->type == GS_OPT_REAL) {
		double x = strtod(value, &end);
		if (!isdigit((unsigned char)value[*value == '.']) || *end || errno || !isfinite(x))
			return complain_value(p, o, value, "a number");
		*(double *)o->value = x;
		return -1;
	}
	long long n = strtoll(value, &end, 10);
	if (!isdigit((unsigned char)*value) || *end || errno)
		return complain_value(p, o, value, "a whole number");
	*(int64_t *)o->value = n;
	return -1;
}

static int set_size(const parse *p, const gs_option *o, const char *value)
{
	uint64_t bytes;
	gs_error err = GS_ERROR_INIT;
	if (gs_size_parse(value, &bytes, &err))
		return gs_fail_usage(p->command, NULL, "--%s: %s", o->name, err.text);
	*(int64_t *)o->value = (int64_t)bytes;
	return -1;
}

/* Of a card and of a size in powers of 1000 it is told what they come to. */
static int set_capacity(parse *p, const gs_option *o, const char *value)
{
	gs_error err = GS_ERROR_INIT;
	if (gs_capacity_parse(value, o->value, &err))
		return gs_fail_usage(p->command, NULL, "--%s: %s", o->name, err.text);
	if (gs_capacity_is_worth_telling(value) && p->ntold < MOST_TOLD) {
		p->told[p->ntold].text = value;
		p->told[p->ntold++].bytes = *(int64_t *)o->value;
	}
	return -1;
}

static void tell_capacities(const parse *p)
{
	char size[32];
	for (size_t i = 0; i < p->ntold; i++)
		gs_note("%s is %s", p->told[i].text,
			gs_size_format(size, sizeof size, (uint64_t)p->told[i].bytes));
}

static int set_format(const parse *p, const gs_option *o, const char *value)
{
	int format = gs_format_parse(value);
	if (format < 0) {
		const char *near = gs_nearest_word(value, gs_format_words);
		char hint[80];
		snprintf(hint, sizeof hint, "did you mean %s?",
			near ? near : "table, tsv, csv, json, jsonl or markdown");
		return gs_fail_usage(p->command, hint, "no format is called `%s`", value);
	}
	*(int *)o->value = format;
	gs_message_json(format == GS_FORMAT_JSON || format == GS_FORMAT_JSONL);
	return -1;
}

static int set_option(parse *p, const gs_option *o, const char *value)
{
	gs_texts *texts = o->value;
	switch (o->type) {
	case GS_OPT_TEXT: *(const char **)o->value = value; return -1;
	case GS_OPT_TEXTS:
		if (texts->n == GS_TEXTS_MAX)
			return gs_fail_usage(
				p->command, NULL, "--%s is given more than %d times", o->name, GS_TEXTS_MAX);
		texts->text[texts->n++] = value;
		return -1;
	case GS_OPT_SIZE: return set_size(p, o, value);
	case GS_OPT_CAPACITY: return set_capacity(p, o, value);
	case GS_OPT_FORMAT: return set_format(p, o, value);
	default: return set_number(p, o, value);
	}
}

/* An option with a value takes it from its own word or the next one. */
static int take_argument(parse *p, const gs_option *o)
{
	if (o->type == GS_OPT_FLAG) {
		*(bool *)o->value = true;
		return -1;
	}
	if (!p->value) {
		if (p->at + 1 >= p->argc)
			return gs_fail_usage(p->command, NULL, "--%s wants %s after it", o->name, o->argument);
		p->value = p->argv[++p->at];
	}
	return set_option(p, o, p->value);
}

static int take_long(parse *p, char *word)
{
	size_t n = strcspn(word + 2, "=");
	p->value = word[2 + n] ? word + 2 + n + 1 : NULL;
	for (const gs_option *o = p->options; o->type != GS_OPT_END; o++)
		if (strlen(o->name) == n && !strncmp(o->name, word + 2, n)) {
			if (o->type == GS_OPT_FLAG && p->value)
				return gs_fail_usage(p->command, NULL, "--%s takes no value", o->name);
			return take_argument(p, o);
		}
	return complain_unknown(p, word);
}

/* One or more letters; the first that takes a value takes the rest of the word. */
static int take_letters(parse *p, char *word)
{
	for (char *c = word + 1; *c; c++) {
		const gs_option *o = p->options;
		while (o->type != GS_OPT_END && o->letter != *c)
			o++;
		if (o->type == GS_OPT_END)
			return complain_unknown(p, (char[]){'-', *c, '\0'});
		p->value = o->type != GS_OPT_FLAG && c[1] ? c + 1 + (c[1] == '=') : NULL;
		int status = take_argument(p, o);
		if (status >= 0 || o->type != GS_OPT_FLAG)
			return status;
	}
	return -1;
}

static void wrapped(const char *text, int column, int width)
{
	int at = column;
	for (const char *p = text; *p;) {
		int n = (int)strcspn(p, " ");
		if (at > column && at + 1 + n > width) {
			printf("\n%*s", column, "");
			at = column;
		}
		at += printf("%s%.*s", at > column ? " " : "", n, p);
		p += n + (p[n] == ' ');
	}
	printf("\n");
}

static int help(const gs_option *options, const char *name)
{
	if (show_by) {
		show_by(options);
		return GS_EXIT_DONE;
	}
	const gs_command *c = gs_command_find(name);
	printf("usage: gpusnap %s [OPTION…] %s\n", name, c ? c->arguments : "");
	if (c)
		printf("%s\n", c->summary);
	printf("\n");
	for (const gs_option *o = options; o->type != GS_OPT_END; o++) {
		char letter[8] = "    ", left[64];
		if (o->letter)
			snprintf(letter, sizeof letter, "-%c, ", o->letter);
		snprintf(left, sizeof left, "  %s--%s%s%s", letter, o->name, o->argument ? " " : "",
			o->argument ? o->argument : "");
		printf(strlen(left) < 26 ? "%-26s" : "%s\n                          ", left);
		wrapped(o->help, 26, 80);
	}
	printf("      --help              this text\n");
	if (gs_command_remarks(c)) {
		printf("\n");
		wrapped(gs_command_remarks(c), 0, 80);
	}
	return GS_EXIT_DONE;
}

static int take_word(parse *p, char *word, gs_arguments *arguments)
{
	bool comment = word[0] == '-' && word[1] == '-' && word[2] &&
		strchr(" \t\n", word[2]); /* of SQL */
	if (word[0] != '-' || !word[1] || comment) {
		arguments->text[arguments->n++] = word;
		return -1;
	}
	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		return help(p->options, p->command);
	return word[1] == '-' ? take_long(p, word) : take_letters(p, word);
}

/* What the shared options imply for the messages that follow. */
static void apply_common(const gs_option *options)
{
	bool json = false;
	int *format = NULL;
	for (const gs_option *o = options; o->type != GS_OPT_END; o++) {
		if (o->type == GS_OPT_FORMAT)
			format = o->value;
		else if (o->type == GS_OPT_FLAG && !strcmp(o->name, "json"))
			json = *(bool *)o->value;
		else if (o->type == GS_OPT_FLAG && !strcmp(o->name, "quiet"))
			gs_message_quiet(*(bool *)o->value);
	}
	if (json) {
		gs_message_json(true);
		if (format)
			*format = GS_FORMAT_JSON;
	}
}

int gs_options_parse(
	const gs_option *options, int argc, char **argv, int least, int most, gs_arguments *arguments)
{
	parse p = {.options = options, .command = argv[0], .argc = argc, .argv = argv};
	*arguments = (gs_arguments){argv + 1, 0};
	for (p.at = 1; p.at < argc; p.at++) {
		bool dashes = !strcmp(argv[p.at], "--");
		if (dashes || (most == GS_REST && argv[p.at][0] != '-')) {
			for (p.at += dashes; p.at < argc; p.at++)
				arguments->text[arguments->n++] = argv[p.at];
			break;
		}
		int status = take_word(&p, argv[p.at], arguments);
		if (status >= 0)
			return status;
	}
	arguments->text[arguments->n] = NULL; /* argv has room for it, and `run` hands the rest on */
	apply_common(options);
	if (arguments->n < least)
		return gs_fail_usage(
			argv[0], NULL, "%s", arguments->n ? "too few arguments" : "an argument is missing");
	if (most >= 0 && arguments->n > most)
		return gs_fail_usage(argv[0], NULL, "unexpected argument `%s`", arguments->text[most]);
	tell_capacities(&p);
	return -1;
}
