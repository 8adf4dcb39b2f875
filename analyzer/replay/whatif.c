/* The question: requests, rules, recorded settings, budget, limit; and what is in doubt. */
#include "analyzer/meaning/course.h"
#include "analyzer/meaning/step_state.h"
#include "analyzer/model/parallel.h"
#include "analyzer/model/memory.h"
#include "analyzer/replay/whatif.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/failure.h"
#include "analyzer/policy/policy.h"
#include "recorder/pool/rule_sets.h"
#include "schema/size.h"

static void add_note(gs_whatif *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add_note(gs_whatif *w, const char *format, ...)
{
	va_list args;

	if (w->nnotes == sizeof w->notes / sizeof *w->notes)
		return;
	va_start(args, format);
	vsnprintf(w->notes[w->nnotes++].text, sizeof w->notes->text, format, args);
	va_end(args);
}

/* The first doubt is the one that rows show. */
static void doubt(gs_whatif *w, const char *text)
{
	if (!w->doubt[0])
		snprintf(w->doubt, sizeof w->doubt, "%s", text);
}

/* --- which device, rules, settings --------------------------------------------------------------
 */

static uint64_t events_of(const gs_device *d) { return d->trace.n + d->trace.skipped; }

const gs_device *gs_whatif_device(const gs_snapshot *s, int64_t number)
{
	const gs_device *best = NULL;
	size_t told = gs_failure_of(s, true, 0);

	if (number != GS_NONE)
		return number == (int32_t)number ? gs_snapshot_find_device(s, (int32_t)number) : NULL;
	if (told != SIZE_MAX && (best = gs_snapshot_find_device(s, s->ooms[told].device)))
		return best;
	for (size_t i = 0; i < s->ndevices; i++)
		if (!best || gs_device_is_host(s, best) ||
			(!gs_device_is_host(s, &s->devices[i]) && events_of(&s->devices[i]) > events_of(best)))
			best = &s->devices[i];
	return best;
}

/* Recorded below another allocator than PyTorch's (or one like it): its segments say nothing about
 * caching. */
static bool is_foreign(const gs_snapshot *s)
{
	static const char *const known[] = {"pytorch", "gpusnap"};

	if (s->kind == GS_KIND_PYTORCH)
		return false;
	if (s->kind != GS_KIND_GSNAP)
		return true;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!s->library || !strcmp(s->library, known[i]))
			return false;
	return true;
}

static gs_status choose_rules(gs_whatif *w, const gs_snapshot *s, gs_error *err)
{
	const char *told = w->options.rules ? w->options.rules : s->rules ? s->rules : s->release_max;

	w->rules = told ? gs_rules_find(told) : gs_rules_newest;
	if (w->rules)
		return GS_OK;
	if (w->options.rules)
		return gs_fail(err, GS_INVALID, "\"%s\" is no release", w->options.rules);
	w->rules = gs_rules_newest;
	return GS_OK;
}

/* --- the recorded settings, replayed -------------------------------------------------------------
 */

/* The limit when it was recorded: as the file tells, or as asked where the recording kept to that.
 * UINT64_MAX: none known. */
static uint64_t recorded_limit(const gs_whatif *w)
{
	if (w->device->allowed != GS_NONE)
		return (uint64_t)w->device->allowed;
	return w->options.allowed != GS_NONE && (uint64_t)w->options.allowed >= w->replay.peak_reserved
		? (uint64_t)w->options.allowed
		: UINT64_MAX;
}

static gs_status follow_by(
	gs_whatif *w, const gs_rules *rules, const gs_replay_op *ops, gs_error *err)
{
	gs_replay *r = &w->replay;

	if (r->n)
		memcpy(r->ops, ops, r->n * sizeof *ops);
	w->rules = rules;
	return gs_replay_verify(r, rules, w->recorded_conf, recorded_limit(w), &w->agreement, err);
}

/* Of the rule sets that the keys in the file leave open, the first that agrees with the recording
 * is taken. */
