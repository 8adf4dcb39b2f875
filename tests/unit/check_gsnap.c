/* .gsnap files written and read back, row by row. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "schema/bytes.h"
#include "schema/column.h"
#include "schema/crc32.h"
#include "tests/unit/gsnap_memory.h"

static uint64_t seed;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed * 0x2545f4914f6cdd1du;
}

/* --- columns --- */

static void ascending(uint64_t *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		v[i] = 1000 + 512 * (uint64_t)i;
}
static void random_bits(uint64_t *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		v[i] = next_random() >> next_random() % 64;
}
static void few(uint64_t *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		v[i] = next_random() % 100 * 0x123456789ab;
}
static void equal(uint64_t *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		v[i] = UINT64_MAX;
}
static void bytes(uint64_t *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		v[i] = next_random() % (i % 97 ? 128 : 300);
}
static void extremes(uint64_t *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		v[i] = i % 2 ? 0 : UINT64_MAX - i;
}

static const struct {
	const char *name;
	void (*fill)(uint64_t *, uint32_t);
	int encoding;
} shapes[] = {
	{"ascending", ascending, GS_ENCODING_DELTA},
	{"random", random_bits, -1},
	{"few values", few, GS_ENCODING_DICT},
	{"equal", equal, GS_ENCODING_CONSTANT},
	{"bytes", bytes, GS_ENCODING_VARINT},
	{"extremes", extremes, -1},
};

START_TEST(a_column_of_any_shape_comes_back)
{
	enum { MOST = 3000 };
	static uint64_t values[MOST], back[MOST];
	static unsigned char buf[MOST * GS_COLUMN_VALUE_MAX + GS_COLUMN_PAD];
	for (uint32_t n = 1; n <= MOST; n = n < 40 ? n + 1 : n * 3) {
		uint8_t encoding, shift;
		seed = 77 + n;
		shapes[_i].fill(values, n);
		unsigned char *end = gs_column_encode(buf, values, n, &encoding, &shift);
		ck_assert_msg(end - buf <= (long)n * GS_COLUMN_VALUE_MAX, "%s, %u values: %ld bytes",
			shapes[_i].name, n, (long)(end - buf));
		ck_assert_msg(n < 1000 || shapes[_i].encoding < 0 || shapes[_i].encoding == encoding,
			"%s: encoding %u", shapes[_i].name, encoding);
		ck_assert(gs_column_decode(buf, end, encoding, shift, back, n));
		ck_assert_mem_eq(values, back, n * sizeof *values);
		ck_assert(!gs_column_decode(buf, end - 1, encoding, shift, back, n));
		ck_assert(!gs_column_decode(buf, end + 1, encoding, shift, back, n));
	}
}
END_TEST

START_TEST(a_varint_has_the_bytes_of_its_size)
{
	unsigned char buf[16];
	for (int bits = 0; bits <= 64; bits++) {
		uint64_t v = bits ? ~0ull >> (64 - bits) : 0, back = 1;
		ck_assert_int_eq(gs_put_varint(buf, v) - buf, gs_varint_size(v));
		ck_assert_ptr_eq(gs_get_varint(buf, buf + 16, &back), buf + gs_varint_size(v));
		ck_assert_uint_eq(back, v);
	}
	memset(buf, 255, sizeof buf);
	uint64_t v;
	ck_assert_ptr_null(gs_get_varint(buf, buf + 16, &v));
	ck_assert_int_eq(gs_unzigzag(gs_zigzag(INT64_MIN)), INT64_MIN);
	ck_assert_uint_eq(gs_zigzag(-1), 1);
}
END_TEST

START_TEST(the_crc_is_that_of_zlib)
{
	ck_assert_uint_eq(gs_crc32(0, "123456789", 9), 0xcbf43926);
	ck_assert_uint_eq(gs_crc32(gs_crc32(0, "1234", 4), "56789", 5), 0xcbf43926);
}
END_TEST

/* --- rows of every kind, every field filled --- */

enum { ROWS = 9000 }; /* more than one section of each kind */
static char text[70000];
static gs_id ids[64];

static void fill_row(const gs_section_form *form, const uint64_t *counts, void *row)
{
	memset(row, 0, form->row_size);
	for (unsigned c = 0; c < form->ncolumns; c++) {
		const gs_file_column *column = &form->columns[c];
		uint64_t most = gs_column_most(column, counts), v = next_random() >> next_random() % 64;
		if (column->cell == GS_CELL_TEXT) {
			gs_span *t = (void *)((char *)row + column->offset);
			t->n = (uint32_t)(v % 40);
			t->at = v & 64 ? text + v % 900 : NULL;
			t->n = t->at ? t->n : 0;
		} else if (column->cell == GS_CELL_IDS) {
			gs_ids *l = (void *)((char *)row + column->offset);
			l->n = (uint32_t)(v % 30);
			l->at = l->n ? ids + v % 30 : NULL;
		} else {
			v = most == UINT64_MAX ? v : v % (most + 1);
			gs_column_set(column, row, column->needed && !v ? 1 : v);
		}
	}
}

