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
	struct {
		gs_paint paint;
		uint64_t pixels;
	} areas[64];
	int nareas;
} drawing_log;

static void log_pixels(drawing_log *l, const gs_paint *paint, uint64_t pixels)
{
	int i = 0;

	while (i < l->nareas &&
		(l->areas[i].paint.rgb != paint->rgb || l->areas[i].paint.pattern != paint->pattern))
		i++;
	if (i == l->nareas) {
		ck_assert_int_lt(i, 64);
		l->areas[l->nareas++].paint = *paint;
	}
	l->areas[i].pixels += pixels;
}

/* What was drawn in a class's paint, its swatch in the legend left out. */
static uint64_t pixels_of(const drawing_log *l, const gs_paint *paint)
{
	for (int i = 0; i < l->nareas; i++)
		if (l->areas[i].paint.rgb == paint->rgb && l->areas[i].paint.pattern == paint->pattern)
			return l->areas[i].pixels - 24 * 14;
	return 0;
}

static void log_rect(gs_draw *d, int x, int y, int w, int h, const gs_paint *paint)
{
	drawing_log *l = (drawing_log *)d;

	log_pixels(l, paint, (uint64_t)w * (uint64_t)h);
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

static gs_status try_make(gs_map **m, const gs_oom *failed, gs_color color, gs_error *err)
{
	gs_map_panel panel = {.snapshot = &snapshot,
		.device = &device,
		.layout = &layout,
		.oom = failed,
		.state = failed ? "oom" : "captured"};
	gs_map_options options = {.panels = &panel, .n = 1, .color = color, .headline = "The verdict"};

	return gs_map_make(m, &options, err);
}

static gs_map *make(const gs_oom *failed, gs_color color)
{
	gs_error err = GS_ERROR_INIT;
	gs_map *m = NULL;

	try_make(&m, failed, color, &err);
	ck_assert_msg(m, "%s", err.text);
	return m;
}

static void draw_map(const gs_map *m)
{
	memset(&drawn, 0, sizeof drawn);
	drawn.draw.ops = &log_ops;
	gs_map_draw(m, &drawn.draw);
	ck_assert_int_le(drawn.right, gs_map_width(m));
	ck_assert_int_le(drawn.bottom, gs_map_height(m));
}

static void draw_log(const gs_oom *failed, gs_color color)
{
	gs_map *m = make(failed, color);

	draw_map(m);
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

START_TEST(the_request_lies_to_scale_below_the_largest_hole)
{
	carved_heap();
	draw_log(&oom, GS_COLOR_STATE);

	ck_assert_drawn("The verdict");
	ck_assert_drawn("largest hole that it could have used: 512 MiB");
	ck_assert_drawn("failed request 2.00 GiB, to the same scale");
	ck_assert_drawn("4.00 GiB reserved in 1 segment: 2.00 GiB allocated, 2.00 GiB free in 4 holes");
	ck_assert_drawn("2.00 GiB in 4 blocks: allocated");
	ck_assert_drawn("0x7f0000000000");
}
END_TEST

START_TEST(free_memory_of_another_stream_is_hatched_with_its_reason)
{
	carved_heap();
	segment(0x7f1000000000, 8 * GIB)->stream = 7;
	block(8 * GIB, GS_INACTIVE);

	draw_log(&oom, GS_COLOR_STATE);

	ck_assert_drawn("largest hole that it could have used: 512 MiB");
	ck_assert_drawn(
		"8.00 GiB in 1 hole: free, but not for this request: 8.00 GiB of another stream");
}
END_TEST

START_TEST(a_request_that_finds_no_hole_is_told_so)
{
	segment(0x7f1000000000, 8 * MIB);
	block(8 * MIB, GS_ACTIVE_ALLOCATED);
	draw_log(&oom, GS_COLOR_STATE);

	ck_assert_drawn("there is no hole at all that the request could have used");
	ck_assert_drawn("failed request 2.00 GiB, to the same scale (cut short here)");
}
END_TEST

START_TEST(a_legend_of_several_devices_says_that_it_adds_them_up)
{
	gs_map_panel panels[3];
	gs_map_options options = {.panels = panels, .color = GS_COLOR_HOLDER};
	static const char *const heads[] = {"Who holds what is in use (",
		"Who holds what is in use, both devices (", "Who holds what is in use, all 3 devices ("};
	gs_map *m = NULL;

	carved_heap();
	for (int i = 0; i < 3; i++)
		panels[i] = (gs_map_panel){
			.snapshot = &snapshot, .device = &device, .layout = &layout, .state = "captured"};
	for (options.n = 1; options.n <= 3; options.n++) {
		ck_assert_int_eq(gs_map_make(&m, &options, NULL), GS_OK);
		draw_map(m);
		ck_assert_drawn(heads[options.n - 1]);
		gs_map_free(m);
	}
}
END_TEST

START_TEST(what_sets_a_segment_apart_begins_its_label)
{
	carved_heap();
	layout.segments[0].stream = 65536;
	layout.segments[0].pool_id = (gs_pool_id){0, 1};
	draw_log(NULL, GS_COLOR_STATE);

	ck_assert_drawn("pool 0,1 stream 65536 ");
}
END_TEST

START_TEST(a_full_heap_has_nothing_free)
{
	segment(0x7f1000000000, 8 * MIB);
	block(8 * MIB, GS_ACTIVE_ALLOCATED);
	draw_log(NULL, GS_COLOR_STATE);

	ck_assert_drawn("8 MiB reserved in 1 segment: 8 MiB allocated, nothing free\n");
}
END_TEST

START_TEST(one_line_runs_round_all_rows_of_a_hole)
{
	gs_map *m;

	segment(0x7f0000000000, 4 * GIB);
	block(4 * GIB, GS_INACTIVE);
	m = make(NULL, GS_COLOR_STATE);
	draw_map(m);

	/* 32 rows of 1024 pixels: two lines of them, sides of 32 * 20 - 2 pixels; the label's tick */
	uint64_t rows = 4 * GIB / (1024 * 128 * 1024), high = rows * 20 - 2;
	ck_assert_uint_eq(
		pixels_of(&drawn, &(gs_paint){.rgb = 0}) + 24 * 14, 2 * 2 * 1024 + 2 * 2 * high + 2 * 16);
	gs_map_free(m);
}
END_TEST

START_TEST(a_hole_of_less_than_two_pixels_says_so)
{
	segment(0x7f0000000000, 64 * GIB);
	block(64 * GIB - MIB, GS_ACTIVE_ALLOCATED);
	block(MIB, GS_INACTIVE);
	draw_log(NULL, GS_COLOR_STATE);

	ck_assert_drawn("largest hole 1 MiB, too small to draw\n");
}
END_TEST

START_TEST(the_bar_names_its_small_parts_too)
{
	segment(0x7f0000000000, 29 * GIB);
	block(29 * GIB - 133 * MIB, GS_ACTIVE_ALLOCATED);
	block(133 * MIB, GS_INACTIVE);
	device.capacity = (int64_t)(78 * GIB);
	device.device_free = (int64_t)(91 * MIB);
	draw_log(NULL, GS_COLOR_STATE);

	ck_assert_drawn("in use 28.9 GiB");
	ck_assert_drawn("cached, free 133 MiB");
	ck_assert_drawn("outside the allocator 48.9 GiB");
	ck_assert_drawn("free on the device 91 MiB");
}
END_TEST

START_TEST(without_a_failure_there_is_a_largest_hole_and_no_request)
{
	carved_heap();
	draw_log(NULL, GS_COLOR_STATE);

	ck_assert_drawn("largest hole 512 MiB");
	ck_assert_ptr_null(strstr(drawn.text, "failed request"));
}
END_TEST

START_TEST(a_state_that_is_bounded_says_what_is_open)
{
	carved_heap();
	layout.exact = false;
	strcpy(layout.note, "block 0x7f is one of two sizes");
	draw_log(NULL, GS_COLOR_STATE);

	ck_assert_drawn("(not exact: block 0x7f is one of two sizes)");
}
END_TEST

static gs_id stack_of(const char *name, int64_t line)
{
	gs_id frame = gs_snapshot_frame(&snapshot, gs_snapshot_string(&snapshot, name, strlen(name)),
		gs_snapshot_string(&snapshot, "/a/train.py", 11), line);

	return gs_snapshot_stack(&snapshot, &frame, 1);
}

START_TEST(the_legend_names_holders_by_the_frame_of_the_user)
{
	carved_heap();
	layout.blocks[2].stack = stack_of("forward", 12);
	draw_log(NULL, GS_COLOR_HOLDER);

	ck_assert_drawn("512 MiB in 1 block: train.py:12 forward");
	ck_assert_drawn("1.50 GiB in 3 blocks: no stack recorded");
}
END_TEST

START_TEST(a_colouring_that_tells_nothing_says_why)
{
	static const char *const remarks[GS_COLORS] = {
		[GS_COLOR_HOLDER] = "(nothing to tell apart: no stack was recorded)",
		[GS_COLOR_CATEGORY] = "(nothing to tell apart: nothing tells what the memory is for)",
		[GS_COLOR_STATE] = "Legend",
		[GS_COLOR_TAG] = "(nothing to tell apart: no allocation has a tag)",
		[GS_COLOR_STREAM] = "(nothing to tell apart: there is one stream alone)",
		[GS_COLOR_AGE] = "(nothing to tell apart: no event tells when a block was allocated)",
		[GS_COLOR_SIZE] = "Memory in use by the block's size",
	};

	carved_heap();
	draw_log(NULL, (gs_color)_i);
	ck_assert_drawn(remarks[_i]);
}
END_TEST

START_TEST(the_words_of_colourings_are_understood)
{
	for (int i = 0; i < GS_COLORS; i++)
		ck_assert_int_eq(gs_color_parse(gs_color_word((gs_color)i)), i);
	ck_assert_int_eq(gs_color_parse("colour"), GS_COLORS);
}
END_TEST

/* --- places -------------------------------------------------------------------------------------
 */

START_TEST(bytes_and_pixels_are_in_proportion)
{
	gs_map *m;

	segment(0x1000000, 64 * MIB);
	block(16 * MIB, GS_ACTIVE_ALLOCATED);
	block(48 * MIB, GS_INACTIVE);
	m = make(NULL, GS_COLOR_STATE);

	/* 2 KiB a pixel, 14 pixels high; besides them the legend's swatch (22 × 12 within its frame) */
	ck_assert_uint_eq(count_color(m, 0x0072b2), 16 * MIB / 2048 * 14 + 22 * 12);
	/* edges of letters may be of that grey too */
	ck_assert_uint_ge(count_color(m, 0xf2f2f2), 48 * MIB / 2048 * 14 + 22 * 12);
	ck_assert_uint_le(count_color(m, 0xf2f2f2), 48 * MIB / 2048 * 14 + 22 * 12 + 300);
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
	m = make(NULL, GS_COLOR_STATE);

	ck_assert_uint_eq(count_color(m, 0x0072b2), 1 + 22 * 12);
	gs_map_free(m);
}
END_TEST

/* Heaps of many kinds: blocks of 2^least to 2^most bytes, some free, some pending, of nine stacks.
 */
static const struct {
	size_t segments, blocks;
	unsigned least, most;
	uint64_t gap; /* between segments */
} heaps[] = {
	{40, 20, 20, 23, 2 * MIB},    /* large blocks */
	{300, 40, 15, 20, 2 * MIB},   /* a few a pixel */
	{2500, 60, 9, 14, 0},         /* many a pixel, segments follow each other */
	{30, 3000, 9, 12, MIB},       /* small ones in large segments */
	{10000, 10, 9, 21, 20 * MIB}, /* everything mixed */
};

static void random_heap(int kind)
{
	uint64_t at = 0x7f0000000000;
	gs_id stacks[9];

	srand(7);
	for (int i = 0; i < 9; i++)
		stacks[i] = stack_of("make", 10 + i);
	for (size_t k = 0; k < heaps[kind].segments; k++) {
		gs_segment *s = segment(at, 0);
		for (size_t i = 0; i < heaps[kind].blocks; i++) {
			unsigned bits = heaps[kind].least +
				(unsigned)rand() % (heaps[kind].most - heaps[kind].least + 1);
			uint64_t size = ((1ull << bits) + (uint64_t)rand() % (1ull << bits) + 511) / 512 * 512;
			int luck = rand() % 100;
			gs_block *b = block(size,
				luck < 25       ? GS_INACTIVE
					: luck < 28 ? GS_ACTIVE_PENDING_FREE
								: GS_ACTIVE_ALLOCATED);
			b->stack = stacks[rand() % 3 * (rand() % 3) + rand() % 3];
			s->size += size;
		}
		s->stream = k % 5 == 4 ? 3 : 0;
		at += s->size + heaps[kind].gap;
	}
}

START_TEST(each_colour_has_its_share_of_the_pixels)
{
	gs_palette palette;
	gs_palette_moment moment = {&snapshot, &layout, NULL, false};
	uint64_t bytes[GS_CLASSES], pixels[GS_CLASSES], all_bytes = 0, all_pixels = 0;
	gs_map *m;

	random_heap(_i);
	oom.stream = 0;
	m = make(&oom, GS_COLOR_HOLDER);
	draw_map(m);
	ck_assert_int_eq(gs_palette_init(&palette, &moment, 1, GS_COLOR_HOLDER, false, NULL), GS_OK);
	for (int i = 0; i < GS_CLASSES; i++) {
		size_t blocks;
		gs_map_class_sums(m, i, false, &bytes[i], &blocks);
		pixels[i] = bytes[i] ? pixels_of(&drawn, &palette.classes[i].paint) : 0;
		all_bytes += bytes[i];
		all_pixels += pixels[i];
		ck_assert_int_eq(bytes[i] > 0, pixels[i] > 0);
	}
	for (int i = 0; i < GS_CLASSES; i++) {
		double want = (double)bytes[i] / (double)all_bytes,
			   got = (double)pixels[i] / (double)all_pixels;
		ck_assert_msg(want - got < 0.005 && got - want < 0.005, "%s: %.4f of the bytes, %.4f",
			palette.classes[i].name, want, got);
	}
	gs_palette_release(&palette);
	gs_map_free(m);
}
END_TEST

START_TEST(the_legend_tells_what_the_layout_holds)
{
	uint64_t live = 0, sum = 0, bytes;
	size_t blocks;
	gs_map *m;

	random_heap(_i);
	m = make(NULL, GS_COLOR_HOLDER);
	for (size_t i = 0; i < layout.nblocks; i++)
		live += layout.blocks[i].state == GS_ACTIVE_ALLOCATED ? layout.blocks[i].size : 0;
	for (int i = GS_CLASS_LIVE; i < GS_CLASSES; i++) {
		gs_map_class_sums(m, i, false, &bytes, &blocks);
		sum += bytes;
	}
	ck_assert_uint_eq(sum, live);
	gs_map_free(m);
}
END_TEST

START_TEST(two_moments_share_a_scale_and_a_legend)
{
	gs_map_panel now, before;
	gs_map_options options = {.panels = &now, .before = &before, .n = 1, .color = GS_COLOR_STATE};
	gs_layout earlier;
	gs_map *m = NULL;

	carved_heap();
	ck_assert_int_eq(gs_layout_copy(&earlier, &layout), GS_OK);
	earlier.blocks[0].state = GS_INACTIVE;
	now = (gs_map_panel){
		.snapshot = &snapshot, .device = &device, .layout = &layout, .oom = &oom, .state = "oom"};
	before = now;
	before.layout = &earlier;
	before.oom = NULL;
	before.state = "step 1";
	ck_assert_int_eq(gs_map_make(&m, &options, NULL), GS_OK);
	draw_map(m);

	ck_assert_drawn("Before: device 0, state step 1");
	ck_assert_drawn("After: device 0, state oom");
	ck_assert_drawn("1.50 GiB → 2.00 GiB in 4 blocks: allocated");
	ck_assert_drawn("512 MiB in 1 block: not there before (a line below)");
	gs_map_free(m);
	gs_layout_release(&earlier);
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
	ck_assert_int_eq(gs_map_plan_init(&plan, &layout, 1024, 44, 0, GS_MAP_OWN_ROWS, NULL), GS_OK);

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
	m = make(NULL, GS_COLOR_STATE);

	ck_assert_int_le(gs_map_height(m), 1100);
	ck_assert_int_le(gs_map_width(m), 1400);
	gs_map_free(m);
}
END_TEST

START_TEST(segments_of_absurd_size_are_refused)
{
	gs_error err = GS_ERROR_INIT;
	gs_map *m = NULL;

	segment(0x1000, 1ull << 61);
	segment(0x2000, 1ull << 61);

	ck_assert_int_eq(try_make(&m, NULL, GS_COLOR_STATE, &err), GS_LIMIT);
	ck_assert_ptr_null(m);
}
END_TEST

START_TEST(a_device_without_segments_is_refused_by_its_number)
{
	gs_error err = GS_ERROR_INIT;
	gs_map *m = NULL;

	device.device = 3;
	ck_assert_int_eq(try_make(&m, NULL, GS_COLOR_STATE, &err), GS_INVALID);
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

	for (int color = 0; color < GS_COLORS; color++)
		draw_log(&oom, (gs_color)color);
	ck_assert_drawn("not told by the file");
}
END_TEST

Suite *suite_map(void);
Suite *suite_map(void)
{
	Suite *s = suite_create("map");
	TCase *t = tcase_create("map");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60); /* heaps of 100,000 blocks, on a busy machine */
	tcase_add_test(t, the_request_lies_to_scale_below_the_largest_hole);
	tcase_add_test(t, free_memory_of_another_stream_is_hatched_with_its_reason);
	tcase_add_test(t, a_request_that_finds_no_hole_is_told_so);
	tcase_add_test(t, a_legend_of_several_devices_says_that_it_adds_them_up);
	tcase_add_test(t, what_sets_a_segment_apart_begins_its_label);
	tcase_add_test(t, a_full_heap_has_nothing_free);
	tcase_add_test(t, one_line_runs_round_all_rows_of_a_hole);
	tcase_add_test(t, a_hole_of_less_than_two_pixels_says_so);
	tcase_add_test(t, the_bar_names_its_small_parts_too);
	tcase_add_test(t, without_a_failure_there_is_a_largest_hole_and_no_request);
	tcase_add_test(t, a_state_that_is_bounded_says_what_is_open);
	tcase_add_test(t, the_legend_names_holders_by_the_frame_of_the_user);
	tcase_add_loop_test(t, a_colouring_that_tells_nothing_says_why, 0, GS_COLORS);
	tcase_add_test(t, the_words_of_colourings_are_understood);
	tcase_add_test(t, bytes_and_pixels_are_in_proportion);
	tcase_add_test(t, one_tiny_block_in_a_huge_heap_is_still_seen);
	tcase_add_loop_test(
		t, each_colour_has_its_share_of_the_pixels, 0, sizeof heaps / sizeof *heaps);
	tcase_add_loop_test(t, the_legend_tells_what_the_layout_holds, 0, sizeof heaps / sizeof *heaps);
	tcase_add_test(t, two_moments_share_a_scale_and_a_legend);
	tcase_add_loop_test(t, every_segment_keeps_its_bytes_in_every_flow, 0, 3);
	tcase_add_test(t, a_heap_of_sixty_thousand_segments_stays_within_a_screen);
	tcase_add_test(t, segments_of_absurd_size_are_refused);
	tcase_add_test(t, a_device_without_segments_is_refused_by_its_number);
	tcase_add_test(t, blocks_that_contradict_their_segment_are_cut_to_it);
	suite_add_tcase(s, t);
	return s;
}