static gs_status verify_recording(gs_whatif *w, const gs_snapshot *s, gs_error *err)
{
	const gs_rules *first = w->rules,
				   *sets[] = {gs_rules_newest, &gs_rules_2_12, &gs_rules_2_10, &gs_rules_2_6};
	size_t bytes = w->replay.n * sizeof *w->replay.ops;
	gs_replay_op *ops = malloc(bytes + 1);
	gs_status status;

	if (!ops)
		return gs_fail(err, GS_NO_MEMORY, "replaying the recorded settings");
	if (bytes)
		memcpy(ops, w->replay.ops, bytes);
	status = follow_by(w, first, ops, err);
	if (!w->options.rules && !s->rules && !status && !w->agreement.agrees) {
		for (size_t i = 0; i < sizeof sets / sizeof *sets && !status && !w->agreement.agrees; i++)
			if (sets[i] != first)
				status = follow_by(w, sets[i], ops, err);
		if (!status && !w->agreement.agrees)
			status = follow_by(w, first, ops, err);
	}
	free(ops);
	return status;
}

/* Settings that the rules refuse (of a newer release, damaged): the defaults stand in, and nothing
 * is exact. */
static void check_conf(gs_whatif *w)
{
	gs_pool_settings settings;
	gs_error err = GS_ERROR_INIT;

	gs_pool_settings_init(&settings);
	if (!gs_pool_settings_parse(&settings, w->rules, w->recorded_conf, &err))
		return;
	add_note(w, "the recorded settings are not understood (%.120s): the defaults stand in for them",
		err.text);
	doubt(w, "the recorded settings are not understood");
	w->recorded_conf[0] = 0;
}

static void tell_agreement(gs_whatif *w)
{
	const gs_replay_agreement *a = &w->agreement;

	if (w->replay.foreign) {
		add_note(w,
			"recorded below another allocator: the requests are replayed by PyTorch's rules (%s), there is nothing to compare them with",
			w->rules->name);
		doubt(w, "recorded by another allocator than the one replayed");
	} else if (!w->replay.peak_reserved) {
		add_note(w, "the recording has no segments: its settings cannot be replayed against it");
		doubt(w, "recorded without segments");
	} else if (a->agrees) {
		add_note(w,
			"the recorded settings (%s), replayed by the rules of %s, give all %" PRIu64
			" recorded events again",
			w->recorded_conf[0] ? w->recorded_conf : "default", w->rules->name, a->compared);
	} else {
		add_note(w,
			"the recorded settings (%s), replayed by the rules of %s, differ from the recording first at event %" PRId64
			": %s",
			w->recorded_conf[0] ? w->recorded_conf : "default", w->rules->name, a->event, a->text);
		doubt(w, "the replay of the recorded settings differs from the recording");
	}
	if (a->pending_frees) {
		add_note(w,
			"%" PRIu64
			" freed block%s must still have been in use by another stream when the request failed; this is taken over for every row",
			a->pending_frees, a->pending_frees == 1 ? "" : "s");
		doubt(w, "frees pending at the failure were inferred");
	}
	uint64_t emptied = w->replay.emptied + w->replay.settled_empty;
	if (emptied && !w->replay.told)
		add_note(w, "empty_cache() was inferred %" PRIu64 " time%s from segments that went back",
			emptied, emptied == 1 ? "" : "s");
	if (w->replay.seen[GS_ACTION_FREE_REQUESTED] && !w->replay.seen[GS_ACTION_FREE_COMPLETED])
		doubt(w, "when frees completed was not recorded");
	if (w->replay.lost)
		doubt(w, "events of the recording contradict each other");
}

/* --- budget and limit --- */

static int64_t recorded_capacity(const gs_whatif *w, const gs_snapshot *s)
{
	if (w->device->capacity != GS_NONE)
		return w->device->capacity;
	for (size_t i = 0; i < s->nooms; i++)
		if (s->ooms[i].device == w->device->device && s->ooms[i].capacity != GS_NONE)
			return s->ooms[i].capacity;
	return w->options.recorded_capacity;
}

/* Bytes that a device could be asked for at most, so that one without a bound has room for them
 * all. */
static uint64_t unlimited(const gs_whatif *w)
{
	uint64_t total = GS_WHATIF_UNLIMITED;

	while (total < UINT64_C(1) << 50 && w->replay.peak_reserved > total / 16 &&
		total < w->replay.asked)
		total *= 2;
	return total;
}