static gs_status push_row(gs_writer *w, unsigned kind, const void *row)
{
	switch (kind) {
	case GS_SECTION_PROCESS: return gs_writer_process(w, row);
	case GS_SECTION_DEVICE: return gs_writer_device(w, row);
	case GS_SECTION_SETTING:
		return gs_writer_setting(
			w, ((const gs_row_setting *)row)->name, ((const gs_row_setting *)row)->value);
	case GS_SECTION_STRING: gs_writer_string(w, ((const gs_row_string *)row)->text); break;
	case GS_SECTION_MODULE: gs_writer_module(w, row); break;
	case GS_SECTION_FRAME: gs_writer_frame(w, row); break;
	case GS_SECTION_STACK:
		gs_writer_stack(
			w, ((const gs_row_stack *)row)->frames.at, ((const gs_row_stack *)row)->frames.n);
		break;
	case GS_SECTION_TAG: gs_writer_tag(w, ((const gs_row_tag *)row)->name); break;
	case GS_SECTION_SEGMENT: return gs_writer_segment(w, row);
	case GS_SECTION_BLOCK: return gs_writer_block(w, row);
	case GS_SECTION_STAT: return gs_writer_stat(w, row);
	case GS_SECTION_OOM: return gs_writer_oom(w, row);
	case GS_SECTION_ANNOTATION: return gs_writer_annotation(w, row);
	case GS_SECTION_WARNING: return gs_writer_warning(w, ((const gs_row_warning *)row)->text);
	case GS_SECTION_EVENT: return gs_writer_event(w, row);
	}
	return gs_writer_status(w);
}

static uint32_t rows_of(unsigned kind)
{
	return kind == GS_SECTION_PROCESS ? 1 : kind == GS_SECTION_DEVICE ? 3 : ROWS;
}

/* Row i of a kind: the same each time it is asked for. */
static void make_row(unsigned kind, uint32_t i, uint64_t *counts, void *row)
{
	seed = 0x9e3779b97f4a7c15u * (i + 1) ^ kind;
	next_random();
	fill_row(&gs_section_forms[kind], counts, row);
	if (gs_section_forms[kind].by_device || kind == GS_SECTION_DEVICE)
		*(int32_t *)row = kind == GS_SECTION_DEVICE ? (int32_t)i * 2 - 1
													: (int32_t)(i / (ROWS / 3)) * 2 - 1;
	gs_row_event *e = row;
	if (kind == GS_SECTION_EVENT && e->action != GS_ACTION_OOM && e->action != GS_ACTION_REFUSED)
		e->device_free = GS_NONE; /* the writer does not look at it */
}

union any_row {
	gs_row_process process;
	gs_row_device device;
	gs_row_setting setting;
	gs_row_string string;
	gs_row_module module;
	gs_row_frame frame;
	gs_row_stack stack;
	gs_row_tag tag;
	gs_row_segment segment;
	gs_row_block block;
	gs_row_stat stat;
	gs_row_oom oom;
	gs_row_annotation annotation;
	gs_row_warning warning;
	gs_row_event event;
	gs_row_end end;
};

static void same_row(const gs_section_form *form, const void *a, const void *b, uint32_t i)
{
	for (unsigned c = 0; c < form->ncolumns; c++) {
		const gs_file_column *column = &form->columns[c];
		uint64_t x = gs_column_get(column, a), y = gs_column_get(column, b);
		ck_assert_msg(x == y, "%s %u: %s is %llu, was %llu", form->name, i, column->name,
			(unsigned long long)y, (unsigned long long)x);
		const gs_span *s = (const void *)((const char *)a + column->offset),
					  *t = (const void *)((const char *)b + column->offset);
		if (column->cell == GS_CELL_TEXT && x > 1)
			ck_assert_mem_eq(s->at, t->at, x - 1);
		const gs_ids *l = (const void *)s, *m = (const void *)t;
		if (column->cell == GS_CELL_IDS && x)
			ck_assert_mem_eq(l->at, m->at, x * sizeof *l->at);
	}
}

static void write_all(memory_file *file, uint64_t counts[GS_SECTION_KINDS])
{
	void *workspace;
	gs_writer *w = memory_writer(file, &workspace);
	for (unsigned kind = 1; kind < GS_SECTION_END; kind++) {
		for (uint32_t i = 0; i < rows_of(kind); i++) {
			union any_row row;
			make_row(kind, i, counts, &row);
			ck_assert_msg(!push_row(w, kind, &row), "%s %u", gs_section_text(kind), i);
		}
		counts[kind] = rows_of(kind);
	}
	ck_assert_int_eq(gs_writer_finish(w), GS_OK);
	ck_assert_uint_eq(gs_writer_size(w), file->n);
	free(workspace);
}

