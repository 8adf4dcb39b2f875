/* The ladder's steps on random heaps, against brute force and against the pool itself. */
#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/diagnose/diagnose.h"
#include "recorder/pool/pool.h"
#include "recorder/pool/sim_device.h"

#define COUNT(rows) (int)(sizeof(rows) / sizeof *(rows))
enum { MIB = 1 << 20 };

static void diagnose(const gs_snapshot *s, int64_t capacity, gs_diagnosis *d)
{
	gs_diagnose_options o = GS_DIAGNOSE_OPTIONS_INIT;
	gs_error err = GS_ERROR_INIT;
	o.capacity = capacity;
	ck_assert_msg(!gs_diagnose(s, &o, d, &err), "%s", err.text);
}

static uint64_t seed_state;

static uint64_t draw(uint64_t below)
{
	seed_state = seed_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (seed_state >> 33) % below;
}

enum { UNIT = 512, MOST_SEGMENTS = 24, MOST_CELLS = 64 * MIB / UNIT };

/* A heap as cells of 512 bytes, the brute form. */
typedef struct heap {
	gs_snapshot s;
	unsigned char cell[MOST_SEGMENTS][MOST_CELLS]; /* gs_block_state */
	uint64_t cells[MOST_SEGMENTS];
	uint64_t waste;
	uint64_t request, device_free, capacity, reserved;
	gs_policy_request r;
} heap;

static void add_block(heap *h, gs_layout *l, uint64_t at, uint64_t size, gs_block_state state)
{
	gs_segment *g = &l->segments[l->nsegments - 1];
	gs_block *b = &l->blocks[l->nblocks++];
	uint64_t waste = state == GS_INACTIVE ? 0 : draw(UNIT);
	*b = (gs_block){.address = g->address + at,
		.size = size,
		.requested = state == GS_INACTIVE ? GS_NONE : (int64_t)(size - waste),
		.idx = GS_NONE,
		.segment = (uint32_t)(l->nsegments - 1),
		.state = (uint8_t)state};
	g->nblocks++;
	h->waste += waste;
	memset(&h->cell[l->nsegments - 1][at / UNIT], (int)state, size / UNIT);
}

static void add_segment(heap *h, gs_layout *l, uint64_t size)
{
	gs_segment *g = &l->segments[l->nsegments++];
	*g = (gs_segment){.address = UINT64_C(0x7f0000000000) + l->nsegments * UINT64_C(0x10000000),
		.size = size,
		.stream = draw(2),
		.has_address = true,
		.pool = size == 2 * MIB ? GS_SMALL : GS_LARGE,
		.first_block = l->nblocks,
		.pool_id = {draw(4) == 0, 0}};
	h->cells[l->nsegments - 1] = size / UNIT;
	h->reserved += size;
	gs_block_state last = GS_ACTIVE_ALLOCATED;
	for (uint64_t at = 0; at < size;) {
		uint64_t n = (1 + draw(size / UNIT / 3 + 1)) * UNIT, left = size - at;
		gs_block_state state = draw(10) < 4 ? GS_INACTIVE
			: draw(10) < 8                  ? GS_ACTIVE_ALLOCATED
											: GS_ACTIVE_PENDING_FREE;
		if (state == GS_INACTIVE && last == GS_INACTIVE)
			state = GS_ACTIVE_ALLOCATED;
		n = n > left ? left : n;
		add_block(h, l, at, n, state);
		at += n;
		last = state;
	}
}

