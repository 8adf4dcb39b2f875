/* Named queries and SQL: what they are called, what they read, what they may do. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/diagnose/attribution.h"
#include "analyzer/store/db.h"
#include "analyzer/query/guard.h"
#include "analyzer/query/query.h"
#include "analyzer/store/store.h"
#include "schema/sql.h"

/* --- names --- */

static const struct {
	const char *typed, *name;
} found[] = {
	{"summary", "summary"},
	{"SUMMARY", "summary"},
	{"sum", "summary"},
	{"largest free block", "largest free block"},
	{"Largest-Free_Block", "largest free block"},
	{"largest", "largest free block"},
	{"free blocks", "free blocks"},
	{"free_blocks_by", "free blocks by size"},
	{"oom", "oom"},
	{"max_split_size", "max split size"},
	{"pinning", "pinning stacks"},
	{"topstacks", "top stacks"},
	{"growth", "growth"},
};

START_TEST(a_query_is_found_by_its_name_or_the_beginning_of_it)
{
	gs_query q;
	gs_error err = GS_ERROR_INIT;
	ck_assert_msg(!gs_query_find(found[_i].typed, &q, &err), "%s", err.text);
	ck_assert_str_eq(q.name, found[_i].name);
	ck_assert_ptr_nonnull(q.sql);
	ck_assert_msg(strlen(q.description) > 10, "%s: %s", q.name, q.description);
}
END_TEST

static const struct {
	const char *typed, *near;
} lost[] = {
	{"sumary", "`summary`"},
	{"free", "`free blocks by size`"},
	{"blocks", "`free blocks`"},
	{"stack", "`top stacks`"},
	{"", "no query"},
	{"qqqqqqqq", "no query"},
};

START_TEST(what_is_no_name_brings_the_nearest_ones)
{
	gs_query q;
	gs_error err = GS_ERROR_INIT;
	ck_assert_int_eq(gs_query_find(lost[_i].typed, &q, &err), GS_NOT_FOUND);
	ck_assert_msg(strstr(err.text, lost[_i].near) != NULL, "%s: %s", lost[_i].typed, err.text);
}
END_TEST

START_TEST(sql_is_told_from_names)
{
	static const char *const sql[] = {"SELECT 1", " select*from x",
		"-- c\nWITH a AS (SELECT 1) SELECT * FROM a", "/* c */ values(1)", "explain select 1",
		"PRAGMA table_list"};
	static const char *const names[] = {
		"summary", "selected", "with-x", "values_of", "DELETE FROM x", "", "-- only", "/* open"};
	for (size_t i = 0; i < sizeof sql / sizeof *sql; i++)
		ck_assert_msg(gs_query_is_sql(sql[i]), "%s", sql[i]);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		ck_assert_msg(!gs_query_is_sql(names[i]), "%s", names[i]);
}
END_TEST

/* --- the columns that are promised --- */

static const struct {
	const char *name, *columns;
} promised[] = {
	{"summary",
		"device,segments,blocks,reserved,allocated,pending,free,free_blocks,largest_free,rounding,device_free,capacity,events,ooms,free_whole"},
	{"largest free block",
		"device,address,size,segment,pool,pool_id,stream,free,free_blocks,device_free"},
	{"free blocks", "device,address,size,segment,pool,pool_id,stream"},
	{"free blocks by size", "device,from_size,blocks,bytes"},
	{"segments",
		"device,address,size,pool,pool_id,stream,expandable,stack_id,allocated,pending,free,largest_free,blocks,free_whole,largest_left"},
	{"fragmentation",
		"device,pool,pool_id,stream,free,largest_free,free_blocks,fragmentation,free_whole"},
	{"health", "device,metric,value,healthy,ok,meaning"},
	{"top stacks", "device,bytes,blocks,user_frame,stack"},
	{"top tags", "device,bytes,blocks,tag"},
	{"pinning stacks", "device,stack,user_frame,blocks,bytes,segments,free_pinned"},
	{"cheapest eviction", "device,segment,address,size,live_bytes,live_blocks,sufficient"},
	{"oom",
		"device,idx,time_us,requested,needed,device_free,capacity,allocated,reserved,allowed,library,pool,stream,user_frame,stack"},
	{"fit", "device,step,question,available,needed,fits"},
	{"timeline", "device,idx,time_us,allocated,reserved"},
	{"growth",
		"device,where,stack,user_frame,blocks,bytes,first_step,last_step,first_idx,last_idx,estimated"},
	{"varying sizes", "device,stack,user_frame,requests,sizes,min,max"},
	{"accounting", "device,capacity,reserved,device_free,outside"},
	{"outside", "device,holder,pid,bytes,known"},
	{"categories", "device,category,bytes,blocks,share"},
	{"steps",
		"device,step,name,first_idx,last_idx,start_allocated,peak_allocated,peak_reserved,peak_idx,end_allocated,growth,retries"},
	{"holders", "device,where,called_by,category,bytes,blocks"},
	{"peak",
		"device,idx,time_us,allocated,reserved,step,parameter,buffer,gradient,optimizer_state,activation,input,workspace,temporary,unknown"},
	{"settings", "name,value"},
	{"stats", "device,name,pool,current,peak,allocated,freed"},
};

