/* Which failure is meant. */
#include "analyzer/model/failure.h"

#include <stdlib.h>

bool gs_failure_is_cut(const gs_oom *o) { return o->told.says & GS_SAYS_CUT; }

static bool is_of(const gs_oom *o, bool any_device, int32_t device)
{
	return any_device || o->device == device;
}

/* Whether a is told rather than b, which came first. */
static bool is_later(const gs_oom *a, const gs_oom *b)
{
	return a->time_us == GS_NONE || b->time_us == GS_NONE || a->time_us >= b->time_us;
}

static int compare(int64_t a, int64_t b) { return (a > b) - (a < b); }

/* Which of two failures is told first, < 0: a; 0: as they were given. Whole ones before cut ones,
 * then by time, those without one behind the others. */
static int order(const gs_oom *a, const gs_oom *b)
{
	bool timed = a->time_us != GS_NONE, also = b->time_us != GS_NONE;
	if (gs_failure_is_cut(a) != gs_failure_is_cut(b))
		return gs_failure_is_cut(a) ? 1 : -1;
	if (timed != also)
		return timed ? -1 : 1;
	return timed ? compare(a->time_us, b->time_us) : 0;
}

/* The same of one text, whose rows are kept by device: as given is line by line. */
static int order_in_text(const gs_oom *a, const gs_oom *b)
{
	int by_time = order(a, b);
	if (by_time || a->told.line == GS_NONE || b->told.line == GS_NONE)
		return by_time;
	return compare(a->told.line, b->told.line);
}

static bool is_earlier(const gs_oom *a, const gs_oom *b) { return order_in_text(a, b) < 0; }

size_t gs_failure_of(const gs_snapshot *s, bool any_device, int32_t device)
{
	bool (*rather)(const gs_oom *, const gs_oom *) = s->kind == GS_KIND_TEXT ? is_earlier
																			 : is_later;
	size_t found = SIZE_MAX;
	for (size_t i = 0; i < s->nooms; i++)
		if (is_of(&s->ooms[i], any_device, device) &&
			(found == SIZE_MAX || rather(&s->ooms[i], &s->ooms[found])))
			found = i;
	return found;
}

/* What is sorted: with its place as given, so that the order is total. */
typedef struct entry {
	gs_failure failure;
	size_t place;
} entry;

static int by_time(const void *a, const void *b)
{
	const entry *x = a, *y = b;
	const gs_oom *p = &x->failure.snapshot->ooms[x->failure.oom],
				 *q = &y->failure.snapshot->ooms[y->failure.oom];
	bool together = x->failure.snapshot == y->failure.snapshot;
	int first = together ? order_in_text(p, q) : order(p, q);
	return first ? first : (x->place > y->place) - (x->place < y->place);
}

static void add_failure(entry *all, size_t *n, const gs_snapshot *s, size_t oom)
{
	all[*n] = (entry){{s, oom}, *n};
	++*n;
}

static size_t collect(
	const gs_snapshot *snapshots, size_t n, bool any_device, int32_t device, entry *all)
{
	size_t found = 0;
	for (size_t i = 0; i < n; i++) {
		const gs_snapshot *s = &snapshots[i];
		if (s->kind != GS_KIND_TEXT) {
			size_t oom = gs_failure_of(s, any_device, device);
			if (oom != SIZE_MAX)
				add_failure(all, &found, s, oom);
			continue;
		}
		for (size_t k = 0; k < s->nooms; k++)
			if (is_of(&s->ooms[k], any_device, device))
				add_failure(all, &found, s, k);
	}
	return found;
}

gs_status gs_failures_of(const gs_snapshot *snapshots, size_t n, bool any_device, int32_t device,
	gs_failure **all, size_t *nall)
{
	size_t most = n;
	for (size_t i = 0; i < n; i++)
		most += snapshots[i].nooms;
	entry *entries = malloc((most + 1) * sizeof *entries);
	*all = malloc((most + 1) * sizeof **all);
	*nall = 0;
	if (!entries || !*all) {
		free(entries);
		free(*all);
		*all = NULL;
		return GS_NO_MEMORY;
	}
	*nall = collect(snapshots, n, any_device, device, entries);
	qsort(entries, *nall, sizeof *entries, by_time);
	for (size_t i = 0; i < *nall; i++)
		(*all)[i] = entries[i].failure;
	free(entries);
	return GS_OK;
}
