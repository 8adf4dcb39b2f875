/* Every snapshot of ../shared, against an independent reading by CPython's pickle (tests/independent/summary.py). */
#include <check.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/read/reader.h"

static const char *const patterns[] = {
	"../shared/corpus/*.pickle", "../shared/corpus/*.pkl", "../shared/corpus/torch*.json", "../shared/faults/*.pickle",
	"../shared/whatif/*.pickle", "tests/data/pytorch/*.pickle",
};

static void read_ours(const char *path, char *out, size_t cap)
{
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	size_t n = 0;
	ck_assert_msg(gs_read_path(path, GS_WANT_ALL, &s, &err) == GS_OK, "%s: %s", path, err.text);
	out[0] = 0;
	for (size_t i = 0; i < s.ndevices; i++) {
		const gs_device *d = &s.devices[i];
		size_t ooms = 0;
		gs_totals t;
		gs_layout_totals(&d->captured, &t);
		for (size_t k = 0; k < s.nooms; k++)
			ooms += s.ooms[k].device == d->device;
		n += (size_t)snprintf(out + n, cap - n, "%s\t%d\t%zu\t%zu\t%llu\t%llu\t%llu\t%llu\t%zu\t%llu\t%zu\t%zu\n", path, d->device,
				      t.segments, t.blocks, (unsigned long long)t.reserved, (unsigned long long)t.allocated,
				      (unsigned long long)t.pending, (unsigned long long)t.free, t.free_blocks,
				      t.largest == SIZE_MAX ? 0ull : (unsigned long long)d->captured.blocks[t.largest].size, d->trace.n, ooms);
		ck_assert_uint_lt(n, cap);
	}
	gs_snapshot_release(&s);
}

static void read_theirs(const char *path, char *out, size_t cap)
{
	char command[512];
	snprintf(command, sizeof command, "python3 tests/independent/summary.py '%s'", path);
	FILE *p = popen(command, "r");
	ck_assert_ptr_nonnull(p);
	out[fread(out, 1, cap - 1, p)] = 0;
	ck_assert_int_eq(pclose(p), 0);
}

START_TEST(the_sums_equal_those_of_an_independent_reading)
{
	char ours[8192], theirs[8192];
	glob_t g;
	if (glob(patterns[_i], 0, NULL, &g)) {
		fprintf(stderr, "SKIPPED: no snapshots at %s\n", patterns[_i]);
		return;
	}
	for (size_t i = 0; i < g.gl_pathc; i++) {
		read_ours(g.gl_pathv[i], ours, sizeof ours);
		read_theirs(g.gl_pathv[i], theirs, sizeof theirs);
		ck_assert_str_eq(ours, theirs);
	}
	globfree(&g);
}
END_TEST

Suite *suite_pickle_corpus(void);
Suite *suite_pickle_corpus(void)
{
	Suite *s = suite_create("pickle_corpus");
	TCase *t = tcase_create("corpus");
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, the_sums_equal_those_of_an_independent_reading, 0, sizeof patterns / sizeof *patterns);
	suite_add_tcase(s, t);
	return s;
}
