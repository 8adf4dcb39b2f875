/* The answer in one sentence: the verdict's name, a colon, what happened. */
#include "analyzer/advice/answer.h"
#include "analyzer/advice/culprit.h"

#include <string.h>

#include "schema/printable.h"

/* A rest below this share of what the allocator holds is next to nothing. */
enum { NEXT_TO_NOTHING = 50 };

static int64_t available(const gs_diagnosis *d, gs_step step)
{
	const gs_rung *r = gs_diagnosis_rung(d, step);
	return r ? r->available : GS_NONE;
}

/* "200 MiB asked for", written so that it does not look like the size it is compared with. */
static void say_asked(gs_prose *p, const gs_diagnosis *d, int64_t beside)
{
	if (d->requested < 0) {
		bool huge = d->oom != SIZE_MAX && d->snapshot->ooms[d->oom].told.says & GS_SAYS_HUGE;
		gs_say(p, huge ? "more asked for than any device has" : "a request of unknown size");
		return;
	}
	gs_say_size_beside(p, d->requested, beside);
	gs_say(p, " asked for");
	if (d->device && d->device->device >= 0 && d->snapshot->ndevices > 1)
		gs_say(p, " on device %d", d->device->device);
}

static void say_defect(gs_prose *p, const gs_diagnosis *d)
{
	int64_t hole = available(d, GS_STEP_MISSED_FIT);
	say_asked(p, d, hole);
	gs_say(p, "; the allocator's retry freed a block of ");
	gs_say_size_beside(p, hole, d->requested);
	gs_say(p, " but did not look at it: a defect of the allocator, not of this program");
}

/* What a text says of the allocator's own limit, and of what counts against it. */
static void say_told_limit(gs_prose *p, const gs_diagnosis *d)
{
	const gs_oom_told *told = &d->snapshot->ooms[d->oom].told;
	int64_t counted = told->counted >= 0 ? told->counted : d->reserved;
	say_asked(p, d, GS_NONE);
	gs_say(p, ", but the allocator's own limit");
	if (d->allowed >= 0) {
		gs_say(p, " of ");
		gs_say_size(p, d->allowed);
	}
	gs_say(p, " refused it");
	if (counted >= 0 && d->allowed >= 0) {
		gs_say(p, ": ");
		gs_say_size_beside(p, counted, d->allowed);
		gs_say(p, " count against it");
	}
}

static void say_limit(gs_prose *p, const gs_diagnosis *d)
{
	bool told = d->snapshot->ooms[d->oom].told.says & GS_SAYS_LIMIT;
	if (!d->has_layout && (d->device_free < 0 || told)) {
		say_told_limit(p, d);
		return;
	}
	say_asked(p, d, d->device_free);
	if (d->device_free >= 0) {
		gs_say(p, " and ");
		gs_say_size_beside(p, d->device_free, d->requested);
		gs_say(p, " free on the device");
	}
	if (d->allowed >= 0 && d->refused_by && !strcmp(d->refused_by, "fraction")) {
		gs_say(p, ", but this process may hold no more than ");
		gs_say_size(p, d->allowed);
	} else if (d->refused_by) {
		gs_say(p, ", but the driver refused it all the same");
	} else {
		gs_say(p,
			", but something refused it: a memory fraction, or a quota of the container or the device");
	}
}

static void say_segment_size(gs_prose *p, const gs_diagnosis *d)
{
	int64_t left = available(d, GS_STEP_SEGMENT_SIZE);
	say_asked(p, d, left);
	if (d->settings.expandable && d->has_layout) {
		const gs_rung *r = gs_diagnosis_rung(d, GS_STEP_SEGMENT_SIZE);
		gs_say(p, ", ");
		gs_say_size_beside(p, r ? r->needed : GS_NONE, left);
		gs_say(p, " of it missing and ");
		gs_say_size_beside(p, left, r ? r->needed : GS_NONE);
		gs_say(p, " left, but memory comes in whole pages: ");
		gs_say_size(p, d->ask);
		return;
	}
	gs_say(p, " and ");
	gs_say_size_beside(p, left, d->requested);
	gs_say(p, " left, but the allocator asks the driver for ");
	gs_say_size_beside(p, d->ask >= 0 ? d->ask : d->needed, left);
	gs_say(p, " at once");
}

static void say_pending(gs_prose *p, const gs_diagnosis *d)
{
	say_asked(p, d, (int64_t)d->totals.pending);
	gs_say(p, "; ");
	gs_say_size_beside(p, (int64_t)d->totals.pending, d->requested);
	gs_say(p, " is freed already but waits until other streams are done with it");
}

