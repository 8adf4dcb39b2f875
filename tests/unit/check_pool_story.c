/* Fragmentation as textbooks tell it, and as it is; what a driver's refusal and an out-of-memory
 * leave behind. */
#include <check.h>
#include <string.h>

#include "recorder/pool/pool.h"
#include "recorder/pool/sim_device.h"

#define MIB (UINT64_C(1) << 20)

static gs_sim *sim;
static gs_pool *pool;
static gs_pool_block *blocks[8];
static gs_pool_action last_oom;

static void remember(void *user, const gs_pool_action *a)
{
	(void)user;
	if (a->action == GS_ACTION_OOM)
		last_oom = *a;
}

static void open_device(uint64_t mib)
{
	gs_sim_config device = {.capacity = mib * MIB};
	ck_assert_int_eq(gs_sim_init(&sim, &device), GS_OK);
	gs_pool_config config = {
		.ops = &gs_sim_ops, .device = sim, .memory = gs_pool_heap, .on_action = remember};
	ck_assert_int_eq(gs_pool_init(&pool, &config, NULL), GS_OK);
}

static void five_gib(void) { open_device(5120); }

static void close_device(void)
{
	gs_pool_release(pool);
	gs_sim_release(sim);
}

static gs_status options(uint64_t mib, gs_pool_block **b, gs_error *err)
{
	gs_pool_ctx ctx = {7, 9};
	return gs_pool_malloc_block(pool, mib * MIB, 0, ctx, b, err);
}

static void take_eight_and_free_every_second(void)
{
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(options(512, &blocks[i], NULL), GS_OK);
	for (int i = 0; i < 8; i += 2)
		ck_assert_int_eq(gs_pool_free_block(pool, blocks[i]), GS_OK);
}

START_TEST(eight_segments_of_512_mib_with_four_freed_still_serve_2_gib_after_one_retry)
{
	gs_pool_block *big;
	gs_pool_stats s;
	take_eight_and_free_every_second();

	ck_assert_int_eq(options(2048, &big, NULL), GS_OK);

	gs_pool_get_stats(pool, &s);
	ck_assert_int_eq(s.num_alloc_retries, 1);
	ck_assert_int_eq(s.num_device_free, 4);
}
END_TEST

START_TEST(eight_blocks_carved_from_one_segment_with_four_freed_do_not_serve_2_gib)
{
	gs_pool_block *whole, *big;
	gs_error err = GS_ERROR_INIT;
	ck_assert_int_eq(options(4096, &whole, NULL), GS_OK);
	ck_assert_int_eq(gs_pool_free_block(pool, whole), GS_OK);
	take_eight_and_free_every_second();

	ck_assert_int_eq(options(2048, &big, &err), GS_DEVICE_MEMORY);

	ck_assert_ptr_null(big);
	ck_assert_uint_eq(last_oom.size, 2048 * MIB);
	ck_assert_uint_eq(last_oom.device_free, 1024 * MIB);
	ck_assert_uint_eq(last_oom.ctx.stack, 7);
	ck_assert_uint_eq(last_oom.ctx.tag, 9);
	const gs_pool_oom *oom = gs_pool_last_oom(pool);
	ck_assert_uint_eq(oom->needed, 2048 * MIB);
	ck_assert_uint_eq(oom->reserved - oom->allocated, 2048 * MIB);
	char text[1024];
	ck_assert_str_eq(gs_pool_oom_message(oom, text, sizeof text),
		"CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 5.00 GiB of which 1024.00 MiB is free. "
		"Of the allocated memory 2.00 GiB is allocated by PyTorch, and 2.00 GiB is reserved by PyTorch but unallocated. "
		"If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  "
		"See documentation for Memory Management  "
		"(https://docs.pytorch.org/docs/stable/notes/cuda.html#optimizing-memory-usage-with-pytorch-cuda-alloc-conf)");
	ck_assert_ptr_nonnull(strstr(text, err.text));
}
END_TEST

START_TEST(nothing_is_nothing_and_more_than_an_eib_is_refused_without_an_event)
{
	gs_pool_block *b;
	uint64_t address = 1;
	gs_pool_ctx none = {0, 0};
	gs_error err = GS_ERROR_INIT;
	ck_assert_int_eq(gs_pool_malloc(pool, 0, 0, none, &address, NULL), GS_OK);
	ck_assert_uint_eq(address, 0);
	ck_assert_int_eq(
		gs_pool_malloc_block(pool, GS_REQUEST_MAX, 0, none, &b, &err), GS_DEVICE_MEMORY);
	ck_assert_str_eq(err.text, "CUDA out of memory. Tried to allocate more than 1EB memory.");
	ck_assert_ptr_null(gs_pool_last_oom(pool));
	ck_assert_int_eq(gs_pool_free(pool, 0), GS_OK);
	ck_assert_int_eq(gs_pool_free(pool, 0x1234), GS_NOT_FOUND);
}
END_TEST

START_TEST(the_simulated_device_is_first_fit)
{
	uint64_t at[4], again;
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(gs_sim_ops.mem_alloc(sim, 3 * MIB, &at[i]), GS_OK);
	for (int i = 0; i < 4; i++)
		ck_assert_uint_eq(at[i], UINT64_C(0x7f0000000000) + (uint64_t)i * 4 * MIB);

	gs_sim_ops.mem_free(sim, at[1], 3 * MIB);
	gs_sim_ops.mem_free(sim, at[2], 3 * MIB);

	ck_assert_int_eq(gs_sim_ops.mem_alloc(sim, 9 * MIB, &again), GS_OK);
	ck_assert_uint_eq(again, at[3] + 4 * MIB);
	ck_assert_int_eq(gs_sim_ops.mem_alloc(sim, 8 * MIB, &again), GS_OK);
	ck_assert_uint_eq(again, at[1]);
	ck_assert_uint_eq(gs_sim_used(sim), 26 * MIB);
	ck_assert_int_eq(gs_sim_ops.mem_free(sim, at[2], 3 * MIB), GS_DEVICE);
}
END_TEST

Suite *suite_pool_story(void);
Suite *suite_pool_story(void)
{
	Suite *s = suite_create("pool_story");
	TCase *t = tcase_create("five GiB");
	tcase_add_checked_fixture(t, five_gib, close_device);
	tcase_add_test(t, eight_segments_of_512_mib_with_four_freed_still_serve_2_gib_after_one_retry);
	tcase_add_test(t, eight_blocks_carved_from_one_segment_with_four_freed_do_not_serve_2_gib);
	tcase_add_test(t, nothing_is_nothing_and_more_than_an_eib_is_refused_without_an_event);
	tcase_add_test(t, the_simulated_device_is_first_fit);
	suite_add_tcase(s, t);
	return s;
}
