/* Runs every suite that the Makefile found as tests/unit/check_NAME.c (each defines suite_NAME).
 * Arguments: names of suites to run, -NAME for one to leave out; none runs all. Ends with a line
 * that counts. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/skip.h"

#define SUITE(name) Suite *suite_##name(void);
#include "suites.def"
#undef SUITE

static const struct {
	const char *name;
	Suite *(*make)(void);
} suites[] = {
#define SUITE(name) {#name, suite_##name},
#include "suites.def"
#undef SUITE
};

/* Named, or no other is named; a dash before a name leaves that suite out. */
static int wanted(int argc, char **argv, const char *name)
{
	int named = 0;
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] == '-' && !strcmp(argv[i] + 1, name))
			return 0;
		if (!strcmp(argv[i], name))
			return 1;
		named += argv[i][0] != '-';
	}
	return !named;
}

int main(int argc, char **argv)
{
	gs_skip_open();
	SRunner *runner = srunner_create(NULL);
	for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
		if (wanted(argc, argv, suites[i].name))
			srunner_add_suite(runner, suites[i].make());
	srunner_run_all(runner, CK_ENV);
	int run = srunner_ntests_run(runner), failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	int skipped = gs_skip_count();
	printf("unit: %d passed, %d failed", run - failed - skipped, failed);
	if (skipped)
		printf(", %d skipped", skipped);
	printf("\n");
	return failed || !run ? EXIT_FAILURE : EXIT_SUCCESS;
}
