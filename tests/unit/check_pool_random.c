/* Random workloads on the pool, each step followed by its self-check. The seed is in every
 * message. */
#include <check.h>
#include <stdlib.h>

#include "recorder/pool/pool.h"
#include "recorder/pool/sim_device.h"

#define MIB (UINT64_C(1) << 20)
enum { LIVE_MAX = 160, STEPS = 1200, SEEDS = 6 };

typedef struct rig {
	gs_sim *sim;
	gs_pool *pool;
	uint64_t random;
	int budget; /* chunks of bookkeeping memory left; -1: unlimited */
	gs_pool_block *live[LIVE_MAX], *deferred[LIVE_MAX];
	uint64_t waiting[LIVE_MAX]; /* addresses of the deferred */
	int nlive, ndeferred;
	int64_t events[GS_ACTION_COUNT];
	int64_t bytes[GS_ACTION_COUNT];
	int open; /* private pools begun */
	unsigned long seed;
} rig;

static uint64_t roll(rig *r, uint64_t n)
{
	r->random ^= r->random << 13;
	r->random ^= r->random >> 7;
	r->random ^= r->random << 17;
	return r->random % n;
}

static void *take(void *user, size_t bytes)
{
	rig *r = user;
	if (!r->budget)
		return NULL;
	r->budget -= r->budget > 0;
	return gs_pool_heap.take(NULL, bytes);
}

static void give(void *user, void *chunk, size_t bytes)
{
	(void)user;
	gs_pool_heap.give(NULL, chunk, bytes);
}

static void forget_deferred(rig *r, int i)
{
	r->ndeferred--;
	r->deferred[i] = r->deferred[r->ndeferred];
	r->waiting[i] = r->waiting[r->ndeferred];
}

static void on_action(void *user, const gs_pool_action *a)
{
	rig *r = user;
	r->events[a->action]++;
	r->bytes[a->action] += (int64_t)a->size;
	for (int i = r->ndeferred; a->action == GS_ACTION_FREE_COMPLETED && i-- > 0;)
		if (r->waiting[i] == a->address)
			forget_deferred(r, i);
	if (a->action == GS_ACTION_OOM) {
		gs_error err = GS_ERROR_INIT;
		ck_assert_msg(
			gs_pool_check(r->pool, &err) == GS_OK, "seed %lu, at an oom: %s", r->seed, err.text);
	}
}

static void set_up(rig *r, unsigned long seed, const gs_rules *rules, uint64_t mib, unsigned flags)
{
	*r = (rig){.random = seed * 0x9e3779b97f4a7c15u + 1, .budget = -1, .seed = seed};
	gs_sim_config device = {.capacity = mib * MIB, .lazy_events = true};
	ck_assert_int_eq(gs_sim_init(&r->sim, &device), GS_OK);
	gs_pool_config config = {
		.ops = &gs_sim_ops,
		.device = r->sim,
		.memory = {take, give, r},
		.rules = rules,
		.on_action = on_action,
		.user = r,
		.flags = flags,
	};
	ck_assert_int_eq(gs_pool_init(&r->pool, &config, NULL), GS_OK);
}

static void tear_down(rig *r)
{
	gs_pool_release(r->pool);
	gs_sim_release(r->sim);
}

static uint64_t some_size(rig *r)
{
	switch (roll(r, 8)) {
	case 0:
	case 1:
	case 2: return 1 + roll(r, 4096);
	case 3: return 1 + roll(r, MIB);
	case 4:
	case 5: return MIB + roll(r, 9 * MIB);
	case 6: return 10 * MIB + roll(r, 40 * MIB);
	default: return roll(r, 20) ? 10 * MIB + roll(r, 200 * MIB) : roll(r, 600 * MIB);
	}
}

static void step_malloc(rig *r)
{
	gs_pool_block *b;
	uint64_t n = some_size(r);
	gs_pool_ctx ctx = {(uint32_t)n, (uint32_t)r->nlive};
	gs_status status = gs_pool_malloc_block(r->pool, n, gs_sim_stream(roll(r, 3)), ctx, &b, NULL);
	ck_assert_msg(
		status == GS_OK || status == GS_DEVICE_MEMORY || (status == GS_NO_MEMORY && !r->budget),
		"seed %lu: malloc: %d", r->seed, status);
	if (b)
		r->live[r->nlive++] = b;
}

static gs_pool_block *pick(rig *r, gs_pool_block **from, int *n)
{
	int i = (int)roll(r, (uint64_t)*n);
	gs_pool_block *b = from[i];
	from[i] = from[--*n];
	return b;
}

static void step_private(rig *r)
{
	gs_pool_id id = {r->open == 0, r->open == 1};
	if (r->open < 2 && roll(r, 2)) {
		if (!gs_pool_begin_private(r->pool, id, NULL, NULL, id.a != 0))
			r->open++;
	} else if (r->open) {
		r->open--;
		id = (gs_pool_id){r->open == 0, r->open == 1};
		ck_assert_int_eq(gs_pool_end_private(r->pool, id), GS_OK);
		if (gs_pool_drop_private(r->pool, id) == GS_OK && roll(r, 2))
			gs_pool_empty_private(r->pool, id);
	}
}

