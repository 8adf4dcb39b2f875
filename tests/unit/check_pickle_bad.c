/* Damaged and hostile inputs: a clear status, what and where, within a second. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <zlib.h>
#include <zstd.h>

#include "analyzer/read/open/reader.h"

#define FORMS "tests/data/pytorch/forms/"
#define S(text) text, sizeof text - 1

static const struct {
	const char *what, *bytes;
	size_t n;
	gs_status status;
	const char *says;
} bad[] = {
	{"an empty file", S(""), GS_UNKNOWN_KIND, "empty"},
	{"random bytes", S("\x93\x17\xaa\xf0\x11\x00\x42\xd3\x9e\x77\x61\xee\x05\xc1\x0a\xbb"),
		GS_UNKNOWN_KIND, "93 17 aa"},
	{"GLOBAL",
		S("\x80\x02"
		  "cos\nsystem\n"
		  "X\x02\0\0\0id\x85R."),
		GS_UNSAFE, "GLOBAL os.system) at byte 2"},
	{"GLOBAL of protocol 0", S("ccollections\nOrderedDict\n)R."), GS_UNSAFE,
		"GLOBAL collections.OrderedDict) at byte 0"},
	{"STACK_GLOBAL", S("\x80\x04\x8c\x02os\x8c\x06system\x93."), GS_UNSAFE, "at byte 14"},
	{"REDUCE", S("\x80\x02})R."), GS_UNSAFE, "REDUCE"},
	{"BUILD", S("\x80\x02}}b."), GS_UNSAFE, "BUILD"},
	{"a persistent id", S("\x80\x02Pabc\n."), GS_UNSAFE, "PERSID"},
	{"an unknown opcode", S("\x80\x02\xff."), GS_FORMAT,
		"opcode 0xff is not one of a snapshot's, at byte 2"},
	{"a newer protocol", S("\x80\x09}."), GS_VERSION, "protocol 9"},
	{"a cut LONG1", S("\x80\x02\x8a\x08\x01\x02"), GS_TRUNCATED, "ends early, at byte 6"},
	{"a LONG4 of 2 GB", S("\x80\x02\x8b\xff\xff\xff\x7f\x01\x02"), GS_TRUNCATED, "ends early"},
	{"a list said to have 2^40 bytes", S("\x80\x04\x95\0\0\0\0\0\1\0\0](K\x01K\x02"), GS_TRUNCATED,
		"ends early, at byte 17"},
	{"a string of 2^40 bytes", S("\x80\x04\x8d\0\0\0\0\0\1\0\0abc"), GS_TRUNCATED,
		"does not fit in the file"},
	{"a memo index far beyond the file", S("\x80\x02}r\xff\xff\xff\xff."), GS_FORMAT,
		"memo index 4294967295"},
	{"a memo that was never set", S("\x80\x02h\x07."), GS_FORMAT,
		"memo 7 was never set, at byte 2"},
	{"MEMOIZE of nothing", S("\x80\x04\x94."), GS_FORMAT, "too few values"},
	{"APPENDS without a mark",
		S("\x80\x02]K\x01"
		  "e."),
		GS_FORMAT, "no mark"},
	{"SETITEMS without a dictionary", S("\x80\x02(K\x01K\x02u."), GS_FORMAT, "without a container"},
	{"a key without a value", S("\x80\x02}(K\x01u."), GS_FORMAT, "key without a value"},
	{"items for a number", S("\x80\x02K\x01(K\x01K\x02u."), GS_FORMAT, "no dictionary"},
	{"two values at the end", S("\x80\x02}}."), GS_FORMAT, "2 values"},
	{"no value at the end", S("\x80\x02."), GS_FORMAT, "0 values"},
	{"a pickle of something else", S("\x80\x02}X\x01\0\0\0aK\x01s."), GS_UNKNOWN_KIND,
		"not a PyTorch memory snapshot"},
	{"a pickled number", S("\x80\x02K\x01."), GS_UNKNOWN_KIND, "not a PyTorch memory snapshot"},
	{"a device beyond all bounds",
		S("\x80\x02](}(X\x06\0\0\0deviceJ\xff\xff\xff\xffX\x0a\0\0\0total_sizeK\x01ue."), GS_FORMAT,
		"device -1"},
	{"an event before its list", S("\x80\x02(X\x06\0\0\0actionX\x03\0\0\0oomd."), GS_UNKNOWN_KIND,
		"not a PyTorch"},
	{"half of a JSON", S("{\"segments\":[{\"blocks\":"), GS_TRUNCATED, "ends early, at byte 23"},
	{"a slip in a JSON", S("{\"segments\":[},\"device_traces\":[]}"), GS_FORMAT, "at byte 1"},
	{"a page with broken base64",
		S("<!DOCTYPE html> const local_files = [{\"name\":\"a\",\"base64\":\"gAR9*\"}]"), GS_FORMAT,
		"base64"},
	{"a page cut in its base64",
		S("<!DOCTYPE html> const local_files = [{\"name\":\"a\",\"base64\":\"gAR9"), GS_TRUNCATED,
		"base64 data ends early"},
	{"a page whose data is cut", S("<!DOCTYPE html> let trace_data = {\"events\":"), GS_TRUNCATED,
		"JSON ends early"},
	{"damaged zstd", S("\x28\xb5\x2f\xfd\x0c\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), GS_FORMAT,
		"zstd"},
	{"cut gzip", S("\x1f\x8b\x08\0\0\0\0\0"), GS_TRUNCATED, "gzip data ends early"},
};

START_TEST(damage_is_named_with_its_place)
{
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	char *copy = malloc(bad[_i].n + 1); /* exactly sized, for the address sanitizer */
	memcpy(copy, bad[_i].bytes, bad[_i].n);
	gs_status status = gs_read_memory(copy, bad[_i].n, GS_WANT_ALL, &s, &err);
	ck_assert_msg(status == bad[_i].status && err.status == status, "%s: %s: %s", bad[_i].what,
		gs_status_name(status), err.text);
	ck_assert_msg(strstr(err.text, bad[_i].says) != NULL, "%s: \"%s\" lacks \"%s\"", bad[_i].what,
		err.text, bad[_i].says);
	free(copy);
}
END_TEST