/* A device whose layout is that of its one OOM. */
static heap *random_heap(uint64_t seed)
{
	heap *h = calloc(1, sizeof *h);
	seed_state = seed * 7919 + 1;
	gs_snapshot_init(&h->s);
	h->s.kind = GS_KIND_PYTORCH;
	gs_device *d = gs_snapshot_device(&h->s, 0);
	gs_layout *l = &d->captured;
	l->segments = calloc(MOST_SEGMENTS, sizeof *l->segments);
	l->blocks = calloc(MOST_SEGMENTS * 400, sizeof *l->blocks);
	for (uint64_t n = 1 + draw(12); n; n--)
		add_segment(h, l, draw(3) ? (10 + 2 * draw(20)) * MIB : 2 * MIB);
	d->has_layout = d->layout_at_oom = true;
	h->request = draw(4) ? (1 + draw(60 * MIB / UNIT)) * UNIT : (1 + draw(2048)) * UNIT;
	h->device_free = draw(30) * MIB;
	h->capacity = h->reserved + h->device_free + (uint64_t)MIB * draw(1200);
	gs_oom *oom = gs_snapshot_add_oom(&h->s);
	oom->device = 0;
	oom->requested = (int64_t)h->request;
	oom->device_free = (int64_t)h->device_free;
	oom->capacity = (int64_t)h->capacity;
	oom->stream = 0;
	oom->has_pool_id = true;
	h->r = (gs_policy_request){.size = h->request, .pool = h->request <= MIB ? GS_SMALL : GS_LARGE};
	return h;
}

static void release_heap(heap *h)
{
	gs_snapshot_release(&h->s);
	free(h);
}

static uint64_t segment_asked(uint64_t request)
{
	return request <= MIB    ? 2 * MIB
		: request < 10 * MIB ? 20 * MIB
							 : (request + 2 * MIB - 1) / (2 * MIB) * (2 * MIB);
}

typedef bool belongs(const heap *h, const gs_segment *g);

static bool is_same(const heap *h, const gs_segment *g)
{
	return !g->pool_id.a && g->stream == h->r.stream && g->pool == h->r.pool;
}
static bool is_other_stream(const heap *h, const gs_segment *g)
{
	return !g->pool_id.a && g->stream != h->r.stream;
}
static bool is_other_pool(const heap *h, const gs_segment *g)
{
	(void)h;
	return g->pool_id.a != 0;
}
static bool is_any(const heap *h, const gs_segment *g)
{
	(void)h;
	(void)g;
	return true;
}

static bool is_small(const heap *h, const gs_segment *g)
{
	(void)h;
	return g->pool == GS_SMALL;
}

static bool is_free(unsigned char cell, bool waited)
{
	return cell == GS_INACTIVE || (waited && cell == GS_ACTIVE_PENDING_FREE);
}

/* The longest run of free cells in one segment of those; all their free cells; segments that
 * waiting makes whole. */
static void scan(const heap *h, belongs *wanted, bool waited, uint64_t *longest, uint64_t *total,
	uint64_t *whole)
{
	const gs_layout *l = &h->s.devices[0].captured;
	*longest = *total = *whole = 0;
	for (size_t i = 0; i < l->nsegments; i++) {
		uint64_t run = 0, free_cells = 0, pending = 0;
		for (uint64_t c = 0; c < h->cells[i]; c++) {
			bool f = is_free(h->cell[i][c], waited);
			pending += h->cell[i][c] == GS_ACTIVE_PENDING_FREE;
			run = f ? run + 1 : 0;
			free_cells += f;
			if (wanted(h, &l->segments[i]) && run * UNIT > *longest)
				*longest = run * UNIT;
		}
		if (wanted(h, &l->segments[i]))
			*total += free_cells * UNIT;
		if (waited && pending && free_cells == h->cells[i] && !l->segments[i].pool_id.a)
			*whole += h->cells[i] * UNIT;
	}
}

