/* Reading what a command line names. The listing is in input_expand.c. */
#include "analyzer/open/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/model/parallel.h"
#include "analyzer/open/rank.h"
#include "analyzer/store/store.h"

static gs_status read_stored(
	const gs_input_entry *entry, unsigned want, gs_snapshot *s, gs_error *err)
{
	gs_store *store = NULL;
	gs_status status = gs_store_open(entry->path, &store, err);
	if (!status)
		status = gs_store_read(store, entry->id, want, s, err);
	gs_store_close(store);
	return status;
}

/* A folder's notes and scripts are texts too: without an out-of-memory in them they are no input.
 */
static bool is_mere_text(const gs_snapshot *s)
{
	return s->kind == GS_KIND_TEXT && !s->nooms && !s->ndevices;
}

static bool number_of(const char *text, uint64_t *number)
{
	char *end;
	if (*text < '0' || *text > '9' || strlen(text) > 18)
		return false;
	*number = strtoull(text, &end, 10);
	return !*end;
}

bool gs_input_moment(const char *selector, gs_moment_wanted *moment)
{
	*moment = (gs_moment_wanted){.what = GS_MOMENT_FAILURE};
	if (!selector || !*selector || !strcmp(selector, "oom"))
		return true;
	if (!strncmp(selector, "oom ", 4))
		return number_of(selector + 4, &moment->number);
	moment->what = strcmp(selector, "captured") != 0 ? GS_MOMENT_EVENT : GS_MOMENT_LAST;
	return moment->what == GS_MOMENT_LAST || number_of(selector, &moment->number);
}

/* What rests on a part of the run says so. */
static void tell_part(gs_snapshot *s)
{
	for (size_t i = 0; i < s->ndevices; i++) {
		const gs_trace *t = &s->devices[i].trace;
		if (t->n && t->skipped)
			gs_snapshot_warn(s,
				"device %d: events %llu to %llu of %llu are looked at; of what was allocated before, stack and size are known",
				s->devices[i].device, (unsigned long long)t->first,
				(unsigned long long)(t->first + t->n - 1), (unsigned long long)(t->n + t->skipped));
	}
}

static gs_status read_file(const gs_input_entry *entry, unsigned want,
	const gs_moment_wanted *moment, gs_snapshot *s, gs_error *err)
{
	if (entry->part)
		return gs_read_part(entry->path, entry->part - 1, want, s, err);
	if (!moment)
		return gs_read_path(entry->path, want, s, err);
	gs_status status = gs_read_moment(entry->path, want, moment, s, err);
	if (!status && s->excerpt && moment->whole_below)
		tell_part(s);
	return status;
}

gs_status gs_input_read(const gs_input_entry *entry, unsigned want, gs_snapshot *s, gs_error *err)
{
	return gs_input_read_moment(entry, want, NULL, s, err);
}

gs_status gs_input_read_moment(const gs_input_entry *entry, unsigned want,
	const gs_moment_wanted *moment, gs_snapshot *s, gs_error *err)
{
	gs_snapshot_init(s);
	gs_status status = entry->id ? read_stored(entry, want, s, err)
								 : read_file(entry, want, moment, s, err);
	if (!status && entry->in_folder && is_mere_text(s))
		status = gs_fail(err, GS_UNKNOWN_KIND, "a text without an out-of-memory");
	if (status)
		gs_snapshot_release(s);
	else if (!entry->id && s->path && s->rank == GS_NONE)
		s->rank = gs_rank_of_path(s->path);
	return status;
}

void gs_input_tell(const gs_snapshot *s, gs_input_note *note, void *context)
{
	char text[160];
	if (!note)
		return;
	if (!s->complete && s->cut_at) {
		snprintf(text, sizeof text,
			s->stream
				? "without its end (byte %llu): still being written, or its process was killed"
				: "cut at byte %llu: the answer rests on what is whole before it",
			(unsigned long long)s->cut_at);
		note(context, s->path, text);
	}
	for (size_t i = 0; i < s->nwarnings; i++)
		note(context, s->path, s->warnings[i].text);
}

static void read_one(void *context, size_t i)
{
	gs_reading *x = &((gs_reading *)context)[i];
	x->status = gs_input_read_moment(x->entry, x->want, x->moment, &x->snapshot, &x->why);
	x->why.status = x->status;
	x->rank = x->status ? GS_NONE : x->snapshot.rank;
	if (!x->status && x->only != GS_NONE && x->rank != x->only)
		gs_snapshot_release(&x->snapshot);
}

void gs_input_read_many(gs_reading *all, size_t n) { gs_parallel(n, read_one, all); }

enum { BYTES_AT_ONCE = 64 << 20 };

