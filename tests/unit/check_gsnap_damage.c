/* Damaged, cut, foreign and hostile .gsnap files: each ends with the right status and a message
 * that says what and where. */
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

#include "analyzer/read/open/reader.h"
#include "schema/bytes.h"
#include "schema/crc32.h"
#include "tests/unit/gsnap_memory.h"

/* Sections of the small file. */
enum {
	PROCESS,
	DEVICE,
	SETTING,
	STRING,
	MODULE,
	FRAME,
	STACK,
	TAG,
	SEGMENT0,
	SEGMENT1,
	BLOCK0,
	BLOCK1,
	STAT,
	OOM,
	ANNOTATION,
	WARNING,
	EVENT0,
	EVENT1,
	END,
	HEADER = -1
};

static memory_file file;

static void setup(void) { memory_small_file(&file); }
static void teardown(void) { memory_release(&file); }

static size_t frame_at(int number)
{
	size_t at = GS_GSNAP_HEADER_SIZE;
	if (number == HEADER)
		return 0;
	while (number--)
		at += GS_GSNAP_SECTION_SIZE + gs_get_le(file.data + at + 32, 4);
	return at;
}

static void mend_crc(size_t frame)
{
	size_t n = 8 + gs_get_le(file.data + frame + 4, 4) - 4;
	gs_put_le(file.data + frame + n, gs_crc32(0, file.data + frame, n), 4);
}

static void expect(gs_status status, const char *text, const char *name)
{
	gs_error err = GS_ERROR_INIT;
	gs_status is = memory_read_all(&file, NULL, &err);
	ck_assert_msg(is == status, "%s: %s (%s), expected %s", name, gs_status_name(is), err.text,
		gs_status_name(status));
	ck_assert_msg(
		!text || strstr(err.text, text), "%s: \"%s\" does not say \"%s\"", name, err.text, text);
	gs_snapshot s;
	is = gs_read_memory(file.data, file.n, GS_WANT_ALL, &s, NULL);
	ck_assert_msg(
		(is == GS_OK) == (status == GS_END), "%s: reading it gives %s", name, gs_status_name(is));
	gs_snapshot_release(&s);
}

/* --- frames: one corruption a field --- */

