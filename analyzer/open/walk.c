#include "analyzer/open/walk.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/model/parallel.h"

enum { AT_ONCE = 64, BYTES_AT_ONCE = 64 << 20 };

typedef struct reading {
	const gs_input_walk *walk;
	const gs_input_entry *entry;
	gs_status status;
	gs_error why;
	int64_t rank;
	gs_snapshot snapshot; /* where status is GS_OK; empty if it is of another rank */
} reading;

static bool is_of_rank(const gs_input_walk *w, int64_t rank)
{
	return w->rank == GS_NONE || w->rank == rank;
}

static void read_one(void *context, size_t i)
{
	reading *x = &((reading *)context)[i];
	x->status = x->walk->read(x->walk->user, x->entry, &x->snapshot, &x->why);
	x->why.status = x->status;
	x->rank = x->status ? GS_NONE : x->snapshot.rank;
	if (!x->status && !is_of_rank(x->walk, x->rank)) {
		gs_snapshot_release(&x->snapshot);
		gs_snapshot_init(&x->snapshot);
	}
}

/* How many of the next n entries to read at once where each is looked at and given back: enough to
 * keep every core at work, and of a thousand ranks, or a few large files, not all in memory. */
static size_t count_at_once(const gs_input_walk *w, const gs_input_entry *entries, size_t n)
{
	struct stat st;
	uint64_t bytes = 0;
	size_t i = 0;
	for (; i < n && i < AT_ONCE; i++) {
		bytes += stat(entries[i].path, &st) ? 0 : (uint64_t)st.st_size;
		if (i && bytes > BYTES_AT_ONCE && !w->keeps)
			break;
	}
	return i;
}

static gs_status hand_on(gs_input_walk *w, reading *x)
{
	gs_ranks_add(&w->ranks, x->rank);
	if (!is_of_rank(w, x->rank))
		return GS_OK;
	gs_input_tell(&x->snapshot, w->note, w->context);
	w->n++;
	return w->each(w->user, &x->snapshot, &x->why);
}

static gs_status take_reading(gs_input_walk *w, reading *x, gs_error *err)
{
	gs_status status = x->status;
	if (status && (x->entry->in_folder || !w->all_named) &&
		gs_input_lose(&w->list->losses, x->entry->path, x->entry->in_folder, &x->why))
		return GS_OK;
	if (!status)
		status = hand_on(w, x);
	if (!status)
		return GS_OK;
	w->failed = strdup(x->entry->path);
	return gs_fail(err, status, "%s", x->why.text[0] ? x->why.text : gs_status_text(status));
}

static gs_status read_some(gs_input_walk *w, reading *some, size_t at, size_t n, gs_error *err)
{
	gs_status status = GS_OK;
	for (size_t i = 0; i < n; i++)
		some[i] = (reading){.walk = w, .entry = &w->list->entries[at + i]};
	gs_parallel(n, read_one, some);
	for (size_t i = 0; i < n; i++) {
		if (!status)
			status = take_reading(w, &some[i], err);
		if (!some[i].status)
			gs_snapshot_release(&some[i].snapshot);
	}
	return status;
}

gs_status gs_input_walk_run(gs_input_walk *w, gs_error *err)
{
	const gs_input_list *list = w->list;
	reading *some = calloc(AT_ONCE, sizeof *some);
	gs_status status = some ? GS_OK : gs_fail(err, GS_NO_MEMORY, "%zu snapshots", list->n);
	for (size_t at = 0, n; at < list->n && !status; at += n) {
		n = count_at_once(w, &list->entries[at], list->n - at);
		status = read_some(w, some, at, n, err);
	}
	free(some);
	if (!status && !w->n && !w->ranks.n)
		status = gs_input_losses_fail(&w->list->losses, &w->failed, err);
	if (!status && !w->n) {
		status = gs_input_none(w->rank, &w->ranks, err);
		w->failed = w->first ? strdup(w->first) : NULL;
	}
	return status;
}