START_TEST(a_directory_and_a_missing_file_are_named_as_such)
{
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	ck_assert_int_eq(gs_read_path("tests", GS_WANT_ALL, &s, &err), GS_IO);
	ck_assert_str_eq(err.text, "is a directory");
	ck_assert_int_eq(gs_read_path("tests/no such file", GS_WANT_ALL, &s, &err), GS_IO);
	ck_assert_str_eq(err.text, "No such file or directory");
}
END_TEST

/* The bytes of a small file. */
static size_t load(const char *path, unsigned char *buf, size_t cap)
{
	FILE *f = fopen(path, "rb");
	ck_assert_ptr_nonnull(f);
	size_t n = fread(buf, 1, cap, f);
	fclose(f);
	return n;
}

static const char *const whole[] = {"protocol0.pickle", "protocol2.pickle", "protocol4.pickle",
	"cpp.pickle", "snapshot.json", "embedded.html", "columns.html"};

static size_t blocks_of(const gs_snapshot *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->ndevices; i++)
		n += s->devices[i].captured.nblocks;
	return n;
}

/* Behind its segments it answers with all of these, marked as cut. */
START_TEST(a_file_cut_anywhere_ends_in_an_error_or_keeps_its_segments)
{
	unsigned char buf[65536];
	char path[200];
	snprintf(path, sizeof path, FORMS "%s", whole[_i]);
	size_t n = load(path, buf, sizeof buf);
	gs_snapshot all;
	ck_assert_int_eq(gs_read_memory(buf, n, GS_WANT_ALL, &all, NULL), GS_OK);
	size_t blocks = blocks_of(&all);
	gs_snapshot_release(&all);
	bool page = strstr(whole[_i], "html") != NULL;
	size_t stop = page ? n - 100 : n - 1; /* behind the data of a page is script that is not read */
	for (size_t cut = 97; cut < stop; cut += 97) {
		gs_snapshot s;
		gs_error err = GS_ERROR_INIT;
		unsigned char *copy = malloc(cut);
		memcpy(copy, buf, cut);
		gs_status status = gs_read_memory(copy, cut, GS_WANT_ALL, &s, &err);
		if (!status) {
			ck_assert_msg(!s.complete, "%s cut at %zu", whole[_i], cut);
			ck_assert_uint_eq(blocks_of(&s), blocks);
			gs_snapshot_release(&s);
			free(copy);
			continue;
		}
		ck_assert_msg(status == GS_TRUNCATED, "%s cut at %zu: %s: %s", whole[_i], cut,
			gs_status_name(status), err.text);
		ck_assert_ptr_eq(s.devices, NULL);
		free(copy);
	}
}
END_TEST