enum { KEEP_CRC, MEND_CRC };
static const struct {
	const char *name;
	int section;
	size_t offset;
	unsigned char byte;
	int crc;
	gs_status status;
	const char *text;
} fields[] = {
	{"header: frame magic", HEADER, 0, 0x58, MEND_CRC, GS_FORMAT, "byte 0"},
	{"header: short length", HEADER, 4, 0x17, KEEP_CRC, GS_FORMAT, "header"},
	{"header: long length", HEADER, 6, 1, KEEP_CRC, GS_FORMAT, "header"},
	{"header: magic", HEADER, 8, 'g', MEND_CRC, GS_FORMAT, "magic"},
	{"header: version", HEADER, 16, 0, MEND_CRC, GS_FORMAT, "version 0"},
	{"header: version, CRC kept", HEADER, 16, 2, KEEP_CRC, GS_CHECKSUM, "header at byte 0"},
	{"header: a later version that this reader may read", HEADER, 16, 9, MEND_CRC, GS_END, NULL},
	{"header: oldest reader above version", HEADER, 18, 2, MEND_CRC, GS_FORMAT,
		"version 1 that needs"},
	{"header: features needed", HEADER, 21, 4, MEND_CRC, GS_VERSION, "features 0x400"},
	{"header: features to skip", HEADER, 25, 4, MEND_CRC, GS_END, NULL},
	{"header: CRC", HEADER, 28, 0x11, KEEP_CRC, GS_CHECKSUM, "header"},
	{"section: frame magic", STRING, 1, 0, MEND_CRC, GS_FORMAT, "no section header at byte"},
	{"section: short length", STRING, 4, 35, KEEP_CRC, GS_FORMAT, "length 35"},
	{"section: long length", STRING, 5, 0xff, KEEP_CRC, GS_FORMAT, "length 65316"},
	{"section: unknown kind", STRING, 8, 99, MEND_CRC, GS_VERSION, "unknown kind 99"},
	{"section: kind 0", STRING, 8, 0, MEND_CRC, GS_VERSION, "unknown kind 0"},
	{"section: kind behind", STRING, 8, 2, MEND_CRC, GS_FORMAT, "out of order"},
	{"section: kind, CRC kept", STRING, 8, 5, KEEP_CRC, GS_CHECKSUM, "section header at byte"},
	{"section: flags", STRING, 11, 1, MEND_CRC, GS_VERSION, "unknown flags"},
	{"section: no LAST", BLOCK1, 10, 0, MEND_CRC, GS_FORMAT, "before the last of kind block"},
	{"section: LAST too early", BLOCK0, 10, 1, MEND_CRC, GS_FORMAT, "out of order"},
	{"section: number", STRING, 12, 7, MEND_CRC, GS_FORMAT, "is number 7, expected 3"},
	{"section: device where there is none", STRING, 16, 0, MEND_CRC, GS_FORMAT,
		"a device where there is none"},
	{"section: unknown device", SEGMENT1, 16, 5, MEND_CRC, GS_FORMAT, "does not list"},
	{"section: fewer rows", STRING, 20, 3, MEND_CRC, GS_FORMAT, "section 3 (string) at byte"},
	{"section: too many rows", STRING, 23, 1, MEND_CRC, GS_LIMIT, "larger than a section may be"},
	{"section: two processes", PROCESS, 20, 2, MEND_CRC, GS_FORMAT, "must have one row"},
	{"section: first", BLOCK1, 24, 9, MEND_CRC, GS_FORMAT, "starts at row 9, expected 2"},
	{"section: first of events", EVENT1, 24, 2, MEND_CRC, GS_FORMAT, "starts at row 2, expected 0"},
	{"section: packed size", STRING, 32, 20, MEND_CRC, GS_FORMAT, "another length"},
	{"section: packed size above the limit", STRING, 35, 1, MEND_CRC, GS_LIMIT,
		"larger than a section may be"},
	{"section: unpacked size", STRING, 36, 1, MEND_CRC, GS_FORMAT, "unpacks to another size"},
	{"section: unpacked size above the limit", STRING, 39, 1, MEND_CRC, GS_LIMIT,
		"larger than a section may be"},
	{"section: CRC", STRING, 43, 0, KEEP_CRC, GS_CHECKSUM, "section header at byte"},
	{"body: zstd magic", STRING, 44, 0, KEEP_CRC, GS_FORMAT, "no zstd frame"},
	{"body: no checksum", STRING, 48, 0x20, KEEP_CRC, GS_FORMAT, "with a checksum"},
	{"body: a byte of it", STRING, 64, 'F', KEEP_CRC, GS_CHECKSUM, "checksum of its content"},
	{"end: kind", END, 8, 17, MEND_CRC, GS_VERSION, "unknown kind 17"},
};

START_TEST(a_damaged_field_is_found_and_named)
{
	size_t frame = frame_at(fields[_i].section);
	ck_assert_msg(file.data[frame + fields[_i].offset] != fields[_i].byte,
		"%s: has that byte already", fields[_i].name);
	file.data[frame + fields[_i].offset] = fields[_i].byte;
	if (fields[_i].crc == MEND_CRC)
		mend_crc(frame);
	expect(fields[_i].status, fields[_i].text, fields[_i].name);
}
END_TEST

START_TEST(devices_of_sections_must_ascend)
{
	file.data[frame_at(SEGMENT0) + 16] = 1;
	file.data[frame_at(SEGMENT1) + 16] = 0;
	mend_crc(frame_at(SEGMENT0));
	mend_crc(frame_at(SEGMENT1));
	expect(GS_FORMAT, "devices do not ascend", "devices back");
}
END_TEST

START_TEST(a_file_for_newer_readers_says_so)
{
	file.data[16] = file.data[18] = 3;
	mend_crc(0);
	expect(GS_VERSION,
		"needs a reader of version 3 or later, this one reads version 2: use a newer gpusnap",
		"version 3");
}
END_TEST

