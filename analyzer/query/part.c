#include "analyzer/query/part.h"

#include <stdlib.h>

#include "analyzer/meaning/course.h"

static bool is_told(const gs_snapshot *s)
{
	for (size_t i = 0; i < s->ndevices; i++)
		if (!gs_course_is_told(&s->devices[i]))
			return false;
	return true;
}

static gs_status complete(gs_snapshot *s, gs_error *err)
{
	gs_status status = GS_OK;
	for (size_t i = 0; i < s->ndevices && !status; i++)
		status = gs_course_complete(s, &s->devices[i], err);
	return status;
}

static gs_status read_whole(
	const gs_input_entry *entry, unsigned want, gs_snapshot *s, gs_error *err)
{
	gs_snapshot_release(s);
	return gs_input_read(entry, want, s, err);
}

static bool has_event(const gs_trace *t, uint64_t event)
{
	return event >= t->first && event - t->first < t->n;
}

/* Events of the devices that have such a moment; the others' last. */
static gs_status find_events(const gs_snapshot *s, const char *selector,
	struct gs_device_event *events, size_t *n, bool *here, gs_error *err)
{
	gs_error why = GS_ERROR_INIT;
	*n = 0;
	*here = true;
	for (size_t i = 0; i < s->ndevices; i++) {
		uint64_t event;
		gs_error none = GS_ERROR_INIT;
		gs_status status = gs_course_find(s, &s->devices[i], selector, &event, &none);
		if (status == GS_NOT_FOUND) {
			why = none;
			continue;
		}
		if (status)
			return gs_fail(err, status, "%s", none.text);
		events[(*n)++] = (struct gs_device_event){s->devices[i].device, event};
		*here &= has_event(&s->devices[i].trace, event);
	}
	return *n ? GS_OK : gs_fail(err, GS_NOT_FOUND, "%s", why.text);
}

/* The figures that were completed go into the part that is read now, which ends earlier. */
static gs_status take_figures(gs_snapshot *to, const gs_snapshot *from, gs_error *err)
{
	for (size_t i = 0; i < from->ndevices; i++) {
		const gs_trace *t = &from->devices[i].trace;
		gs_device *d = gs_snapshot_find_device(to, from->devices[i].device);
		for (size_t k = d ? d->trace.nfigures : 0; d && k < t->nfigures; k++)
			if (gs_trace_add_figures(&d->trace, &t->figures[k]))
				return gs_fail(err, GS_NO_MEMORY, "figures of a run");
	}
	return GS_OK;
}

static gs_status read_events(const gs_input_entry *entry, unsigned want, const gs_part_wanted *part,
	const struct gs_device_event *events, size_t n, gs_snapshot *s, gs_error *err)
{
	gs_snapshot last = *s;
	const gs_moment_wanted moment = {
		.what = GS_MOMENT_EVENTS, .events = events, .nevents = n, .reach = part->reach};
	gs_status status = gs_input_read_moment(entry, want, &moment, s, err);
	if (!status && (status = take_figures(s, &last, err)))
		gs_snapshot_release(s);
	gs_snapshot_release(&last);
	return status;
}

/* s is the part around the last moment. */
static gs_status find_moment(const gs_input_entry *entry, unsigned want, const gs_part_wanted *part,
	gs_snapshot *s, gs_error *err)
{
	struct gs_device_event *events = malloc((s->ndevices + 1) * sizeof *events);
	size_t n;
	bool here;
	gs_status status = events ? find_events(s, part->selector, events, &n, &here, err)
							  : gs_fail(err, GS_NO_MEMORY, "moments of devices");
	if (status)
		gs_snapshot_release(s);
	else if (!here)
		status = read_events(entry, want, part, events, n, s, err);
	free(events);
	return status;
}

/* Figures of the last events, which the part around another moment does not hold. */
static gs_status read_last_figures(
	const gs_input_entry *entry, unsigned want, gs_snapshot *s, gs_error *err)
{
	const gs_moment_wanted moment = {.what = GS_MOMENT_LAST};
	gs_snapshot last;
	gs_status status = gs_input_read_moment(
		entry, want | GS_WANT_EVENTS | GS_WANT_LAYOUT, &moment, &last, err);
	if (status)
		return status;
	status = complete(&last, err);
	if (!status)
		status = take_figures(s, &last, err);
	gs_snapshot_release(&last);
	return status;
}

static bool reaches_the_end(const gs_snapshot *s)
{
	for (size_t i = 0; i < s->ndevices; i++)
		if (s->devices[i].trace.first + s->devices[i].trace.n <
			s->devices[i].trace.n + s->devices[i].trace.skipped)
			return false;
	return true;
}

static bool is_told_to_the_end(const gs_snapshot *s)
{
	for (size_t i = 0; i < s->ndevices; i++) {
		const gs_trace *t = &s->devices[i].trace;
		const gs_run_figures *f = t->nfigures ? &t->figures[t->nfigures - 1] : NULL;
		if (t->n + t->skipped > (f ? f->first + f->events : 0))
			return false;
	}
	return true;
}

gs_status gs_part_read(const gs_input_entry *entry, unsigned want, const gs_part_wanted *part,
	gs_snapshot *s, gs_error *err)
{
	gs_moment_wanted moment;
	bool simple = gs_input_moment(part->selector, &moment);
	if (!simple)
		moment = (gs_moment_wanted){.what = GS_MOMENT_LAST};
	moment.whole_below = part->whole_below;
	moment.reach = part->reach;
	moment.untold = part->untold;
	gs_status status = gs_input_read_moment(entry,
		simple && !part->course ? want : want | GS_WANT_EVENTS | GS_WANT_LAYOUT, &moment, s, err);
	if (!status && s->stream && !s->excerpt && want & GS_WANT_SUM)
		return read_whole(entry, want, s, err); /* the file's sum is of all its bytes */
	if (status || !s->excerpt || (simple && !part->course))
		return status;
	if (!is_told(s))
		return read_whole(entry, want, s, err);
	if (reaches_the_end(s))
		status = complete(s, err);
	else if (!is_told_to_the_end(s))
		status = read_last_figures(entry, want, s, err);
	if (status) {
		gs_snapshot_release(s);
		return status;
	}
	return simple ? GS_OK : find_moment(entry, want, part, s, err);
}
