/* gpusnap help: the commands, one command, or a topic. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/version.h"
#include "tools/command.h"
#include "tools/describe.h"
#include "tools/message.h"

static const struct {
	const char *name, *summary, *text;
} topics[] = {
	{"env", "the environment variables", "Environment variables. All may be left out.\n\n"},
	{"size", "how sizes are written",
		"SIZE is digits with an optional fraction and B, K/KiB, M/MiB, G/GiB, T/TiB\n"
		"(1024) or KB, MB, GB, TB (1000). Bare digits are bytes: 384MiB, 1.5G, 402653184.\n"},
	{"state", "which moment is shown",
		"--state picks the moment that segment and block show, for each device:\n\n"
		"  captured        what the file's segments show\n"
		"  oom             right after the last out-of-memory (oom 2: after the second)\n"
		"  peak            most bytes allocated\n"
		"  peak reserved   most bytes reserved\n"
		"  step 3          the end of that step (step 3 peak: most allocated in it)\n"
		"  NUMBER          after that event of the trace (with -d where several have one)\n\n"
		"Without it: oom where the device has one, else captured. A state that the file\n"
		"does not determine wholly has exact = 0.\n"},
	{"columns", "what the rows of whatif say",
		"gpusnap whatif prints a row for each settings text:\n\n"
		"  conf           the settings; default: PyTorch's own (--conf '')\n"
		"  capacity       of the device tried; none where nothing bounds it\n"
		"  fits           nothing failed\n"
		"  allocations    that succeeded; oom_idx: the event that failed\n"
		"  peak_reserved  most bytes reserved; reserved, largest_free: at the end\n"
		"  retries        times the cache was given back for a request\n"
		"  exact          the figures are certain; else note says why not\n"
		"  peak_low       where not exact, the true peak is between these two:\n"
		"  peak_high      what was asked for, and what the device or a limit gives\n"
		"  change         against the recorded settings: better passes where they fail,\n"
		"                 or comes further before it fails, or else reserves less at its\n"
		"                 peak; a row that is better may fail too. same: no difference\n"
		"                 that the figures show\n"},
	{"terms", "what the words of an answer mean",
		"The allocator takes memory from the driver in segments and hands out blocks of\n"
		"them to the program:\n\n"},
	{"query", "named queries and SQL",
		"gpusnap query [FILE…] NAME|SQL|-\n\n"
		"The last argument is the query, all before it are files. SQL begins with SELECT, WITH, VALUES,\n"
		"EXPLAIN or PRAGMA and is one read-only statement; - reads it from standard input. Anything else is\n"
		"the name of a query (case, - and _ do not matter, a unique beginning is enough).\n\n"
		"  gpusnap query --list               the named queries\n"
		"  gpusnap query --show NAME          the SQL behind one\n"
		"  gpusnap query F tables             tables and columns, each with its meaning\n"
		"  gpusnap query F .tables            the names of the tables; .schema TABLE the columns of one\n"},
};

/* A text that begins in the column indent, in lines of at most 80. */
static void print_wrapped(const char *text, int indent)
{
	size_t room = (size_t)(80 - indent);
	while (strlen(text) > room) {
		size_t n = room;
		while (n && text[n] != ' ')
			n--;
		n = n ? n : room;
		printf("%.*s\n%*s", (int)n, text, indent, "");
		text += n + strspn(text + n, " ");
	}
	puts(text);
}

/* The recorder's table, and what the command itself looks at. */
static void print_variables(void)
{
	static const struct {
		const char *name, *fallback, *meaning;
	} variables[] = {
#define GS_ENV(name, fallback, meaning) {"GPUSNAP_" #name, fallback, meaning},
#include "recorder/api/env.def"
#undef GS_ENV
		{"GPUSNAP_READ_MEMORY", "",
			"memory (a SIZE) that reading one input may take, where the default, 24 MiB + 4 times its size, does not do"},
		{"GPUSNAP_PAGE", "",
			"the page for the browser that page, view and report use, where it is not beside the command"},
		{"NO_COLOR", "", "no colour on a terminal"},
	};
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *fallback = variables[i].fallback;
		char text[400];
		snprintf(text, sizeof text, *fallback ? "%s (%s)" : "%s", variables[i].meaning, fallback);
		printf("  %-19s ", variables[i].name);
		print_wrapped(text, 22);
	}
}

