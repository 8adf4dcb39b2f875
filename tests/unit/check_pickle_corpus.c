/* Every snapshot of ../shared, against an independent reading by CPython's pickle
 * (tests/independent/summary.py). */
#include <check.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/read/open/reader.h"
#include "tests/unit/snapshot_rows.h"
#include "tests/unit/skip.h"

static const char *const patterns[] = {
	"../shared/corpus/*.pickle",
	"../shared/corpus/*.pkl",
	"../shared/corpus/torch*.json",
	"../shared/faults/*.pickle",
	"../shared/whatif/*.pickle",
};

static void put_summary(FILE *f, const gs_snapshot *s, const char *path)
{
	for (size_t i = 0; i < s->ndevices; i++) {
		const gs_device *d = &s->devices[i];
		size_t ooms = 0;
		gs_totals t;
		gs_layout_totals(&d->captured, &t);
		for (size_t k = 0; k < s->nooms; k++)
			ooms += s->ooms[k].device == d->device;
		fprintf(f, "%s\t%d\t%zu\t%zu\t%llu\t%llu\t%llu\t%llu\t%zu\t%llu\t%zu\t%zu\n", path,
			d->device, t.segments, t.blocks, (unsigned long long)t.reserved,
			(unsigned long long)t.allocated, (unsigned long long)t.pending,
			(unsigned long long)t.free, t.free_blocks,
			t.largest == SIZE_MAX ? 0ull : (unsigned long long)d->captured.blocks[t.largest].size,
			d->trace.n, ooms);
	}
}

static char *read_ours(const glob_t *g)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	for (size_t i = 0; i < g->gl_pathc; i++) {
		gs_snapshot s;
		gs_error err = GS_ERROR_INIT;
		ck_assert_msg(gs_read_path(g->gl_pathv[i], GS_WANT_ALL, &s, &err) == GS_OK, "%s: %s",
			g->gl_pathv[i], err.text);
		put_summary(f, &s, g->gl_pathv[i]);
		char *rows = gs_snapshot_rows(&s);
		fputs(rows, f);
		free(rows);
		gs_snapshot_release(&s);
	}
	fclose(f);
	return text;
}

static char *read_theirs(const char *pattern)
{
	char command[512], buf[65536], *text = NULL;
	size_t n, got;
	snprintf(command, sizeof command, "python3 tests/independent/summary.py --rows %s", pattern);
	FILE *p = popen(command, "r"), *f = open_memstream(&text, &n);
	while ((got = fread(buf, 1, sizeof buf, p)))
		fwrite(buf, 1, got, f);
	fclose(f);
	ck_assert_int_eq(pclose(p), 0);
	return text;
}

START_TEST(every_sum_and_row_equals_an_independent_reading)
{
	glob_t g;
	if (glob(patterns[_i], 0, NULL, &g) || system("python3 -c '' 2>/dev/null")) {
		gs_skip(patterns[_i]); /* or no python3 */
		return;
	}
	char *ours = read_ours(&g), *theirs = read_theirs(patterns[_i]), *a = ours, *b = theirs;
	ck_assert_uint_gt(strlen(ours), 100);
	while (*a && !strncmp(a, b, strcspn(a, "\n") + 1)) {
		b += strcspn(a, "\n") + 1;
		a += strcspn(a, "\n") + 1;
	}
	ck_assert_msg(!strcmp(a, b), "ours %.*s, theirs %.*s", (int)strcspn(a, "\n"), a,
		(int)strcspn(b, "\n"), b);
	free(ours);
	free(theirs);
	globfree(&g);
}
END_TEST

Suite *suite_pickle_corpus(void);
Suite *suite_pickle_corpus(void)
{
	Suite *s = suite_create("pickle_corpus");
	TCase *t = tcase_create("corpus");
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(
		t, every_sum_and_row_equals_an_independent_reading, 0, sizeof patterns / sizeof *patterns);
	suite_add_tcase(s, t);
	return s;
}
