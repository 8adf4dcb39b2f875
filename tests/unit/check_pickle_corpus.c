/* Every snapshot of ../shared, against an independent reading by CPython's pickle (tests/independent/summary.py). */
#include <check.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/read/reader.h"
#include "tests/unit/snapshot_rows.h"

static const char *const patterns[] = {
	"../shared/corpus/*.pickle", "../shared/corpus/*.pkl", "../shared/corpus/torch*.json", "../shared/faults/*.pickle",
	"../shared/whatif/*.pickle",
};

static char *summary(const gs_snapshot *s, const char *path)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	for (size_t i = 0; i < s->ndevices; i++) {
		const gs_device *d = &s->devices[i];
		size_t ooms = 0;
		gs_totals t;
		gs_layout_totals(&d->captured, &t);
		for (size_t k = 0; k < s->nooms; k++)
			ooms += s->ooms[k].device == d->device;
		fprintf(f, "%s\t%d\t%zu\t%zu\t%llu\t%llu\t%llu\t%llu\t%zu\t%llu\t%zu\t%zu\n", path, d->device, t.segments, t.blocks,
			(unsigned long long)t.reserved, (unsigned long long)t.allocated, (unsigned long long)t.pending, (unsigned long long)t.free,
			t.free_blocks, t.largest == SIZE_MAX ? 0ull : (unsigned long long)d->captured.blocks[t.largest].size, d->trace.n, ooms);
	}
	fclose(f);
	return text;
}

static char *read_theirs(const char *option, const char *path)
{
	char command[512], *text = NULL;
	size_t n, got;
	char buf[65536];
	snprintf(command, sizeof command, "python3 tests/independent/summary.py %s '%s'", option, path);
	FILE *p = popen(command, "r"), *f = open_memstream(&text, &n);
	while ((got = fread(buf, 1, sizeof buf, p)))
		fwrite(buf, 1, got, f);
	fclose(f);
	ck_assert_int_eq(pclose(p), 0);
	return text;
}

static void assert_same_lines(const char *path, char *ours, char *theirs)
{
	char *a = ours, *b = theirs;
	while (*a && !strncmp(a, b, strcspn(a, "\n") + 1)) {
		b += strcspn(a, "\n") + 1;
		a += strcspn(a, "\n") + 1;
	}
	ck_assert_msg(!strcmp(a, b), "%s: ours %.*s, theirs %.*s", path, (int)strcspn(a, "\n"), a, (int)strcspn(b, "\n"), b);
	free(ours);
	free(theirs);
}

static void compare(const char *path)
{
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	ck_assert_msg(gs_read_path(path, GS_WANT_ALL, &s, &err) == GS_OK, "%s: %s", path, err.text);
	assert_same_lines(path, summary(&s, path), read_theirs("", path));
	assert_same_lines(path, gs_snapshot_rows(&s), read_theirs("--rows", path));
	gs_snapshot_release(&s);
}

START_TEST(every_sum_and_row_equals_an_independent_reading)
{
	glob_t g;
	if (system("python3 -c '' 2>/dev/null") || glob(patterns[_i], 0, NULL, &g)) {
		fprintf(stderr, "SKIPPED: python3 or the snapshots at %s are missing\n", patterns[_i]);
		return;
	}
	for (size_t i = 0; i < g.gl_pathc; i++)
		compare(g.gl_pathv[i]);
	globfree(&g);
}
END_TEST

Suite *suite_pickle_corpus(void);
Suite *suite_pickle_corpus(void)
{
	Suite *s = suite_create("pickle_corpus");
	TCase *t = tcase_create("corpus");
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, every_sum_and_row_equals_an_independent_reading, 0, sizeof patterns / sizeof *patterns);
	suite_add_tcase(s, t);
	return s;
}
