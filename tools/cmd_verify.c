/* gpusnap verify: checks files for damage; a row for each that is whole, an error for each that is
 * not. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/model/array.h"
#include "analyzer/open/input.h"
#include "analyzer/export/verify.h"
#include "tools/command.h"
#include "tools/inputs.h"
#include "tools/message.h"
#include "tools/options.h"
#include "tools/output.h"

static const gs_column columns[] = {
	{"path", GS_UNIT_NONE},
	{"whole", GS_UNIT_BOOLEAN},
	{"kind", GS_UNIT_NONE},
	{"blocks", GS_UNIT_NONE},
	{"events", GS_UNIT_NONE},
	{"sections", GS_UNIT_NONE},
	{"bytes", GS_UNIT_NONE},
};
enum { COLUMNS = sizeof columns / sizeof *columns, TOLD = 800 };

static const uint64_t MOST_KEPT = 4ull << 30; /* bytes of a pipe */

typedef struct whole {
	char *path;
	gs_verified v;
} whole;

typedef struct work {
	const gs_common *common;
	whole *all;
	size_t n, damaged;
	char *first;       /* with JSON: the first damaged file, for the one error at the end, */
	gs_error why;      /* its damage, */
	char others[TOLD]; /* and the others with theirs */
} work;

/* Checking reads twice, which a pipe cannot give: its bytes are kept in a file without a name.
 * Returns its number, -1 where path is a file already or nothing can be kept. */
static int keep_pipe(const char *path)
{
	struct stat st;
	char buf[65536];
	bool input = !strcmp(path, "-");
	if (input ? fstat(STDIN_FILENO, &st) : stat(path, &st))
		return -1;
	if (!S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode) && !(input && S_ISREG(st.st_mode)))
		return -1;
	int from = input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC),
		to = memfd_create("pipe", MFD_CLOEXEC);
	ssize_t n = from < 0 || to < 0 ? -1 : 1;
	for (uint64_t total = 0; n > 0 && total < MOST_KEPT; total += (uint64_t)(n > 0 ? n : 0))
		if ((n = read(from, buf, sizeof buf)) > 0 && write(to, buf, (size_t)n) != n)
			n = -1;
	if (from > STDIN_FILENO)
		close(from);
	if (n < 0 && to >= 0)
		close(to);
	return n < 0 ? -1 : to;
}

/* Warnings name what the user named. */
static void note_of_pipe(void *context, const char *file, const char *text)
{
	(void)file;
	gs_inputs_note(NULL, context, text);
}

static gs_status verify_file(const char *path, gs_verified *v, gs_error *err)
{
	char kept[40];
	int fd = keep_pipe(path);
	if (fd < 0)
		return gs_verify_path(path, gs_inputs_note, NULL, v, err);
	snprintf(kept, sizeof kept, "/proc/self/fd/%d", fd);
	gs_status status = gs_verify_path(kept, note_of_pipe, (char *)(uintptr_t)path, v, err);
	close(fd);
	return status;
}

/* A database holds several snapshots of one path; its pages are checked by reading each. */
static gs_status verify(const gs_input_entry *entry, gs_verified *v, gs_error *err)
{
	gs_snapshot s;
	if (!entry->id && !entry->part)
		return verify_file(entry->path, v, err);
	*v = (gs_verified){.kind = entry->id ? "stored snapshot" : "part of a page"};
	gs_status status = gs_input_read(entry, GS_WANT_HISTORY, &s, err);
	for (size_t i = 0; !status && i < s.ndevices; i++) {
		v->blocks += s.devices[i].captured.nblocks;
		v->events += s.devices[i].trace.n;
	}
	gs_snapshot_release(&s);
	return status;
}

/* One error is all that --json may leave on stderr: damages are gathered for it. */
static void damaged(work *w, const char *path, const gs_error *err)
{
	size_t n = strlen(w->others);
	bool json = w->common->format == GS_FORMAT_JSON || w->common->format == GS_FORMAT_JSONL;
	w->damaged++;
	if (!json)
		gs_fail_file(path, err, NULL);
	else if (!w->first && (w->first = strdup(path)))
		w->why = *err;
	else
		snprintf(w->others + n, TOLD - n, "%s%s: %s", n ? "; " : "damaged too: ", path,
			err->text[0] ? err->text : gs_status_text(err->status));
}

