/* Why a question has no rows. */
#include "analyzer/query/untold.h"

#include <stdio.h>
#include <string.h>

#include "analyzer/query/session_internal.h"
#include "analyzer/store/db.h"
#include "schema/sql.h"

enum { LEAST_STEPS = 3 }; /* that growth needs, as in meaning/growth.h */

typedef struct facts { /* of the devices that are asked about */
	int64_t devices, with_events, with_steps, with_growth, outside_known, events, steps, whole;
} facts;

const char *gs_untold_growth(int64_t events, int64_t steps, int64_t whole, char *text, size_t cap)
{
	if (whole >= LEAST_STEPS)
		return NULL;
	if (events <= 0)
		snprintf(text, cap, "no events are recorded");
	else if (steps <= 0)
		snprintf(text, cap, "there are no steps: nothing names any, and the events do not repeat");
	else
		snprintf(text, cap, "%lld of %lld steps %s recorded whole, and %d at least would tell",
			(long long)whole, (long long)steps, whole == 1 ? "is" : "are", LEAST_STEPS);
	return text;
}

typedef void explain(const facts *f, char *text, size_t cap);

static void explain_growth(const facts *f, char *text, size_t cap)
{
	char why[GS_UNTOLD];
	if (f->with_growth == f->devices)
		snprintf(text, cap, "none: no stack outgrows the steps");
	else if (f->with_growth)
		snprintf(text, cap,
			"none on %lld of %lld devices; it cannot be told of the others, which have too few steps",
			(long long)f->with_growth, (long long)f->devices);
	else
		snprintf(text, cap, "cannot be told, because %s",
			gs_untold_growth(f->events, f->steps, f->whole, why, sizeof why));
}

static void explain_steps(const facts *f, char *text, size_t cap)
{
	snprintf(text, cap, "cannot be told, because %s",
		f->with_events ? "nothing names any, and the events do not repeat"
					   : "no events are recorded");
}

static void explain_outside(const facts *f, char *text, size_t cap)
{
	snprintf(text, cap, "%s",
		f->outside_known == f->devices
			? "none named: how much is held outside the allocator is known, not by whom (`gpusnap query accounting`)"
			: "cannot be told, because the recording says neither who else used the device nor how much of it was taken");
}

static const struct {
	const char *name;
	unsigned want;
	explain *explain;
} questions[] = {
	{"growth", GS_WANT_STEPS, explain_growth},
	{"steps", GS_WANT_STEPS, explain_steps},
	{"outside", 0, explain_outside},
};
enum { QUESTIONS = sizeof questions / sizeof *questions };

static size_t question_of(const gs_query *named)
{
	size_t i = 0;
	while (i < QUESTIONS && (!named || strcmp(named->name, questions[i].name)))
		i++;
	return i;
}

unsigned gs_untold_wants(const gs_query *named)
{
	size_t i = question_of(named);
	return i < QUESTIONS ? questions[i].want : 0;
}

static gs_status collect(gs_session *session, facts *f, gs_error *err)
{
	sqlite3 *db = gs_store_connection(session->store);
	sqlite3_stmt *q = NULL;
	gs_guard_pause(&session->guard, db);
	gs_status status = gs_db_prepare(db, gs_sql_text("untold.sql"), &q, err);
	while (!status && !(status = gs_db_next(q, err))) {
		int64_t events = sqlite3_column_int64(q, 0), steps = sqlite3_column_int64(q, 1),
				whole = sqlite3_column_int64(q, 2);
		char why[GS_UNTOLD];
		f->devices++;
		f->with_events += events > 0;
		f->with_steps += steps > 0;
		f->with_growth += !gs_untold_growth(events, steps, whole, why, sizeof why);
		f->outside_known += sqlite3_column_type(q, 3) != SQLITE_NULL;
		if (f->devices == 1 || steps > f->steps || (steps == f->steps && events > f->events))
			f->events = events, f->steps = steps, f->whole = whole;
	}
	sqlite3_finalize(q);
	gs_guard_resume(&session->guard, db);
	return status == GS_END ? GS_OK : status;
}

gs_status gs_untold(gs_session *session, const gs_query *named, char text[GS_UNTOLD], gs_error *err)
{
	size_t i = question_of(named);
	facts f = {0};
	*text = 0;
	if (i == QUESTIONS)
		return GS_OK;
	gs_status status = collect(session, &f, err);
	if (status || !f.devices)
		return status;
	int n = snprintf(text, GS_UNTOLD, "%s: ", named->name);
	questions[i].explain(&f, text + n, GS_UNTOLD - (size_t)n);
	return GS_OK;
}