START_TEST(longer_frame_headers_of_later_versions_are_read)
{
	memory_file longer = {0};
	size_t at = frame_at(STRING);
	memory_sink(&longer, file.data, 28);
	memory_sink(&longer, "news", 4);
	memory_sink(&longer, file.data + 28, at + 40 - 28);
	memory_sink(&longer, "more", 4);
	memory_sink(&longer, file.data + at + 40, file.n - at - 40);
	teardown();
	file = longer;
	file.data[4] += 4;
	file.data[at + 4 + 4] += 4;
	mend_crc(0);
	mend_crc(at + 4);
	expect(GS_END, NULL, "longer headers");
}
END_TEST

/* --- bodies: one corruption a rule --- */

struct patch {
	size_t offset;
	int n;
	unsigned char bytes[16];
};

static void apply(gs_section *s, unsigned char *raw, size_t *n, void *arg)
{
	const struct patch *p = arg;
	(void)s;
	memcpy(raw + p->offset, p->bytes, (size_t)p->n);
	if (p->offset + (size_t)p->n > *n)
		*n = p->offset + (size_t)p->n;
}

/* The whole body is replaced: for rules that need one of their own. */
static void replace(gs_section *s, unsigned char *raw, size_t *n, void *arg)
{
	*n = 0;
	apply(s, raw, n, arg);
}

static const struct {
	const char *name;
	uint32_t section;
	memory_change how;
	struct patch patch;
	gs_status status;
	const char *text;
} bodies[] = {
	{"column ends beyond", TAG, apply, {3, 1, {9}}, GS_FORMAT, "ends beyond its section"},
	{"half a column header", TAG, apply, {8, 3, {2, 0, 0}}, GS_FORMAT, "ends beyond its section"},
	{"unknown column", TAG, apply, {8, 8, {99, 0, 0, 1, 0, 0, 0, 5}}, GS_VERSION,
		"unknown column 99"},
	{"unknown column that may be skipped", TAG, apply, {8, 8, {200, 77, 9, 1, 0, 0, 0, 5}}, GS_END,
		NULL},
	{"columns back", TAG, apply, {8, 8, {1, 0, 0, 1, 0, 0, 0, 1}}, GS_FORMAT,
		"column 1 after column 1"},
	{"unknown encoding", TAG, apply, {1, 1, {9}}, GS_VERSION, "unknown encoding 9"},
	{"text encoding of a number", TAG, apply, {1, 1, {4}}, GS_FORMAT, "encoding of another kind"},
	{"shift where there is none", TAG, apply, {2, 1, {1}}, GS_FORMAT, "broken value"},
	{"reference to nothing", TAG, apply, {7, 1, {5}}, GS_FORMAT,
		"column name: row 0 has 5, of at most 4"},
	{"needed column is 0", TAG, apply, {7, 1, {0}}, GS_FORMAT, "column name: row 0 has 0"},
	{"needed column is missing", TAG, replace, {0, 0, {0}}, GS_FORMAT, "column name: is missing"},
	{"varint without end", TAG, apply, {7, 1, {0x80}}, GS_FORMAT, "broken value"},
	{"varint of eleven bytes", TAG, replace,
		{0, 12, {1, 0, 0, 5, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff}}, GS_FORMAT, "broken value"},
	{"text beyond its bytes", STRING, apply, {7, 1, {0x7f}}, GS_FORMAT, "longer than its bytes"},
	{"texts with bytes left", STRING, apply, {7, 1, {1}}, GS_FORMAT, "bytes left over"},
	{"text as a number", STRING, apply, {1, 1, {1}}, GS_FORMAT, "encoding of another kind"},
	{"list beyond its bytes", STACK, apply, {7, 1, {0x7f}}, GS_FORMAT, "longer than its bytes"},
	{"list with bytes left", STACK, apply, {7, 1, {1}}, GS_FORMAT, "bytes left over"},
	{"list with a member 0", STACK, apply, {9, 1, {0}}, GS_FORMAT, "out of range"},
	{"list with an unknown member", STACK, apply, {9, 1, {3}}, GS_FORMAT, "out of range"},
	{"bool of 2", DEVICE, replace, {0, 8, {12, 0, 0, 1, 0, 0, 0, 2}}, GS_FORMAT,
		"column no_layout: row 0 has 2"},
	{"devices do not ascend", DEVICE, replace, {0, 8, {1, 0, 0, 1, 0, 0, 0, 2}}, GS_FORMAT,
		"devices do not ascend"},
	{"unknown state", BLOCK0, replace, {0, 16, {1, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 1, 0, 0, 0, 3}},
		GS_FORMAT, "column state: row 0 has 3, of at most 2"},
	{"dictionary without entries", STAT, replace, {0, 9, {4, 3, 0, 2, 0, 0, 0, 0, 0}}, GS_FORMAT,
		"broken values"},
	{"dictionary index beyond", STAT, replace, {0, 10, {4, 3, 0, 3, 0, 0, 0, 1, 5, 1}}, GS_FORMAT,
		"broken values"},
	{"shift of 64", STAT, replace, {0, 8, {4, 2, 64, 1, 0, 0, 0, 1}}, GS_FORMAT, "broken values"},
	{"device beyond 32 bits", STAT, replace,
		{0, 12, {1, 0, 0, 5, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x1f}}, GS_FORMAT, "column device"},
	{"segment of another device", BLOCK0, apply, {7, 1, {2}}, GS_END, NULL},
	{"counts at the end", END, apply, {7, 1, {3}}, GS_FORMAT, "counts do not agree"},
};

