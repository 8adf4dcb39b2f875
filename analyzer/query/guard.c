/* What a query may do, and what it reads. */
#include "analyzer/query/guard.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MAX_SQL = 1000000, MAX_VALUE = 64 << 20, MORE_HEAP = 512 << 20, OPCODES_A_LOOK = 20000 };

static bool among(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!sqlite3_stricmp(word, *list))
			return true;
	return false;
}

/* Pragmas that only tell, and those that would set something were they given a value. */
static bool pragma_is_harmless(const char *name, const char *argument)
{
	static const char *const with[] = {"table_info", "table_xinfo", "table_list", "index_list",
		"index_info", "index_xinfo", "foreign_key_list", "integrity_check", "quick_check", NULL};
	static const char *const bare[] = {"database_list", "function_list", "module_list",
		"pragma_list", "collation_list", "compile_options", "application_id", "user_version",
		"schema_version", "data_version", "page_count", "page_size", "freelist_count", "encoding",
		NULL};
	return among(name, with) || (!argument && among(name, bare));
}

static const struct {
	const char *table, *within;
	unsigned want;
} table_reads[] = {
	/* within NULL: any; the first line that fits counts */
	{"shown_state", NULL, GS_WANT_STATE},
	{"all_segment", "segment", GS_WANT_STATE | GS_WANT_LAYOUT},
	{"all_block", "block", GS_WANT_STATE | GS_WANT_LAYOUT},
	{"all_segment", NULL, GS_WANT_STATES | GS_WANT_LAYOUT},
	{"all_block", NULL, GS_WANT_STATES | GS_WANT_LAYOUT},
	{"all_holder", "holder", GS_WANT_STATE | GS_WANT_HOLDERS},
	{"all_holder", NULL, GS_WANT_STATES | GS_WANT_HOLDERS},
	{"step", NULL, GS_WANT_STEPS},
	{"peak", NULL, GS_WANT_STEPS},
	{"table_column", NULL, GS_WANT_TABLES},
	{"state", NULL, GS_WANT_STATES},
	{"trace", NULL, GS_WANT_EVENTS},
	{"packed_event", NULL, GS_WANT_EVENTS},
	{"tag", NULL, GS_WANT_EVENTS},
	{"more", NULL, GS_WANT_EVENTS},
	{"stack", NULL, GS_WANT_STACKS},
	{"frame", NULL, GS_WANT_STACKS},
	{"stack_frame", NULL, GS_WANT_STACKS | GS_WANT_STACK_FRAMES},
	{"timeline", NULL, GS_WANT_SERIES},
	{"varying_size", NULL, GS_WANT_SERIES},
	{"growth", NULL, GS_WANT_SERIES},
	{"oom", NULL, GS_WANT_OOM},
	{"setting", NULL, GS_WANT_SETTINGS},
	{"stat", NULL, GS_WANT_STATS},
	{"fit", NULL, GS_WANT_STATE | GS_WANT_FIT},
	{"eviction", NULL, GS_WANT_STATE | GS_WANT_EVICTION},
};

static unsigned reads_of(const char *table, const char *column, const char *within)
{
	unsigned want = 0;
	/* a view's own text names all its columns; those that the question names are read of the view
	 * itself */
	bool in_view = within &&
		(!strcmp(within, "segment") || !strcmp(within, "block") || !strcmp(within, "event") ||
			!strcmp(within, "holder"));
	if (in_view && !strcmp(table, "stack"))
		return 0;
	bool block = !strcmp(table, "block") || !strcmp(table, "all_block");
	if (!in_view && block && !strncmp(column, "category", 8))
		want |= GS_WANT_CATEGORIES;
	if (!in_view && block && !strcmp(column, "user_frame"))
		want |= GS_WANT_STACKS;
	if (!strcmp(column, "stack_id") && !in_view)
		want |= GS_WANT_STACKS;
	if (!strcmp(column, "idx") && !in_view && block)
		want |= GS_WANT_BLOCK_IDX;
	if (!strcmp(column, "sha256") && !strcmp(table, "snapshot"))
		want |= GS_WANT_SUM;
	if (!strcmp(table, "oom") && (!strcmp(column, "allocated") || !strcmp(column, "reserved")))
		want |= GS_WANT_OOM_SUMS;
	if (!strcmp(table, "oom") && *column && strcmp(column, "snapshot_id") &&
		strcmp(column, "device"))
		want |= GS_WANT_OOM_FACTS;
	for (size_t i = 0; i < sizeof table_reads / sizeof *table_reads; i++)
		if (!strcmp(table, table_reads[i].table) &&
			(!table_reads[i].within || (within && !strcmp(within, table_reads[i].within))))
			return want | table_reads[i].want;
	return want;
}

