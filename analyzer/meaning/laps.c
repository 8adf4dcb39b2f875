/* Growth where no steps are known: the laps between what a place keeps. */
#include "analyzer/meaning/laps.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/meaning/meaning_internal.h"
#include "analyzer/model/frames.h"

enum {
	LEAST_LAPS = 6,
	LEAST_STEPPED = 3, /* where steps are known, though only of a loop of whatever lines */
	UNEVEN = 3,        /* times the usual lap, or as much less */
	MOST_PAUSE = 10,   /* times the usual lap: behind a longer one it began anew, or is over */
	LEAST_EVEN = 4,    /* one lap in four may be uneven */
	MANY = 16,         /* blocks, from which on it is enough that they come all along */
	PARTS = 8,         /* of the time since the first one: some were kept in the last, */
	MOST_PARTS = 6,    /* and in so many */
	MOST_BESIDE = 4    /* others may keep a quarter of the bytes */
};

static gs_status find_gone(gs_laps *l)
{
	const gs_history *h = l->m->history;
	l->gone = calloc(l->until + 1, sizeof *l->gone);
	if (!l->gone)
		return GS_NO_MEMORY;
	for (size_t i = 0; i < l->until; i++)
		if (gs_meaning_action(l->m, i) == GS_ACTION_FREE_COMPLETED && h->births[i] >= 0)
			l->gone[h->births[i]] = true;
	return GS_OK;
}

/* A library makes its workspace once, whenever it first needs it. */
static gs_status count(gs_laps *l)
{
	const gs_meaning *m = l->m;
	l->kept = malloc((l->until + 1) * sizeof *l->kept);
	l->freed = malloc((l->until + 1) * sizeof *l->freed);
	l->allocs = malloc((l->until + 1) * sizeof *l->allocs);
	if (!l->kept || !l->freed || !l->allocs)
		return GS_NO_MEMORY;
	l->kept[0] = l->freed[0] = l->allocs[0] = 0;
	for (size_t i = 0; i < l->until; i++) {
		bool alloc = gs_meaning_action(m, i) == GS_ACTION_ALLOC;
		bool stays = alloc && !l->gone[i] && m->events[i].category != GS_CATEGORY_WORKSPACE;
		l->kept[i + 1] = l->kept[i] + (stays ? gs_history_size(m->history, i) : 0);
		l->freed[i + 1] = l->freed[i] + (alloc && l->gone[i]);
		l->allocs[i + 1] = l->allocs[i] + alloc;
	}
	return GS_OK;
}

static bool survives(const gs_laps *l, size_t i)
{
	return gs_meaning_action(l->m, i) == GS_ACTION_ALLOC && !l->gone[i];
}

/* Counting sort by stack. */
static gs_status list_survivors(gs_laps *l)
{
	size_t stacks = (size_t)l->m->history->snapshot->nstacks + 1;
	l->first = calloc(stacks + 2, sizeof *l->first);
	l->survivors = malloc((l->until + 1) * sizeof *l->survivors);
	if (!l->first || !l->survivors)
		return GS_NO_MEMORY;
	for (size_t i = 0; i < l->until; i++)
		if (survives(l, i))
			l->first[gs_meaning_stack(l->m, i) + 2]++;
	for (size_t k = 2; k < stacks + 2; k++)
		l->first[k] += l->first[k - 1];
	/* first[k + 1] is where stack k's next one goes, at last where those of k + 1 begin */
	for (size_t i = 0; i < l->until; i++)
		if (survives(l, i))
			l->survivors[l->first[gs_meaning_stack(l->m, i) + 1]++] = (uint32_t)i;
	return GS_OK;
}

gs_status gs_laps_init(gs_laps *l, const gs_meaning *m, size_t until)
{
	*l = (gs_laps){.m = m, .until = until};
	gs_status status = find_gone(l);
	if (!status)
		status = count(l);
	return status ? status : list_survivors(l);
}

