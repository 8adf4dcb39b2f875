#include "analyzer/export/perfetto.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/export/protobuf.h"
#include "analyzer/meaning/recording.h"
#include "analyzer/model/frames.h"

/* Numbers of fields, by message, as perfetto_trace.proto gives them. */
enum { TRACE_PACKET = 1 };
enum {
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_TRACK = 60
};
enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_PARENT = 5, TRACK_COUNTER = 8 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { COUNTER_UNIT = 3, UNIT_BYTES = 3 };
enum {
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_ID = 10,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_COUNTER = 30
};
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum { ANNOTATION_NAME_ID = 1, ANNOTATION_UINT = 3, ANNOTATION_POINTER = 7 };
enum { INTERNED_EVENT_NAMES = 2, INTERNED_ANNOTATION_NAMES = 3 };
enum { NAME_ID = 1, NAME_TEXT = 2 };

/* Names of a slice's figures. */
enum { FIGURE_SIZE = 1, FIGURE_ADDRESS, FIGURE_EVENT, FIGURES };
static const char *const figures[FIGURES] = {NULL, "size", "address", "event"};

/* Tracks of a device follow each other from device × TRACKS + 1. */
enum { TRACK_ALLOCATED = 1, TRACK_RESERVED, TRACK_STEPS, TRACK_MARKS, TRACK_LANES, TRACKS = 4096 };
enum { SEQUENCE = 1, PROCESS_TRACK = 1 };

typedef struct trace {
	const gs_snapshot *s;
	FILE *out;
	gs_proto packet, body, part, name; /* nested: packet holds body holds part holds name */
	bool failed;
	/* of the device at hand */
	const gs_device *device;
	const gs_history *history;
	uint64_t base;  /* before the numbers of its tracks */
	bool timed;     /* all its events tell their time */
	int32_t lanes;  /* that its slices take */
	uint64_t least; /* slices are for allocations of this size and more */
	uint64_t *busy; /* bits: lanes that are taken */
	int32_t *lane;  /* by event: that its allocation took, -1 none */
} trace;

static uint64_t time_ns(const trace *t, size_t i)
{
	return t->timed ? (uint64_t)t->device->trace.events[i].time_us * 1000 : (uint64_t)i * 1000;
}

/* --- packets -----------------------------------------------------------------------------------
 */

static void begin_packet(trace *t, unsigned flags)
{
	gs_proto_clear(&t->packet);
	gs_proto_number(&t->packet, PACKET_SEQUENCE, SEQUENCE);
	gs_proto_number(&t->packet, PACKET_FLAGS, flags);
}

static void end_packet(trace *t)
{
	gs_proto head = {0};

	t->failed |= t->packet.failed;
	gs_proto_message(&head, TRACE_PACKET, &t->packet);
	t->failed |= head.failed;
	if (!t->failed)
		fwrite(head.bytes, 1, head.n, t->out);
	gs_proto_release(&head);
}

static void put_track(trace *t, uint64_t uuid, uint64_t parent, const char *name, bool counter)
{
	begin_packet(t, FLAG_NEEDS_STATE);
	gs_proto_clear(&t->body);
	gs_proto_number(&t->body, TRACK_UUID, uuid);
	gs_proto_text(&t->body, TRACK_NAME, name);
	gs_proto_number(&t->body, TRACK_PARENT, parent);
	if (counter) {
		gs_proto_clear(&t->part);
		gs_proto_number(&t->part, COUNTER_UNIT, UNIT_BYTES);
		gs_proto_message(&t->body, TRACK_COUNTER, &t->part);
	}
	gs_proto_message(&t->packet, PACKET_TRACK, &t->body);
	end_packet(t);
}

static void begin_event(trace *t, uint64_t ns, unsigned type, uint64_t track)
{
	begin_packet(t, FLAG_NEEDS_STATE);
	gs_proto_number(&t->packet, PACKET_TIMESTAMP, ns);
	gs_proto_clear(&t->body);
	gs_proto_number(&t->body, EVENT_TYPE, type);
	gs_proto_number(&t->body, EVENT_TRACK, track);
}

