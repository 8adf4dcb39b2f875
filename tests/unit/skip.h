/* Tests that cannot run here. */
#ifndef GS_TESTS_SKIP_H
#define GS_TESTS_SKIP_H

/* Says what is missing, and has the running test counted as skipped instead of passed; to be called
 * from a test, which then returns or goes on with what is there. */
void gs_skip(const char *missing);

/* For main: before the first test (they run in children), and after the last. */
void gs_skip_open(void);
int gs_skip_count(void);

#endif
