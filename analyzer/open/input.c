/* Reading what a command line names. The listing is in input_expand.c. */
#include "analyzer/open/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/open/rank.h"
#include "analyzer/read/run.h"
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

/* A stream with a bound has given its oldest part up. */
static void tell_given_up(gs_snapshot *s)
{
	for (size_t i = 0; i < s->ndevices; i++) {
		const gs_trace *t = &s->devices[i].trace;
		if (s->stream && t->dropped)
			gs_snapshot_warn(s,
				"device %d: %llu events before the first one that is kept are gone; peaks, steps and growth are of the rest",
				s->devices[i].device, (unsigned long long)t->dropped);
	}
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
	if (!status)
		tell_given_up(s);
	if (!status && s->excerpt && s->path)
		s->whole = &gs_run_of_file;
	if (!status && s->excerpt && moment->whole_below && !moment->untold)
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