static void brute(const heap *h, bool fits[GS_STEPS])
{
	uint64_t longest, total, whole, asked = segment_asked(h->request), r = h->request,
									d = h->device_free, waiting = 0, held;
	scan(h, is_same, false, &longest, &total, &whole);
	fits[GS_STEP_MISSED_FIT] = longest >= r;
	fits[GS_STEP_LIMIT] = d >= asked;
	fits[GS_STEP_SEGMENT_SIZE] = d >= r;
	fits[GS_STEP_FRAGMENTED] = d + total >= r;
	scan(h, is_same, true, &longest, &total, &whole);
	scan(h, is_small, true, &held, &total, &whole);
	uint64_t crumbs = r > MIB ? total % (2 * MIB) : 0; /* a large request cannot have them */
	scan(h, is_any, true, &held, &total, &whole);
	for (size_t i = 0; i < h->s.devices[0].captured.nblocks; i++)
		waiting += h->s.devices[0].captured.blocks[i].state == GS_ACTIVE_PENDING_FREE;
	fits[GS_STEP_PENDING_FREE] = longest >= r || (waiting && d + whole >= asked);
	total -= crumbs;
	fits[GS_STEP_STRANDED] = d + total >= r;
	fits[GS_STEP_ROUNDING] = d + total + h->waste >= r;
	held = h->capacity - h->reserved - h->device_free;
	fits[GS_STEP_OUTSIDE] = d + total + h->waste +
			(held > 1024ull * MIB ? held - 1024ull * MIB : 0) >=
		r;
	scan(h, is_other_stream, false, &longest, &total, &whole);
	fits[GS_STEP_OTHER_STREAM] = longest >= r;
	scan(h, is_other_pool, false, &longest, &total, &whole);
	fits[GS_STEP_PRIVATE_POOL] = longest >= r;
}

enum { HEAPS = 400 };

START_TEST(every_step_of_the_ladder_equals_brute_force_on_random_heaps)
{
	int verdicts[GS_VERDICT_NONE] = {0};
	for (uint64_t seed = 1; seed <= HEAPS; seed++) {
		heap *h = random_heap(seed);
		gs_diagnosis d;
		bool fits[GS_STEPS];
		int first = GS_STEPS;
		diagnose(&h->s, GS_NONE, &d);
		brute(h, fits);
		for (int i = GS_STEPS - 1; i >= 0; i--) {
			ck_assert_int_eq(d.ladder[i].step, i);
			ck_assert_msg(d.ladder[i].fits == fits[i], "seed %" PRIu64 ", %s: %d, brute force %d",
				seed, gs_step_word((gs_step)i), d.ladder[i].fits, fits[i]);
			first = fits[i] ? i : first;
		}
		ck_assert_int_eq(d.verdict, first);
		ck_assert(d.exact);
		verdicts[d.verdict]++;
		gs_diagnosis_release(&d);
		release_heap(h);
	}
	for (int i = 0; i < GS_STEPS; i++)
		ck_assert_msg(i == GS_STEP_ROUNDING || verdicts[i] > 0, "no heap is a case of %s",
			gs_step_word((gs_step)i));
}
END_TEST

/* The fewest live bytes of any run of blocks that holds the request, by trying all. */
static uint64_t cheapest(const heap *h, bool *found)
{
	const gs_layout *l = &h->s.devices[0].captured;
	uint64_t best = UINT64_MAX;
	for (size_t i = 0; i < l->nsegments; i++) {
		const gs_segment *g = &l->segments[i];
		for (size_t a = g->first_block; is_same(h, g) && a < g->first_block + g->nblocks; a++) {
			uint64_t size = 0, live = 0;
			for (size_t b = a; b < g->first_block + g->nblocks; b++) {
				size += l->blocks[b].size;
				live += l->blocks[b].state == GS_INACTIVE ? 0 : l->blocks[b].size;
				if (size >= h->request && live < best)
					best = live;
			}
		}
	}
	*found = best != UINT64_MAX;
	return best;
}

/* With those blocks gone, does the search find room. */
static bool served_without(
	const heap *h, const gs_diagnosis *d, const gs_eviction *e, bool keep_one)
{
	bool *gone = calloc(d->layout.nblocks + 1, sizeof *gone), kept = false;
	gs_layout after;
	uint64_t released;
	for (size_t k = e->first; k < e->first + e->nblocks; k++) {
		gone[k] = d->layout.blocks[k].state == GS_INACTIVE || !keep_one || kept;
		kept |= d->layout.blocks[k].state != GS_INACTIVE;
	}
	ck_assert_int_eq(
		gs_layout_without(d->policy, &d->settings, &d->layout, gone, false, &after, &released),
		GS_OK);
	bool served = gs_policy_search(d->policy, &d->settings, &after, &h->r) != SIZE_MAX;
	gs_layout_release(&after);
	free(gone);
	return served;
}

