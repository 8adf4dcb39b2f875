/* Options of the subcommands as data: a table a command, from which parsing, --help and suggestions
 * come.
 *
 * A command declares its values, a table that points at them, and calls gs_options_parse:
 *
 *     gs_common common = GS_COMMON_INIT;
 *     int64_t capacity = GS_UNSET;
 *     const gs_option options[] = {
 *         { "capacity", 0, GS_OPT_SIZE, &capacity, "SIZE", "total memory of the device" },
 *         GS_OPTIONS_SELECT(common),   // -d --rank --state
 *         GS_OPTIONS_RESULT(common),   // --format --json -n
 *         GS_OPTIONS_OUTPUT(common),   // -o -f
 *         GS_OPTIONS_QUIET(common),    // -q
 *         GS_OPTIONS_END
 *     };
 *     gs_arguments arguments;
 *     int status = gs_options_parse(options, argc, argv, 0, 1, &arguments);
 *     if (status >= 0)
 *         return status;
 *
 * Options may follow arguments; `--` ends them; `-` alone is an argument; values may be given as
 * `--name VALUE`, `--name=VALUE`, `-x VALUE`, `-xVALUE`. --help is understood everywhere. Not
 * thread-safe. */
#ifndef GS_TOOLS_OPTIONS_H
#define GS_TOOLS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GS_UNSET \
	INT64_MIN /* what a command puts into a number that nobody gave (the same as GS_NONE) */

typedef enum gs_option_type {
	GS_OPT_END,
	GS_OPT_FLAG,     /* bool *, set true */
	GS_OPT_TEXT,     /* const char ** */
	GS_OPT_TEXTS,    /* gs_texts *, may be repeated */
	GS_OPT_SIZE,     /* int64_t *, bytes, by gs_size_parse */
	GS_OPT_CAPACITY, /* int64_t *, bytes: a size, or a card's name (analyzer/replay/cards.h) */
	GS_OPT_INT,      /* int64_t *, decimal, not negative */
	GS_OPT_REAL,     /* double * */
	GS_OPT_FORMAT    /* int *, a gs_format (tools/output.h) */
} gs_option_type;

typedef struct gs_option {
	const char *name; /* the long form without its dashes */
	char letter;      /* the short form, or 0 */
	gs_option_type type;
	void *value;
	const char
		*argument;    /* how help calls the value; NULL for flags. FILE and DIR complete as such */
	const char *help; /* words listed as "none, c, python or all" are what completion offers */
} gs_option;

/* What help says of a GS_OPT_CAPACITY. */
#define GS_OR_A_CARD ", or a card: t4, a10g, a100-40gb, h100-80gb, rtx4090 …"

/* A list that an option may be repeated for. Fixed size: more is a usage error. */
enum { GS_TEXTS_MAX = 64 };
typedef struct gs_texts {
	const char *text[GS_TEXTS_MAX];
	int n;
} gs_texts;

/* What is left when the options are taken out, in order. text points into argv (reordered). */
typedef struct gs_arguments {
	char **text;
	int n;
} gs_arguments;

/* Options that mean the same in many commands. */
typedef struct gs_common {
	int format;         /* gs_format; 0 (GS_FORMAT_AUTO): table on a terminal, else TSV */
	bool json;          /* --json was given (format is JSON then as well) */
	const char *output; /* -o */
	bool force;         /* -f */
	int64_t device;     /* -d, GS_UNSET */
	int64_t rank;       /* --rank, GS_UNSET */
	const char *state;  /* --state, NULL: oom where there is one, else captured */
	bool quiet;         /* -q: no notes and warnings on stderr */
	int64_t rows;       /* -n, GS_UNSET; 0 = all */
} gs_common;
#define GS_COMMON_INIT                                             \
	{                                                              \
		0, false, 0, false, GS_UNSET, GS_UNSET, 0, false, GS_UNSET \
	}

#define GS_OPTIONS_SELECT(c)                                                                                                                        \
	{"device", 'd', GS_OPT_INT, &(c).device, "DEVICE", "only this device"},                                                                         \
		{"rank", 0, GS_OPT_INT, &(c).rank, "RANK", "only the snapshots of this rank"},                                                              \
	{                                                                                                                                               \
		"state", 0, GS_OPT_TEXT, &(c).state, "STATE",                                                                                               \
			"captured, oom, oom N, peak, peak reserved, step N, step N peak, or an event's number (default: oom where there is one, else captured)" \
	}
#define GS_OPTIONS_RESULT(c)                                                                    \
	{"format", 0, GS_OPT_FORMAT, &(c).format, "FORMAT",                                         \
		"table, tsv, csv, json, jsonl or markdown (default: a table on a terminal, else TSV)"}, \
		{"json", 0, GS_OPT_FLAG, &(c).json, 0, "the same as --format json"},                    \
	{                                                                                           \
		"rows", 'n', GS_OPT_INT, &(c).rows, "ROWS",                                             \
			"at most so many rows, 0 for all (default: all, on a terminal 40)"                  \
	}
#define GS_OPTIONS_OUTPUT(c)                                                                  \
	{"output", 'o', GS_OPT_TEXT, &(c).output, "FILE", "write to FILE, which must not exist"}, \
	{                                                                                         \
		"force", 'f', GS_OPT_FLAG, &(c).force, 0, "replace FILE if it exists"                 \
	}
#define GS_OPTIONS_JSON(c)                                         \
	{                                                              \
		"json", 0, GS_OPT_FLAG, &(c).json, 0, "the result as JSON" \
	}
#define GS_OPTIONS_QUIET(c)                                               \
	{                                                                     \
		"quiet", 'q', GS_OPT_FLAG, &(c).quiet, 0, "no notes and warnings" \
	}
#define GS_OPTIONS_END            \
	{                             \
		0, 0, GS_OPT_END, 0, 0, 0 \
	}

enum { GS_ANY_NUMBER = -1, GS_REST = -2 };

/* Takes the options out of argv (argv[0] is the subcommand's name). Fewer than least or more than
 * most arguments is a usage error; most may be GS_ANY_NUMBER, or GS_REST: any number, and the first
 * argument ends the options (it is another program's command line). Returns -1 when the command
 * shall go on, otherwise the exit status it shall return at once: 0 after --help, 2 after a usage
 * error that was told on stderr. */
int gs_options_parse(
	const gs_option *options, int argc, char **argv, int least, int most, gs_arguments *arguments);

/* What --help does with the table of its command instead of printing it; NULL: print. For what is
 * made from the tables (tools/describe.h). */
typedef void gs_options_show(const gs_option *options);
void gs_options_show_by(gs_options_show *show);

/* Which commands have an option, "--capacity" or "-c", in a sentence: "`gpusnap diagnose
 * --capacity` has it, and so has whatif". False: none has, and text is as it was. */
bool gs_options_elsewhere(const char *name, char *text, size_t cap);

#endif