size_t gs_input_at_once(const gs_input_entry *entries, size_t n)
{
	struct stat st;
	uint64_t bytes = 0;
	size_t i = 0;
	for (; i < n && i < GS_INPUT_AT_ONCE; i++) {
		bytes += stat(entries[i].path, &st) ? 0 : (uint64_t)st.st_size;
		if (i && bytes > BYTES_AT_ONCE)
			break;
	}
	return i;
}

static gs_status take_reading(
	gs_input *input, gs_reading *x, const gs_input_options *options, gs_ranks *seen, gs_error *err)
{
	if (x->status) {
		if (gs_input_lose(&input->losses, x->entry->path, x->entry->in_folder, &x->why))
			return GS_OK;
		input->failed = strdup(x->entry->path);
		return gs_fail(
			err, x->status, "%s", x->why.text[0] ? x->why.text : gs_status_text(x->status));
	}
	gs_ranks_add(seen, x->rank);
	if (options->rank != GS_NONE && x->rank != options->rank)
		return GS_OK;
	gs_input_tell(&x->snapshot, options->note, options->context);
	input->snapshots[input->n++] = x->snapshot;
	gs_snapshot_init(&x->snapshot);
	return GS_OK;
}

/* All at once, then taken in the order in which they were named. */
static gs_status read_all(gs_input *input, const gs_input_list *list,
	const gs_input_options *options, gs_ranks *seen, gs_error *err)
{
	gs_reading *all = calloc(list->n ? list->n : 1, sizeof *all);
	gs_status status = GS_OK;
	if (!all)
		return gs_fail(err, GS_NO_MEMORY, "%zu snapshots", list->n);
	for (size_t i = 0; i < list->n; i++)
		all[i] = (gs_reading){.entry = &list->entries[i],
			.want = options->want,
			.moment = options->moment,
			.only = options->rank};
	gs_input_read_many(all, list->n);
	for (size_t i = 0; i < list->n; i++) {
		if (!status)
			status = take_reading(input, &all[i], options, seen, err);
		if (!all[i].status)
			gs_snapshot_release(&all[i].snapshot);
	}
	free(all);
	return status;
}

void gs_ranks_add(gs_ranks *ranks, int64_t rank)
{
	if (rank == GS_NONE)
		return;
	ranks->least = ranks->n && ranks->least < rank ? ranks->least : rank;
	ranks->most = ranks->n && ranks->most > rank ? ranks->most : rank;
	ranks->n++;
}

gs_status gs_input_none(int64_t rank, const gs_ranks *seen, gs_error *err)
{
	char there[80] = "no rank is told of";
	if (rank == GS_NONE)
		return gs_fail(err, GS_NOT_FOUND, "no snapshot there");
	if (seen && seen->n && seen->least == seen->most)
		snprintf(there, sizeof there, "there is rank %lld", (long long)seen->least);
	else if (seen && seen->n)
		snprintf(there, sizeof there, "there are ranks from %lld to %lld", (long long)seen->least,
			(long long)seen->most);
	return gs_fail(err, GS_NOT_FOUND, "no snapshot of rank %lld; %s", (long long)rank, there);
}

gs_status gs_input_open(const char *const *paths, size_t n, const gs_input_options *options,
	gs_input *input, gs_error *err)
{
	gs_input_list list = GS_INPUT_LIST_INIT;
	gs_ranks seen = GS_RANKS_INIT;
	*input = (gs_input)GS_INPUT_INIT;
	gs_status status = gs_input_expand(paths, n, options->note, options->context, &list, err);
	input->losses = list.losses;
	list.losses = (gs_input_losses)GS_INPUT_LOSSES_INIT;
	if (status) {
		input->failed = list.failed;
		list.failed = NULL;
		goto out;
	}
	input->snapshots = calloc(list.n ? list.n : 1, sizeof *input->snapshots);
	if (!input->snapshots) {
		status = gs_fail(err, GS_NO_MEMORY, "%zu snapshots", list.n);
		goto out;
	}
	status = read_all(input, &list, options, &seen, err);
	if (!status && !input->n && !seen.n)
		status = gs_input_losses_fail(&input->losses, &input->failed, err);
	if (!status && !input->n) {
		status = gs_input_none(options->rank, &seen, err);
		input->failed = n ? strdup(paths[0]) : NULL;
	}
out:
	gs_input_list_release(&list);
	return status;
}

void gs_input_release(gs_input *input)
{
	for (size_t i = 0; i < input->n; i++)
		gs_snapshot_release(&input->snapshots[i]);
	free(input->snapshots);
	free(input->failed);
	gs_input_losses_release(&input->losses);
	*input = (gs_input)GS_INPUT_INIT;
}
