/* The map, checked by a log of its drawing calls and by the pixels they leave. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/draw/canvas.h"
#include "analyzer/picture/map.h"
#include "analyzer/picture/map_plan.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

/* --- a heap made by hand ------------------------------------------------------------------------
 */

enum { SEGMENTS = 70000, BLOCKS = 200000 };
static gs_snapshot snapshot;
static gs_device device;
static gs_layout layout;
static gs_oom oom;

static void setup(void)
{
	gs_snapshot_init(&snapshot);
	memset(&device, 0, sizeof device);
	memset(&oom, 0, sizeof oom);
	gs_layout_init(&layout);
	layout.segments = calloc(SEGMENTS, sizeof *layout.segments);
	layout.blocks = calloc(BLOCKS, sizeof *layout.blocks);
	layout.exact = true;
	layout.idx = GS_NONE;
	device.device_free = device.capacity = GS_NONE;
	oom.requested = (int64_t)(2 * GIB);
	oom.needed = oom.device_free = oom.capacity = GS_NONE;
	oom.pool = GS_LARGE;
}

static void teardown(void)
{
	gs_layout_release(&layout);
	gs_snapshot_release(&snapshot);
}

static gs_segment *segment(uint64_t address, uint64_t size)
{
	gs_segment *s = &layout.segments[layout.nsegments++];

	*s = (gs_segment){.address = address,
		.size = size,
		.pool = GS_LARGE,
		.has_address = true,
		.first_block = layout.nblocks};
	return s;
}

static gs_block *block(uint64_t size, gs_block_state state)
{
	gs_segment *s = &layout.segments[layout.nsegments - 1];
	gs_block *b = &layout.blocks[layout.nblocks++], *before = s->nblocks ? b - 1 : NULL;

	*b = (gs_block){.address = before ? before->address + before->size : s->address,
		.size = size,
		.state = (uint8_t)state,
		.requested = state == GS_INACTIVE ? GS_NONE : (int64_t)size,
		.idx = GS_NONE,
		.segment = (uint32_t)(layout.nsegments - 1)};
	s->nblocks++;
	return b;
}

/* 4 GiB carved into eight blocks, every second one free. */
static void carved_heap(void)
{
	segment(0x7f0000000000, 4 * GIB);
	for (int i = 0; i < 8; i++)
		block(512 * MIB, i % 2 ? GS_INACTIVE : GS_ACTIVE_ALLOCATED);
}

/* --- a log of what was drawn --------------------------------------------------------------------
 */

typedef struct drawing_log {
	gs_draw draw;
	char text[64 * 1024];
	size_t n;
	int right, bottom; /* what the calls reach */
} drawing_log;

static void log_rect(gs_draw *d, int x, int y, int w, int h, const gs_paint *paint)
{
	drawing_log *l = (drawing_log *)d;

	(void)paint;
	ck_assert_int_gt(w, 0);
	ck_assert_int_ge(x, 0);
	ck_assert_int_ge(y, 0);
	l->right = x + w > l->right ? x + w : l->right;
	l->bottom = y + h > l->bottom ? y + h : l->bottom;
}

static void log_area(
	gs_draw *d, int x, int n, const int *top, const int *bottom, const gs_paint *paint)
{
	for (int i = 0; i < n; i++)
		if (bottom[i] > top[i])
			log_rect(d, x + i, top[i], 1, bottom[i] - top[i], paint);
}

static int log_measure(gs_draw *d, int px, const char *text)
{
	(void)d;
	return (int)strlen(text) * px / 2;
}

static void log_text(gs_draw *d, int x, int y, int px, uint32_t rgb, const char *text)
{
	drawing_log *l = (drawing_log *)d;

	(void)rgb;
	ck_assert_int_ge(x, 0);
	l->right = x + log_measure(d, px, text) > l->right ? x + log_measure(d, px, text) : l->right;
	l->bottom = y + px > l->bottom ? y + px : l->bottom;
	if (l->n + strlen(text) + 2 < sizeof l->text)
		l->n += (size_t)sprintf(l->text + l->n, "%s\n", text);
}

static const gs_draw_ops log_ops = {log_rect, log_area, log_text, log_measure};
static drawing_log drawn;

static gs_map *make(const gs_oom *failed, gs_map_color color)
{
	gs_map_panel panel = {&device, &layout, failed, failed ? "oom" : "captured"};
	gs_error err = GS_ERROR_INIT;
	gs_map *m = NULL;

	gs_map_make(&m, &snapshot, &panel, 1, color, &err);
	ck_assert_msg(m, "%s", err.text);
	return m;
}

static void draw_log(const gs_oom *failed, gs_map_color color)
{
	gs_map *m = make(failed, color);

	memset(&drawn, 0, sizeof drawn);
	drawn.draw.ops = &log_ops;
	gs_map_draw(m, &drawn.draw);
	ck_assert_int_le(drawn.right, gs_map_width(m));
	ck_assert_int_le(drawn.bottom, gs_map_height(m));
	gs_map_free(m);
}