/* A recorded figure that sums may be made of: no device has more than 2^60 bytes. */
static int64_t bounded(int64_t bytes)
{
	return bytes < 0 ? 0 : bytes > INT64_C(1) << 60 ? INT64_C(1) << 60 : bytes;
}

static void find_budget(gs_whatif *w, const gs_snapshot *s)
{
	const gs_replay *r = &w->replay;
	int64_t recorded = w->recorded_capacity = recorded_capacity(w, s), used = 0;
	bool failed = r->first_oom >= 0, known = failed && r->oom_device_free != GS_NONE;
	char text[32];

	w->outside_known = !failed || (known && recorded != GS_NONE);
	if (known) {
		used = bounded(r->oom_reserved) + bounded(r->oom_device_free);
		if (recorded > used)
			w->outside = (uint64_t)(recorded - used);
	}
	if (w->options.capacity != GS_NONE) {
		w->total = (uint64_t)w->options.capacity;
		w->capacity = w->options.capacity;
		if (!w->outside_known) {
			add_note(w,
				"what others held of the device is not known (--recorded-capacity tells it): taken as nothing");
			doubt(w, "memory held by others is not known");
		}
	} else if (known) {
		w->total = (uint64_t)used + w->outside;
		w->capacity = (int64_t)w->total;
	} else {
		w->total = unlimited(w);
		w->outside = 0;
		w->capacity = GS_NONE;
		if (failed) {
			add_note(w,
				"the device's free memory at the failure is not recorded: without --capacity nothing bounds the replay");
			doubt(w, "the device's memory is not known");
		}
	}
	if (w->outside > w->total)
		w->outside = w->total;
	if (w->outside)
		add_note(w, "%s of the device were held outside this allocator",
			gs_size_format(text, sizeof text, w->outside));
}

static void find_limit(gs_whatif *w)
{
	const gs_replay *r = &w->replay;
	gs_pool_settings settings;
	uint64_t rounded, options;
	char low[32], high[32];

	w->limit = w->limit_low = UINT64_MAX;
	if (w->options.allowed != GS_NONE || w->device->allowed != GS_NONE) {
		w->limit = w->limit_low = (uint64_t)(w->options.allowed != GS_NONE ? w->options.allowed
																		   : w->device->allowed);
		return;
	}
	if (r->first_oom < 0 || r->oom_device_free == GS_NONE)
		return;
	gs_pool_settings_init(&settings);
	gs_pool_settings_parse(&settings, w->rules, w->recorded_conf, NULL);
	rounded = r->oom_size;
	options = gs_policy_most_asked(&gs_policy_pytorch, &settings, rounded);
	if (!rounded || bounded(r->oom_device_free) < bounded((int64_t)options) ||
		options > UINT64_C(1) << 60)
		return;
	/* a fraction is held against the segment size, also with expandable segments */
	w->limit = (uint64_t)bounded(r->oom_reserved) + gs_rules_segment_size(&settings, rounded) - 1;
	w->limit_low = (uint64_t)bounded(r->oom_peak) < w->limit ? (uint64_t)r->oom_peak : w->limit;
	add_note(w,
		"the device had room for the request that failed, so something limits this process: to between %s and %s (--allowed tells it)",
		gs_size_format(low, sizeof low, w->limit_low), gs_size_format(high, sizeof high, w->limit));
}

/* --- all --- */

/* The device as the recording of it begins. */
static const gs_trace *first_trace(const gs_whatif *w)
{
	const gs_event_source *source = w->options.source;
	return source ? &gs_snapshot_find_device(source->snapshot, source->device)->trace
				  : &w->device->trace;
}

static void tell_start(gs_whatif *w)
{
	const gs_trace *t = first_trace(w);
	w->starts_whole = w->replay.starts_empty && !t->dropped && t->complete != 0;
	if (w->starts_whole || w->replay.foreign)
		return;
	add_note(w, "the recording begins late: blocks from before it stay where they were%s",
		w->replay.initial->exact ? "" : ", as far as they are known");
}

static void tell_rewrite(gs_whatif *w, const gs_replay_changes *changes)
{
	char text[sizeof w->notes->text];
	for (size_t i = 0; gs_replay_changes_note(&w->options.rewrite, changes, i, text, sizeof text);
		 i++)
		add_note(w, "%s", text);
}

