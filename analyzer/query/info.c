/* What a snapshot is, what it holds, and what it cannot tell. */
#include "analyzer/query/info.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "schema/size.h"

static const gs_column columns[] = {
	{"path", GS_UNIT_NONE},
	{"kind", GS_UNIT_NONE},
	{"library", GS_UNIT_NONE},
	{"tool", GS_UNIT_NONE},
	{"release", GS_UNIT_NONE},
	{"rules", GS_UNIT_NONE},
	{"host", GS_UNIT_NONE},
	{"pid", GS_UNIT_NONE},
	{"rank", GS_UNIT_NONE},
	{"time_us", GS_UNIT_TIME},
	{"driver", GS_UNIT_NONE},
	{"argv", GS_UNIT_NONE},
	{"devices", GS_UNIT_NONE},
	{"segments", GS_UNIT_NONE},
	{"blocks", GS_UNIT_NONE},
	{"events", GS_UNIT_NONE},
	{"dropped", GS_UNIT_NONE},
	{"first_event_us", GS_UNIT_TIME},
	{"last_event_us", GS_UNIT_TIME},
	{"ooms", GS_UNIT_NONE},
	{"stacks", GS_UNIT_NONE},
	{"frames", GS_UNIT_NONE},
	{"settings", GS_UNIT_NONE},
	{"complete", GS_UNIT_BOOLEAN},
	{"cut_at", GS_UNIT_NONE},
	{"sha256", GS_UNIT_NONE},
	{"cannot_tell", GS_UNIT_NONE},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

typedef struct counts {
	uint64_t segments, blocks, dropped;
	int64_t events;
	int64_t first_us, last_us; /* of the events; GS_NONE unknown */
	bool dropped_known;        /* whether events were lost before the first one kept */
	bool layout, capacity, device_free, requested, held, times, all;
} counts;

/* Events of a device ascend in time. */
static void count_times(const gs_trace *t, counts *c)
{
	int64_t first = t->first && t->nfigures ? t->figures[0].from_us
		: t->n                              ? t->events[0].time_us
											: GS_NONE;
	int64_t last = t->n ? t->events[t->n - 1].time_us : GS_NONE;
	if (first != GS_NONE && (c->first_us == GS_NONE || first < c->first_us))
		c->first_us = first;
	if (last != GS_NONE && (c->last_us == GS_NONE || last > c->last_us))
		c->last_us = last;
}

static counts count(const gs_snapshot *s)
{
	counts c = {.events = s->ndevices || !s->lost ? 0 : GS_NONE,
		.first_us = GS_NONE,
		.last_us = GS_NONE,
		.dropped_known = true,
		.all = true};
	for (size_t i = 0; i < s->ndevices; i++) {
		const gs_device *d = &s->devices[i];
		c.segments += d->captured.nsegments;
		c.blocks += d->captured.nblocks;
		int64_t events = gs_snapshot_events(s, d);
		c.events = events == GS_NONE || c.events == GS_NONE ? GS_NONE : c.events + events;
		c.dropped += d->trace.dropped;
		c.layout |= d->has_layout;
		c.capacity |= d->capacity != GS_NONE;
		c.device_free |= d->device_free != GS_NONE;
		c.times |= d->trace.n && d->trace.events[d->trace.n - 1].time_us != GS_NONE;
		c.dropped_known &= !d->trace.n || d->trace.dropped || d->trace.complete != -1;
		count_times(&d->trace, &c);
		c.all &= d->trace.complete == 1 || (d->trace.first && !d->trace.dropped);
	}
	for (size_t i = 0; i < s->nooms; i++) {
		c.capacity |= s->ooms[i].capacity != GS_NONE;
		c.device_free |= s->ooms[i].device_free != GS_NONE;
		c.requested |= s->ooms[i].requested != GS_NONE;
		c.held |= s->ooms[i].allocated != GS_NONE || s->ooms[i].reserved != GS_NONE;
	}
	return c;
}

/* "device 0 (NVIDIA H200, 139.8 GiB); device 1" */
static void device_text(const gs_snapshot *s, char *buf, size_t cap)
{
	size_t at = 0;
	buf[0] = 0;
	for (size_t i = 0; i < s->ndevices && at + 200 < cap; i++) {
		const gs_device *d = &s->devices[i];
		char size[32] = "", number[32] = "one of unknown number";
		if (d->capacity != GS_NONE)
			gs_size_format(size, sizeof size, (uint64_t)d->capacity);
		bool host = gs_device_is_host(s, d);
		if (host)
			snprintf(number, sizeof number, "%d: pinned memory of the host", d->device);
		else if (d->device >= 0)
			snprintf(number, sizeof number, "device %d", d->device);
		at += (size_t)snprintf(buf + at, cap - at, "%s%s", i ? "; " : "", number);
		if (!host && (d->name || *size))
			at += (size_t)snprintf(buf + at, cap - at, " (%.100s%s%s)", gs_string_text(s, d->name),
				d->name && *size ? ", " : "", size);
	}
}

/* "2.8 to 2.12", "2.8 or later": which releases of PyTorch may have written the file. */
static void release_text(const gs_snapshot *s, char *buf, size_t cap)
{
	const char *min = s->release_min, *max = s->release_max;
	buf[0] = 0;
	if (min && max && !strcmp(min, max))
		snprintf(buf, cap, "%s", min);
	else if (min && max)
		snprintf(buf, cap, "%s to %s", min, max);
	else if (min || max)
		snprintf(buf, cap, "%s or %s", min ? min : max, min ? "later" : "earlier");
}

static void add_unknown(char *buf, size_t cap, bool missing, const char *text)
{
	size_t at = strlen(buf);
	if (missing)
		snprintf(buf + at, cap - at, "%s%s", at ? "; " : "", text);
}

static void unknowns(const gs_snapshot *s, const counts *c, char *buf, size_t cap)
{
	buf[0] = 0;
	add_unknown(buf, cap, !c->layout,
		s->lost         ? "segments and blocks"
			: s->stream ? "segments and blocks of its end (of any moment: --state)"
						: "segments and blocks (a text tells sums only)");
	add_unknown(
		buf, cap, c->layout && !c->events, "how it came to be so (no events were recorded)");
	add_unknown(buf, cap, c->dropped > 0,
		s->stream
			? "what happened before the first event kept (the stream was bounded, or began late)"
			: "what happened before the first event kept (the ring overflowed)");
	add_unknown(buf, cap, c->events > 0 && !c->dropped && !c->all && s->kind == GS_KIND_PYTORCH,
		"whether events before the first one are missing");
	add_unknown(buf, cap, c->events > 0 && !s->events_skipped && !c->times,
		"when it happened (events have no time)");
	add_unknown(
		buf, cap, c->layout && s->nstacks <= 1, "which code allocated (no stacks were recorded)");
	add_unknown(buf, cap, s->nooms && !c->requested, "the size asked for");
	add_unknown(buf, cap, s->nooms && !c->layout && !c->held, "how much was held");
	add_unknown(buf, cap, !c->capacity, "the device's capacity (--capacity gives it)");
	add_unknown(buf, cap, !c->device_free, "how much of the device was free");
	add_unknown(buf, cap, !s->complete, "what stood behind the cut");
}

static gs_status put_device(gs_emitter *e, const gs_snapshot *s, gs_error *err)
{
	char devices[2048], cannot[1024], release[64];
	counts c = count(s);
	device_text(s, devices, sizeof devices);
	release_text(s, release, sizeof release);
	unknowns(s, &c, cannot, sizeof cannot);
	const gs_value row[COLUMNS] = {
		gs_value_text(s->path),
		gs_value_text(gs_kind_text(s->kind)),
		gs_value_text(s->library),
		gs_value_text(s->tool),
		gs_value_text(*release ? release : NULL),
		gs_value_text(s->rules),
		gs_value_text(s->host),
		gs_value_int(s->pid),
		gs_value_int(s->rank),
		gs_value_int(s->time_us),
		gs_value_text(s->driver),
		gs_value_text(s->argv),
		gs_value_text(*devices ? devices : NULL),
		c.layout ? gs_value_int((int64_t)c.segments) : gs_value_int(GS_NONE),
		c.layout ? gs_value_int((int64_t)c.blocks) : gs_value_int(GS_NONE),
		gs_value_int(c.events),
		c.dropped_known ? gs_value_int((int64_t)c.dropped) : gs_value_int(GS_NONE),
		gs_value_int(c.first_us),
		gs_value_int(c.last_us),
		gs_value_int(gs_snapshot_failures(s, NULL)),
		gs_value_int(s->nstacks ? s->nstacks - 1 : 0),
		gs_value_int(s->nframes ? s->nframes - 1 : 0),
		gs_value_int(s->lost & GS_LOST_SETTINGS ? GS_NONE : (int64_t)s->nsettings),
		gs_value_int(s->complete),
		s->complete ? gs_value_int(GS_NONE) : gs_value_int((int64_t)s->cut_at),
		s->sha256[0] ? gs_value_text(s->sha256) : gs_value_text(NULL),
		gs_value_text(*cannot ? cannot : NULL),
	};
	gs_status status = gs_emit_row(e, row, err);
	return status == GS_END ? GS_OK : status;
}

/* --- for people ------------------------------------------------------------------------------ */

static void say_time(gs_prose *p, int64_t us)
{
	time_t seconds = (time_t)(us / 1000000);
	char text[32];
	struct tm t;
	if (gmtime_r(&seconds, &t) && strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &t))
		gs_say(p, "%s", text);
}

