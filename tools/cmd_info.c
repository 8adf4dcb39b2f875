/* gpusnap info: what a file is, what it holds, and what it cannot tell. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/open/input.h"
#include "schema/size.h"
#include "tools/command.h"
#include "tools/inputs.h"
#include "tools/message.h"
#include "tools/options.h"
#include "tools/output.h"

static const gs_column columns[] = {
	{"path", GS_UNIT_NONE},
	{"kind", GS_UNIT_NONE},
	{"library", GS_UNIT_NONE},
	{"tool", GS_UNIT_NONE},
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
	bool layout, capacity, device_free, requested, held, times, all;
} counts;

static counts count(const gs_snapshot *s)
{
	counts c = {0, 0, 0, s->ndevices || !s->lost ? 0 : GS_NONE, false, false, false, false, false,
		false, true};
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
		c.all &= d->trace.complete == 1;
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
		if (d->device >= 0)
			snprintf(number, sizeof number, "device %d", d->device);
		at += (size_t)snprintf(buf + at, cap - at, "%s%s", i ? "; " : "", number);
		if (d->name || *size)
			at += (size_t)snprintf(buf + at, cap - at, " (%.100s%s%s)", gs_string_text(s, d->name),
				d->name && *size ? ", " : "", size);
	}
}

static void add(char *buf, size_t cap, bool missing, const char *text)
{
	size_t at = strlen(buf);
	if (missing)
		snprintf(buf + at, cap - at, "%s%s", at ? "; " : "", text);
}

static void unknowns(const gs_snapshot *s, const counts *c, char *buf, size_t cap)
{
	buf[0] = 0;
	add(buf, cap, !c->layout,
		s->lost ? "segments and blocks" : "segments and blocks (a text tells sums only)");
	add(buf, cap, c->layout && !c->events, "how it came to be so (no events were recorded)");
	add(buf, cap, c->dropped > 0,
		"what happened before the first event kept (the ring overflowed)");
	add(buf, cap, c->events > 0 && !c->dropped && !c->all && s->kind == GS_KIND_PYTORCH,
		"whether events before the first one are missing");
	add(buf, cap, c->events > 0 && !s->events_skipped && !c->times,
		"when it happened (events have no time)");
	add(buf, cap, c->layout && s->nstacks <= 1, "which code allocated (no stacks were recorded)");
	add(buf, cap, s->nooms && !c->requested, "the size asked for");
	add(buf, cap, s->nooms && !c->layout && !c->held, "how much was held");
	add(buf, cap, !c->capacity, "the device's capacity (--capacity gives it)");
	add(buf, cap, !c->device_free, "how much of the device was free");
	add(buf, cap, !s->complete, "what stood behind the cut");
}

static gs_status put(gs_emitter *e, const gs_snapshot *s, gs_error *err)
{
	char devices[2048], cannot[1024];
	counts c = count(s);
	device_text(s, devices, sizeof devices);
	unknowns(s, &c, cannot, sizeof cannot);
	const gs_value row[COLUMNS] = {
		gs_value_text(s->path),
		gs_value_text(gs_kind_text(s->kind)),
		gs_value_text(s->library),
		gs_value_text(s->tool),
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
		gs_value_int((int64_t)c.dropped),
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

static int print(const gs_input *input, const gs_common *common)
{
	gs_error err = GS_ERROR_INIT;
	gs_emitter *e = NULL;
	uint64_t left = 0;
	bool complete = true;
	for (size_t i = 0; i < input->n; i++)
		complete &= input->snapshots[i].complete;
	gs_emit_head head = {"info", NULL, complete, columns, COLUMNS, gs_output_limit(common),
		gs_output_width(), true, NULL};
	gs_status status = gs_emit_open(stdout, gs_output_format_of(common), &head, &e, &err);
	for (size_t i = 0; i < input->n && !status; i++)
		status = put(e, &input->snapshots[i], &err);
	if (e)
		gs_emit_close(e, status != GS_OK, &left, &err);
	if (!status)
		gs_output_left(left);
	return status ? gs_fail_file("info", &err, NULL) : GS_EXIT_DONE;
}

int gs_cmd_info(int argc, char **argv)
{
	gs_common common = GS_COMMON_INIT;
	const gs_option options[] = {
		{"rank", 0, GS_OPT_INT, &common.rank, "RANK", "only the snapshots of this rank"},
		GS_OPTIONS_RESULT(common), GS_OPTIONS_QUIET(common), GS_OPTIONS_END};
	gs_arguments arguments;
	gs_input input = GS_INPUT_INIT;
	int status = gs_options_parse(options, argc, argv, 0, GS_ANY_NUMBER, &arguments);
	if (status >= 0)
		return status;
	status = gs_inputs_open(&arguments, &common, GS_WANT_ALL | GS_WANT_PARTS, &input);
	if (status < 0)
		status = print(&input, &common);
	gs_input_release(&input);
	return status;
}
