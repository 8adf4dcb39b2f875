/* Filling a session's tables from files, one after the other; each snapshot's memory is given back
 * before the next. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/meaning/step_state.h"
#include "analyzer/open/walk.h"
#include "analyzer/store/db.h"
#include "analyzer/query/part.h"
#include "analyzer/query/session_internal.h"

/* What is filled, and for which question. */
typedef struct filling {
	gs_session *session;
	unsigned want;
} filling;

/* Whether what was read without events does not do: a state has to be rebuilt from them. */
static bool needs_events(const gs_session *session, const gs_snapshot *s, unsigned want)
{
	const char *selector = session->options.state;
	if (!s->events_skipped ||
		(selector && !strcmp(selector, "captured") && !(want & GS_WANT_OOM_SUMS)))
		return false;
	bool by_default = !selector || !*selector || !strcmp(selector, "oom");
	for (size_t i = 0; i < s->ndevices; i++) {
		const gs_device *d = &s->devices[i];
		size_t ooms = 0;
		for (size_t k = 0; k < s->nooms; k++)
			ooms += s->ooms[k].device == d->device;
		if (!by_default || (ooms && !d->layout_at_oom) || (ooms > 1 && want & GS_WANT_OOM_SUMS))
			return true;
	}
	return false;
}

/* A file that was cut answers what its whole parts hold, and nothing else. */
static gs_status check_lost(const gs_snapshot *s, unsigned want, gs_error *err)
{
	static const struct {
		unsigned lost, want;
		const char *what;
	} parts[] = {
		{GS_LOST_SETTINGS, GS_WANT_SETTINGS, "the settings"},
		{GS_LOST_STACKS, GS_WANT_STACKS, "the stacks"},
		{GS_LOST_STATS, GS_WANT_STATS, "the statistics"},
		{GS_LOST_OOMS, GS_WANT_OOM_FACTS | GS_WANT_FIT | GS_WANT_EVICTION,
			"what it tells of failures"},
		{GS_LOST_EVENTS, GS_WANT_EVENTS | GS_WANT_SERIES | GS_WANT_STEPS, "the first event"},
	};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (s->lost & parts[i].lost && want & parts[i].want)
			return gs_fail(err, GS_TRUNCATED, "the file ends at byte %llu, before %s",
				(unsigned long long)s->cut_at, parts[i].what);
	return GS_OK;
}

/* Questions that take every event, every state, or the file's bytes. */
static const unsigned of_all = GS_WANT_STATES | GS_WANT_EVENTS | GS_WANT_SUM;
/* Questions that the figures of a run answer. */
static const unsigned of_course = GS_WANT_SERIES | GS_WANT_STEPS;
/* Questions about the selected state. */
static const unsigned of_state = GS_WANT_STATE | GS_WANT_LAYOUT | GS_WANT_FIT | GS_WANT_EVICTION |
	GS_WANT_CATEGORIES | GS_WANT_HOLDERS | GS_WANT_OOM_SUMS;
/* Answers that show best over much of the run. */
static const unsigned of_past = GS_WANT_CATEGORIES | GS_WANT_HOLDERS | GS_WANT_FIT |
	GS_WANT_EVICTION | GS_WANT_BLOCK_IDX | GS_WANT_SERIES | GS_WANT_STEPS;

/* How much of a stream the question takes; false: all of it. */
static bool part_of(const gs_session *session, unsigned want, gs_part_wanted *part)
{
	*part = (gs_part_wanted){.selector = session->options.state,
		.whole_below = want & of_past ? GS_INPUT_WHOLE_EVENTS : 0,
		.reach = want & of_past ? GS_INPUT_WHOLE_EVENTS / 4 : 0,
		.course = want & of_course};
	if (!(want & of_state) && want & GS_WANT_STEPS)
		part->selector = "peak"; /* what was live then is told too */
	return !(want & of_all);
}