/* Until when the events in memory are looked at: an index in the trace, GS_NONE to their end; -1:
 * they come later. */
static int64_t until_in_memory(const gs_whatif *w)
{
	int64_t until = w->options.until, first = (int64_t)w->device->trace.first;
	if ((!w->options.source && !w->part) || until == GS_NONE)
		return until;
	return until < first ? -1 : until - first;
}

static gs_status take_growth(gs_whatif *w, const gs_meaning *m, int64_t until, gs_error *err)
{
	gs_growth *rows = NULL;
	size_t n = 0;
	if (gs_meaning_growth(m, until, &rows, &n))
		return gs_no_memory(err);
	w->still_grows = n > 0;
	free(rows);
	for (size_t i = 0; i < m->nsteps; i++)
		if (until == GS_NONE || m->steps[i].first_idx <= until)
			w->last_step = m->steps[i].number;
	return GS_OK;
}

/* The step of a run that only its figures tell of. */
static gs_status take_course_step(gs_whatif *w, const gs_snapshot *s, gs_error *err)
{
	gs_phase_step *steps = NULL;
	size_t n = 0;
	if (gs_course_steps(s, w->device, &steps, &n))
		return gs_no_memory(err);
	for (size_t i = 0; i < n; i++)
		if (w->options.until == GS_NONE || steps[i].first_idx <= w->options.until)
			w->last_step = steps[i].number;
	free(steps);
	return GS_OK;
}

static gs_status look_at_meaning(gs_whatif *w, const gs_history *h, int64_t until, gs_error *err)
{
	const gs_category_rules *rules = w->options.rewrite.category_rules;
	gs_recording *r = gs_recordings_find(w->options.recordings, w->device, rules);
	gs_meaning made = GS_MEANING_INIT;
	gs_status status = r ? gs_recording_need_meaning(r, err)
						 : gs_meaning_init(&made, h, rules, err);
	if (!status)
		status = take_growth(w, r ? &r->meaning : &made, until, err);
	gs_meaning_release(&made);
	return status;
}

/* How the recording ends, up to where it is replayed. */
static gs_status look_at_end(gs_whatif *w, const gs_snapshot *s, gs_error *err)
{
	int64_t until = until_in_memory(w);
	gs_history part = GS_HISTORY_INIT;
	gs_status status = GS_OK;
	w->last_step = GS_NONE;
	if (!w->options.source)
		return look_at_meaning(w, w->replay.history, until, err);
	if (until >= 0 || until == GS_NONE) {
		status = gs_history_init(&part, s, w->device, err);
		if (!status)
			status = look_at_meaning(w, &part, until, err);
		gs_history_release(&part);
	}
	return status ? status : take_course_step(w, s, err);
}

/* Two looks at the recording that do not need each other: the one plays requests, the other reads
 * the history, and neither changes what the other reads. */
typedef struct looks {
	gs_whatif *w;
	const gs_snapshot *snapshot;
	gs_status end, verified;
	gs_error end_error, verify_error;
} looks;

static void look_beside(void *context)
{
	looks *x = context;
	x->end = look_at_end(x->w, x->snapshot, &x->end_error);
}

static void verify_here(void *context)
{
	looks *x = context;
	if (!x->w->replay.foreign)
		x->verified = verify_recording(x->w, x->snapshot, &x->verify_error);
}

static gs_status look_at_recording(gs_whatif *w, const gs_snapshot *s, gs_error *err)
{
	looks x = {.w = w, .snapshot = s, .end_error = GS_ERROR_INIT, .verify_error = GS_ERROR_INIT};
	gs_parallel_beside(look_beside, verify_here, &x);
	if (x.verified)
		return gs_fail(err, x.verified, "%s", x.verify_error.text);
	return x.end ? gs_fail(err, x.end, "%s", x.end_error.text) : GS_OK;
}

