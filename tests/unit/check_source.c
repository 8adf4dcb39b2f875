/* The stream under the readers: windows, packing, sums. */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "analyzer/read/open/source.h"

enum { N = 1000000 };
static unsigned char plain[N], packed[2 * N];

static void fill(void)
{
	uint32_t x = 1;
	for (size_t i = 0; i < N; i++) {
		x = x * 1103515245 + 12345;
		plain[i] = (unsigned char)(x >> 16 & (i % 3 ? 15 : 255));
	}
}

/* Everything comes in order whatever the pieces, and then plainly ends. */
static void expect_plain(gs_source *s)
{
	const unsigned char *at;
	size_t done = 0, n;
	gs_error err = GS_ERROR_INIT;
	for (size_t want = 1; (n = gs_source_peek(s, want, &at)); want = want * 7 % 65537) {
		if (n < want && done + n < N)
			ck_assert_uint_ge(n, want < 65536 ? want : 65536);
		size_t take = n < want ? n : want;
		ck_assert_uint_eq(gs_source_offset(s), done);
		ck_assert_mem_eq(at, plain + done, take);
		gs_source_skip(s, take);
		done += take;
	}
	ck_assert_uint_eq(done, N);
	ck_assert_int_eq(gs_source_status(s, &err), GS_OK);
}

static size_t gzip_member(const unsigned char *from, size_t n, unsigned char *to, size_t cap)
{
	z_stream z = {.next_in = (unsigned char *)(uintptr_t)from,
		.avail_in = (unsigned)n,
		.next_out = to,
		.avail_out = (unsigned)cap};
	deflateInit2(&z, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
	deflate(&z, Z_FINISH);
	size_t made = cap - z.avail_out;
	deflateEnd(&z);
	return made;
}

static size_t pack(int how)
{
	size_t half = N / 2, n = 0;
	switch (how) {
	case 0: memcpy(packed, plain, N); return N;
	case 1: return gzip_member(plain, N, packed, sizeof packed);
	case 2: /* two members and padding */
		n = gzip_member(plain, half, packed, sizeof packed);
		n += gzip_member(plain + half, N - half, packed + n, sizeof packed - n);
		memset(packed + n, 0, 3);
		return n + 3;
	case 3: return ZSTD_compress(packed, sizeof packed, plain, N, 1);
	default: /* a skippable frame, two frames and padding */
		memcpy(packed, "\x51\x2a\x4d\x18\x03\0\0\0abc", 11);
		n = 11 + ZSTD_compress(packed + 11, sizeof packed - 11, plain, half, 1);
		n += ZSTD_compress(packed + n, sizeof packed - n, plain + half, N - half, 1);
		memset(packed + n, 0, 2);
		return n + 2;
	}
}

START_TEST(packed_bytes_come_out_as_they_were)
{
	gs_source *s = NULL;
	gs_error err = GS_ERROR_INIT;
	fill();
	size_t n = pack(_i);
	ck_assert_int_eq(gs_source_memory(packed, n, &s, &err), GS_OK);
	ck_assert_int_eq(gs_source_unwrap(s, &err), GS_OK);
	expect_plain(s);
	gs_source_close(s);
}
END_TEST

START_TEST(a_cut_stream_gives_what_it_has_and_says_where_it_was_cut)
{
	gs_source *s = NULL;
	gs_error err = GS_ERROR_INIT;
	const unsigned char *at;
	fill();
	size_t n = pack(_i);
	ck_assert_int_eq(gs_source_memory(packed, n - n / 3, &s, &err), GS_OK);
	ck_assert_int_eq(gs_source_unwrap(s, &err), GS_OK);
	size_t done = 0, have;
	for (; (have = gs_source_peek(s, 1, &at)); done += have) {
		ck_assert_mem_eq(at, plain + done, have);
		gs_source_skip(s, have);
	}
	ck_assert_uint_gt(done, N / 4);
	ck_assert_int_eq(gs_source_status(s, &err), GS_TRUNCATED);
	ck_assert_ptr_nonnull(strstr(err.text, "ends early at byte"));
	gs_source_close(s);
}
END_TEST

START_TEST(a_file_has_the_sum_of_its_own_bytes_however_far_it_was_read)
{
	static const char sum[] =
		"cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"; /* of a million letters
																			   a */
	char path[] = "/tmp/check_source.XXXXXX", hex[65];
	gs_source *s = NULL;
	gs_error err = GS_ERROR_INIT;
	const unsigned char *at;
	int fd = mkstemp(path);
	memset(plain, 'a', N);
	ck_assert_int_eq(write(fd, plain, N), N);
	close(fd);
	ck_assert_int_eq(gs_source_open(path, &s, &err), GS_OK);
	ck_assert_uint_eq(gs_source_file_size(s), N);
	gs_source_hash(s);
	gs_source_skip(s, gs_source_peek(s, 1000, &at));
	ck_assert_int_eq(gs_source_digest(s, hex, &err), GS_OK);
	ck_assert_str_eq(hex, sum);
	gs_source_close(s);
	unlink(path);
}
END_TEST

Suite *suite_source(void);
Suite *suite_source(void)
{
	Suite *s = suite_create("source");
	TCase *t = tcase_create("streams");
	tcase_add_loop_test(t, packed_bytes_come_out_as_they_were, 0, 5);
	tcase_add_loop_test(t, a_cut_stream_gives_what_it_has_and_says_where_it_was_cut, 1, 5);
	tcase_add_test(t, a_file_has_the_sum_of_its_own_bytes_however_far_it_was_read);
	suite_add_tcase(s, t);
	return s;
}