static void step_other(rig *r)
{
	static const char *const confs[] = {
		"",
		"expandable_segments:True",
		"expandable_segments:False",
		"max_split_size_mb:32,max_non_split_rounding_mb:21",
		"garbage_collection_threshold:0.5",
		"roundup_power2_divisions:[1:8,16:4,64:2,>:1]",
		"expandable_segments:True,max_split_size_mb:64",
	};
	switch (roll(r, 7)) {
	case 0: gs_pool_empty_cache(r->pool); break;
	case 1: gs_sim_complete(r->sim); break;
	case 2: ck_assert_int_eq(gs_pool_configure(r->pool, confs[roll(r, 7)], NULL), GS_OK); break;
	case 3: gs_pool_set_fraction(r->pool, (double)(30 + roll(r, 71)) / 100, NULL); break;
	case 4: gs_sim_refuse(r->sim, (uint32_t)roll(r, 3)); break;
	case 5: gs_pool_process_events(r->pool); break;
	default: step_private(r);
	}
}

static void step(rig *r)
{
	uint64_t x = roll(r, 100);
	if (r->nlive && (x < 42 || r->nlive == LIVE_MAX)) {
		ck_assert_int_eq(gs_pool_free_block(r->pool, pick(r, r->live, &r->nlive)), GS_OK);
	} else if (x < 50 && r->nlive) {
		gs_pool_record_stream_block(
			r->pool, r->live[roll(r, (uint64_t)r->nlive)], gs_sim_stream(roll(r, 4)));
	} else if (x < 54 && r->nlive && r->ndeferred < LIVE_MAX) {
		gs_pool_block *b = pick(r, r->live, &r->nlive);
		ck_assert_int_eq(gs_pool_free_deferred(r->pool, b), GS_OK);
		r->deferred[r->ndeferred] = b;
		r->waiting[r->ndeferred++] = gs_pool_block_address(b);
	} else if (x < 58 && r->ndeferred) {
		gs_pool_block *b = r->deferred[roll(r, (uint64_t)r->ndeferred)];
		ck_assert(gs_pool_is_pending(b));
		ck_assert_int_eq(gs_pool_complete(r->pool, b), GS_OK);
	} else if (x < 63) {
		step_other(r);
	} else if (r->nlive < LIVE_MAX) {
		step_malloc(r);
	}
}

static const gs_rules *rules_of(int i)
{
	static const gs_rules *const all[] = {
		&gs_rules_2_6, &gs_rules_2_10, &gs_rules_2_12, &gs_rules_2_13};
	return all[i % 4];
}

static void expect_whole(rig *r, int n)
{
	gs_error err = GS_ERROR_INIT;
	ck_assert_msg(
		gs_pool_check(r->pool, &err) == GS_OK, "seed %lu, step %d: %s", r->seed, n, err.text);
}

START_TEST(every_structure_agrees_after_each_step_of_a_random_workload)
{
	rig r;
	for (unsigned long seed = 1; seed <= SEEDS; seed++) {
		set_up(&r, seed * 100 + (unsigned long)_i, rules_of(_i), 300 + seed * 300,
			seed & 1 ? GS_POOL_NO_INDEX : 0);
		for (int n = 0; n < STEPS; n++) {
			step(&r);
			expect_whole(&r, n);
		}
		tear_down(&r);
	}
}
END_TEST

START_TEST(what_the_actions_tell_adds_up_to_the_statistics)
{
	rig r;
	set_up(&r, 77 + (unsigned long)_i, rules_of(_i), 1500, 0);
	for (int n = 0; n < STEPS; n++) {
		step(&r);
	}
	gs_pool_stats s;
	gs_pool_get_stats(r.pool, &s);
	ck_assert_int_eq(s.array[GS_STAT_ALLOCATION][GS_STAT_ALL].allocated, r.events[GS_ACTION_ALLOC]);
	ck_assert_int_eq(
		s.array[GS_STAT_ALLOCATION][GS_STAT_ALL].freed, r.events[GS_ACTION_FREE_REQUESTED]);
	ck_assert_int_eq(
		s.array[GS_STAT_ACTIVE][GS_STAT_ALL].freed, r.events[GS_ACTION_FREE_COMPLETED]);
	ck_assert_int_eq(
		s.array[GS_STAT_REQUESTED_BYTES][GS_STAT_ALL].allocated, r.bytes[GS_ACTION_ALLOC]);
	ck_assert_int_eq(s.array[GS_STAT_RESERVED_BYTES][GS_STAT_ALL].allocated,
		r.bytes[GS_ACTION_SEGMENT_ALLOC] + r.bytes[GS_ACTION_SEGMENT_MAP]);
	ck_assert_int_eq(s.array[GS_STAT_RESERVED_BYTES][GS_STAT_ALL].freed,
		r.bytes[GS_ACTION_SEGMENT_FREE] + r.bytes[GS_ACTION_SEGMENT_UNMAP]);
	ck_assert_int_eq(s.num_ooms, r.events[GS_ACTION_OOM]);
	ck_assert_uint_eq(gs_sim_used(r.sim), gs_pool_reserved(r.pool));
	gs_pool_give_back(r.pool);
	ck_assert_uint_eq(gs_sim_used(r.sim), 0);
	tear_down(&r);
}
END_TEST