static void end_event(trace *t)
{
	gs_proto_message(&t->packet, PACKET_EVENT, &t->body);
	end_packet(t);
}

static void put_figure(trace *t, unsigned name, unsigned type, uint64_t value)
{
	gs_proto_clear(&t->part);
	gs_proto_number(&t->part, ANNOTATION_NAME_ID, name);
	gs_proto_number(&t->part, type, value);
	gs_proto_message(&t->body, EVENT_ANNOTATION, &t->part);
}

/* --- what all devices share --------------------------------------------------------------------
 */

static void intern(trace *t, unsigned kind, uint64_t id, const char *text)
{
	gs_proto_clear(&t->name);
	gs_proto_number(&t->name, NAME_ID, id);
	gs_proto_text(&t->name, NAME_TEXT, text);
	gs_proto_message(&t->body, kind, &t->name);
}

/* The slices' names: the frame that people look for, by its id; the last stands for no stack. */
static void put_names(trace *t)
{
	char text[512];

	begin_packet(t, FLAG_CLEARED);
	gs_proto_clear(&t->body);
	for (gs_id i = 1; i < t->s->nframes; i++) {
		gs_frame_text(t->s, i, text, sizeof text);
		intern(t, INTERNED_EVENT_NAMES, i, *text ? text : "?");
	}
	intern(t, INTERNED_EVENT_NAMES, (uint64_t)t->s->nframes + 1, "(no stack recorded)");
	for (unsigned i = 1; i < FIGURES; i++)
		intern(t, INTERNED_ANNOTATION_NAMES, i, figures[i]);
	gs_proto_message(&t->packet, PACKET_INTERNED, &t->body);
	end_packet(t);
}

static void put_process(trace *t)
{
	const gs_snapshot *s = t->s;

	begin_packet(t, FLAG_NEEDS_STATE);
	gs_proto_clear(&t->body);
	gs_proto_clear(&t->part);
	gs_proto_number(&t->part, PROCESS_PID, s->pid > 0 ? (uint64_t)s->pid & INT32_MAX : 1);
	gs_proto_text(&t->part, PROCESS_NAME, s->argv ? s->argv : s->path ? s->path : "a snapshot");
	gs_proto_number(&t->body, TRACK_UUID, PROCESS_TRACK);
	gs_proto_message(&t->body, TRACK_PROCESS, &t->part);
	gs_proto_message(&t->packet, PACKET_TRACK, &t->body);
	end_packet(t);
}

/* --- lanes -------------------------------------------------------------------------------------
 */

static bool is_free(gs_action action, const gs_history *h, size_t i)
{
	return (action == GS_ACTION_FREE_COMPLETED || action == GS_ACTION_FREE_REQUESTED) &&
		h->births[i] >= 0;
}

/* The most allocations of at least this size that live at once, of those born in the trace. */
static size_t most_live(const trace *t, uint64_t least, uint8_t *live)
{
	const gs_history *h = t->history;
	size_t now = 0, most = 0;

	memset(live, 0, h->n);
	for (size_t i = 0; i < h->n; i++) {
		gs_action action = gs_event_action(&t->device->trace.events[i]);
		if (action == GS_ACTION_ALLOC && gs_history_size(h, i) >= least) {
			live[i] = 1;
			most = ++now > most ? now : most;
		} else if (is_free(action, h, i) && live[h->births[i]]) {
			live[h->births[i]] = 0;
			now--;
		}
	}
	return most;
}

static bool all_timed(const gs_trace *events)
{
	for (size_t i = 0; i < events->n; i++)
		if (events->events[i].time_us < 0)
			return false;
	return true;
}

/* Sets the least size whose allocations fit the lanes. */
static gs_status choose_least(trace *t, gs_error *err)
{
	uint8_t *live = malloc(t->history->n + 1);

	if (!live)
		return gs_fail(err, GS_NO_MEMORY, "lanes of %zu events", t->history->n);
	t->least = 0;
	size_t most = most_live(t, 0, live);
	while (most > GS_PERFETTO_LANES) {
		t->least = t->least ? t->least * 2 : 1024;
		most = most_live(t, t->least, live);
	}
	t->lanes = (int32_t)most;
	free(live);
	return GS_OK;
}

