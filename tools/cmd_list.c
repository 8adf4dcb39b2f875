/* gpusnap list: a line a dump, the one that failed first on top. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/diagnose/diagnose.h"
#include "analyzer/diagnose/standing.h"
#include "analyzer/model/failure.h"
#include "analyzer/model/prose.h"
#include "analyzer/open/walk.h"
#include "tools/command.h"
#include "tools/inputs.h"
#include "tools/message.h"
#include "tools/options.h"
#include "tools/output.h"

static const gs_column columns[] = {
	{"failed", GS_UNIT_NONE},
	{"time_us", GS_UNIT_TIME},
	{"rank", GS_UNIT_NONE},
	{"device", GS_UNIT_NONE},
	{"requested", GS_UNIT_BYTES},
	{"device_free", GS_UNIT_BYTES},
	{"ooms", GS_UNIT_NONE},
	{"kind", GS_UNIT_NONE},
	{"host", GS_UNIT_NONE},
	{"pid", GS_UNIT_NONE},
	{"complete", GS_UNIT_BOOLEAN},
	{"snapshot", GS_UNIT_NONE},
	{"reserved", GS_UNIT_BYTES},
	{"unlike", GS_UNIT_NONE},
	{"verdict", GS_UNIT_NONE},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* What people look for in a list, where a terminal has no room for all: as numbered above. */
static const size_t few[] = {0, 1, 2, 3, 14, 4, 8, 11, 12, 13};
enum { BRIEF = sizeof few / sizeof *few };

typedef struct line {
	char *path, *host;
	const char *kind, *verdict; /* verdict: NULL none */
	int64_t time_us, rank, device, requested, device_free, pid, ooms;
	size_t order;       /* as named, from 0 */
	bool complete, cut; /* cut: the message of its failure */
	gs_standing standing;
	uint8_t unlike; /* in what it stands apart (analyzer/diagnose/standing.h) */
} line;

typedef struct lines {
	line *all;
	size_t n;
	bool complete;
	gs_usual usual;
} lines;

/* The verdict on the failure that is told of it, as diagnose gives it. */
static const char *verdict_of(const gs_snapshot *s)
{
	gs_diagnose_options options = GS_DIAGNOSE_OPTIONS_INIT;
	gs_diagnosis d = GS_DIAGNOSIS_INIT;
	gs_error err = GS_ERROR_INIT;
	const char *word = gs_diagnose_ladder(s, &options, &d, &err) ? NULL : gs_step_word(d.verdict);
	gs_diagnosis_release(&d);
	return word;
}

static void fill_line(line *x, const gs_snapshot *s)
{
	size_t failure = gs_failure_of(s, true, 0);
	const gs_oom *o = failure == SIZE_MAX ? NULL : &s->ooms[failure];
	x->path = s->path ? strdup(s->path) : NULL;
	x->host = s->host ? strdup(s->host) : NULL;
	x->kind = gs_kind_text(s->kind);
	x->standing = (gs_standing)GS_STANDING_INIT;
	x->rank = s->rank;
	x->pid = s->pid;
	x->complete = s->complete;
	x->cut = o && gs_failure_is_cut(o);
	x->ooms = gs_snapshot_failures(s, NULL);
	x->time_us = o && o->time_us != GS_NONE ? o->time_us : s->time_us;
	x->device = o && o->device >= 0 ? o->device : GS_NONE;
	x->verdict = o ? verdict_of(s) : NULL;
	x->requested = o ? o->requested : GS_NONE;
	x->device_free = o ? o->device_free : GS_NONE;
	gs_standing_captured(s, o ? gs_snapshot_find_device(s, o->device) : NULL, &x->standing);
}

/* Failures first, by time, those whose message is cut after the whole ones (model/failure.h); what
 * did not fail, or when is not known, after them as named. */