static gs_status read_entry(void *user, const gs_input_entry *entry, gs_snapshot *s, gs_error *err)
{
	gs_session *session = ((filling *)user)->session;
	unsigned want = ((filling *)user)->want;
	int64_t step;
	bool peak, of_step = gs_step_selector(session->options.state, &step, &peak);
	unsigned recorded = gs_want_recorded(want) | (of_step ? (unsigned)GS_WANT_STACKS : 0u);
	if (!gs_input_may_skip_events(entry))
		recorded |= GS_WANT_EVENTS;
	gs_part_wanted part;
	bool some = part_of(session, want, &part);
	gs_status status = some ? gs_part_read(entry, recorded, &part, s, err)
							: gs_input_read(entry, recorded, s, err);
	if (!status && needs_events(session, s, want)) {
		gs_snapshot_release(s);
		status = some ? gs_part_read(entry, recorded | GS_WANT_EVENTS, &part, s, err)
					  : gs_input_read(entry, recorded | GS_WANT_EVENTS, s, err);
	}
	if (!status && (status = check_lost(s, want, err)))
		gs_snapshot_release(s);
	return status;
}

/* Events are numbered by device: a number alone names no moment where several devices have events.
 */
static gs_status check_selector(const gs_session *session, const gs_snapshot *s, gs_error *err)
{
	const char *selector = session->options.state;
	size_t traced = 0;
	if (!selector || *selector < '0' || *selector > '9' || session->options.device != GS_NONE)
		return GS_OK;
	for (size_t i = 0; i < s->ndevices; i++)
		traced += s->devices[i].trace.n > 0;
	return traced < 2
		? GS_OK
		: gs_fail(err, GS_INVALID, "several devices have an event %s: -d names one", selector);
}

static gs_status add_snapshot(
	gs_session *session, const gs_snapshot *s, unsigned want, gs_error *err)
{
	gs_store_options options = {want, session->options.all_frames, session->options.state,
		session->options.device, session->options.rules, session->options.recordings};
	int64_t id = 0;
	gs_status status = check_selector(session, s, err);
	if (!status)
		status = gs_store_add(session->store, s, &options, &id, err);
	if (!status)
		status = gs_session_fill_verdict(session, s, id, want, err);
	if (!status)
		status = gs_session_add_item(session, id, s->rank, s->path, err);
	session->complete &= s->complete;
	return status;
}

static gs_status add_read(void *user, gs_snapshot *s, gs_error *err)
{
	return add_snapshot(((filling *)user)->session, s, ((filling *)user)->want, err);
}

static gs_status add_files(gs_session *session, unsigned want, gs_error *err)
{
	filling f = {session, want};
	gs_input_walk walk = {.list = &session->list,
		.rank = session->options.rank,
		.first = session->options.npaths ? session->options.paths[0] : NULL,
		.note = session->options.note,
		.context = session->options.context,
		.read = read_entry,
		.each = add_read,
		.user = &f};
	gs_status status = gs_input_walk_run(&walk, err);
	session->ranks = walk.ranks;
	session->failed = walk.failed;
	return status;
}

/* A snapshot that is read already, whole; what a cut took from it is asked for all the same. */
static gs_status add_given(gs_session *session, const gs_snapshot *s, unsigned want, gs_error *err)
{
	gs_status status = check_lost(s, want, err);
	gs_ranks_add(&session->ranks, s->rank);
	if (!status && (session->options.rank == GS_NONE || session->options.rank == s->rank))
		status = add_snapshot(session, s, want, err);
	return status;
}

gs_status gs_session_fill_memory(gs_session *session, unsigned want, gs_error *err)
{
	gs_status status = session->options.given
		? add_given(session, session->options.given, want, err)
		: add_files(session, want, err);
	if (!status && !session->n)
		status = gs_input_none(session->options.rank, &session->ranks, err);
	if (!status && (status = gs_session_check_selection(session, err)) && session->options.npaths)
		session->failed = strdup(session->options.paths[0]);
	return status;
}
