/* From a file of 1,000,000 events to SQLite and to a first answer, beside what else one would do: CPython's pickle.load
 * of the same file alone, and the bare cost of inserting the same rows by SQLite's C API. Time is that of the wall,
 * memory the peak of the process. EVENTS=N measures another size. */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct cost { double wall, cpu; long rss; int status; } cost;

static double now(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Runs a program with its output thrown away. */
static cost run(const char *const argv[])
{
	struct rusage use;
	int status = 0;
	double start = now(CLOCK_MONOTONIC);
	pid_t child = fork();
	if (!child) {
		int null = open("/dev/null", O_RDWR);
		dup2(null, 1);
		dup2(null, 2);
		execvp(argv[0], (char *const *)argv);
		_exit(127);
	}
	wait4(child, &status, 0, &use);
	return (cost){ now(CLOCK_MONOTONIC) - start,
		       (double)use.ru_utime.tv_sec + 1e-6 * (double)use.ru_utime.tv_usec + (double)use.ru_stime.tv_sec +
			       1e-6 * (double)use.ru_stime.tv_usec,
		       use.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : 128 };
}

static cost best_of(int times, const char *const argv[])
{
	cost best = run(argv);
	for (int i = 1; i < times; i++) {
		cost c = run(argv);
		if (c.wall < best.wall)
			best = c;
	}
	return best;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The middle one of the ratios of two programs' times: both have run before, and by turns, so that neither reads a
 * warmer file or a quieter machine than the other. */
static double ratio_by_turns(const char *const ours[], const char *const theirs[], cost *best)
{
	enum { TURNS = 9 };
	double ratios[TURNS];
	run(theirs);
	*best = run(ours);
	for (int i = 0; i < TURNS; i++) {
		cost b = i % 2 ? run(theirs) : run(ours), a = i % 2 ? run(ours) : run(theirs);
		const cost *mine = i % 2 ? &a : &b, *other = i % 2 ? &b : &a;
		ratios[i] = mine->wall / other->wall;
		*best = mine->wall < best->wall ? *mine : *best;
	}
	qsort(ratios, TURNS, sizeof *ratios, by_value);
	return ratios[TURNS / 2];
}

static void show(const char *what, const cost *c)
{
	printf("  %-58s %7.3f s wall, %6.3f s CPU, %4ld MB%s\n", what, c->wall, c->cpu, c->rss / 1024, c->status ? "  FAILED" : "");
}

/* --- the bare cost ---------------------------------------------------------------------------------- */

enum { COLUMNS = 11 };
typedef struct row { sqlite3_int64 value[COLUMNS]; unsigned char null[COLUMNS]; } row;

static row *take_rows(sqlite3 *db, size_t *n)
{
	sqlite3_stmt *q;
	if (sqlite3_prepare_v2(db, "SELECT count(*) FROM packed_event", -1, &q, NULL) || sqlite3_step(q) != SQLITE_ROW)
		return NULL;
	row *rows = calloc((size_t)sqlite3_column_int64(q, 0) + 1, sizeof *rows);
	sqlite3_finalize(q);
	if (!rows || sqlite3_prepare_v2(db, "SELECT * FROM packed_event ORDER BY id", -1, &q, NULL))
		return NULL;
	for (*n = 0; sqlite3_step(q) == SQLITE_ROW; ++*n)
		for (int i = 0; i < COLUMNS; i++) {
			rows[*n].null[i] = sqlite3_column_type(q, i) == SQLITE_NULL;
			rows[*n].value[i] = sqlite3_column_int64(q, i);
		}
	sqlite3_finalize(q);
	return rows;
}

static int insert_rows(sqlite3 *db, const row *rows, size_t n)
{
	sqlite3_stmt *q;
	if (sqlite3_prepare_v3(db, "INSERT INTO packed_event VALUES (?,?,?,?,?,?,?,?,?,?,?)", -1, SQLITE_PREPARE_PERSISTENT, &q, NULL))
		return 1;
	for (size_t r = 0; r < n; r++) {
		for (int i = 0; i < COLUMNS; i++)
			if (rows[r].null[i])
				sqlite3_bind_null(q, i + 1);
			else
				sqlite3_bind_int64(q, i + 1, rows[r].value[i]);
		if (sqlite3_step(q) != SQLITE_DONE)
			return 1;
		sqlite3_reset(q);
	}
	return sqlite3_finalize(q);
}

/* Seconds of wall and CPU, the loaded database's table and settings being the same. */
static cost bare(const char *loaded, const char *out)
{
	sqlite3 *from, *db;
	sqlite3_stmt *schema;
	size_t n = 0;
	cost c = { 0, 0, 0, 1 };
	unlink(out);
	if (sqlite3_open_v2(loaded, &from, SQLITE_OPEN_READONLY, NULL) ||
	    sqlite3_prepare_v2(from, "SELECT sql FROM sqlite_schema WHERE name = 'packed_event'", -1, &schema, NULL) ||
	    sqlite3_step(schema) != SQLITE_ROW)
		return c;
	row *rows = take_rows(from, &n);
	double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	c.status = !rows || sqlite3_open_v2(out, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) ||
		   sqlite3_exec(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
				    "PRAGMA cache_size = -8000; BEGIN", NULL, NULL, NULL) ||
		   sqlite3_exec(db, (const char *)sqlite3_column_text(schema, 0), NULL, NULL, NULL) || insert_rows(db, rows, n) ||
		   sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) || sqlite3_close(db);
	c.wall = now(CLOCK_MONOTONIC) - wall;
	c.cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	sqlite3_finalize(schema);
	sqlite3_close(from);
	free(rows);
	unlink(out);
	return c;
}

/* --- what is measured --------------------------------------------------------------------------------- */

#define RUN(times, ...) best_of(times, (const char *const[]){ __VA_ARGS__, NULL })

static void compare(const char *what, double ours, double theirs, double goal)
{
	printf("  %-58s %7.3f (goal %g)\n", what, ours / theirs, goal);
}

int main(void)
{
	const char *events = getenv("EVENTS"), *built = getenv("GPUSNAP");
	char gpusnap[512], dir[] = "/tmp/gpusnap-bench-XXXXXX", pickle[64], gsnap[64], db[64], db2[64], other[64], script[128];
	struct stat st;
	snprintf(gpusnap, sizeof gpusnap, "%s", built ? built : "build/gpusnap");
	if (!mkdtemp(dir))
		return 1;
	snprintf(pickle, sizeof pickle, "%s/big.pickle", dir);
	snprintf(gsnap, sizeof gsnap, "%s/big.gsnap", dir);
	snprintf(db, sizeof db, "%s/pickle.db", dir);
	snprintf(db2, sizeof db2, "%s/gsnap.db", dir);
	snprintf(other, sizeof other, "%s/bare.db", dir);
	snprintf(script, sizeof script, "import pickle; pickle.load(open('%s', 'rb'))", pickle);
	char n[32];
	snprintf(n, sizeof n, "%s", events ? events : "1000000");
	cost made = RUN(1, "python3", "tests/bench/make_big_snapshot.py", n, pickle);
	if (made.status) {
		printf("  skipped: python3 tests/bench/make_big_snapshot.py does not run\n");
		return 0;
	}
	cost python = RUN(1, "python3", "-c", script), load = RUN(2, gpusnap, "load", "-q", "-f", pickle, "-o", db);
	show("CPython's pickle.load alone", &python);
	show("gpusnap load of the pickle", &load);
	compare("  time, of pickle.load's", load.wall, python.wall, 1);
	compare("  peak memory, of pickle.load's", (double)load.rss, (double)python.rss, 0.2);
	cost told;
	double ratio = ratio_by_turns((const char *const[]){ gpusnap, "diagnose", "-q", pickle, NULL },
				      (const char *const[]){ "python3", "-c", script, NULL }, &told);
	show("gpusnap diagnose of the pickle", &told);
	compare("  time, of pickle.load's, the median of nine turns", ratio, 1, 0.25);
	if (!stat(db, &st))
		printf("  %-58s %7.1f (goal 60)\n", "  bytes of the database an event", (double)st.st_size / atof(n));
	RUN(1, gpusnap, "export", "-q", "--format", "gsnap", pickle, "-o", gsnap);
	cost ours = RUN(2, gpusnap, "load", "-q", "-f", gsnap, "-o", db2), theirs = bare(db2, other);
	show("bare inserts of the same rows", &theirs);
	show("gpusnap load of the .gsnap", &ours);
	compare("  time, of the bare inserts'", ours.wall, theirs.wall, 1.3);
	static const char *const first[] = { "largest free block", "free blocks", "top stacks", "summary" };
	for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
		cost c = RUN(5, gpusnap, "query", gsnap, first[i]);
		show(first[i], &c);
	}
	printf("  %-58s (goal 0.100 s for answers about blocks)\n", "  of the .gsnap itself");
	static const char *const named[] = { "timeline", "growth", "varying sizes" };
	for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
		cost c = RUN(5, gpusnap, "query", db, named[i]);
		show(named[i], &c);
	}
	printf("  %-58s (goal 0.020 s)\n", "  of the loaded database");
	const char *const made_files[] = { pickle, gsnap, db, db2 };
	for (size_t i = 0; i < 4; i++)
		unlink(made_files[i]);
	rmdir(dir);
	return 0;
}