START_TEST(a_lack_of_bookkeeping_memory_at_any_point_fails_the_call_and_harms_nothing)
{
	rig r;
	for (int budget = 0; budget < 12; budget++) {
		set_up(&r, 500 + (unsigned long)budget, rules_of(_i), 900, 0);
		r.budget = budget;
		for (int n = 0; n < STEPS / 4; n++) {
			if (roll(&r, 3))
				step_malloc(&r);
			else if (r.nlive)
				gs_pool_free_block(r.pool, pick(&r, r.live, &r.nlive));
			if (r.nlive == LIVE_MAX)
				r.nlive = LIVE_MAX - 1;
			expect_whole(&r, n);
		}
		tear_down(&r);
	}
}
END_TEST

/* --- rebuilding a pool from what a walk shows --- */

enum { PIECES = 4096 };

typedef struct picture {
	gs_pool_segment_info segments[PIECES];
	gs_pool_block_info blocks[PIECES];
	size_t nsegments, nblocks;
} picture;

static gs_status draw_segment(void *user, const gs_pool_segment_info *s)
{
	picture *p = user;
	p->segments[p->nsegments++] = *s;
	return p->nsegments < PIECES ? GS_OK : GS_LIMIT;
}

static gs_status draw_block(void *user, const gs_pool_block_info *b)
{
	picture *p = user;
	p->blocks[p->nblocks++] = *b;
	return p->nblocks < PIECES ? GS_OK : GS_LIMIT;
}

static void draw(const gs_pool *pool, picture *p)
{
	static const gs_pool_visitor visitor = {draw_segment, draw_block};
	p->nsegments = p->nblocks = 0;
	ck_assert_int_eq(gs_pool_walk(pool, &visitor, p), GS_OK);
}

static void adopt_picture(rig *r, const picture *p)
{
	size_t at = 0;
	for (size_t i = 0; i < p->nsegments; i++) {
		const gs_pool_segment_info *s = &p->segments[i];
		static gs_pool_seed_block blocks[PIECES];
		for (size_t k = 0; k < s->blocks; k++, at++)
			blocks[k] = (gs_pool_seed_block){p->blocks[at].size, p->blocks[at].requested,
				p->blocks[at].state, p->blocks[at].ctx};
		gs_pool_seed seed = {
			.address = s->address,
			.size = s->size,
			.stream = s->stream,
			.pool = s->pool,
			.pool_id = s->pool_id,
			.expandable = s->expandable,
			.reservation_address = s->reserved_address,
			.reservation_size = s->reservation,
			.ctx = s->ctx,
			.blocks = blocks,
			.nblocks = s->blocks,
		};
		gs_error err = GS_ERROR_INIT;
		ck_assert_msg(
			gs_pool_adopt(r->pool, &seed, NULL, &err) == GS_OK, "seed %lu: %s", r->seed, err.text);
	}
}

START_TEST(a_pool_rebuilt_from_a_walk_shows_the_same_walk_and_is_whole)
{
	rig a, b;
	static picture before, after;
	set_up(&a, 31 + (unsigned long)_i, rules_of(_i), 1200, 0);
	for (int n = 0; n < STEPS; n++) {
		step(&a);
	}
	set_up(&b, 1, rules_of(_i), 1200, 0);

	draw(a.pool, &before);
	adopt_picture(&b, &before);
	draw(b.pool, &after);

	expect_whole(&b, 0);
	ck_assert_uint_gt(before.nblocks, 3);
	ck_assert_uint_eq(before.nsegments, after.nsegments);
	ck_assert_uint_eq(before.nblocks, after.nblocks);
	for (size_t i = 0; i < before.nblocks; i++) {
		ck_assert_uint_eq(before.blocks[i].address, after.blocks[i].address);
		ck_assert_uint_eq(before.blocks[i].size, after.blocks[i].size);
		ck_assert_int_eq(before.blocks[i].state, after.blocks[i].state);
	}
	ck_assert_uint_eq(gs_pool_reserved(a.pool), gs_pool_reserved(b.pool));
	ck_assert_uint_eq(gs_pool_allocated(a.pool), gs_pool_allocated(b.pool));
	tear_down(&a);
	tear_down(&b);
}
END_TEST

Suite *suite_pool_random(void);
Suite *suite_pool_random(void)
{
	Suite *s = suite_create("pool_random");
	TCase *t = tcase_create("workloads");
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, every_structure_agrees_after_each_step_of_a_random_workload, 0, 4);
	tcase_add_loop_test(t, what_the_actions_tell_adds_up_to_the_statistics, 0, 4);
	tcase_add_loop_test(
		t, a_lack_of_bookkeeping_memory_at_any_point_fails_the_call_and_harms_nothing, 0, 2);
	tcase_add_loop_test(t, a_pool_rebuilt_from_a_walk_shows_the_same_walk_and_is_whole, 0, 4);
	suite_add_tcase(s, t);
	return s;
}
