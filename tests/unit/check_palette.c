/* The six named holders, seen by readers with each common colour blindness, and without colour. */
#include <check.h>
#include <math.h>
#include <string.h>

#include "analyzer/picture/palette.h"

typedef struct color {
	double c[3];
} color;

static double linear(double s) { return s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4); }

static color linear_of(uint32_t rgb)
{
	return (color){{linear((rgb >> 16 & 255) / 255.0), linear((rgb >> 8 & 255) / 255.0),
		linear((rgb & 255) / 255.0)}};
}

static color through(const double m[3][3], color in)
{
	color out = {{0, 0, 0}};

	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++)
			out.c[i] += m[i][k] * in.c[k];
	return out;
}

static double root(double t) { return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116; }

/* CIE L*a*b* of linear sRGB, white D65. */
static color lab(color in)
{
	static const double to_xyz[3][3] = {{0.4124564, 0.3575761, 0.1804375},
		{0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}};
	color xyz = through(to_xyz, in);
	double x = root(xyz.c[0] / 0.95047), y = root(xyz.c[1]), z = root(xyz.c[2] / 1.08883);

	return (color){{116 * y - 16, 500 * (x - y), 200 * (y - z)}};
}

/* Machado, Oliveira, Fernandes 2009, severity 1, on linear light. */
static const double sights[4][3][3] = {
	{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413},
		{-0.011820, 0.042940, 0.968881}},
	{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216},
		{-0.003882, -0.048116, 1.051998}},
	{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602},
		{0.004733, 0.691367, 0.303900}},
};
static const char *const sight_names[] = {"plain", "deuteranopia", "protanopia", "tritanopia"};

static color seen(int sight, uint32_t rgb)
{
	color c = through(sights[sight], linear_of(rgb));

	for (int i = 0; i < 3; i++)
		c.c[i] = c.c[i] < 0 ? 0 : c.c[i] > 1 ? 1 : c.c[i];
	return lab(c);
}

static double distance(color a, color b)
{
	double sum = 0;

	for (int i = 0; i < 3; i++)
		sum += (a.c[i] - b.c[i]) * (a.c[i] - b.c[i]);
	return sqrt(sum);
}

static gs_snapshot snapshot;
static gs_palette palette;

/* A palette of six holders. */
static void setup(void)
{
	gs_block blocks[6] = {{0}};
	gs_layout layout = {.blocks = blocks, .nblocks = 6};
	gs_palette_moment moment = {&snapshot, &layout, NULL, false};

	gs_snapshot_init(&snapshot);
	for (int i = 0; i < 6; i++) {
		gs_id frame = gs_snapshot_frame(&snapshot, gs_snapshot_string(&snapshot, "f", 1),
			gs_snapshot_string(&snapshot, "/a/x.py", 7), i + 1);
		blocks[i].stack = gs_snapshot_stack(&snapshot, &frame, 1);
		blocks[i].size = (uint64_t)(100 - i);
		blocks[i].state = GS_ACTIVE_ALLOCATED;
	}
	ck_assert_int_eq(gs_palette_init(&palette, &moment, 1, GS_COLOR_HOLDER, false, NULL), GS_OK);
}

static void teardown(void)
{
	gs_palette_release(&palette);
	gs_snapshot_release(&snapshot);
}

static uint32_t named(int i) { return palette.classes[GS_CLASS_LIVE + i].paint.rgb; }

START_TEST(six_holders_are_told_apart_by_every_sight)
{
	for (int i = 0; i < GS_CLASS_NAMED; i++)
		for (int k = 0; k < i; k++) {
			double d = distance(seen(_i, named(i)), seen(_i, named(k)));
			ck_assert_msg(
				d > 25, "%s: %06x and %06x are %.1f apart", sight_names[_i], named(i), named(k), d);
		}
}
END_TEST

START_TEST(six_holders_are_told_apart_in_grey)
{
	for (int i = 0; i < GS_CLASS_NAMED; i++)
		for (int k = 0; k < i; k++) {
			double d = fabs(seen(0, named(i)).c[0] - seen(0, named(k)).c[0]);
			ck_assert_msg(d > 8, "grey: %06x and %06x are %.1f apart", named(i), named(k), d);
		}
}
END_TEST

