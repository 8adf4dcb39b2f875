#include "analyzer/timeline/axis.h"

bool gs_axis_timed(const gs_trace *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->events[i].time_us < 0 || (i && t->events[i].time_us < t->events[i - 1].time_us))
			return false;
	return t->n && t->events[t->n - 1].time_us > t->events[0].time_us;
}

bool gs_axis_crowded(const gs_trace *t)
{
	enum { PARTS = 64 };
	bool used[PARTS] = {false};
	int64_t begin = t->events[0].time_us;
	double span = (double)(t->events[t->n - 1].time_us - begin) + 1;
	int n = 0;

	for (size_t i = 0; i < t->n; i++) {
		int part = (int)((double)(t->events[i].time_us - begin) / span * PARTS);
		n += !used[part];
		used[part] = true;
	}
	return t->n >= PARTS && n < PARTS / 4;
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
