/* The canvas, text, and pictures as files. */
#include <check.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/draw/canvas.h"
#include "analyzer/draw/svg.h"

static gs_canvas canvas;

static void setup(void) { ck_assert_int_eq(gs_canvas_init(&canvas, 60, 20, NULL), GS_OK); }

static void teardown(void) { gs_canvas_release(&canvas); }

START_TEST(a_rectangle_paints_its_pixels_and_no_others)
{
	gs_draw_rect(&canvas.draw, 3, 2, 4, 5, 0x102030);

	for (int y = 0; y < 20; y++)
		for (int x = 0; x < 60; x++)
			ck_assert_uint_eq(gs_canvas_pixel(&canvas, x, y),
				x >= 3 && x < 7 && y >= 2 && y < 7 ? 0x102030 : 0xffffff);
}
END_TEST

START_TEST(what_lies_outside_is_cut_off)
{
	gs_draw_rect(&canvas.draw, -5, -5, 8, 8, 0x000001);
	gs_draw_rect(&canvas.draw, 58, 19, 100, INT32_MAX, 0x000002);
	gs_draw_rect(&canvas.draw, 70, 5, 3, 3, 0x000003);
	gs_draw_text(
		&canvas.draw, -10, -4, 12, 0, 500, "text over every edge of the picture, ever so long");
	gs_draw_text(&canvas.draw, 52, 4, 12, 0, 500, "text");

	ck_assert_uint_eq(gs_canvas_pixel(&canvas, 59, 19) | 0x00ffff, 0x00ffff);
	ck_assert_uint_eq(gs_canvas_pixel(&canvas, 30, 19), 0xffffff);
}
END_TEST

START_TEST(a_frame_leaves_its_inside)
{
	gs_draw_frame(&canvas.draw, 10, 5, 6, 6, 1, 0);

	ck_assert_uint_eq(gs_canvas_pixel(&canvas, 10, 5), 0);
	ck_assert_uint_eq(gs_canvas_pixel(&canvas, 15, 10), 0);
	ck_assert_uint_eq(gs_canvas_pixel(&canvas, 12, 7), 0xffffff);
	ck_assert_uint_eq(gs_canvas_pixel(&canvas, 16, 5), 0xffffff);
}
END_TEST

START_TEST(text_leaves_ink_between_its_ends)
{
	int w = gs_draw_text(&canvas.draw, 5, 2, 12, 0, 50, "gpu"), ink = 0;

	for (int y = 0; y < 20; y++)
		for (int x = 0; x < 60; x++)
			if (gs_canvas_pixel(&canvas, x, y) < 0x808080) {
				ck_assert_int_ge(x, 4);
				ck_assert_int_le(x, 5 + w);
				ink++;
			}
	ck_assert_int_gt(ink, 30);
}
END_TEST

START_TEST(text_too_wide_ends_in_an_ellipsis_within_its_width)
{
	int w = gs_draw_text(&canvas.draw, 0, 0, 12, 0, 40, "a line of words that is too long");

	ck_assert_int_le(w, 40);
	ck_assert_int_gt(w, 20);
}
END_TEST

/* --- SVG -----------------------------------------------------------------------------------------
 */

static char *svg_text;

static gs_svg *open_svg(void)
{
	static gs_svg svg;
	static size_t size;

	FILE *out = open_memstream(&svg_text, &size);
	ck_assert_int_eq(gs_svg_init(&svg, out, 60, 20, "p", "A <picture> & more", NULL), GS_OK);
	return &svg;
}

static void close_svg(gs_svg *svg)
{
	FILE *out = svg->markup.out;

	gs_svg_finish(svg);
	fclose(out);
}

#define ck_assert_svg(words) \
	ck_assert_msg(strstr(svg_text, words), "\"%s\" is not in: %s", words, svg_text)

START_TEST(neighbouring_rectangles_of_one_paint_share_a_path)
{
	gs_svg *svg = open_svg();

	gs_draw_rect(&svg->draw, 1, 2, 3, 4, 0x102030);
	gs_draw_rect(&svg->draw, 5, 6, 7, 8, 0x102030);
	gs_draw_rect(&svg->draw, 5, 6, 7, 8, 0x102031);
	close_svg(svg);

	ck_assert_svg("<path fill=\"#102030\" d=\"M1 2h3v4h-3zM5 6h7v8h-7z\"/><path fill=\"#102031\"");
	free(svg_text);
}
END_TEST

START_TEST(names_in_an_svg_are_text_and_never_elements)
{
	gs_svg *svg = open_svg();

	gs_draw_text(&svg->draw, 1, 2, 12, 0, 500, "</text><script>alert(1)</script>\x01\xff\"'&");
	close_svg(svg);

	ck_assert_svg("<title>A &lt;picture&gt; &amp; more</title>");
	ck_assert_svg(
		">&lt;/text&gt;&lt;script&gt;alert(1)&lt;/script&gt;\xef\xbf\xbd\xef\xbf\xbd&quot;&#39;&amp;</text>");
	free(svg_text);
}
END_TEST

START_TEST(an_area_is_drawn_as_its_columns_and_leaves_out_those_that_are_empty)
{
	const int top[] = {5, 5, 7, 9, 4}, bottom[] = {10, 10, 10, 9, 8};
	gs_svg *svg = open_svg();

	gs_draw_area(&svg->draw, 2, 5, top, bottom, &(gs_paint){.rgb = 0x112233});
	gs_draw_area(&canvas.draw, 2, 5, top, bottom, &(gs_paint){.rgb = 0x112233});
	close_svg(svg);

	ck_assert_svg("d=\"M2 5h2v2h1V10h-3zM6 4h1V8h-1z\"");
	for (int y = 0; y < 20; y++)
		for (int x = 0; x < 60; x++)
			ck_assert_uint_eq(gs_canvas_pixel(&canvas, x, y) == 0x112233,
				x >= 2 && x < 7 && y >= top[x - 2] && y < bottom[x - 2]);
	free(svg_text);
}
END_TEST