static void say_hole(gs_prose *p, const gs_diagnosis *d)
{
	int64_t hole = available(d, d->verdict);
	say_asked(p, d, hole);
	gs_say(p, "; a free block of ");
	gs_say_size_beside(p, hole, d->requested);
	gs_say(p, " would hold it, but is kept for ");
}

static void say_other_stream(gs_prose *p, const gs_diagnosis *d)
{
	const gs_segment *g = gs_foreign_hole(d, false);
	say_hole(p, d);
	if (g && d->stream >= 0)
		gs_say(p, "stream %llu; stream %lld asks", (unsigned long long)g->stream,
			(long long)d->stream);
	else
		gs_say(p, "another stream");
}

static void say_other_pool(gs_prose *p, const gs_diagnosis *d)
{
	const gs_segment *g = gs_foreign_hole(d, true);
	say_hole(p, d);
	if (g && (g->pool_id.a || g->pool_id.b))
		gs_say(p, "pool %llu,%llu, a CUDA graph's or a MemPool's", (unsigned long long)g->pool_id.a,
			(unsigned long long)g->pool_id.b);
	else
		gs_say(p, "the default pool, not for this CUDA graph's or MemPool's");
}

/* " is free" in the cache, and on the device where the cache alone would not do. */
static void say_free_of_pool(gs_prose *p, const gs_diagnosis *d)
{
	gs_say_size(p, d->free);
	gs_say(p, " of the cache ");
	if (d->free < d->requested && d->device_free > 0) {
		gs_say(p, "and ");
		gs_say_size(p, d->device_free);
		gs_say(p, " of the device are free");
	} else {
		gs_say(p, "is free");
	}
}

static void say_fragmented(gs_prose *p, const gs_diagnosis *d)
{
	int64_t all = available(d, GS_STEP_FRAGMENTED);
	say_asked(p, d, d->largest_free > 0 ? d->largest_free : all);
	gs_say(p, ", ");
	if (d->free < 0) {
		gs_say_size_beside(p, all, d->requested);
		gs_say(p, " is free, but not in one piece");
		return;
	}
	say_free_of_pool(p, d);
	if (d->largest_free < 0) {
		gs_say(p, ", but not in one piece");
		return;
	}
	gs_say(p, ", but no hole is larger than ");
	gs_say_size_beside(p, d->largest_free, d->requested);
}

static void say_stranded(gs_prose *p, const gs_diagnosis *d)
{
	int64_t all = available(d, GS_STEP_STRANDED);
	say_asked(p, d, all);
	gs_say(p, ", ");
	gs_say_size_beside(p, all, d->requested);
	if (!d->has_layout)
		gs_say(p, " is free in all, were it in one piece; the message does not tell how it lies");
	else if (gs_free_is_small(d))
		gs_say(p, " is free in all, but most of it in segments that small tensors keep");
	else
		gs_say(p, " is free in all, but spread over pools and streams that do not share");
}

static void say_rounding(gs_prose *p, const gs_diagnosis *d)
{
	int64_t free_in_all = available(d, GS_STEP_STRANDED);
	say_asked(p, d, free_in_all);
	if (free_in_all >= 0) {
		gs_say(p, ", ");
		gs_say_size_beside(p, free_in_all, d->requested);
		gs_say(p, " is free");
	}
	gs_say(p, "; ");
	gs_say_size(p, (int64_t)d->totals.rounding);
	gs_say(p, " is lost because blocks are larger than what was asked for");
}

/* Who holds memory of the device, as far as it is known by name; false where nobody is. */
static bool say_processes(gs_prose *p, const gs_diagnosis *d)
{
	bool any = false;
	for (size_t i = 0; i < d->snapshot->noutsiders; i++) {
		const gs_outsider *x = &d->snapshot->outsiders[i];
		char name[128];
		if (x->pid == GS_NONE || !d->device || x->device != d->device->device)
			continue;
		gs_printable(name, sizeof name, gs_string_text(d->snapshot, x->holder));
		gs_say(p, "%s%s %lld holds ", any ? ", " : "", name, (long long)x->pid);
		gs_say_size(p, x->bytes);
		any = true;
	}
	return any;
}