/* A word of a topic in the column of the names (%*s would count its bytes), and what it means. */
static void print_term(const char *word, const char *meaning)
{
	int width = 0;
	for (const char *c = word; *c; c++)
		width += (*c & 0xc0) != 0x80;
	printf("  %s%*s ", word, width < 14 ? 14 - width : 0, "");
	print_wrapped(meaning, 17);
}

static void print_terms(void)
{
#define GS_TERM(word, meaning) print_term(word, meaning);
#define GS_VERDICT(word, meaning)
#include "tools/terms.def"
#undef GS_TERM
#undef GS_VERDICT
	puts("\nThe verdict names what would have made the failed request fit:\n");
#define GS_TERM(word, meaning)
#define GS_VERDICT(word, meaning) print_term(word, meaning);
#include "tools/terms.def"
#undef GS_TERM
#undef GS_VERDICT
}

static void overview(void)
{
	printf(
		"gpusnap finds out why GPU memory ran out.\n\nusage: gpusnap COMMAND [OPTION…] [ARGUMENT…]\n\n");
	for (const gs_command *c = gs_commands; c->name; c++)
		if (c->run)
			printf("  %-10s %s\n", c->name, c->summary);
	printf("\nA FILE left out is what is piped in, else the newest dump in $GPUSNAP_DIR\n"
		   "(./gpusnap-dumps); - is standard input.\n"
		   "`gpusnap help COMMAND`: its options; other topics:");
	for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
		printf(" %s", topics[i].name);
	printf(".\nExit status: 0 done, 1 failed, 2 wrong usage.\n");
}

static int unknown(const char *word)
{
	const char *words[32] = {NULL};
	int n = 0;
	for (const gs_command *c = gs_commands; c->name; c++)
		if (c->run)
			words[n++] = c->name;
	for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
		words[n++] = topics[i].name;
	const char *near = gs_nearest_word(word, words);
	char hint[80] = "`gpusnap help` lists commands and topics";
	if (near)
		snprintf(hint, sizeof hint, "did you mean `%s`?", near);
	return gs_fail_usage("help", hint, "no command or topic is called `%s`", word);
}

/* --man [COMMAND], --completion SHELL: what is installed beside the command is made from its
 * tables. */
static int describe(int argc, char **argv)
{
	const gs_command *c = argc > 2 ? gs_command_find(argv[2]) : NULL;
	if (argc > 2 && !strcmp(argv[1], "--completion")) {
		const char *names[sizeof topics / sizeof *topics + 1] = {NULL};
		for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
			names[i] = topics[i].name;
		if (!gs_describe_completion(argv[2], names, stdout))
			return gs_fail_usage(
				"help", "it is bash, zsh or fish", "no completion is made for `%s`", argv[2]);
		return GS_EXIT_DONE;
	}
	if (!strcmp(argv[1], "--completion"))
		return gs_fail_usage("help", "it is bash, zsh or fish", "--completion wants a shell");
	if (argc > 2 && !c)
		return unknown(argv[2]);
	gs_describe_manual(c, stdout);
	return GS_EXIT_DONE;
}

int gs_cmd_help(int argc, char **argv)
{
	if (argc > 1 && argc < 4 && (!strcmp(argv[1], "--man") || !strcmp(argv[1], "--completion")))
		return describe(argc, argv);
	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		overview();
		return GS_EXIT_DONE;
	}
	if (argc > 2)
		return gs_fail_usage("help", NULL, "unexpected argument `%s`", argv[2]);
	for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
		if (!strcmp(argv[1], topics[i].name) && strcmp(argv[1], "query")) {
			fputs(topics[i].text, stdout);
			if (!strcmp(argv[1], "env"))
				print_variables();
			if (!strcmp(argv[1], "terms"))
				print_terms();
			return GS_EXIT_DONE;
		}
	const gs_command *c = gs_command_find(argv[1]);
	if (!c)
		return unknown(argv[1]);
	if (!strcmp(c->name, "help")) {
		overview();
		return GS_EXIT_DONE;
	}
	char name[32], flag[] = "--help";
	snprintf(name, sizeof name, "%s", c->name);
	char *args[] = {name, flag, NULL};
	return c->run(2, args);
}