static void write_row(FILE *out, const gs_voice *voice, const char *label, gs_prose *p)
{
	if (p->n)
		gs_prose_row(out, voice, label, p, NULL);
	gs_prose_clear(p);
}

static void write_origin(FILE *out, const gs_voice *voice, const gs_snapshot *s)
{
	char release[64];
	gs_prose p;
	gs_prose_clear(&p);
	release_text(s, release, sizeof release);
	if (s->tool)
		gs_say_foreign(&p, voice, s->tool);
	if (*release)
		gs_say(&p, "%s%s, as its keys tell", p.n ? " " : "PyTorch ", release);
	if (s->rules)
		gs_say(&p, "%srules of %s", p.n ? ", " : "", s->rules);
	write_row(out, voice, "made by", &p);
	if (s->host)
		gs_say_foreign(&p, voice, s->host);
	if (s->pid != GS_NONE)
		gs_say(&p, "%sprocess %lld", p.n ? ", " : "", (long long)s->pid);
	if (s->rank != GS_NONE)
		gs_say(&p, "%srank %lld", p.n ? ", " : "", (long long)s->rank);
	if (s->driver)
		gs_say(&p, "%sdriver %s", p.n ? ", " : "", s->driver);
	write_row(out, voice, "on", &p);
	if (s->argv)
		gs_say_foreign(&p, voice, s->argv);
	write_row(out, voice, "command", &p);
	if (s->time_us != GS_NONE)
		say_time(&p, s->time_us);
	write_row(out, voice, "written", &p);
}