static gs_status keep_result(work *w, const char *path, const gs_verified *v, gs_error *err)
{
	char *copy = strdup(path);
	if (!copy || !GS_ARRAY_ONE_MORE(w->all, w->n)) {
		free(copy);
		return gs_fail(err, GS_NO_MEMORY, "a list");
	}
	w->all[w->n++] = (whole){copy, *v};
	return GS_OK;
}

/* Each argument by itself: one that cannot be opened does not keep the others from being checked.
 */
static void verify_argument(work *w, const char *const *path)
{
	gs_input_list list = GS_INPUT_LIST_INIT;
	gs_error err = GS_ERROR_INIT;
	if (gs_input_expand(path, path ? 1 : 0, gs_inputs_note, NULL, &list, &err))
		damaged(w, list.failed ? list.failed : "verify", &err);
	for (size_t i = 0; i < list.n; i++) {
		const gs_input_entry *entry = &list.entries[i];
		gs_verified v;
		err = (gs_error)GS_ERROR_INIT;
		gs_status status = verify(entry, &v, &err);
		if (status == GS_UNKNOWN_KIND && entry->in_folder)
			list.losses.skipped++;
		else if (status || keep_result(w, entry->path, &v, &err))
			damaged(w, entry->path, &err);
	}
	gs_inputs_tell_losses(&list.losses);
	gs_input_list_release(&list);
}

static gs_status put_row(gs_emitter *e, const whole *x, gs_error *err)
{
	const gs_verified *v = &x->v;
	const gs_value row[COLUMNS] = {
		gs_value_text(x->path),
		gs_value_int(1),
		gs_value_text(v->kind),
		gs_value_int((int64_t)v->blocks),
		gs_value_int((int64_t)v->events),
		gs_value_int(v->sections ? (int64_t)v->sections : INT64_MIN),
		gs_value_int(v->sections ? (int64_t)v->bytes : INT64_MIN),
	};
	gs_status status = gs_emit_row(e, row, err);
	return status == GS_END ? GS_OK : status;
}

static int print(const work *w)
{
	gs_error err = GS_ERROR_INIT;
	gs_emitter *e = NULL;
	uint64_t left = 0;
	gs_emit_head head = {"verify", NULL, true, columns, COLUMNS, gs_output_limit(w->common),
		gs_output_width(), false, NULL};
	gs_status status = gs_emit_open(stdout, gs_output_format_of(w->common), &head, &e, &err);
	for (size_t i = 0; i < w->n && !status; i++)
		status = put_row(e, &w->all[i], &err);
	if (e)
		gs_emit_close(e, status != GS_OK, &left);
	if (!status)
		gs_output_left(left);
	return status ? gs_fail_file("verify", &err, NULL) : GS_EXIT_DONE;
}

static int report(const work *w)
{
	if (w->first)
		return gs_fail_file(w->first, &w->why, w->others[0] ? w->others : NULL);
	int status = w->n ? print(w) : GS_EXIT_DONE;
	return w->damaged ? GS_EXIT_FAILED : status;
}

int gs_cmd_verify(int argc, char **argv)
{
	gs_common common = GS_COMMON_INIT;
	const gs_option options[] = {
		GS_OPTIONS_RESULT(common), GS_OPTIONS_QUIET(common), GS_OPTIONS_END};
	gs_arguments arguments;
	work w = {.common = &common, .why = GS_ERROR_INIT};
	int status = gs_options_parse(options, argc, argv, 0, GS_ANY_NUMBER, &arguments);
	if (status >= 0)
		return status;
	if (!arguments.n)
		verify_argument(&w, NULL);
	for (int i = 0; i < arguments.n; i++)
		verify_argument(&w, (const char *const *)&arguments.text[i]);
	status = report(&w);
	for (size_t i = 0; i < w.n; i++)
		free(w.all[i].path);
	free(w.all);
	free(w.first);
	return status;
}