void gs_laps_release(gs_laps *l)
{
	free(l->gone);
	free(l->kept);
	free(l->freed);
	free(l->allocs);
	free(l->survivors);
	free(l->first);
	memset(l, 0, sizeof *l);
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* Laps are counted in allocations, for these a program makes as it goes. */
static bool comes_round(const gs_laps *l, const uint32_t *at, size_t n)
{
	uint32_t *laps = malloc(n * sizeof *laps);
	size_t uneven = 0, last = n - 2;
	if (!laps)
		return false;
	for (size_t i = 0; i + 1 < n; i++)
		laps[i] = l->allocs[at[i + 1]] - l->allocs[at[i]];
	qsort(laps, n - 1, sizeof *laps, by_value);
	uint64_t usual = laps[(n - 1) / 2], most = laps[last];
	for (size_t i = 0; i + 1 < n; i++)
		uneven += laps[i] > usual * UNEVEN || (uint64_t)laps[i] * UNEVEN < usual;
	free(laps);
	uint64_t since = l->allocs[l->until] - l->allocs[at[n - 1] + 1];
	return uneven * LEAST_EVEN <= n - 1 && most <= usual * MOST_PAUSE && since <= usual * UNEVEN;
}

/* Requests are no laps of one length: some keep several blocks, some none, and what a cache misses
 * becomes rare. But it keeps some all along, to the end. */
static bool comes_all_along(const gs_laps *l, const uint32_t *at, size_t n)
{
	uint64_t from = l->allocs[at[0]], all = l->allocs[l->until] - from;
	unsigned parts = 0;
	for (size_t i = 0; i < n; i++)
		parts |= 1u << (l->allocs[at[i]] - from) * PARTS / (all + 1);
	return n >= MANY && __builtin_popcount(parts) >= MOST_PARTS && parts >> (PARTS - 1) & 1;
}

/* One expression that builds one structure: it ends with it. */
static bool is_comprehension(const gs_snapshot *s, gs_id stack)
{
	static const char *const names[] = {"<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>"};
	gs_stack range = s->stacks[stack];
	for (uint32_t i = 0; i < range.n; i++) {
		const gs_frame *f = &s->frames[s->stack_frames[range.first + i]];
		for (size_t k = 0; k < sizeof names / sizeof *names; k++)
			if (!strcmp(gs_string_text(s, f->name), names[k]))
				return true;
	}
	return false;
}

static bool of_one_size(const gs_laps *l, const uint32_t *at, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (gs_history_size(l->m->history, at[i]) != gs_history_size(l->m->history, at[0]))
			return false;
	return true;
}

/* A request of another line that failed at the end: the program had gone on. */
static bool went_on(const gs_laps *l, gs_id stack, size_t from)
{
	for (size_t i = l->until; i-- > from;)
		if (gs_meaning_action(l->m, i) == GS_ACTION_OOM)
			return gs_meaning_stack(l->m, i) != stack;
	return false;
}

/* Nothing but this happens any more, behind something that happened once: of a recording of one
 * line alone nothing tells whether it is a loop without an end. */
static bool fills_a_list(const gs_laps *l, gs_id stack, const uint32_t *at, size_t n)
{
	return l->allocs[at[0]] && of_one_size(l, at, n) && !went_on(l, stack, at[n - 1]) &&
		!is_comprehension(l->m->history->snapshot, stack);
}

/* While it kept what it did, did the program come back to where it was for the rest. */
static bool keeps_alone(const gs_laps *l, gs_id stack, const uint32_t *at, size_t n, uint64_t leaks)
{
	size_t from = at[0], to = at[n - 1] + (size_t)1;
	uint64_t own = 0;
	for (size_t i = 0; i < n; i++)
		own += gs_history_size(l->m->history, at[i]);
	uint64_t beside = l->kept[to] - l->kept[from] - own;
	beside -= leaks < beside ? leaks : beside;
	uint64_t freed = l->freed[to] - l->freed[from], allocs = l->allocs[to] - l->allocs[from];
	if (!freed)
		return !beside && fills_a_list(l, stack, at, n);
	return freed >= n - 1 && beside <= (freed * 2 >= allocs - n ? own : own / MOST_BESIDE);
}

bool gs_laps_leak(const gs_laps *l, gs_id stack, uint64_t leaks, bool stepped)
{
	const gs_snapshot *s = l->m->history->snapshot;
	const uint32_t *at = l->survivors + l->first[stack];
	size_t n = l->first[stack + 1] - l->first[stack];
	bool user = gs_frame_is_user(s, gs_stack_user_frame(s, stack));
	if (n < (stepped ? LEAST_STEPPED : LEAST_LAPS) || (!stepped && !user) ||
		(!comes_round(l, at, n) && !comes_all_along(l, at, n)))
		return false;
	return keeps_alone(l, stack, at, n, leaks);
}