START_TEST(a_flipped_byte_never_harms)
{
	static unsigned char buf[65536];
	char path[200];
	snprintf(path, sizeof path, FORMS "%s", whole[_i]);
	size_t n = load(path, buf, sizeof buf);
	for (size_t at = 0; at < n; at += n / 300 + 1) {
		for (int k = 0; k < 2; k++) {
			gs_snapshot s;
			gs_error err = GS_ERROR_INIT;
			unsigned char old = buf[at];
			buf[at] = k ? 0xff : (unsigned char)(old ^ 1 << at % 8);
			if (!gs_read_memory(buf, n, GS_WANT_ALL, &s, &err))
				gs_snapshot_release(&s);
			else
				ck_assert_uint_gt(strlen(err.text), 0);
			buf[at] = old;
		}
	}
}
END_TEST

/* --- inputs that grow: bytes repeated half a million times --- */

static const struct {
	const char *what, *head, *body;
} abuse[] = {
	{"lists in lists", "\x80\x04", "]("},
	{"lists", "\x80\x04", "]"},
	{"dictionaries", "\x80\x04", "}"},
	{"marks", "\x80\x04", "("},
	{"dictionaries in dictionaries", "\x80\x04", "}("},
	{"memos of one value", "\x80\x04}", "\x94"},
	{"copies of one value", "\x80\x04]", "2"},
	{"numbers", "\x80\x04](", "N"},
	{"a list in itself", "\x80\x02]q\x01",
		"h\x01"
		"a"},
	{"memoised numbers", "\x80\x04K\x05", "\x94"},
	{"tuples", "\x80\x04K\x05", "2\x86"},
	{"pairs", "\x80\x04",
		"K\x01J1234\x86"
		"0"},
	{"events", "\x80\x02](](", "}(X\x06"},
	{"JSON lists", "[{\"segments\":", "["},
	{"JSON dictionaries", "{\"segments\":", "{\"a\":"},
};

START_TEST(an_abuse_is_bounded_in_memory_and_time)
{
	size_t head = strlen(abuse[_i].head), body = strlen(abuse[_i].body), times = 500000,
		   n = head + body * times;
	char *bytes = malloc(n);
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	struct rusage before, after;
	memcpy(bytes, abuse[_i].head, head);
	for (size_t i = 0; i < times; i++)
		memcpy(bytes + head + i * body, abuse[_i].body, body);
	getrusage(RUSAGE_SELF, &before);
	ck_assert_int_ne(gs_read_memory(bytes, n, GS_WANT_ALL, &s, &err), GS_OK);
	getrusage(RUSAGE_SELF, &after);
	ck_assert_msg((size_t)(after.ru_maxrss - before.ru_maxrss) * 1024 < (64 << 20) + 4 * n,
		"%s: %ld KiB", abuse[_i].what, after.ru_maxrss - before.ru_maxrss);
	free(bytes);
}
END_TEST

/* A pickle that goes on as a string of zeros without end. */
static size_t bomb(unsigned char *out, size_t cap, bool zstd)
{
	static const unsigned char head[] = "\x80\x04}\x8d\0\0\0\0\0\1\0";
	static unsigned char zeros[1 << 20];
	size_t made = 0;
	if (zstd) {
		ZSTD_CStream *z = ZSTD_createCStream();
		ZSTD_outBuffer o = {out, cap, 0};
		ZSTD_inBuffer i = {head, 12, 0};
		for (int k = 0; k <= 400; k++, i = (ZSTD_inBuffer){zeros, sizeof zeros, 0})
			ZSTD_compressStream2(z, &o, &i, ZSTD_e_continue);
		ZSTD_endStream(z, &o);
		ZSTD_freeCStream(z);
		made = o.pos;
	} else {
		z_stream z = {.next_out = out, .avail_out = (unsigned)cap};
		deflateInit2(&z, 4, Z_DEFLATED, 31, 9, Z_DEFAULT_STRATEGY);
		z.next_in = (unsigned char *)(uintptr_t)head;
		z.avail_in = 12;
		deflate(&z, Z_NO_FLUSH);
		for (int k = 0; k < 120; k++) {
			z.next_in = zeros;
			z.avail_in = sizeof zeros;
			deflate(&z, Z_NO_FLUSH);
		}
		deflate(&z, Z_FINISH);
		made = cap - z.avail_out;
		deflateEnd(&z);
	}
	return made;
}