START_TEST(a_pattern_shows_both_its_colours_and_is_defined_once)
{
	gs_paint paint = {0x010101, 0x020202, (gs_pattern)_i};
	gs_svg *svg = open_svg();
	int ink = 0;

	gs_draw_paint(&svg->draw, 0, 0, 16, 16, &paint);
	gs_draw_rect(&svg->draw, 0, 0, 1, 1, 0);
	gs_draw_paint(&svg->draw, 0, 0, 16, 16, &paint);
	close_svg(svg);
	gs_draw_paint(&canvas.draw, 0, 0, 16, 16, &paint);
	for (int y = 0; y < 16; y++)
		for (int x = 0; x < 16; x++)
			ink += gs_canvas_pixel(&canvas, x, y) == 0x020202;

	ck_assert_int_ge(ink, 64);
	ck_assert_int_le(ink, 128);
	ck_assert_svg("fill=\"url(#p-0)\"");
	ck_assert_ptr_null(strstr(strstr(svg_text, "<pattern") + 1, "<pattern"));
	free(svg_text);
}
END_TEST

START_TEST(lines_break_at_blanks_and_the_last_is_cut)
{
	int all = gs_draw_lines(
			&canvas.draw, 0, 0, 12, 14, 0, 60, 9, false, "one two three four five six seven"),
		few = gs_draw_lines(
			&canvas.draw, 0, 0, 12, 14, 0, 60, 2, true, "one two three four five six seven");

	ck_assert_int_ge(all, 4);
	ck_assert_int_eq(few, 2);
}
END_TEST

static const struct {
	const char *text;
	uint32_t first;
} characters[] = {
	{"a", 'a'},
	{"é", 0xe9},
	{"…", 0x2026},
	{"😀", 0x1f600},
	{"\x1b[31m", '?'},
	{"\xff", '?'},
	{"\xc3", '?'},
	{"\xe2\x80\xae", '?'},
	{"\xc0\x80", '?'},
	{"\xc2\x9b", '?'},
	{"", 0},
};

START_TEST(a_character_is_decoded_or_shown_as_a_question_mark)
{
	const char *at = characters[_i].text;

	ck_assert_uint_eq(gs_draw_next_char(&at), characters[_i].first);
}
END_TEST

START_TEST(a_side_of_no_or_too_many_pixels_is_refused)
{
	gs_canvas c;

	ck_assert_int_eq(gs_canvas_init(&c, 0, 5, NULL), GS_LIMIT);
	ck_assert_int_eq(gs_canvas_init(&c, 5, GS_CANVAS_SIDE_MAX + 1, NULL), GS_LIMIT);
}
END_TEST

START_TEST(a_written_picture_decodes_to_the_same_pixels)
{
	char folder[] = "/tmp/gpusnap-draw-XXXXXX", path[64];
	png_image image = {.version = PNG_IMAGE_VERSION};
	unsigned char pixels[60 * 20 * 3];

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/a.png", folder);
	gs_draw_rect(&canvas.draw, 1, 1, 30, 9, 0x0072b2);
	gs_draw_text(&canvas.draw, 5, 2, 12, 0, 50, "gpu");

	FILE *file = fopen(path, "wb");
	ck_assert_int_eq(gs_canvas_write_png(&canvas, file, NULL), GS_OK);
	ck_assert_int_eq(fclose(file), 0);

	ck_assert(png_image_begin_read_from_file(&image, path));
	image.format = PNG_FORMAT_RGB;
	ck_assert(png_image_finish_read(&image, NULL, pixels, 0, NULL));
	ck_assert_mem_eq(pixels, canvas.pixels, sizeof pixels);
	unlink(path);
	ck_assert_int_eq(rmdir(folder), 0); /* nothing else was left there */
}
END_TEST

Suite *suite_draw(void);
Suite *suite_draw(void)
{
	Suite *s = suite_create("draw");
	TCase *t = tcase_create("canvas");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_rectangle_paints_its_pixels_and_no_others);
	tcase_add_test(t, what_lies_outside_is_cut_off);
	tcase_add_test(t, a_frame_leaves_its_inside);
	tcase_add_test(t, text_leaves_ink_between_its_ends);
	tcase_add_test(t, text_too_wide_ends_in_an_ellipsis_within_its_width);
	tcase_add_loop_test(t, a_character_is_decoded_or_shown_as_a_question_mark, 0,
		sizeof characters / sizeof *characters);
	tcase_add_test(t, a_side_of_no_or_too_many_pixels_is_refused);
	tcase_add_test(t, neighbouring_rectangles_of_one_paint_share_a_path);
	tcase_add_test(t, names_in_an_svg_are_text_and_never_elements);
	tcase_add_test(t, an_area_is_drawn_as_its_columns_and_leaves_out_those_that_are_empty);
	tcase_add_loop_test(
		t, a_pattern_shows_both_its_colours_and_is_defined_once, GS_HATCHED, GS_PATTERNS);
	tcase_add_test(t, lines_break_at_blanks_and_the_last_is_cut);
	tcase_add_test(t, a_written_picture_decodes_to_the_same_pixels);
	suite_add_tcase(s, t);
	return s;
}