/* How long it took, in a unit that leaves digits before the point. */
static void say_span(gs_prose *p, int64_t us)
{
	double seconds = (double)us / 1e6;
	if (us < 1000)
		gs_say(p, " UTC (%lld us)", (long long)us);
	else if (us < 1000000)
		gs_say(p, " UTC (%.3g ms)", seconds * 1000);
	else if (seconds < 600)
		gs_say(p, " UTC (%.3g s)", seconds);
	else
		gs_say(p, " UTC (%.0f minutes)", seconds / 60);
}

static void write_events(FILE *out, const gs_voice *voice, const gs_snapshot *s, const counts *c)
{
	gs_prose p;
	gs_prose_clear(&p);
	if (c->events == GS_NONE)
		return;
	if (!c->events) {
		gs_say(&p, "none were recorded");
	} else {
		gs_say(&p, "%lld", (long long)c->events);
		if (c->first_us != GS_NONE && c->last_us != GS_NONE) {
			gs_say(&p, ", ");
			say_time(&p, c->first_us);
			if (c->last_us / 1000000 != c->first_us / 1000000) {
				gs_say(&p, " to ");
				say_time(&p, c->last_us);
			}
			say_span(&p, c->last_us - c->first_us);
		}
		if (c->dropped)
			gs_say(&p, "; %llu older ones were dropped", (unsigned long long)c->dropped);
		else if (s->stream)
			gs_say(&p, "; the recording begins with the first one");
		else if (!c->dropped_known)
			gs_say(&p, "; whether older ones were dropped is not recorded");
	}
	write_row(out, voice, "events", &p);
}