#define ck_assert_drawn(words) \
	ck_assert_msg(strstr(drawn.text, words), "\"%s\" is not in:\n%s", words, drawn.text)

/* Pixels of a colour in the picture. */
static size_t count_color(gs_map *m, uint32_t rgb)
{
	gs_canvas c;
	size_t n = 0;

	ck_assert_int_eq(gs_canvas_init(&c, gs_map_width(m), gs_map_height(m), NULL), GS_OK);
	gs_map_draw(m, &c.draw);
	for (int y = 0; y < c.height; y++)
		for (int x = 0; x < c.width; x++)
			n += gs_canvas_pixel(&c, x, y) == rgb;
	gs_canvas_release(&c);
	return n;
}

/* --- words --------------------------------------------------------------------------------------
 */

START_TEST(the_failed_request_and_the_holes_are_told_in_one_sentence)
{
	carved_heap();
	draw_log(&oom, GS_MAP_STATE);

	ck_assert_drawn(
		"Request of 2.00 GiB failed (large pool, stream 0). Free there: 2.00 GiB in 4 holes, largest 512 MiB");
	ck_assert_drawn(
		"Reserved 4.00 GiB in 1 segment, 8 blocks: allocated 2.00 GiB, free 2.00 GiB in 4 holes");
	ck_assert_drawn("2.00 GiB in 4 blocks: allocated");
	ck_assert_drawn("2.00 GiB in 4 blocks: pinning, in partly free segments");
	ck_assert_drawn("largest hole 512 MiB");
	ck_assert_drawn("0x7f0000000000");
}
END_TEST

START_TEST(holes_of_another_stream_do_not_count_for_the_request)
{
	carved_heap();
	segment(0x7f1000000000, 8 * GIB)->stream = 7;
	block(8 * GIB, GS_INACTIVE);

	draw_log(&oom, GS_MAP_STATE);

	ck_assert_drawn("largest 512 MiB");
}
END_TEST

START_TEST(without_a_failure_the_picture_says_so)
{
	carved_heap();
	draw_log(NULL, GS_MAP_STATE);

	ck_assert_drawn("No failed request here. Free: 2.00 GiB in 4 holes, largest 512 MiB");
	ck_assert_ptr_null(strstr(drawn.text, "failed request\n"));
}
END_TEST

START_TEST(a_state_that_is_bounded_says_what_is_open)
{
	carved_heap();
	layout.exact = false;
	strcpy(layout.note, "block 0x7f is one of two sizes");
	draw_log(NULL, GS_MAP_STATE);

	ck_assert_drawn("(not exact: block 0x7f is one of two sizes)");
}
END_TEST

START_TEST(the_legend_names_stacks_by_the_frame_of_the_user)
{
	gs_id frame = gs_snapshot_frame(&snapshot, gs_snapshot_string(&snapshot, "forward", 7),
		gs_snapshot_string(&snapshot, "/a/train.py", 11), 12);
	gs_id stack = gs_snapshot_stack(&snapshot, &frame, 1);

	carved_heap();
	layout.blocks[2].stack = stack;
	draw_log(NULL, GS_MAP_STACK);

	ck_assert_drawn("512 MiB in 1 block: forward (train.py:12)");
	ck_assert_drawn("1.50 GiB in 3 blocks: no stack recorded");
}
END_TEST

START_TEST(the_words_of_colourings_are_understood)
{
	for (int i = 0; i < GS_MAP_COLORS; i++)
		ck_assert_int_eq(gs_map_color_parse(gs_map_color_text((gs_map_color)i)), i);
	ck_assert_int_eq(gs_map_color_parse("colour"), GS_MAP_COLORS);
}
END_TEST

/* --- places -------------------------------------------------------------------------------------
 */

START_TEST(bytes_and_pixels_are_in_proportion)
{
	gs_map *m;

	segment(0x1000000, 64 * MIB);
	block(16 * MIB, GS_ACTIVE_ALLOCATED);
	block(48 * MIB, GS_ACTIVE_ALLOCATED);
	layout.blocks[1].state = GS_ACTIVE_PENDING_FREE;
	m = make(NULL, GS_MAP_STATE);

	/* 2 KiB a pixel, 12 pixels high; besides them the legend's swatch (20 × 11 within its frame)
	 * and the edge of the second block */
	size_t blue = count_color(m, 0x0072b2), orange = count_color(m, 0xe69f00);
	ck_assert_uint_eq(blue, 16 * MIB / 2048 * 12 + 20 * 11);
	ck_assert_uint_eq(orange, (48 * MIB / 2048 - 1) * 12 + 20 * 11);
	gs_map_free(m);
}
END_TEST

START_TEST(one_tiny_block_in_a_huge_heap_is_still_seen)
{
	gs_map *m;

	segment(1ull << 40, 1ull << 40);
	block(1ull << 39, GS_INACTIVE);
	block(512, GS_ACTIVE_ALLOCATED);
	block((1ull << 39) - 512, GS_INACTIVE);
	m = make(NULL, GS_MAP_STATE);

	ck_assert_uint_eq(count_color(m, 0x0072b2), 1 + 20 * 11);
	gs_map_free(m);
}
END_TEST