static int32_t take_lane(trace *t)
{
	for (int32_t word = 0; word < (GS_PERFETTO_LANES + 63) / 64; word++)
		for (int32_t bit = 0; ~t->busy[word] && bit < 64; bit++)
			if (!(t->busy[word] >> bit & 1)) {
				t->busy[word] |= UINT64_C(1) << bit;
				return word * 64 + bit;
			}
	return -1;
}

static uint64_t lane_track(const trace *t, int32_t lane)
{
	return t->base + TRACK_LANES + (uint64_t)lane;
}

/* --- a device ----------------------------------------------------------------------------------
 */

static void put_counter(trace *t, size_t i, unsigned track, uint64_t value)
{
	begin_event(t, time_ns(t, i), TYPE_COUNTER, t->base + track);
	gs_proto_number(&t->body, EVENT_COUNTER, value);
	end_event(t);
}

static void put_birth(trace *t, size_t i)
{
	const gs_event *e = &t->device->trace.events[i];
	gs_id frame = gs_stack_user_frame(t->s, e->stack);

	if (gs_history_size(t->history, i) < t->least || (t->lane[i] = take_lane(t)) < 0)
		return;
	begin_event(t, time_ns(t, i), TYPE_BEGIN, lane_track(t, t->lane[i]));
	gs_proto_number(&t->body, EVENT_NAME_ID, frame ? frame : (uint64_t)t->s->nframes + 1);
	put_figure(t, FIGURE_SIZE, ANNOTATION_UINT, gs_history_size(t->history, i));
	put_figure(t, FIGURE_ADDRESS, ANNOTATION_POINTER, e->address);
	put_figure(t, FIGURE_EVENT, ANNOTATION_UINT, i);
	end_event(t);
}

static void put_death(trace *t, size_t birth, uint64_t ns)
{
	int32_t lane = t->lane[birth];

	if (lane < 0)
		return;
	begin_event(t, ns, TYPE_END, lane_track(t, lane));
	end_event(t);
	t->busy[lane / 64] &= ~(UINT64_C(1) << lane % 64);
	t->lane[birth] = -1;
}

static void put_failure(trace *t, size_t i)
{
	begin_event(t, time_ns(t, i), TYPE_INSTANT, t->base + TRACK_MARKS);
	gs_proto_text(&t->body, EVENT_NAME, "out of memory");
	put_figure(t, FIGURE_SIZE, ANNOTATION_UINT, t->device->trace.events[i].size);
	put_figure(t, FIGURE_EVENT, ANNOTATION_UINT, i);
	end_event(t);
}

static void put_event(
	trace *t, size_t i, const gs_running_totals *before, const gs_running_totals *after)
{
	gs_action action = gs_event_action(&t->device->trace.events[i]);

	if (action == GS_ACTION_ALLOC)
		put_birth(t, i);
	else if (is_free(action, t->history, i))
		put_death(t, (size_t)t->history->births[i], time_ns(t, i));
	else if (action == GS_ACTION_OOM)
		put_failure(t, i);
	if (!i || before->allocated != after->allocated)
		put_counter(t, i, TRACK_ALLOCATED, after->allocated);
	if (!i || before->reserved != after->reserved)
		put_counter(t, i, TRACK_RESERVED, after->reserved);
}

static void put_tracks(trace *t)
{
	char name[80];
	int32_t device = t->device->device;
	static const struct {
		unsigned track;
		bool counter;
		const char *name;
	} tracks[] = {{TRACK_ALLOCATED, true, "allocated"}, {TRACK_RESERVED, true, "reserved"},
		{TRACK_STEPS, false, "steps"}, {TRACK_MARKS, false, "marks"}};

	for (size_t i = 0; i < sizeof tracks / sizeof *tracks; i++) {
		snprintf(name, sizeof name, "device %d %s", device, tracks[i].name);
		put_track(t, t->base + tracks[i].track, PROCESS_TRACK, name, tracks[i].counter);
	}
	snprintf(name, sizeof name, "device %d allocations", device);
	for (int32_t i = 0; i < t->lanes; i++)
		put_track(t, lane_track(t, i), PROCESS_TRACK, name, false);
}