/* Whole segments, packed; then without the last bytes, or with one of the checksum's other than it
 * was. */
START_TEST(the_checksum_behind_packed_data_is_held_against_it)
{
	static const unsigned char plain[] =
		"\x80\x02](}(X\x06\0\0\0deviceK\0X\x07\0\0\0addressK\x40X\x0a\0\0\0total_sizeM\0\x10ue.";
	unsigned char packed[512];
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	size_t n;
	if (_i) {
		ZSTD_CCtx *z = ZSTD_createCCtx();
		ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
		n = ZSTD_compress2(z, packed, sizeof packed, plain, sizeof plain - 1);
		ZSTD_freeCCtx(z);
	} else {
		z_stream z = {.next_in = (unsigned char *)(uintptr_t)plain,
			.avail_in = sizeof plain - 1,
			.next_out = packed,
			.avail_out = sizeof packed};
		deflateInit2(&z, 4, Z_DEFLATED, 31, 9, Z_DEFAULT_STRATEGY);
		deflate(&z, Z_FINISH);
		n = sizeof packed - z.avail_out;
		deflateEnd(&z);
	}
	ck_assert_msg(!gs_read_memory(packed, n, GS_WANT_ALL, &s, &err), "%s", err.text);
	gs_snapshot_release(&s);
	for (size_t cut = 1; cut <= 4; cut++)
		ck_assert_int_eq(gs_read_memory(packed, n - cut, GS_WANT_ALL, &s, NULL), GS_TRUNCATED);
	packed[n - (_i ? 1 : 5)] ^= 0x10; /* gzip: the length follows it */
	ck_assert_int_eq(gs_read_memory(packed, n, GS_WANT_ALL, &s, &err), GS_FORMAT);
	ck_assert_msg(strstr(err.text, "of the packed file") != NULL, "%s", err.text);
}
END_TEST

START_TEST(a_bomb_is_stopped)
{
	enum { CAP = 1 << 20 };
	unsigned char *packed = malloc(CAP);
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	size_t n = bomb(packed, CAP, _i);
	ck_assert_int_ne(gs_read_memory(packed, n, GS_WANT_ALL, &s, &err), GS_OK);
	ck_assert_msg(strstr(err.text, "byte") != NULL || strstr(err.text, "times its size") != NULL,
		"%s", err.text);
	free(packed);
}
END_TEST

/* Whoever takes a container apart gives it back; a part that is the whole has no owner then. */
START_TEST(a_container_that_holds_itself_is_refused)
{
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	ck_assert_int_eq(
		gs_read_path("tests/data/pytorch/holds-itself.pickle", GS_WANT_ALL, &s, &err), GS_FORMAT);
	ck_assert_ptr_nonnull(strstr(err.text, "a container that holds itself, at byte 1077"));
	gs_snapshot_release(&s);
}
END_TEST

Suite *suite_pickle_bad(void);
Suite *suite_pickle_bad(void)
{
	Suite *s = suite_create("pickle_bad");
	TCase *t = tcase_create("bad");
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, damage_is_named_with_its_place, 0, sizeof bad / sizeof *bad);
	tcase_add_test(t, a_directory_and_a_missing_file_are_named_as_such);
	tcase_add_test(t, a_container_that_holds_itself_is_refused);
	tcase_add_loop_test(t, a_file_cut_anywhere_ends_in_an_error_or_keeps_its_segments, 0,
		sizeof whole / sizeof *whole);
	tcase_add_loop_test(t, a_flipped_byte_never_harms, 0, sizeof whole / sizeof *whole);
	tcase_add_loop_test(t, an_abuse_is_bounded_in_memory_and_time, 0, sizeof abuse / sizeof *abuse);
	tcase_add_loop_test(t, the_checksum_behind_packed_data_is_held_against_it, 0, 2);
	tcase_add_loop_test(t, a_bomb_is_stopped, 0, 2);
	suite_add_tcase(s, t);
	return s;
}
