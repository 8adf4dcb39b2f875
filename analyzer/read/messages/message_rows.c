/* The messages found as rows of the snapshot, facts of devices, and warnings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/read/messages/asides.h"
#include "analyzer/read/messages/message.h"
#include "schema/size.h"

static int by_device(const void *a, const void *b)
{
	const gs_oom_find *x = a, *y = b;
	if (x->row.device != y->row.device)
		return x->row.device < y->row.device ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void told(int64_t *to, int64_t from)
{
	if (from != GS_NONE)
		*to = from;
}

/* Two figures that are printed with two decimals may be as much beyond the third. */
static bool beyond(int64_t a, int64_t b, int64_t all)
{
	return a <= INT64_MAX - b && a + b > all && a + b - all > all / 50;
}

/* Figures that cannot all be true of one device at one moment. */
static void look_for_contradictions(gs_oom_text *o, gs_oom_find *f)
{
	gs_oom *r = &f->row;
	unsigned long long line = (unsigned long long)f->line;
	char free[32], held[32], all[32];
	int64_t holds = r->told.own != GS_NONE ? r->told.own : r->reserved;
	holds = holds != GS_NONE ? holds : r->allocated;
	if (r->capacity == GS_NONE || holds == GS_NONE || r->told.says & GS_SAYS_DISAGREES)
		return;
	gs_size_format(held, sizeof held, (uint64_t)holds);
	gs_size_format(all, sizeof all, (uint64_t)r->capacity);
	if (beyond(holds, 0, r->capacity)) {
		r->told.says |= GS_SAYS_LENT;
		gs_snapshot_warn(o->snapshot,
			"line %llu: %s are held on a device of %s: its driver lends memory of the system, as on Windows",
			line, held, all);
	} else if (r->device_free != GS_NONE && beyond(r->device_free, holds, r->capacity)) {
		r->told.says |= GS_SAYS_CONTRADICTS;
		gs_size_format(free, sizeof free, (uint64_t)r->device_free);
		gs_snapshot_warn(o->snapshot,
			"line %llu: the figures contradict each other: %s free + %s in use > %s", line, free,
			held, all);
	}
}

static gs_status add_find(gs_oom_text *o, gs_oom_find *f)
{
	look_for_contradictions(o, f);
	gs_oom *row = gs_snapshot_add_oom(o->snapshot);
	if (!row)
		return GS_NO_MEMORY;
	*row = f->row;
	o->snapshot->library = o->snapshot->library ? o->snapshot->library : f->row.library;
	gs_device *d = gs_snapshot_device(
		o->snapshot, f->row.device); /* -1: one that the text does not name */
	if (!d)
		return GS_NO_MEMORY;
	told(&d->capacity, f->row.capacity);
	told(&d->device_free, f->row.device_free);
	told(&d->allowed, f->row.allowed);
	told(&d->reserved, f->row.reserved);
	if (f->row.told.says & GS_SAYS_DISAGREES)
		gs_snapshot_warn(o->snapshot,
			"line %llu: the text says that its figures of allocated memory do not agree; no verdict rests on them",
			(unsigned long long)f->line);
	else
		told(&d->allocated, f->row.allocated);
	told(&d->others, f->row.told.others);
	return GS_OK;
}

/* The device has what the program said of it when it started, where no message tells. */
static gs_status add_banner(gs_oom_text *o, int32_t device)
{
	const gs_oom *banner = gs_oom_aside_of(o, "");
	gs_device *d = banner ? gs_snapshot_device(o->snapshot, device) : NULL;
	if (d && d->capacity == GS_NONE)
		d->capacity = banner->capacity;
	return banner && !d ? GS_NO_MEMORY : GS_OK;
}

static const char *const reasons[GS_NOT_REASONS] = {"host memory, not a GPU's",
	"the text says itself that this is no failure", "memory on the chip, not a GPU's main memory",
	"nothing says that a GPU's memory is meant", "a TPU's memory, not a GPU's",
	"it speaks of such messages; nothing failed there"};

/* That there is no message, and what looked like one: on one line. */
static void say_none(gs_oom_text *o)
{
	char text[512];
	size_t n = (size_t)snprintf(
		text, sizeof text, "no out-of-memory message of a GPU in this text");
	const char *between = " (";
	for (int r = 0; r < GS_NOT_REASONS; r++) {
		if (!o->nots[r])
			continue;
		n += (size_t)snprintf(text + n, sizeof text - n, "%sline %llu%s: %s", between,
			(unsigned long long)o->not_line[r], o->nots[r] > 1 ? " and others" : "", reasons[r]);
		between = "; ";
	}
	snprintf(text + n, sizeof text - n, "%s", *between == ';' ? ")" : "");
	gs_snapshot_warn(o->snapshot, "%s", text);
}

static void say(gs_oom_text *o)
{
	size_t repeats = 0;
	for (size_t i = 1; i < o->n; i++)
		repeats += o->finds[i].words == o->finds[i - 1].words &&
			o->finds[i].row.device == o->finds[i - 1].row.device;
	if (!o->n) {
		say_none(o);
		return;
	}
	for (int r = 0; r < GS_NOT_REASONS; r++)
		if (o->nots[r])
			gs_snapshot_warn(o->snapshot, "line %llu%s: %s; no row for it",
				(unsigned long long)o->not_line[r], o->nots[r] > 1 ? " and others" : "",
				reasons[r]);
	if (o->again)
		gs_snapshot_warn(o->snapshot, "%zu message%s shown again in another form; each is one row",
			o->again, o->again > 1 ? "s are" : " is");
	if (repeats)
		gs_snapshot_warn(o->snapshot,
			"%zu message%s the one before word for word: perhaps one failure printed twice",
			repeats, repeats > 1 ? "s repeat" : " repeats");
	if (o->more)
		gs_snapshot_warn(o->snapshot, "%zu further messages are left out", o->more);
	if (o->zoneless)
		gs_snapshot_warn(o->snapshot, "times in this log name no zone; they are taken as UTC");
}

/* A heading names the failure that the text goes on to tell. */
static void drop_headings(gs_oom_text *o)
{
	size_t kept = 0, told = 0;
	for (size_t i = 0; i < o->n; i++)
		told += !o->finds[i].heading;
	for (size_t i = 0; i < o->n && told; i++)
		if (!o->finds[i].heading)
			o->finds[kept++] = o->finds[i];
	o->n = told ? kept : o->n;
}

gs_status gs_oom_text_finish(gs_oom_text *o, gs_error *err)
{
	drop_headings(o);
	if (o->n)
		qsort(o->finds, o->n, sizeof *o->finds, by_device);
	for (size_t i = 0; i < o->n; i++)
		if (add_find(o, &o->finds[i]) || add_banner(o, o->finds[i].row.device))
			return gs_fail(err, GS_NO_MEMORY, "no memory for %zu messages", o->n);
	say(o);
	return GS_OK;
}