START_TEST(every_field_of_every_row_comes_back)
{
	memory_file file = {0};
	uint64_t counts[GS_SECTION_KINDS] = {0}, before[GS_SECTION_KINDS] = {0};
	gs_sections *r = NULL;
	gs_section s;
	gs_error err = GS_ERROR_INIT;
	write_all(&file, counts);
	ck_assert_int_eq(gs_sections_open(&r, memory_input(&file), &err), GS_OK);
	gs_status status;
	while (!(status = gs_sections_next(r, &s, &err))) {
		ck_assert_msg(!gs_sections_load(r, true, &err), "%s", err.text);
		for (uint32_t i = 0; i < s.rows; i++) {
			union any_row was, is;
			uint32_t n = (uint32_t)before[s.kind]++;
			uint64_t then[GS_SECTION_KINDS] = {0};
			memcpy(then, counts, s.kind * sizeof *then);
			make_row(s.kind, n, then, &was);
			gs_sections_row(r, i, &is);
			same_row(&gs_section_forms[s.kind], &was, &is, n);
			if (gs_section_forms[s.kind].by_device)
				ck_assert_int_eq(*(int32_t *)(void *)&is, *(int32_t *)(void *)&was);
		}
	}
	ck_assert_msg(status == GS_END, "%s", err.text);
	for (unsigned k = 1; k < GS_SECTION_END; k++)
		ck_assert_uint_eq(before[k], rows_of(k));
	gs_sections_close(r);
	memory_release(&file);
}
END_TEST

START_TEST(a_file_without_rows_is_whole)
{
	memory_file file = {0};
	void *workspace;
	gs_writer *w = memory_writer(&file, &workspace);
	uint64_t rows[GS_SECTION_KINDS];
	ck_assert_int_eq(gs_writer_finish(w), GS_OK);
	ck_assert_int_eq(memory_read_all(&file, rows, NULL), GS_END);
	ck_assert_uint_eq(rows[GS_SECTION_DEVICE] + rows[GS_SECTION_EVENT], 0);
	free(workspace);
	memory_release(&file);
}
END_TEST

START_TEST(long_texts_and_deep_stacks_are_cut)
{
	memory_file file = {0};
	void *workspace;
	gs_writer *w = memory_writer(&file, &workspace);
	gs_sections *r = NULL;
	gs_section s;
	static gs_id deep[5000];
	for (int i = 0; i < 5000; i++)
		deep[i] = 1;
	memset(text, 'x', sizeof text);
	memcpy(text + 65534, "\xc3\xa4", 2); /* a letter of two bytes across the limit */
	gs_writer_string(w, (gs_span){text, sizeof text});
	gs_writer_frame(w, &(gs_row_frame){.name = 1, .line = GS_NONE});
	gs_writer_stack(w, deep, 5000);
	ck_assert_int_eq(gs_writer_finish(w), GS_OK);

	ck_assert_int_eq(gs_sections_open(&r, memory_input(&file), NULL), GS_OK);
	while (!gs_sections_next(r, &s, NULL)) {
		ck_assert_int_eq(gs_sections_load(r, true, NULL), GS_OK);
		union any_row row;
		gs_sections_row(r, 0, &row);
		if (s.kind == GS_SECTION_STRING)
			ck_assert_uint_eq(row.string.text.n, 65534);
		if (s.kind == GS_SECTION_STACK)
			ck_assert_uint_eq(row.stack.frames.n, GS_GSNAP_DEPTH_MAX);
	}
	gs_sections_close(r);
	free(workspace);
	memory_release(&file);
}
END_TEST

/* --- what the writer refuses --- */