static void say_outside(gs_prose *p, const gs_diagnosis *d)
{
	say_asked(p, d, d->device_free);
	if (d->device_free >= 0) {
		gs_say(p, " and ");
		gs_say_size_beside(p, d->device_free, d->requested);
		gs_say(p, " free");
	}
	gs_say(p, "; ");
	if (d->unused_limit >= 0) {
		gs_say(p, "the allocator's limit left ");
		gs_say_size_beside(p, d->unused_limit, d->requested);
		gs_say(p, ", but the driver gave none of it: others hold it");
		return;
	}
	if (say_processes(p, d))
		return;
	if (d->capacity >= 0 && d->reserved >= 0 && d->device_free >= 0 &&
		d->capacity > d->reserved + d->device_free) {
		gs_say(p, "others hold ");
		gs_say_size(p, d->capacity - d->reserved - d->device_free);
		gs_say(p, " of the device's ");
		gs_say_size(p, d->capacity);
	} else {
		gs_say(p, "others hold memory of the device that would have been enough");
	}
}

/* How much is free: what rounding loses inside of blocks is not, and is told beside it. */
static void say_free_in_all(gs_prose *p, const gs_diagnosis *d)
{
	int64_t free = available(d, GS_STEP_STRANDED);
	int64_t all = d->requested - d->missing;
	if (free < 0 || free > all)
		free = all;
	gs_say_size_beside(p, free, d->requested);
	gs_say(p, " free in all");
	if (all - free > all / NEXT_TO_NOTHING) {
		gs_say(p, " and ");
		gs_say_size(p, all - free);
		gs_say(p, " more lost to rounding");
	}
}

/* Why no freeing would have helped. */
static void say_too_large(gs_prose *p, const gs_diagnosis *d)
{
	if (d->capacity >= 0) {
		gs_say(p, "; the whole device has ");
		gs_say_size(p, d->capacity);
		return;
	}
	if (d->requested < 0)
		return; /* said where the request is named */
	gs_say(p, "; no device has ");
	gs_say_size(p, d->requested);
}

static void say_shortage(gs_prose *p, const gs_diagnosis *d)
{
	bool known = d->missing >= 0 && d->requested >= d->missing;
	bool too_large = gs_request_exceeds_device(d);
	say_asked(p, d, known ? d->requested - d->missing : GS_NONE);
	if (!known) {
		if (too_large)
			say_too_large(p, d);
		else
			gs_say(p, "; memory is really short");
		return;
	}
	gs_say(p, ", ");
	say_free_in_all(p, d);
	gs_say(p, "; ");
	gs_say_size(p, d->missing);
	gs_say(p, " %s missing", d->missing == 1 ? "is" : "are");
	if (too_large) {
		say_too_large(p, d);
		return;
	}
	if (gs_look_outside_first(d)) {
		gs_say(p, ", or held by another process: the file does not tell");
		return;
	}
	if (d->null[GS_STEP_OUTSIDE] && d->has_layout)
		gs_say(p, ", unless another process holds that much");
}

static void say_unknown(gs_prose *p, const gs_diagnosis *d)
{
	say_asked(p, d, GS_NONE);
	gs_say(p, "; what is recorded does not tell why it failed");
}

/* Whatever failed now, growth is what fails next. */
static void say_if_grows(gs_prose *p, const gs_diagnosis *d)
{
	uint64_t each_step = gs_growth_each_step(d);
	if (!gs_growth_matters(d) || gs_growth_decides(d) || d->verdict == GS_STEP_MISSED_FIT)
		return;
	if (each_step) {
		gs_say(p, d->growth[0].given_back ? "; memory grew by " : "; memory grows by ");
		gs_say_size(p, (int64_t)each_step);
		gs_say(p, d->growth[0].steps == d->growth[0].of_steps ? " in each step" : " a step");
	} else {
		gs_say(p, "; memory grew all along");
	}
	if (d->growth[0].given_back)
		gs_say(p, " until the program ended");
}

/* Where a verdict of fragmentation would leave the device as good as full: said beside it. */
static void say_if_vain(gs_prose *p, const gs_diagnosis *d)
{
	int64_t all = available(d, d->verdict);
	if (gs_growth_decides(d)) {
		gs_say(p, "; in one piece it would not last another step, for memory grows by ");
		gs_say_size(p, (int64_t)gs_growth_each_step(d));
		gs_say(p, " in each");
		return;
	}
	if (d->verdict != GS_STEP_FRAGMENTED && d->verdict != GS_STEP_STRANDED &&
		d->verdict != GS_STEP_ROUNDING)
		return;
	if (all < 0 || d->reserved <= 0 || all >= d->reserved / NEXT_TO_NOTHING)
		return;
	gs_say(p, "; rearranging would gain next to nothing, for memory is all but full");
}