static void put_events(trace *t)
{
	const gs_history *h = t->history;
	gs_running_totals before, after;

	gs_running_totals_start(h, &after);
	for (size_t i = 0; i < h->n; i++) {
		before = after;
		gs_running_totals_step(h, i, &after);
		put_event(t, i, &before, &after);
	}
	for (size_t i = 0; i < h->n; i++) /* what still lives ends with the recording */
		if (t->lane[i] >= 0)
			put_death(t, i, time_ns(t, h->n - 1) + 1000);
}

static void put_annotations(trace *t)
{
	for (size_t i = 0; i < t->s->nannotations; i++) {
		const gs_annotation *a = &t->s->annotations[i];
		if (a->device != t->device->device || !t->timed || a->time_us < 0)
			continue;
		begin_event(t, (uint64_t)a->time_us * 1000, TYPE_INSTANT, t->base + TRACK_MARKS);
		gs_proto_text(&t->body, EVENT_NAME, gs_string_text(t->s, a->name));
		end_event(t);
	}
}

static void put_steps(trace *t, const gs_meaning *m)
{
	for (size_t i = 0; i < m->nsteps; i++) {
		const gs_phase_step *step = &m->steps[i];
		uint64_t end = time_ns(t, (size_t)step->last_idx);
		begin_event(t, time_ns(t, (size_t)step->first_idx), TYPE_BEGIN, t->base + TRACK_STEPS);
		gs_proto_text(&t->body, EVENT_NAME, step->name);
		end_event(t);
		begin_event(t, end, TYPE_END, t->base + TRACK_STEPS);
		end_event(t);
	}
}

static gs_status put_device(trace *t, const gs_device *d, size_t number, gs_error *err)
{
	gs_recording r;
	gs_recording_init(&r, t->s, d, NULL);
	gs_status status = gs_recording_need_meaning(&r, err);

	t->device = d;
	t->history = &r.history;
	t->timed = all_timed(&d->trace);
	t->base = (uint64_t)(number + 1) * TRACKS;
	t->busy = calloc((GS_PERFETTO_LANES + 63) / 64, sizeof *t->busy);
	t->lane = malloc((d->trace.n + 1) * sizeof *t->lane);
	if (!status && (!t->busy || !t->lane))
		status = gs_fail(err, GS_NO_MEMORY, "lanes of %zu events", d->trace.n);
	if (!status)
		status = choose_least(t, err);
	if (!status) {
		memset(t->lane, 0xff, (d->trace.n + 1) * sizeof *t->lane);
		put_tracks(t);
		put_events(t);
		put_annotations(t);
		put_steps(t, &r.meaning);
	}
	free(t->busy);
	free(t->lane);
	gs_recording_release(&r);
	return status;
}

gs_status gs_export_perfetto(
	const gs_snapshot *s, int64_t device, FILE *out, uint64_t *least_slice, gs_error *err)
{
	trace t = {.s = s, .out = out};
	gs_status status = GS_OK;
	uint64_t least = 0;
	size_t shown = 0;

	put_names(&t);
	put_process(&t);
	for (size_t i = 0; i < s->ndevices && !status; i++) {
		if (!s->devices[i].trace.n || (device != GS_NONE && s->devices[i].device != device))
			continue;
		shown++;
		status = put_device(&t, &s->devices[i], i, err);
		least = t.least > least ? t.least : least;
	}
	if (!status && !shown)
		status = gs_fail(err, GS_NOT_FOUND, "it has no events%s to make a trace of",
			device == GS_NONE ? "" : " of that device");
	if (!status && t.failed)
		status = gs_fail(err, GS_NO_MEMORY, "writing a trace");
	if (least_slice)
		*least_slice = least;
	gs_proto_release(&t.packet);
	gs_proto_release(&t.body);
	gs_proto_release(&t.part);
	gs_proto_release(&t.name);
	return status;
}