START_TEST(a_damaged_body_is_found_and_named)
{
	memory_file changed = {0};
	struct patch patch = bodies[_i].patch;
	memory_rewrite(&changed, &file, bodies[_i].section, bodies[_i].how, &patch);
	teardown();
	file = changed;
	gs_error err = GS_ERROR_INIT;
	gs_status is = memory_read_all(&file, NULL, &err);
	ck_assert_msg(
		is == bodies[_i].status, "%s: %s (%s)", bodies[_i].name, gs_status_name(is), err.text);
	ck_assert_msg(!bodies[_i].text || strstr(err.text, bodies[_i].text),
		"%s: \"%s\" does not say \"%s\"", bodies[_i].name, err.text, bodies[_i].text);
}
END_TEST

START_TEST(bytes_after_the_end_are_damage)
{
	memory_sink(&file, "", 1);
	expect(GS_FORMAT, "more bytes after the end", "a byte more");
}
END_TEST

static void insert(uint32_t number, gs_section section, const void *raw, size_t n)
{
	memory_file changed = {0};
	size_t at = frame_at((int)number);
	memory_sink(&changed, file.data, at);
	section.sequence = number;
	memory_put_section(&changed, &section, raw, n);
	memory_sink(&changed, file.data + at, file.n - at);
	teardown();
	file = changed;
	for (int i = (int)number + 1; frame_at(i) < file.n; i++) {
		gs_put_le(file.data + frame_at(i) + 12, (uint64_t)i, 4);
		mend_crc(frame_at(i));
	}
}

static void count_one_more(gs_section *s, unsigned char *raw, size_t *n, void *arg)
{
	(void)s, (void)n, (void)arg;
	raw[7]++;
}

START_TEST(an_unknown_section_is_skipped_where_it_may_be)
{
	insert(STACK, (gs_section){.kind = 900, .flags = GS_SECTION_MAY_SKIP, .device = -1, .rows = 3},
		"whatever", 8);
	memory_file changed = {0};
	memory_rewrite(&changed, &file, END + 1, count_one_more, NULL);
	teardown();
	file = changed;
	expect(GS_END, NULL, "unknown section");
}
END_TEST

START_TEST(an_unknown_section_that_must_be_understood_needs_a_newer_reader)
{
	insert(STACK, (gs_section){.kind = 900, .flags = 0, .device = -1, .rows = 3}, "whatever", 8);
	expect(GS_VERSION, "unknown kind 900: use a newer gpusnap", "unknown section");
}
END_TEST