START_TEST(what_is_no_holder_is_a_pattern_or_lighter_than_all_of_them)
{
	for (int class = 0; class < GS_CLASSES; class ++) {
		const gs_paint *p = &palette.classes[class].paint;
		if ((class >= GS_CLASS_LIVE && class < GS_CLASS_LIVE + 6) ||
			!*palette.classes[class].name || p->pattern != GS_PLAIN)
			continue;
		for (int i = 0; i < GS_CLASS_NAMED; i++)
			ck_assert_msg(seen(0, p->rgb).c[0] > seen(0, named(i)).c[0] + 8, "%s and %06x",
				palette.classes[class].name, named(i));
	}
}
END_TEST

START_TEST(no_two_classes_share_a_colour_so_that_pixels_can_be_counted)
{
	for (int a = 0; a < GS_CLASSES; a++)
		for (int b = 0; b < a; b++) {
			const gs_paint *p = &palette.classes[a].paint, *q = &palette.classes[b].paint;
			if (!*palette.classes[a].name || !*palette.classes[b].name)
				continue;
			ck_assert_uint_ne(p->rgb, q->rgb);
			ck_assert(p->pattern == GS_PLAIN || p->ink != q->rgb);
			ck_assert(p->pattern == GS_PLAIN || q->pattern == GS_PLAIN || p->ink != q->ink);
		}
}
END_TEST

START_TEST(names_inside_blocks_can_be_read)
{
	for (int i = 0; i < GS_CLASS_NAMED; i++) {
		double y = through(sights[0], linear_of(named(i))).c[0] * 0.2126 +
			linear_of(named(i)).c[1] * 0.7152 + linear_of(named(i)).c[2] * 0.0722;
		double ink = linear_of(gs_draw_contrast(named(i))).c[1];
		double ratio = y > ink ? (y + 0.05) / (ink + 0.05) : (ink + 0.05) / (y + 0.05);
		ck_assert_msg(ratio >= 4.5, "%06x: %.2f", named(i), ratio);
	}
}
END_TEST

START_TEST(a_moment_beside_ranks_those_alone_that_the_others_do_not_hold)
{
	gs_block now[2] = {{0}}, then[2] = {{0}};
	gs_layout a = {.blocks = now, .nblocks = 2}, b = {.blocks = then, .nblocks = 2};
	gs_palette_moment moments[] = {{&snapshot, &a, NULL, false}, {&snapshot, &b, NULL, true}};
	gs_palette p;

	for (int i = 0; i < 2; i++) {
		now[i].state = then[i].state = GS_ACTIVE_ALLOCATED;
		now[i].size = (uint64_t)(20 - 10 * i); /* the stacks 1 and 2 */
		now[i].stack = (gs_id)(1 + i);
		then[i].size = 1000; /* 2 and 3 */
		then[i].stack = (gs_id)(2 + i);
	}
	ck_assert_int_eq(gs_palette_init(&p, moments, 2, GS_COLOR_HOLDER, false, NULL), GS_OK);
	ck_assert_str_eq(p.classes[GS_CLASS_LIVE].name, "x.py:1 f");
	ck_assert_str_eq(p.classes[GS_CLASS_LIVE + 1].name, "x.py:2 f");
	ck_assert_str_eq(p.classes[GS_CLASS_LIVE + 2].name, "x.py:3 f");
	gs_palette_release(&p);
}
END_TEST

Suite *suite_palette(void);
Suite *suite_palette(void)
{
	Suite *s = suite_create("palette");
	TCase *t = tcase_create("palette");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, six_holders_are_told_apart_by_every_sight, 0, 4);
	tcase_add_test(t, six_holders_are_told_apart_in_grey);
	tcase_add_test(t, what_is_no_holder_is_a_pattern_or_lighter_than_all_of_them);
	tcase_add_test(t, no_two_classes_share_a_colour_so_that_pixels_can_be_counted);
	tcase_add_test(t, names_inside_blocks_can_be_read);
	tcase_add_test(t, a_moment_beside_ranks_those_alone_that_the_others_do_not_hold);
	suite_add_tcase(s, t);
	return s;
}
