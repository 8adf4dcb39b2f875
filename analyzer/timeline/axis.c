#include "analyzer/timeline/axis.h"

#include "analyzer/model/parts.h"
/* GS_INVALID: time is not known, or goes back. */
static gs_status follow_time(void *arg, size_t i, size_t end)
{
	const gs_event *events = arg;
	for (; i < end; i++)
		if (events[i].time_us < 0 || (i && events[i].time_us < events[i - 1].time_us))
			return GS_INVALID;
	return GS_OK;
}

bool gs_axis_timed(const gs_trace *t)
{
	return !gs_in_parts(t->n, follow_time, t->events) && t->n &&
		t->events[t->n - 1].time_us > t->events[0].time_us;
}

enum { TIMES = 64 };

typedef struct crowd {
	const gs_event *events;
	double span;
	bool used[TIMES];
	int n;
} crowd;

static gs_status count_times(void *arg, size_t i, size_t end)
{
	crowd *x = arg;
	for (; i < end; i++) {
		int at = (int)((double)(x->events[i].time_us - x->events[0].time_us) / x->span * TIMES);
		x->n += !x->used[at];
		x->used[at] = true;
	}
	return GS_OK;
}

bool gs_axis_crowded(const gs_trace *t)
{
	crowd x = {.events = t->events,
		.span = (double)(t->events[t->n - 1].time_us - t->events[0].time_us) + 1};
	gs_in_parts(t->n, count_times, &x);
	return t->n >= TIMES && x.n < TIMES / 4;
}

static double place(const gs_trace *t, bool timed, size_t i)
{
	return timed ? (double)t->events[i].time_us : (double)i;
}

size_t gs_axis_event(const gs_trace *t, bool timed, double x)
{
	size_t low = 0, high = t->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (place(t, timed, middle) < x)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