/* --- cuts --- */

/* What a file of which only n bytes are left must give. */
static void check_cut(size_t n, size_t answers_from, unsigned want)
{
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	gs_status status = gs_read_memory(file.data, n, want, &s, &err);
	if (!n) {
		ck_assert_int_eq(status, GS_UNKNOWN_KIND);
	} else if (n < answers_from) {
		char where[32];
		snprintf(where, sizeof where, "byte %zu", n);
		ck_assert_msg(status == GS_TRUNCATED && strstr(err.text, where), "cut at %zu: %s: %s", n,
			gs_status_name(status), err.text);
	} else {
		ck_assert_msg(status == GS_OK, "cut at %zu: %s", n, err.text);
		ck_assert(!s.complete);
		ck_assert_uint_eq(s.cut_at, n);
		ck_assert_uint_eq(s.ndevices, 2);
		ck_assert(!(want & GS_WANT_LAYOUT) || s.devices[1].captured.nblocks == 2);
		uint64_t events = n >= frame_at(END) ? 3 : 0;
		ck_assert_uint_eq(s.devices[1].trace.n, want & GS_WANT_EVENTS ? events : 0);
		ck_assert_uint_eq(s.devices[1].trace.skipped, want & GS_WANT_EVENTS ? 0 : events);
		gs_snapshot_release(&s);
	}
}

