/* The canvas, text, and pictures as files. */
#include <check.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/draw/canvas.h"

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

	ck_assert_int_eq(gs_canvas_write_png(&canvas, path, false, NULL), GS_OK);

	ck_assert(png_image_begin_read_from_file(&image, path));
	image.format = PNG_FORMAT_RGB;
	ck_assert(png_image_finish_read(&image, NULL, pixels, 0, NULL));
	ck_assert_mem_eq(pixels, canvas.pixels, sizeof pixels);
	unlink(path);
	ck_assert_int_eq(rmdir(folder), 0); /* nothing else was left there */
}
END_TEST

START_TEST(a_file_that_is_there_is_replaced_only_when_told_so)
{
	char folder[] = "/tmp/gpusnap-draw-XXXXXX", path[64];
	gs_error err = GS_ERROR_INIT;
	struct stat before, after;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/a.png", folder);
	ck_assert_int_eq(gs_canvas_write_png(&canvas, path, false, NULL), GS_OK);
	ck_assert_int_eq(stat(path, &before), 0);

	ck_assert_int_eq(gs_canvas_write_png(&canvas, path, false, &err), GS_EXISTS);
	ck_assert_int_eq(stat(path, &after), 0);
	ck_assert_uint_eq(before.st_ino, after.st_ino);
	ck_assert_int_eq(gs_canvas_write_png(&canvas, path, true, NULL), GS_OK);

	unlink(path);
	ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

START_TEST(a_folder_that_is_missing_is_named_as_the_reason)
{
	gs_error err = GS_ERROR_INIT;

	ck_assert_int_eq(gs_canvas_write_png(&canvas, "/nonexistent/a.png", false, &err), GS_IO);
	ck_assert_str_eq(err.text, "No such file or directory");
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
	tcase_add_test(t, a_written_picture_decodes_to_the_same_pixels);
	tcase_add_test(t, a_file_that_is_there_is_replaced_only_when_told_so);
	tcase_add_test(t, a_folder_that_is_missing_is_named_as_the_reason);
	suite_add_tcase(s, t);
	return s;
}