static sqlite3 *shadowed(gs_store **store)
{
	ck_assert_int_eq(gs_store_create(":memory:", store, NULL), GS_OK);
	ck_assert_int_eq(gs_store_shadow(*store, NULL), GS_OK);
	return gs_store_connection(*store);
}

START_TEST(a_named_query_has_its_columns)
{
	gs_store *store = NULL;
	gs_query q;
	sqlite3_stmt *stmt = NULL;
	char names[400] = ",";
	gs_error err = GS_ERROR_INIT;
	ck_assert_int_eq(gs_query_find(promised[_i].name, &q, &err), GS_OK);
	ck_assert_msg(!gs_db_prepare(shadowed(&store), q.sql, &stmt, &err), "%s", err.text);
	ck_assert_str_eq(sqlite3_column_name(stmt, 0), "snapshot_id");
	for (int i = 1; i < sqlite3_column_count(stmt); i++) {
		strcat(names, sqlite3_column_name(stmt, i));
		strcat(names, ",");
	}
	char wanted[400];
	snprintf(wanted, sizeof wanted, ",%s,", promised[_i].columns);
	ck_assert_msg(!strncmp(names, wanted, strlen(wanted)), "%s has %s", promised[_i].name, names);
	sqlite3_finalize(stmt);
	gs_store_close(store);
}
END_TEST

/* A table that grows with the file is to be read once: in a loop it must be reached by an index or
 * one made for it. */
START_TEST(no_query_scans_a_big_table_in_a_loop)
{
	static const char *const big[] = {
		"all_block", "packed_event", "all_segment", "stack_frame", "stack", "frame"};
	gs_store *store = NULL;
	gs_query q;
	sqlite3 *db = shadowed(&store);
	ck_assert_int_eq(gs_store_finish(store, NULL), GS_OK);
	for (size_t i = 0; gs_query_at(i, &q); i++) {
		char *sql = sqlite3_mprintf("EXPLAIN QUERY PLAN %s", q.sql);
		sqlite3_stmt *stmt = NULL;
		ck_assert_int_eq(gs_db_prepare(db, sql, &stmt, NULL), GS_OK);
		while (sqlite3_step(stmt) == SQLITE_ROW) {
			const char *detail = (const char *)sqlite3_column_text(stmt, 3);
			for (size_t k = 0; k < sizeof big / sizeof *big; k++) {
				char scan[64];
				snprintf(scan, sizeof scan, "SCAN %s", big[k]);
				ck_assert_msg(strncmp(detail, scan, strlen(scan)) || strstr(q.sql, "-- scans"),
					"%s: %s", q.name, detail);
			}
		}
		sqlite3_finalize(stmt);
		sqlite3_free(sql);
	}
	gs_store_close(store);
}
END_TEST

/* --- what a query reads and may do --- */

static const struct {
	const char *sql;
	unsigned want;
} read_by[] = {
	{"SELECT count(*) FROM block", GS_WANT_STATE | GS_WANT_LAYOUT},
	{"SELECT size FROM segment", GS_WANT_STATE | GS_WANT_LAYOUT},
	{"SELECT stack_id FROM block", GS_WANT_STATE | GS_WANT_LAYOUT | GS_WANT_STACKS},
	{"SELECT idx FROM block", GS_WANT_STATE | GS_WANT_LAYOUT | GS_WANT_BLOCK_IDX},
	{"SELECT sha256 FROM snapshot", GS_WANT_SUM},
	{"SELECT size FROM event", GS_WANT_EVENTS},
	{"SELECT stack_id FROM event", GS_WANT_EVENTS | GS_WANT_STACKS},
	{"SELECT count(*) FROM all_block", GS_WANT_STATES | GS_WANT_LAYOUT},
	{"SELECT idx FROM oom", GS_WANT_OOM | GS_WANT_OOM_FACTS},
	{"SELECT allocated FROM oom", GS_WANT_OOM | GS_WANT_OOM_FACTS | GS_WANT_OOM_SUMS},
	{"SELECT * FROM setting", GS_WANT_SETTINGS},
	{"SELECT device FROM timeline", GS_WANT_SERIES},
};

START_TEST(the_guard_names_what_has_to_be_filled)
{
	gs_store *store = NULL;
	gs_guard guard = {0};
	sqlite3_stmt *stmt = NULL;
	sqlite3 *db = shadowed(&store);
	gs_guard_set(&guard, db);
	ck_assert_int_eq(sqlite3_prepare_v2(db, read_by[_i].sql, -1, &stmt, NULL), SQLITE_OK);
	ck_assert_msg(guard.want == read_by[_i].want, "%s reads %x, not %x", read_by[_i].sql,
		guard.want, read_by[_i].want);
	sqlite3_finalize(stmt);
	gs_guard_pause(&guard, db);
	gs_store_close(store);
}
END_TEST