static int deny(gs_guard *g, const char *what, const char *name)
{
	snprintf(g->denied, sizeof g->denied, "%s%s%.60s is not allowed: a query only reads", what,
		name ? " " : "", name ? name : "");
	return SQLITE_DENY;
}

static int authorize(
	void *context, int action, const char *a, const char *b, const char *c, const char *within)
{
	static const char *const barred[] = {
		"load_extension", "fts3_tokenizer", "writefile", "readfile", "edit", NULL};
	gs_guard *g = context;
	(void)c;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_RECURSIVE: return SQLITE_OK;
	case SQLITE_READ: g->want |= reads_of(a ? a : "", b ? b : "", within); return SQLITE_OK;
	case SQLITE_FUNCTION: return b && among(b, barred) ? deny(g, "the function", b) : SQLITE_OK;
	case SQLITE_PRAGMA:
		return pragma_is_harmless(a ? a : "", b) ? SQLITE_OK
												 : deny(g, b ? "setting PRAGMA" : "PRAGMA", a);
	case SQLITE_ATTACH:
	case SQLITE_DETACH: return deny(g, "attaching a database", NULL);
	default: return deny(g, "changing anything", NULL);
	}
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int look_at_clock(void *context)
{
	const gs_guard *g = context;
	return g->until > 0 && now() > g->until;
}

void gs_guard_set(gs_guard *guard, sqlite3 *db)
{
	sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, MAX_SQL);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, MAX_VALUE);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 500);
	sqlite3_limit(db, SQLITE_LIMIT_COMPOUND_SELECT, 200);
	sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000);
	sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
	gs_guard_resume(guard, db);
}

/* --- what cannot be stopped --------------------------------------------------------------------
 */

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	void (*stuck)(double seconds);
	double seconds, until; /* until: of CLOCK_MONOTONIC, 0 nothing runs */
	bool started;
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct timespec time_of(double seconds)
{
	return (struct timespec){(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
}

static void *keep_watch(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&watch.lock);
	for (;;) {
		struct timespec end = time_of(watch.until + GS_GUARD_GRACE);
		if (watch.until <= 0)
			pthread_cond_wait(&watch.changed, &watch.lock);
		else if (now() >= watch.until + GS_GUARD_GRACE) {
			watch.until = 0;
			watch.stuck(watch.seconds);
		} else
			pthread_cond_timedwait(&watch.changed, &watch.lock, &end);
	}
	return NULL;
}

static void start_watch(void)
{
	pthread_condattr_t attributes;
	pthread_t thread;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&watch.changed, &attributes);
	pthread_condattr_destroy(&attributes);
	watch.started = !pthread_create(&thread, NULL, keep_watch, NULL);
	if (watch.started)
		pthread_detach(thread);
}

static void watch_until(double until, double seconds)
{
	pthread_mutex_lock(&watch.lock);
	if (watch.stuck) {
		watch.until = until;
		watch.seconds = seconds;
		if (!watch.started && until > 0)
			start_watch();
		else if (watch.started)
			pthread_cond_signal(&watch.changed);
	}
	pthread_mutex_unlock(&watch.lock);
}

void gs_guard_on_stuck(void (*stuck)(double seconds)) { watch.stuck = stuck; }

void gs_guard_start(gs_guard *guard, double seconds)
{
	guard->until = seconds > 0 ? now() + seconds : 0;
	sqlite3_hard_heap_limit64(sqlite3_memory_used() + MORE_HEAP);
	watch_until(guard->until, seconds);
}

void gs_guard_stop(gs_guard *guard)
{
	guard->until = 0;
	watch_until(0, 0);
}

void gs_guard_pause(gs_guard *guard, sqlite3 *db)
{
	gs_guard_stop(guard);
	sqlite3_set_authorizer(db, NULL, NULL);
	sqlite3_progress_handler(db, 0, NULL, NULL);
	sqlite3_hard_heap_limit64(0);
}

void gs_guard_resume(gs_guard *guard, sqlite3 *db)
{
	sqlite3_set_authorizer(db, authorize, guard);
	sqlite3_progress_handler(db, OPCODES_A_LOOK, look_at_clock, guard);
}