static bool device_failed(const gs_diagnosis *d)
{
	for (size_t i = 0; i < d->snapshot->nooms; i++)
		if (d->device && d->snapshot->ooms[i].device == d->device->device)
			return true;
	return false;
}

/* Failures that a table of statistics counts, though nothing tells their requests. */
static bool say_counted(gs_prose *p, const gs_diagnosis *d)
{
	const gs_snapshot *s = d->snapshot;
	for (size_t i = 0; i < s->nstats; i++) {
		const gs_stat *x = &s->stats[i];
		const gs_device *device = gs_snapshot_find_device(s, x->device);
		if (strcmp(gs_string_text(s, x->name), "num_ooms") || x->current <= 0 || !device)
			continue;
		gs_say(p, "%lld OOM%s counted on device %d, but the request isn't in the table",
			(long long)x->current, x->current == 1 ? " was" : "s were", x->device);
		if (device->allocated >= 0 && device->reserved >= device->allocated) {
			gs_say(p, "; ");
			gs_say_size(p, device->reserved - device->allocated);
			gs_say(p, " cached of ");
			gs_say_size(p, device->reserved);
			gs_say(p, " reserved");
		}
		return true;
	}
	return false;
}

/* Whether a trace would show a failure: one without a single request would not. */
static bool shows_requests(const gs_device *device)
{
	for (size_t i = 0; i < device->trace.n; i++)
		if (gs_event_action(&device->trace.events[i]) == GS_ACTION_ALLOC)
			return true;
	return device->trace.skipped > 0;
}

static void say_healthy(gs_prose *p, const gs_diagnosis *d)
{
	if (!d->has_layout && say_counted(p, d))
		return;
	if (!d->has_layout) {
		gs_say(p, "the input has no segments or blocks either");
		return;
	}
	if (device_failed(d))
		gs_say(p, "in this state ");
	else if (d->device && !shows_requests(d->device))
		gs_say(p, "the file has no events%s, so it cannot tell what failed, peaked or grew; ",
			d->device->trace.n ? " of blocks" : "");
	else if (gs_peak_is_apart(d))
		gs_say(p, gs_tells_the_end(d) ? "at the end " : "in this state ");
	int64_t in_use = (int64_t)(d->totals.allocated + d->totals.pending);
	gs_say_size(p, in_use);
	gs_say(p, " in use of ");
	gs_say_size(p, (int64_t)d->totals.reserved);
	gs_say(p, " reserved");
	if (gs_peak_is_apart(d)) {
		gs_say(p, "; the peak was ");
		gs_say_size_beside(p, (int64_t)d->peak.allocated, in_use);
		gs_say(p, " in use");
	}
}

void gs_diagnosis_sentence(const gs_diagnosis *d, gs_prose *p)
{
	switch (d->verdict) {
	case GS_STEP_MISSED_FIT: say_defect(p, d); break;
	case GS_STEP_LIMIT: say_limit(p, d); break;
	case GS_STEP_SEGMENT_SIZE: say_segment_size(p, d); break;
	case GS_STEP_PENDING_FREE: say_pending(p, d); break;
	case GS_STEP_OTHER_STREAM: say_other_stream(p, d); break;
	case GS_STEP_PRIVATE_POOL: say_other_pool(p, d); break;
	case GS_STEP_FRAGMENTED: say_fragmented(p, d); break;
	case GS_STEP_STRANDED: say_stranded(p, d); break;
	case GS_STEP_ROUNDING: say_rounding(p, d); break;
	case GS_STEP_OUTSIDE: say_outside(p, d); break;
	case GS_VERDICT_SHORTAGE: say_shortage(p, d); break;
	case GS_VERDICT_NONE: say_healthy(p, d); break;
	default: say_unknown(p, d); break;
	}
	say_if_vain(p, d);
	say_if_grows(p, d);
	if (d->oom != SIZE_MAX && d->snapshot->ooms[d->oom].told.says & GS_SAYS_GOES_ON)
		gs_say(p, "; a warning: the program goes on without it");
}

char *gs_diagnosis_line(const gs_diagnosis *d, char *buf, size_t cap)
{
	gs_prose p;
	gs_prose_clear(&p);
	gs_diagnosis_sentence(d, &p);
	const char *word = gs_step_word(d->verdict);
	snprintf(buf, cap, "%s: %s", word ? word : "no failure", p.text);
	return buf;
}