static void two_kinds_back(gs_writer *w)
{
	gs_writer_string(w, gs_span_of("a"));
	gs_writer_setting(w, gs_span_of("a"), gs_span_of("b"));
}
static void two_processes(gs_writer *w)
{
	gs_writer_process(w, &(gs_row_process){.pid = 1});
	gs_writer_process(w, &(gs_row_process){.pid = 1});
}
static void devices_back(gs_writer *w)
{
	gs_writer_device(w, &(gs_row_device){.device = 1});
	gs_writer_device(w, &(gs_row_device){.device = 0});
}
static void unknown_string(gs_writer *w) { gs_writer_frame(w, &(gs_row_frame){.name = 1}); }
static void unknown_frame(gs_writer *w) { gs_writer_stack(w, (gs_id[]){1}, 1); }
static void tag_of_nothing(gs_writer *w) { gs_writer_tag(w, 0); }
static void unknown_device(gs_writer *w) { gs_writer_segment(w, &(gs_row_segment){.device = 0}); }
static void unknown_segment(gs_writer *w)
{
	gs_writer_device(w, &(gs_row_device){.device = 0});
	gs_writer_block(w, &(gs_row_block){.segment = 1});
}
static void event_stack(gs_writer *w)
{
	gs_writer_device(w, &(gs_row_device){.device = 0});
	gs_writer_event(w, &(gs_row_event){.device = 0});
	gs_writer_event(w, &(gs_row_event){.device = 0, .stack = 1});
}
static void events_back(gs_writer *w)
{
	gs_writer_device(w, &(gs_row_device){.device = 0});
	gs_writer_device(w, &(gs_row_device){.device = 1});
	gs_writer_event(w, &(gs_row_event){.device = 1});
	gs_writer_event(w, &(gs_row_event){.device = 0});
}
static void after_the_end(gs_writer *w)
{
	gs_writer_finish(w);
	gs_writer_string(w, gs_span_of("a"));
}

static const struct {
	const char *name;
	void (*push)(gs_writer *);
	gs_status status;
} refused[] = {
	{"a setting after a string", two_kinds_back, GS_STATE},
	{"two processes", two_processes, GS_STATE},
	{"devices back", devices_back, GS_STATE},
	{"unknown string", unknown_string, GS_INVALID},
	{"unknown frame", unknown_frame, GS_INVALID},
	{"tag of nothing", tag_of_nothing, GS_INVALID},
	{"unknown device", unknown_device, GS_INVALID},
	{"unknown segment", unknown_segment, GS_INVALID},
	{"event of unknown stack", event_stack, GS_INVALID},
	{"events of devices back", events_back, GS_STATE},
	{"after the end", after_the_end, GS_STATE},
};

START_TEST(a_row_that_no_reader_would_take_is_refused)
{
	memory_file file = {0};
	void *workspace;
	gs_writer *w = memory_writer(&file, &workspace);
	refused[_i].push(w);
	ck_assert_msg(gs_writer_status(w) == refused[_i].status, "%s: %s", refused[_i].name,
		gs_status_text(gs_writer_status(w)));
	ck_assert_int_eq(gs_writer_finish(w), refused[_i].status);
	free(workspace);
	memory_release(&file);
}
END_TEST

START_TEST(a_sink_that_fails_ends_the_writing)
{
	memory_file whole = {0};
	memory_small_file(&whole);
	for (size_t at = 1; at < whole.n; at += 7) {
		memory_file file = {.fail_at = at};
		size_t size = gs_writer_workspace(1);
		void *workspace = malloc(size);
		gs_writer *w = NULL;
		gs_status first = gs_writer_init(workspace, size, 1, memory_sink, &file, &w);
		ck_assert_int_eq(first, at < GS_GSNAP_HEADER_SIZE ? GS_IO : GS_OK);
		for (int i = 0; i < 3; i++)
			gs_writer_device(
				w, &(gs_row_device){.device = i, .name = gs_span_of("a device of some name")});
		gs_writer_string(w, gs_span_of("a"));
		gs_status last = gs_writer_finish(w);
		ck_assert_msg(
			last == (gs_writer_size(w) > at ? GS_IO : GS_OK), "%zu: %s", at, gs_status_text(last));
		ck_assert_uint_le(file.n, at);
		free(workspace);
		memory_release(&file);
	}
	memory_release(&whole);
}
END_TEST

static void setup(void)
{
	for (size_t i = 0; i < sizeof text; i++)
		text[i] = (char)('a' + i % 26);
	for (gs_id i = 0; i < 64; i++)
		ids[i] = i * 37 + 1;
}

Suite *suite_gsnap(void);
Suite *suite_gsnap(void)
{
	Suite *s = suite_create("gsnap");
	TCase *t = tcase_create("columns");
	tcase_add_loop_test(t, a_column_of_any_shape_comes_back, 0, sizeof shapes / sizeof *shapes);
	tcase_add_test(t, a_varint_has_the_bytes_of_its_size);
	tcase_add_test(t, the_crc_is_that_of_zlib);
	suite_add_tcase(s, t);
	t = tcase_create("files");
	tcase_add_checked_fixture(t, setup, NULL);
	tcase_set_timeout(t, 30);
	tcase_add_test(t, every_field_of_every_row_comes_back);
	tcase_add_test(t, a_file_without_rows_is_whole);
	tcase_add_test(t, long_texts_and_deep_stacks_are_cut);
	tcase_add_loop_test(
		t, a_row_that_no_reader_would_take_is_refused, 0, sizeof refused / sizeof *refused);
	tcase_add_test(t, a_sink_that_fails_ends_the_writing);
	suite_add_tcase(s, t);
	return s;
}