static const char *const forbidden[] = {
	"DELETE FROM oom",
	"INSERT INTO setting VALUES (1,'a','b')",
	"CREATE TABLE x (a)",
	"CREATE TEMP TABLE x (a)",
	"DROP VIEW block",
	"ATTACH '/tmp/x.db' AS x",
	"PRAGMA journal_mode = WAL",
	"PRAGMA user_version = 2",
	"PRAGMA writable_schema",
	"PRAGMA trusted_schema = ON",
	"SELECT load_extension('x')",
	"VACUUM",
	"VACUUM INTO '/tmp/x'",
	"WITH a AS (SELECT 1) UPDATE oom SET idx = 1",
	"CREATE VIRTUAL TABLE x USING fts5(a)",
	"REINDEX",
	"ANALYZE",
	"PRAGMA temp_store_directory = '/tmp'",
};

START_TEST(nothing_but_reading_is_allowed)
{
	gs_store *store = NULL;
	gs_guard guard = {0};
	sqlite3_stmt *stmt = NULL;
	sqlite3 *db = shadowed(&store);
	gs_guard_set(&guard, db);
	int rc = sqlite3_prepare_v2(db, forbidden[_i], -1, &stmt, NULL);
	ck_assert_msg(rc != SQLITE_OK || !sqlite3_stmt_readonly(stmt), "%s", forbidden[_i]);
	sqlite3_finalize(stmt);
	gs_guard_pause(&guard, db);
	gs_store_close(store);
}
END_TEST

/* --- one number, one definition --- */

START_TEST(pinning_stacks_are_those_of_the_verdict)
{
	static const char path[] = "tests/data/faults/pinned.pickle";
	const char *paths[] = {path};
	gs_session_options from = {.paths = paths, .npaths = 1, .device = GS_NONE, .rank = GS_NONE};
	gs_session *session = NULL;
	gs_snapshot s;
	gs_layout l;
	gs_pinning *rows = NULL;
	size_t n = 0, at = 0;
	sqlite3_stmt *stmt = NULL;
	ck_assert_int_eq(gs_read_path(path, GS_WANT_ALL, &s, NULL), GS_OK);
	ck_assert_int_eq(gs_state_select(&s, &s.devices[0], NULL, &l, NULL, NULL), GS_OK);
	ck_assert_int_eq(gs_blame_pinning(&s, &l, &rows, &n), GS_OK);
	ck_assert_int_eq(gs_session_open(&from, &session, NULL), GS_OK);
	ck_assert_int_eq(
		gs_session_query(session, gs_sql_text("query/pinning_stacks.sql"), true, 0, &stmt, NULL),
		GS_OK);
	for (; sqlite3_step(stmt) == SQLITE_ROW; at++) {
		ck_assert_uint_lt(at, n);
		ck_assert_uint_eq((uint64_t)sqlite3_column_int64(stmt, 4), rows[at].blocks);
		ck_assert_uint_eq((uint64_t)sqlite3_column_int64(stmt, 5), rows[at].bytes);
		ck_assert_uint_eq((uint64_t)sqlite3_column_int64(stmt, 6), rows[at].segments);
		ck_assert_uint_eq((uint64_t)sqlite3_column_int64(stmt, 7), rows[at].free_pinned);
	}
	ck_assert_uint_eq(at, n);
	ck_assert_uint_gt(n, 0);
	sqlite3_finalize(stmt);
	gs_session_close(session);
	gs_layout_release(&l);
	free(rows);
	gs_snapshot_release(&s);
}
END_TEST

Suite *suite_query(void);
Suite *suite_query(void)
{
	Suite *s = suite_create("query");
	TCase *t = tcase_create("names");
	tcase_add_loop_test(
		t, a_query_is_found_by_its_name_or_the_beginning_of_it, 0, sizeof found / sizeof *found);
	tcase_add_loop_test(t, what_is_no_name_brings_the_nearest_ones, 0, sizeof lost / sizeof *lost);
	tcase_add_test(t, sql_is_told_from_names);
	tcase_add_loop_test(t, a_named_query_has_its_columns, 0, sizeof promised / sizeof *promised);
	tcase_add_test(t, no_query_scans_a_big_table_in_a_loop);
	suite_add_tcase(s, t);
	t = tcase_create("guard");
	tcase_add_loop_test(
		t, the_guard_names_what_has_to_be_filled, 0, sizeof read_by / sizeof *read_by);
	tcase_add_loop_test(t, nothing_but_reading_is_allowed, 0, sizeof forbidden / sizeof *forbidden);
	tcase_add_test(t, pinning_stacks_are_those_of_the_verdict);
	suite_add_tcase(s, t);
	return s;
}