static int by_failure(const void *a, const void *b)
{
	const line *x = a, *y = b;
	bool failed_x = x->ooms > 0, failed_y = y->ooms > 0;
	if (failed_x != failed_y)
		return failed_x ? -1 : 1;
	if (x->cut != y->cut)
		return x->cut ? 1 : -1;
	if (failed_x && (x->time_us == GS_NONE) != (y->time_us == GS_NONE))
		return x->time_us == GS_NONE ? 1 : -1;
	if (failed_x && x->time_us != y->time_us)
		return x->time_us < y->time_us ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static gs_status read_entry(void *user, const gs_input_entry *entry, gs_snapshot *s, gs_error *err)
{
	(void)user;
	return gs_input_read(entry, GS_WANT_HISTORY, s, err);
}

static gs_status add_line(void *user, gs_snapshot *s, gs_error *err)
{
	lines *out = user;
	(void)err;
	out->all[out->n].order = out->n;
	fill_line(&out->all[out->n++], s);
	out->complete &= s->complete;
	return GS_OK;
}

static int read_lines(gs_input_list *list, const gs_common *common, lines *out)
{
	gs_input_walk walk = {.list = list,
		.rank = common->rank,
		.first = list->n ? list->entries[0].path : NULL,
		.note = gs_inputs_note,
		.read = read_entry,
		.each = add_line,
		.user = out};
	gs_error err = GS_ERROR_INIT;
	out->all = calloc(list->n + 1, sizeof *out->all);
	gs_status status = out->all ? gs_input_walk_run(&walk, &err)
								: gs_fail(&err, GS_NO_MEMORY, "a list");
	gs_inputs_tell_losses(&list->losses);
	int code = status ? gs_fail_file(walk.failed ? walk.failed : "list", &err, NULL) : -1;
	free(walk.failed);
	return code;
}

/* Which of them are unlike the others. */
static int compare(lines *all)
{
	gs_error err = GS_ERROR_INIT;
	gs_standing *standings = calloc(all->n + 1, sizeof *standings);
	uint8_t *unlike = calloc(all->n + 1, 1);
	gs_status status = standings && unlike ? GS_OK : gs_fail(&err, GS_NO_MEMORY, "a list");
	for (size_t i = 0; i < all->n && !status; i++)
		standings[i] = all->all[i].standing;
	if (!status)
		status = gs_standings_compare(standings, all->n, &all->usual, unlike, &err);
	for (size_t i = 0; i < all->n && !status; i++)
		all->all[i].unlike = unlike[i];
	free(standings);
	free(unlike);
	return status ? gs_fail_file("list", &err, NULL) : -1;
}

/* "980 MiB reserved (usual 1.20 GiB), 5 blocks (usual 20)"; NULL where it is like the others. */
static const char *say_unlike(const lines *all, const line *x, gs_prose *p)
{
	gs_prose_clear(p);
	if (x->unlike & GS_UNLIKE_RESERVED) {
		gs_say_size_beside(p, x->standing.reserved, all->usual.of.reserved);
		gs_say(p, " reserved (usual ");
		gs_say_size_beside(p, all->usual.of.reserved, x->standing.reserved);
		gs_say(p, ")");
	}
	if (x->unlike & GS_UNLIKE_BLOCKS) {
		gs_say_between(p, ", ");
		gs_say(p, "%lld blocks (usual %lld)", (long long)x->standing.blocks,
			(long long)all->usual.of.blocks);
	}
	if (x->unlike & GS_UNLIKE_HOLDER) {
		gs_say_between(p, ", ");
		gs_say(p, "held by %s (usual %s)", x->standing.holder, all->usual.of.holder);
	}
	return *p->text ? p->text : NULL;
}

static gs_status put_line(
	gs_emitter *e, const lines *all, const line *x, int64_t place, bool brief, gs_error *err)
{
	gs_prose unlike;
	const gs_value row[COLUMNS] = {
		gs_value_int(place),
		gs_value_int(x->time_us),
		gs_value_int(x->rank),
		gs_value_int(x->device),
		gs_value_int(x->requested),
		gs_value_int(x->device_free),
		gs_value_int(x->ooms),
		gs_value_text(x->kind),
		gs_value_text(x->host),
		gs_value_int(x->pid),
		gs_value_int(x->complete),
		gs_value_text(x->path),
		gs_value_int(x->standing.reserved),
		gs_value_text(say_unlike(all, x, &unlike)),
		gs_value_text(x->verdict),
	};
	gs_value picked[BRIEF];
	for (size_t i = 0; i < BRIEF; i++)
		picked[i] = row[few[i]];
	gs_status status = gs_emit_row(e, brief ? picked : row, err);
	return status == GS_END ? GS_OK : status;
}

static bool is_placed(const line *x) { return x->ooms > 0 && x->time_us != GS_NONE; }

/* What keeps the order from being whole. */
static void note_unplaced(const lines *all)
{
	size_t timeless = 0, unknown = 0;
	for (size_t i = 0; i < all->n; i++) {
		timeless += all->all[i].ooms > 0 && !is_placed(&all->all[i]);
		unknown += all->all[i].ooms == GS_NONE;
	}
	if (timeless)
		gs_note("when it failed is not known of %zu of %zu: %s place is left open", timeless,
			all->n, timeless == 1 ? "its" : "their");
	if (unknown)
		gs_note("whether it failed is not known of %zu of %zu", unknown, all->n);
}

/* A thousand rows hide the few to look at. */
static void note_unlike(const lines *all)
{
	enum { FEW = 5 };
	size_t n = 0;
	gs_prose p;
	gs_prose_clear(&p);
	for (size_t i = 0; i < all->n; i++) {
		const line *x = &all->all[i];
		if (!x->unlike || n++ >= FEW)
			continue;
		gs_say_between(&p, ", ");
		if (x->rank != GS_NONE)
			gs_say(&p, "rank %lld", (long long)x->rank);
		else
			gs_say(&p, "%s", x->path ? x->path : "one without a name");
	}
	if (n)
		gs_note("%zu of %zu %s unlike the others: %s%s", n, all->n, n == 1 ? "is" : "are", p.text,
			n > FEW ? ", …" : "");
}

static int print(const lines *all, const gs_common *common)
{
	gs_error err = GS_ERROR_INIT;
	gs_emitter *e = NULL;
	uint64_t left = 0;
	gs_format format = gs_output_format_of(common);
	bool brief = format == GS_FORMAT_TABLE && gs_output_width() > 0;
	gs_column picked[BRIEF];
	for (size_t i = 0; i < BRIEF; i++)
		picked[i] = columns[few[i]];
	gs_emit_head head = {"list", NULL, all->complete, brief ? picked : columns,
		brief ? BRIEF : COLUMNS, gs_output_limit(common), gs_output_width(), false, NULL};
	gs_status status = gs_emit_open(stdout, format, &head, &e, &err);
	int64_t place = GS_NONE;
	for (size_t i = 0; i < all->n && !status; i++) {
		const line *x = &all->all[i];
		if (!is_placed(x))
			place = GS_NONE;
		else if (!i || x->time_us != x[-1].time_us)
			place = (int64_t)i + 1;
		status = put_line(e, all, x, place, brief, &err);
	}
	if (e)
		gs_emit_close(e, status != GS_OK, &left);
	if (!status)
		gs_output_left(left);
	return status ? gs_fail_file("list", &err, NULL) : GS_EXIT_DONE;
}

static int list(gs_input_list *inputs, const gs_common *common)
{
	lines all = {.complete = true};
	int status = read_lines(inputs, common, &all);
	if (status < 0 && (status = compare(&all)) < 0) {
		qsort(all.all, all.n, sizeof *all.all, by_failure);
		note_unplaced(&all);
		note_unlike(&all);
		status = print(&all, common);
	}
	for (size_t i = 0; i < all.n; i++) {
		free(all.all[i].path);
		free(all.all[i].host);
	}
	free(all.all);
	return status;
}

int gs_cmd_list(int argc, char **argv)
{
	gs_common common = GS_COMMON_INIT;
	const gs_option options[] = {
		{"rank", 0, GS_OPT_INT, &common.rank, "RANK", "only the snapshots of this rank"},
		GS_OPTIONS_RESULT(common), GS_OPTIONS_QUIET(common), GS_OPTIONS_END};
	gs_arguments arguments;
	gs_input_list inputs = GS_INPUT_LIST_INIT;
	gs_error err = GS_ERROR_INIT;
	int status = gs_options_parse(options, argc, argv, 0, GS_ANY_NUMBER, &arguments);
	if (status >= 0)
		return status;
	const char *dir = getenv("GPUSNAP_DIR"), *folder[] = {dir && *dir ? dir : "./gpusnap-dumps"};
	const char *const *paths = arguments.n ? (const char *const *)arguments.text : folder;
	if (gs_input_expand(
			paths, arguments.n ? (size_t)arguments.n : 1, gs_inputs_note, NULL, &inputs, &err))
		status = gs_fail_file(inputs.failed, &err, NULL);
	else
		status = list(&inputs, &common);
	gs_input_list_release(&inputs);
	return status;
}