START_TEST(the_cheapest_eviction_equals_brute_force_and_every_block_of_it_counts)
{
	int proven = 0;
	for (uint64_t seed = 1; seed <= HEAPS; seed++) {
		heap *h = random_heap(seed);
		gs_diagnosis d;
		bool found;
		diagnose(&h->s, GS_NONE, &d);
		uint64_t live = cheapest(h, &found);
		if (found) {
			const gs_eviction *e = &d.evictions[0];
			ck_assert_uint_gt(d.nevictions, 0);
			ck_assert_msg(e->segment != SIZE_MAX && e->live_bytes == live,
				"seed %" PRIu64 ": %" PRIu64 " bytes, brute force %" PRIu64, seed, e->live_bytes,
				live);
			ck_assert(e->sufficient && served_without(h, &d, e, false));
			ck_assert(!e->live_blocks || !served_without(h, &d, e, true));
			proven++;
		} else {
			ck_assert(!d.nevictions || d.evictions[0].segment == SIZE_MAX);
		}
		gs_diagnosis_release(&d);
		release_heap(h);
	}
	ck_assert_int_gt(proven, HEAPS / 10);
}
END_TEST

/* --- the pool itself as judge --- */

typedef struct pool_heap {
	gs_snapshot s;
	gs_pool *pool;
	gs_pool_oom oom;
	bool failed;
} pool_heap;

static gs_status copy_pool_segment(void *user, const gs_pool_segment_info *g)
{
	gs_layout *l = &((pool_heap *)user)->s.devices[0].captured;
	l->segments[l->nsegments++] = (gs_segment){.address = g->address,
		.size = g->size,
		.stream = g->stream,
		.pool_id = g->pool_id,
		.pool = (uint8_t)g->pool,
		.expandable = g->expandable,
		.has_address = true,
		.first_block = l->nblocks};
	return GS_OK;
}

static gs_status copy_pool_block(void *user, const gs_pool_block_info *b)
{
	gs_layout *l = &((pool_heap *)user)->s.devices[0].captured;
	l->blocks[l->nblocks++] = (gs_block){.address = b->address,
		.size = b->size,
		.idx = GS_NONE,
		.segment = (uint32_t)(l->nsegments - 1),
		.requested = b->state == GS_INACTIVE ? GS_NONE : (int64_t)b->requested,
		.state = (uint8_t)b->state};
	l->segments[l->nsegments - 1].nblocks++;
	return GS_OK;
}

/* Keeps the state right at the failure. */
static void on_action(void *user, const gs_pool_action *action)
{
	pool_heap *h = user;
	static const gs_pool_visitor visitor = {copy_pool_segment, copy_pool_block};
	if (action->action != GS_ACTION_OOM || h->failed)
		return;
	h->failed = true;
	h->oom = *gs_pool_last_oom(h->pool);
	gs_pool_walk(h->pool, &visitor, h);
}

static const char *const pool_settings[] = {"", "max_split_size_mb:24", "expandable_segments:True",
	"roundup_power2_divisions:4", "expandable_segments:True,max_split_size_mb:24"};

static void run_until_failure(pool_heap *h, gs_sim *sim)
{
	uint64_t live[600], n = 0;
	for (int step = 0; step < 20000 && !h->failed; step++) {
		if (n && (n == 600 || draw(100) < 45)) {
			uint64_t k = draw(n);
			gs_pool_free(h->pool, live[k]);
			live[k] = live[--n];
			continue;
		}
		uint64_t size = draw(3) ? 1 + draw(12 * MIB) : 1 + draw(60 * MIB), address;
		if (draw(4) == 0)
			size = 1 + draw(MIB);
		if (!gs_pool_malloc(
				h->pool, size, gs_sim_stream(draw(2)), (gs_pool_ctx){0, 0}, &address, NULL))
			live[n++] = address;
	}
	(void)sim;
}