/* The event that a step ends with, or is at its peak. */
static gs_status find_until(gs_whatif *w, const gs_snapshot *s, int64_t *until, gs_error *err)
{
	const char *step = w->options.until_step;
	gs_state state = {.idx = *until};
	uint64_t event = 0;
	if (w->part && !step && *until != GS_NONE && (uint64_t)*until < w->device->trace.first)
		return gs_fail(err, GS_NOT_FOUND,
			"event %" PRId64 " is not in the part of the run that is replayed, from %" PRIu64,
			*until, w->device->trace.first);
	if (w->part && !step && *until != GS_NONE)
		state.idx = *until -= (int64_t)w->device->trace.first;
	gs_status status = !step ? GS_OK
		: w->options.source  ? gs_course_find(s, w->device, step, &event, err)
							 : gs_meaning_state_find(s, w->device, NULL, NULL, step, &state, err);
	*until = step && w->options.source ? (int64_t)event : state.idx;
	return status;
}

/* Where only a part of the run is in memory: the run itself, if that can and may be. */
static gs_status take_whole_run(gs_whatif *w, const gs_snapshot *s, gs_error *err)
{
	const gs_trace *t = &w->device->trace;
	uint64_t events = t->n + t->skipped, most = w->options.most_events;
	if (!s->excerpt || w->options.source)
		return GS_OK;
	w->part = !s->whole || w->options.rewrite.nscales || (most && events > most);
	if (w->part) {
		add_note(w,
			"of the run's %" PRIu64 " events only those from %" PRIu64 " to %" PRIu64
			" are replayed%s",
			events, t->first, t->first + t->n - 1,
			most && events > most ? ": `gpusnap whatif` takes them all" : "");
		doubt(w, "only a part of the run was replayed");
		return GS_OK;
	}
	gs_status status = gs_whole_run_open(&w->run, s, w->device, w->options.progress, err);
	w->options.source = status ? NULL : &w->run.events;
	return status;
}

static gs_status make_requests(gs_whatif *w, const gs_snapshot *s, int64_t until, gs_error *err)
{
	gs_recording *kept = gs_recordings_find(
		w->options.recordings, w->device, w->options.rewrite.category_rules);
	if (w->options.source)
		return gs_replay_init_source(
			&w->replay, s, w->device, w->options.source, until, is_foreign(s), err);
	gs_status status = kept ? gs_recording_need_history(kept, err) : GS_OK;
	return status ? status
				  : gs_replay_init(&w->replay, s, w->device, until, is_foreign(s),
						kept ? &kept->history : NULL, err);
}

gs_status gs_whatif_open(
	gs_whatif *w, const gs_snapshot *s, const gs_whatif_options *options, gs_error *err)
{
	gs_status status;
	gs_replay_changes changes;

	memset(w, 0, sizeof *w);
	w->options = *options;
	w->device = gs_whatif_device(s, options->device);
	if (!w->device && options->device != GS_NONE)
		return gs_fail(err, GS_NOT_FOUND, "there is no device %" PRId64 " in it", options->device);
	if (!w->device)
		return gs_fail(err, GS_NOT_FOUND, "no recorded events to replay");
	if (gs_device_is_host(s, w->device))
		return gs_fail(err, GS_NOT_FOUND,
			"pinned host memory is not replayed: the settings to try are those of GPU memory");
	gs_policy_conf(s, w->recorded_conf, sizeof w->recorded_conf);
	int64_t until = options->until;
	if ((status = take_whole_run(w, s, err)) || (status = find_until(w, s, &until, err)) ||
		(status = choose_rules(w, s, err)) || (status = make_requests(w, s, until, err)))
		return status;
	check_conf(w);
	if ((status = look_at_recording(w, s, err)))
		return status;
	if ((status = gs_replay_count(&w->replay, err)))
		return status;
	tell_agreement(w);
	tell_start(w);
	find_budget(w, s);
	find_limit(w);
	status = gs_replay_apply(&w->replay, &w->options.rewrite, &changes, err);
	if (!status)
		tell_rewrite(w, &changes);
	return status;
}

void gs_whatif_release(gs_whatif *w)
{
	gs_replay_release(&w->replay);
	gs_whole_run_close(&w->run);
	gs_memory_give(w->rows);
	memset(w, 0, sizeof *w);
}

const char *gs_whatif_change_text(gs_whatif_change change)
{
	static const char *const words[] = {"", "recorded", "better", "same", "worse"};

	return words[change <= GS_WHATIF_WORSE ? change : 0];
}