START_TEST(every_segment_keeps_its_bytes_in_every_flow)
{
	static const struct {
		size_t segments;
		uint64_t size;
		gs_map_flow flow;
	} cases[] = {
		{10, 100 * MIB, GS_MAP_OWN_ROWS},
		{400, 22 * MIB, GS_MAP_FLOWING},
		{60000, 2 * MIB, GS_MAP_PACKED},
	};
	gs_map_plan plan;

	for (size_t i = 0; i < cases[_i].segments; i++)
		segment(0x1000000 + i * (cases[_i].size + MIB), cases[_i].size);
	ck_assert_int_eq(gs_map_plan_init(&plan, &layout, 1024, 44, NULL), GS_OK);

	ck_assert_int_eq(plan.flow, cases[_i].flow);
	ck_assert_int_le(plan.rows, 44);
	for (size_t i = 0; i + 1 < layout.nsegments; i++)
		ck_assert_uint_ge(plan.start[i + 1], plan.start[i] + layout.segments[i].size);
	ck_assert_uint_le(plan.start[layout.nsegments - 1] + cases[_i].size,
		(uint64_t)plan.rows * 1024 << plan.shift);
	gs_map_plan_release(&plan);
}
END_TEST

START_TEST(a_heap_of_sixty_thousand_segments_stays_within_a_screen)
{
	gs_map *m;

	for (size_t i = 0; i < 60000; i++) {
		segment(0x1000000 + i * 2 * MIB, 2 * MIB);
		block(512, GS_ACTIVE_ALLOCATED);
		block(2 * MIB - 512, GS_INACTIVE);
	}
	m = make(NULL, GS_MAP_STATE);

	ck_assert_int_le(gs_map_height(m), 1100);
	ck_assert_int_le(gs_map_width(m), 1400);
	gs_map_free(m);
}
END_TEST

START_TEST(segments_of_absurd_size_are_refused)
{
	gs_map_panel panel = {&device, &layout, NULL, "captured"};
	gs_error err = GS_ERROR_INIT;
	gs_map *m = NULL;

	segment(0x1000, 1ull << 61);
	segment(0x2000, 1ull << 61);

	ck_assert_int_eq(gs_map_make(&m, &snapshot, &panel, 1, GS_MAP_STATE, &err), GS_LIMIT);
	ck_assert_ptr_null(m);
}
END_TEST

START_TEST(a_device_without_segments_is_refused_by_its_number)
{
	gs_map_panel panel = {&device, &layout, NULL, "captured"};
	gs_error err = GS_ERROR_INIT;
	gs_map *m = NULL;

	device.device = 3;
	ck_assert_int_eq(gs_map_make(&m, &snapshot, &panel, 1, GS_MAP_STATE, &err), GS_INVALID);
	ck_assert_str_eq(err.text, "device 3 has no segment to draw");
}
END_TEST

START_TEST(blocks_that_contradict_their_segment_are_cut_to_it)
{
	segment(0x1000000, 8 * MIB);
	block(6 * MIB, GS_ACTIVE_ALLOCATED);
	block(UINT64_MAX - 5, GS_INACTIVE)->address = 0x1000000 + 4 * MIB;
	block(MIB, GS_ACTIVE_ALLOCATED)->address = 5;
	segment(0x2000000, 0);
	segment(0x3000000, 4 * MIB);

	for (int color = 0; color < GS_MAP_COLORS; color++)
		draw_log(&oom, (gs_map_color)color);
	ck_assert_drawn("not told by the file");
}
END_TEST

Suite *suite_map(void);
Suite *suite_map(void)
{
	Suite *s = suite_create("map");
	TCase *t = tcase_create("map");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, the_failed_request_and_the_holes_are_told_in_one_sentence);
	tcase_add_test(t, holes_of_another_stream_do_not_count_for_the_request);
	tcase_add_test(t, without_a_failure_the_picture_says_so);
	tcase_add_test(t, a_state_that_is_bounded_says_what_is_open);
	tcase_add_test(t, the_legend_names_stacks_by_the_frame_of_the_user);
	tcase_add_test(t, the_words_of_colourings_are_understood);
	tcase_add_test(t, bytes_and_pixels_are_in_proportion);
	tcase_add_test(t, one_tiny_block_in_a_huge_heap_is_still_seen);
	tcase_add_loop_test(t, every_segment_keeps_its_bytes_in_every_flow, 0, 3);
	tcase_add_test(t, a_heap_of_sixty_thousand_segments_stays_within_a_screen);
	tcase_add_test(t, segments_of_absurd_size_are_refused);
	tcase_add_test(t, a_device_without_segments_is_refused_by_its_number);
	tcase_add_test(t, blocks_that_contradict_their_segment_are_cut_to_it);
	suite_add_tcase(s, t);
	return s;
}