static void describe(pool_heap *h, const char *settings)
{
	gs_oom *oom = gs_snapshot_add_oom(&h->s);
	oom->device = 0;
	oom->requested = (int64_t)h->oom.rounded;
	oom->needed = (int64_t)h->oom.needed;
	oom->device_free = (int64_t)h->oom.device_free;
	oom->stream = (int64_t)h->oom.stream;
	oom->pool = (int8_t)h->oom.pool;
	oom->has_pool_id = true;
	h->s.devices[0].has_layout = h->s.devices[0].layout_at_oom = true;
	ck_assert_int_eq(gs_snapshot_add_setting(&h->s, "PYTORCH_CUDA_ALLOC_CONF", settings), GS_OK);
	ck_assert_int_eq(gs_snapshot_add_setting(&h->s, "expandable_segments",
						 strstr(settings, "expandable") ? "True" : "False"),
		GS_OK);
}

/* Asks the very pool again while the driver refuses everything: what succeeds then, succeeds from
 * its free blocks. */
static void ask_again(pool_heap *h, gs_sim *sim, uint64_t seed)
{
	gs_diagnosis d;
	uint64_t address;
	gs_totals t;
	diagnose(&h->s, GS_NONE, &d);
	gs_layout_totals(&d.layout, &t);
	gs_sim_refuse(sim, UINT32_MAX);
	bool found = !gs_pool_malloc(
		h->pool, h->oom.requested, h->oom.stream, (gs_pool_ctx){0, 0}, &address, NULL);
	ck_assert_msg(found == (d.ladder[0].fits == 1),
		"seed %" PRIu64 " under %s: searching again %s, missed_fit %d", seed,
		gs_pool_rules_name(h->pool), found ? "finds" : "fails", d.ladder[0].fits);
	ck_assert(d.exact || d.null[GS_STEP_OUTSIDE]);
	ck_assert_int_eq(d.ladder[GS_STEP_LIMIT].fits, 0);
	ck_assert_int_eq(d.needed, (int64_t)h->oom.needed);
	ck_assert_uint_eq(t.reserved, h->oom.reserved);
	gs_diagnosis_release(&d);
}

START_TEST(missed_fit_is_what_the_pool_finds_when_it_is_asked_again)
{
	int failures = 0;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		pool_heap h;
		gs_sim *sim;
		memset(&h, 0, sizeof h);
		gs_snapshot_init(&h.s);
		h.s.kind = GS_KIND_PYTORCH;
		gs_device *dev = gs_snapshot_device(&h.s, 0);
		dev->captured.segments = calloc(2000, sizeof *dev->captured.segments);
		dev->captured.blocks = calloc(20000, sizeof *dev->captured.blocks);
		seed_state = seed * 104729 + (uint64_t)_i;
		ck_assert_int_eq(
			gs_sim_init(&sim, &(gs_sim_config){.capacity = (300 + draw(300)) * MIB}), GS_OK);
		gs_pool_config config = {.ops = &gs_sim_ops,
			.device = sim,
			.memory = gs_pool_heap,
			.on_action = on_action,
			.user = &h};
		ck_assert_int_eq(gs_pool_init(&h.pool, &config, NULL), GS_OK);
		ck_assert_int_eq(gs_pool_configure(h.pool, pool_settings[_i], NULL), GS_OK);
		run_until_failure(&h, sim);
		if (h.failed) {
			describe(&h, pool_settings[_i]);
			ask_again(&h, sim, seed);
			failures++;
		}
		gs_pool_release(h.pool);
		gs_sim_release(sim);
		gs_snapshot_release(&h.s);
	}
	ck_assert_int_gt(failures, 20);
}
END_TEST

Suite *suite_ladder(void);
Suite *suite_ladder(void)
{
	Suite *s = suite_create("ladder");
	TCase *t = tcase_create("random heaps");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, every_step_of_the_ladder_equals_brute_force_on_random_heaps);
	tcase_add_test(t, the_cheapest_eviction_equals_brute_force_and_every_block_of_it_counts);
	tcase_add_loop_test(
		t, missed_fit_is_what_the_pool_finds_when_it_is_asked_again, 0, COUNT(pool_settings));
	suite_add_tcase(s, t);
	return s;
}