START_TEST(a_file_cut_anywhere_answers_what_its_whole_sections_hold)
{
	static const unsigned wants[] = {GS_WANT_ALL, GS_WANT_LAYOUT, GS_WANT_LAYOUT | GS_WANT_STACKS};
	size_t answers_from = frame_at(STAT); /* the last block is before it */
	for (size_t n = 0; n < file.n; n++)
		check_cut(n, answers_from, wants[_i]);
	gs_snapshot s;
	ck_assert_int_eq(gs_read_memory(file.data, file.n, wants[_i], &s, NULL), GS_OK);
	ck_assert(s.complete);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(events_that_a_cut_took_are_named_by_nobody)
{
	gs_snapshot s;
	ck_assert_int_eq(gs_read_memory(file.data, frame_at(EVENT0), GS_WANT_ALL, &s, NULL), GS_OK);
	ck_assert_int_eq(s.devices[0].captured.blocks[0].idx, GS_NONE);
	ck_assert_uint_eq(s.nooms, 1);
	ck_assert_int_eq(s.ooms[0].idx, GS_NONE);
	gs_snapshot_release(&s);
}
END_TEST

/* --- any byte, any bit --- */

START_TEST(a_flipped_bit_is_damage_or_changes_nothing)
{
	uint64_t rows[GS_SECTION_KINDS], now[GS_SECTION_KINDS];
	static unsigned char payload[1 << 16], again[1 << 16];
	size_t n = ZSTD_decompress(payload, sizeof payload, file.data, file.n);
	ck_assert_int_eq(memory_read_all(&file, rows, NULL), GS_END);
	unsigned unharmed = 0;
	for (size_t at = 0; at < file.n; at++) {
		for (int bit = 0; bit < 8; bit++) {
			file.data[at] ^= (unsigned char)(1 << bit);
			if (memory_read_all(&file, now, NULL) == GS_END) {
				unharmed++;
				ck_assert_mem_eq(rows, now, sizeof rows);
				ck_assert_uint_eq(ZSTD_decompress(again, sizeof again, file.data, file.n), n);
				ck_assert_mem_eq(payload, again, n);
			}
			file.data[at] ^= (unsigned char)(1 << bit);
		}
	}
	ck_assert_uint_lt(unharmed, 200); /* bits that zstd does not use */
}
END_TEST

/* --- bombs --- */

START_TEST(many_rows_in_few_bytes_are_refused)
{
	memory_file bomb = {0};
	memory_sink(&bomb, file.data, frame_at(EVENT0));
	uint32_t number = EVENT0;
	for (uint64_t first = 0; first < 256ull * GS_GSNAP_ROWS_MAX; first += GS_GSNAP_ROWS_MAX)
		memory_put_section(&bomb,
			&(gs_section){.kind = GS_SECTION_EVENT,
				.sequence = number++,
				.rows = GS_GSNAP_ROWS_MAX,
				.device = 0,
				.first = first},
			"", 0);
	teardown();
	file = bomb;
	expect(GS_LIMIT, "far more rows than a file of this size can hold", "bomb");
}
END_TEST

START_TEST(a_section_that_unpacks_to_more_than_it_says_is_refused)
{
	size_t at = frame_at(STRING), n = 64 << 20;
	memory_file bomb = {0};
	void *zeros = calloc(1, n);
	memory_sink(&bomb, file.data, at);
	memory_put_section(&bomb,
		&(gs_section){.kind = GS_SECTION_STRING, .sequence = STRING, .rows = 1, .device = -1},
		zeros, n);
	free(zeros);
	teardown();
	file = bomb;
	expect(GS_LIMIT, "larger than a section may be", "says it");
	gs_put_le(file.data + at + 36, 1000, 4);
	mend_crc(at);
	expect(GS_FORMAT, "unpacks to another size", "hides it");
}
END_TEST

/* --- files of all versions --- */

static const struct {
	const char *path;
	size_t devices, blocks, events, ooms;
	const char *host;
} golden[] = {
	{"tests/data/v1/small.gsnap", 2, 4, 5, 1, "node7"},
	{"tests/data/v1/worked.gsnap", 1, 2, 2, 0, ""},
};

START_TEST(files_of_earlier_versions_are_read)
{
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	size_t blocks = 0, events = 0;
	ck_assert_msg(
		!gs_read_path(golden[_i].path, GS_WANT_ALL, &s, &err), "%s: %s", golden[_i].path, err.text);
	for (size_t i = 0; i < s.ndevices; i++) {
		blocks += s.devices[i].captured.nblocks;
		events += s.devices[i].trace.n;
	}
	ck_assert_uint_eq(s.ndevices, golden[_i].devices);
	ck_assert_uint_eq(blocks, golden[_i].blocks);
	ck_assert_uint_eq(events, golden[_i].events);
	ck_assert_uint_eq(s.nooms, golden[_i].ooms);
	ck_assert_str_eq(s.host ? s.host : "", golden[_i].host);
	ck_assert(s.complete);
	gs_snapshot_release(&s);
}
END_TEST

Suite *suite_gsnap_damage(void);
Suite *suite_gsnap_damage(void)
{
	Suite *s = suite_create("gsnap_damage");
	TCase *t = tcase_create("damage");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, a_damaged_field_is_found_and_named, 0, sizeof fields / sizeof *fields);
	tcase_add_test(t, devices_of_sections_must_ascend);
	tcase_add_test(t, a_file_for_newer_readers_says_so);
	tcase_add_test(t, longer_frame_headers_of_later_versions_are_read);
	tcase_add_loop_test(t, a_damaged_body_is_found_and_named, 0, sizeof bodies / sizeof *bodies);
	tcase_add_test(t, bytes_after_the_end_are_damage);
	tcase_add_test(t, an_unknown_section_is_skipped_where_it_may_be);
	tcase_add_test(t, an_unknown_section_that_must_be_understood_needs_a_newer_reader);
	tcase_add_loop_test(t, a_file_cut_anywhere_answers_what_its_whole_sections_hold, 0, 3);
	tcase_add_test(t, events_that_a_cut_took_are_named_by_nobody);
	tcase_add_test(t, a_flipped_bit_is_damage_or_changes_nothing);
	tcase_add_test(t, many_rows_in_few_bytes_are_refused);
	tcase_add_test(t, a_section_that_unpacks_to_more_than_it_says_is_refused);
	tcase_add_loop_test(t, files_of_earlier_versions_are_read, 0, sizeof golden / sizeof *golden);
	suite_add_tcase(s, t);
	return s;
}