static void write_content(FILE *out, const gs_voice *voice, const gs_snapshot *s, const counts *c)
{
	char devices[2048];
	int64_t failures = gs_snapshot_failures(s, NULL);
	gs_prose p;
	gs_prose_clear(&p);
	device_text(s, devices, sizeof devices);
	gs_say_foreign(
		&p, voice, strncmp(devices, "device ", 7) || s->ndevices > 1 ? devices : devices + 7);
	write_row(out, voice, s->ndevices > 1 ? "devices" : "device", &p);
	if (c->layout) {
		gs_say_count(&p, c->segments, "segment");
		gs_say(&p, ", ");
		gs_say_count(&p, c->blocks, "block");
	}
	write_row(out, voice, "layout", &p);
	write_events(out, voice, s, c);
	gs_say(&p, failures ? "" : "none");
	if (failures > 0)
		gs_say_count(&p, (uint64_t)failures, "out-of-memory");
	write_row(out, voice, "failures", &p);
	if (s->nstacks > 1) {
		gs_say(&p, "%u, of ", s->nstacks - 1);
		gs_say_count(&p, s->nframes ? s->nframes - 1 : 0, "frame");
	}
	write_row(out, voice, "stacks", &p);
	if (!(s->lost & GS_LOST_SETTINGS) && s->nsettings)
		gs_say(&p, "%zu recorded", (size_t)s->nsettings);
	write_row(out, voice, "settings", &p);
}

void gs_info_print(const gs_snapshot *s, const gs_voice *voice, FILE *out)
{
	char cannot[1024];
	counts c = count(s);
	gs_prose p;
	gs_prose_clear(&p);
	gs_say(&p, "%s", gs_kind_text(s->kind));
	if (s->library && strcmp(s->library, gs_kind_text(s->kind)))
		gs_say(&p, " of %s", s->library);
	gs_say(&p, ": ");
	gs_say_foreign(&p, voice, s->path ? s->path : "standard input");
	gs_prose_write(out, voice, 0, GS_ROW_MARGIN, p.text, s->complete ? NULL : "(cut)");
	gs_prose_clear(&p);
	write_origin(out, voice, s);
	write_content(out, voice, s, &c);
	if (!s->complete)
		gs_say(&p, "at byte %llu", (unsigned long long)s->cut_at);
	write_row(out, voice, "cut", &p);
	gs_say(&p, "%s", s->sha256);
	write_row(out, voice, "sha256", &p);
	unknowns(s, &c, cannot, sizeof cannot);
	gs_say(&p, "%s", cannot);
	write_row(out, voice, "not told", &p);
}

gs_status gs_info_emit(const gs_snapshot *snapshots, size_t n, gs_format format,
	const gs_emit_head *head, FILE *out, uint64_t *left, gs_error *err)
{
	gs_emit_head own = *head;
	gs_emitter *e = NULL;
	own.query = "info";
	own.columns = columns;
	own.ncolumns = COLUMNS;
	own.complete = true;
	own.upright = true;
	for (size_t i = 0; i < n; i++)
		own.complete &= snapshots[i].complete;
	gs_status status = gs_emit_open(out, format, &own, &e, err);
	for (size_t i = 0; i < n && !status; i++)
		status = put_device(e, &snapshots[i], err);
	if (e)
		gs_emit_close(e, status != GS_OK, left);
	return status;
}
