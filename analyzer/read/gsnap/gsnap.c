/* The reader of .gsnap files: sections become columns of the model. Ids of the file are mapped once
 * for each string, frame and stack; events are converted a chunk at a time from decoded columns. */
#include "analyzer/read/gsnap/gsnap_internal.h"

#include <stdlib.h>
#include <string.h>

#include "schema/bytes.h"

static gs_status no_memory(gs_error *err) { return gs_fail(err, GS_NO_MEMORY, "out of memory"); }

/* --- small facts --- */

static const char *text_of(gs_snapshot *s, gs_span t, bool *failed)
{
	const char *copy = t.at ? gs_snapshot_text(s, t.at, t.n) : NULL;
	*failed |= t.at && !copy;
	return copy;
}

static gs_id string_of(gs_snapshot *s, gs_span t, bool *failed)
{
	gs_id id = t.at ? gs_snapshot_string(s, t.at, t.n) : 0;
	*failed |= t.at && !id;
	return id;
}

static gs_kind kind_of(gs_span origin)
{
	for (int k = GS_KIND_PYTORCH; k <= GS_KIND_TEXT; k++) {
		const char *word = gs_kind_text((gs_kind)k);
		if (origin.at && strlen(word) == origin.n && !memcmp(word, origin.at, origin.n))
			return (gs_kind)k;
	}
	return GS_KIND_GSNAP;
}

/* Arguments are kept apart by NUL bytes in the file, by blanks in the model. */
static const char *argv_of(gs_snapshot *s, gs_span t, bool *failed)
{
	char *copy = (char *)(uintptr_t)text_of(s, t, failed);
	for (uint32_t i = 0; copy && i < t.n; i++)
		if (!copy[i])
			copy[i] = ' ';
	return copy;
}

static gs_status add_process(gs_gsnap_reading *g, gs_error *err)
{
	gs_snapshot *s = g->snapshot;
	gs_row_process row;
	bool failed = false;
	gs_sections_row(g->sections, 0, &row);
	if (s->host)
		return GS_OK; /* a stream may tell again */
	s->host = text_of(s, row.host, &failed);
	s->tool = text_of(s, row.tool, &failed);
	s->argv = argv_of(s, row.argv, &failed);
	s->rules = text_of(s, row.rules, &failed);
	s->library = text_of(s, row.library, &failed);
	s->driver = text_of(s, row.driver, &failed);
	s->release_min = text_of(s, row.release_min, &failed);
	s->release_max = text_of(s, row.release_max, &failed);
	s->reason = text_of(s, row.reason, &failed);
	s->above = text_of(s, row.above, &failed);
	s->kind = kind_of(row.origin);
	s->pid = row.pid;
	s->rank = row.rank;
	s->time_us = row.time_us;
	if (row.incomplete) {
		s->complete = false;
		gs_snapshot_warn(s, "made from a file that was cut");
	}
	return failed ? no_memory(err) : GS_OK;
}

/* Indexes count from the first event that is read. */
static void set_window(gs_device *d, const gs_gsnap_window *window)
{
	d->trace.first = window->from;
	d->trace.skipped = window->events;
	if (window->from)
		d->trace.complete = 0;
	d->captured.idx = window->has_layout ? window->layout - (int64_t)window->from : GS_NONE;
}

static gs_status add_device(gs_gsnap_reading *g, uint32_t i, gs_error *err)
{
	gs_snapshot *s = g->snapshot;
	gs_row_device row;
	bool failed = false;
	gs_sections_row(g->sections, i, &row);
	bool known = gs_snapshot_find_device(s, row.device) != NULL;
	gs_device *d = gs_snapshot_device(s, row.device);
	if (!d)
		return no_memory(err);
	const gs_gsnap_window *window = gs_gsnap_window_of(&g->plan, row.device);
	bool other = window && !(window->has_layout && window->offset == g->section.offset);
	if (known && g->stream && (window ? other : d->captured.idx > row.idx))
		return GS_OK; /* another layout of it; out of order: not ours */
	if (g->stream && !row.no_layout && !other)
		gs_gsnap_begin_layout(g, d);
	d->name = string_of(s, row.name, &failed);
	d->capacity = row.capacity;
	d->device_free = row.device_free;
	d->allowed = row.allowed;
	d->others = row.others;
	d->reserved = row.reserved;
	d->allocated = row.allocated;
	d->has_layout = !row.no_layout && !other;
	d->layout_at_oom = row.layout_at_oom;
	d->trace.dropped = row.dropped;
	d->trace.complete = row.complete < -1 || row.complete > 1 ? -1 : (int)row.complete;
	d->captured.idx = row.idx;
	if (window)
		set_window(d, window);
	d->captured.exact = !row.inexact;
	size_t n = row.note.n < sizeof d->captured.note ? row.note.n : sizeof d->captured.note - 1;
	if (n)
		memcpy(d->captured.note, row.note.at, n);
	return failed ? no_memory(err) : GS_OK;
}

/* "DEVICE PID|- BYTES KNOWN<tab>HOLDER"; false where it is not that. */
static bool outsider_of(gs_snapshot *s, const char *text, gs_outsider *x)
{
	char *end, *at;
	long device = strtol(text, &end, 10);
	*x = (gs_outsider){.device = (int32_t)device, .pid = GS_NONE};
	if (end == text || *end != ' ' || device < 0 || device > INT32_MAX)
		return false;
	at = end + 1;
	if (*at != '-')
		x->pid = strtoll(at, &end, 10);
	else
		end = at + 1;
	if (end == at || *end != ' ' || (x->pid < 0 && x->pid != GS_NONE))
		return false;
	at = end + 1;
	x->bytes = strtoll(at, &end, 10);
	const char *tab = end == at || *end != ' ' ? NULL : strchr(end, '\t');
	if (!tab || x->bytes < 0)
		return false;
	x->known = gs_snapshot_string(s, end + 1, (size_t)(tab - end - 1));
	x->holder = gs_snapshot_string(s, tab + 1, strlen(tab + 1));
	return x->known && x->holder;
}

/* A stream tells again and again who holds memory beside the allocator: of each the last figure
 * counts. */
static bool is_told_again(const gs_gsnap_reading *g, const gs_outsider *x)
{
	enum { LOOKED_AT = 256 };
	gs_snapshot *s = g->snapshot;
	for (size_t i = 0; g->stream && i < s->noutsiders && i < LOOKED_AT; i++) {
		gs_outsider *o = &s->outsiders[i];
		if (o->device != x->device || o->pid != x->pid || o->holder != x->holder ||
			o->known != x->known)
			continue;
		o->bytes = x->bytes;
		return true;
	}
	return false;
}

static gs_status add_setting(gs_gsnap_reading *g, uint32_t i, gs_error *err)
{
	gs_row_setting row;
	bool failed = false;
	gs_sections_row(g->sections, i, &row);
	const char *name = text_of(g->snapshot, row.name, &failed),
			   *value = text_of(g->snapshot, row.value, &failed);
	gs_outsider outsider;
	if (!failed && name && value && !strcmp(name, "outside") &&
		outsider_of(g->snapshot, value, &outsider)) {
		if (is_told_again(g, &outsider))
			return GS_OK;
		return gs_snapshot_add_outsider(g->snapshot, &outsider) ? no_memory(err) : GS_OK;
	}
	if (failed || gs_snapshot_add_setting(g->snapshot, name ? name : "", value ? value : ""))
		return no_memory(err);
	return GS_OK;
}

static gs_status add_stat(gs_gsnap_reading *g, uint32_t i, gs_error *err)
{
	gs_row_stat row;
	gs_sections_row(g->sections, i, &row);
	gs_stat stat = {row.device, g->strings.ids[row.name], g->strings.ids[row.pool], row.current,
		row.peak, row.allocated, row.freed};
	return gs_snapshot_add_stat(g->snapshot, &stat) ? no_memory(err) : GS_OK;
}

static gs_status add_figures(gs_gsnap_reading *g, uint32_t i, gs_error *err)
{
	gs_row_figures row;
	gs_sections_row(g->sections, i, &row);
	gs_device *d = gs_snapshot_find_device(g->snapshot, row.device);
	if (!d)
		return GS_OK; /* of nothing that the file tells */
	const gs_run_figures figures = {row.first, row.events, row.from_us, row.until_us, row.allocated,
		row.pending, row.reserved, row.most_allocated, row.allocated_idx, row.most_reserved,
		row.reserved_idx, row.reserved_then, row.ooms, row.retries};
	return gs_trace_add_figures(&d->trace, &figures) ? no_memory(err) : GS_OK;
}

static gs_status add_annotation(gs_gsnap_reading *g, uint32_t i, gs_error *err)
{
	gs_row_annotation row;
	gs_sections_row(g->sections, i, &row);
	gs_annotation a = {
		g->strings.ids[row.name], g->strings.ids[row.stage], row.device, row.time_us};
	return gs_snapshot_add_annotation(g->snapshot, &a) ? no_memory(err) : GS_OK;
}

static gs_status add_warning(gs_gsnap_reading *g, uint32_t i, gs_error *err)
{
	gs_row_warning row;
	(void)err;
	gs_sections_row(g->sections, i, &row);
	gs_snapshot_warn(g->snapshot, "%.*s", (int)row.text.n, row.text.at ? row.text.at : "");
	return GS_OK;
}

static gs_status add_oom(gs_gsnap_reading *g, uint32_t i, gs_error *err)
{
	gs_row_oom row;
	bool failed = false;
	gs_sections_row(g->sections, i, &row);
	gs_oom *o = gs_snapshot_add_oom(g->snapshot);
	if (!o)
		return no_memory(err);
	o->device = row.device;
	const gs_device *d = gs_snapshot_find_device(g->snapshot, row.device);
	o->idx = row.idx >= 0 && d ? row.idx - (int64_t)d->trace.first : row.idx;
	o->number = row.idx;
	o->time_us = row.time_us;
	o->requested = row.requested;
	o->needed = row.needed;
	o->stream = row.stream;
	o->pool = (int8_t)row.pool;
	o->has_pool_id = row.has_pool_id;
	o->pool_id = row.pool_id;
	o->device_free = row.device_free;
	o->capacity = row.capacity;
	o->allocated = row.allocated;
	o->reserved = row.reserved;
	o->allowed = row.allowed;
	o->library = text_of(g->snapshot, row.library, &failed);
	o->message = text_of(g->snapshot, row.message, &failed);
	o->stack = gs_gsnap_stack(g, row.stack);
	o->told = (gs_oom_told){row.others, row.own, row.counted, row.private_free, row.pool_free,
		row.pool_largest, row.line, row.says};
	return failed ? no_memory(err) : GS_OK;
}

/* --- sections --- */

typedef gs_status (*add_row)(gs_gsnap_reading *g, uint32_t i, gs_error *err);

static const struct {
	unsigned want;
	add_row add;
} adders[GS_SECTION_KINDS] = {
	[GS_SECTION_DEVICE] = {0, add_device},
	[GS_SECTION_SETTING] = {0, add_setting},
	[GS_SECTION_STRING] = {0, gs_gsnap_add_string},
	[GS_SECTION_MODULE] = {GS_WANT_STACKS, gs_gsnap_add_module},
	[GS_SECTION_FRAME] = {GS_WANT_STACKS, gs_gsnap_add_frame},
	[GS_SECTION_STACK] = {GS_WANT_STACKS, gs_gsnap_add_stack},
	[GS_SECTION_TAG] = {0, gs_gsnap_add_tag},
	[GS_SECTION_SEGMENT] = {GS_WANT_LAYOUT, gs_gsnap_add_segment},
	[GS_SECTION_BLOCK] = {GS_WANT_LAYOUT, gs_gsnap_add_block},
	[GS_SECTION_STAT] = {0, add_stat},
	[GS_SECTION_OOM] = {0, add_oom},
	[GS_SECTION_ANNOTATION] = {0, add_annotation},
	[GS_SECTION_FIGURES] = {0, add_figures},
	[GS_SECTION_WARNING] = {0, add_warning},
};

static gs_status skip_events(gs_gsnap_reading *g, gs_error *err)
{
	gs_device *d = g->section.rows ? gs_snapshot_find_device(g->snapshot, g->section.device) : NULL;
	(void)err;
	if (d) {
		d->trace.skipped += g->section.rows;
		g->snapshot->events_skipped = true;
	}
	return GS_OK;
}

/* Whether the plan leaves the section out. */
static bool is_outside(const gs_gsnap_reading *g)
{
	const gs_section *s = &g->section;
	const gs_gsnap_window *w = g->plan.windows && s->rows ? gs_gsnap_window_of(&g->plan, s->device)
														  : NULL;
	if (!w)
		return false;
	if (s->kind == GS_SECTION_EVENT)
		return s->first + s->rows <= w->from || s->first >= w->to;
	bool layout = s->kind == GS_SECTION_SEGMENT || s->kind == GS_SECTION_BLOCK;
	return layout && !(g->layout_open && g->layout_of == s->device);
}

static gs_status read_section(gs_gsnap_reading *g, unsigned want, gs_error *err)
{
	unsigned kind = g->section.kind;
	if (is_outside(g))
		return GS_OK;
	if (kind == GS_SECTION_EVENT && !(want & GS_WANT_EVENTS))
		return skip_events(g, err);
	if ((adders[kind].want & want) != adders[kind].want)
		return GS_OK;
	gs_status status = gs_sections_load(g->sections, false, err);
	if (!status && kind == GS_SECTION_PROCESS)
		return add_process(g, err);
	if (!status && kind == GS_SECTION_EVENT)
		return gs_gsnap_add_events(g, err);
	for (uint32_t i = 0; !status && adders[kind].add && i < g->section.rows; i++)
		status = adders[kind].add(g, i, err);
	if (!status && g->stream && kind == GS_SECTION_BLOCK && g->section.flags & GS_SECTION_LAST)
		gs_gsnap_end_layout(g);
	return status;
}

/* Cut in the body of a section of events that was not decoded: those do not count. */
static void forget_cut_section(gs_gsnap_reading *g)
{
	gs_device *d = g->section.kind == GS_SECTION_EVENT
		? gs_snapshot_find_device(g->snapshot, g->section.device)
		: NULL;
	if (d && d->trace.skipped && !g->plan.windows &&
		gs_sections_offset(g->sections) <
			g->section.offset + GS_GSNAP_SECTION_SIZE + g->section.packed)
		d->trace.skipped -= g->section.rows;
}

/* A file that was cut may name events that are gone; a damaged one any. */
static void drop_lost_events(gs_snapshot *s)
{
	for (size_t i = 0; i < s->ndevices; i++) {
		gs_device *d = &s->devices[i];
		for (size_t k = 0; k < d->captured.nblocks; k++) {
			int64_t *idx = &d->captured.blocks[k].idx;
			*idx -= *idx >= 0 ? (int64_t)d->trace.first : 0;
			*idx = *idx >= 0 && (uint64_t)*idx < d->trace.n ? *idx : GS_NONE;
		}
		if (d->captured.idx >= (int64_t)d->trace.n || d->captured.idx < -1)
			d->captured.idx = GS_NONE;
	}
	for (size_t i = 0; i < s->nooms; i++) {
		const gs_device *d = gs_snapshot_find_device(s, s->ooms[i].device);
		if (!s->excerpt && (!d || s->ooms[i].idx < 0 || s->ooms[i].idx >= (int64_t)d->trace.n))
			s->ooms[i].idx = GS_NONE;
	}
}

/* The last kind of which every section is whole: kinds ascend, so what is before one that began is
 * whole too. */
static unsigned whole_kind(const gs_gsnap_reading *g)
{
	bool body = gs_sections_offset(g->sections) >=
		g->section.offset + GS_GSNAP_SECTION_SIZE + g->section.packed;
	if (!g->section.kind)
		return 0;
	return body && g->section.flags & GS_SECTION_LAST ? g->section.kind : g->section.kind - 1u;
}

static unsigned lost_behind(unsigned whole)
{
	static const struct {
		unsigned kind, lost;
	} parts[] = {
		{GS_SECTION_SETTING, GS_LOST_SETTINGS},
		{GS_SECTION_STACK, GS_LOST_STACKS},
		{GS_SECTION_BLOCK, GS_LOST_LAYOUT},
		{GS_SECTION_STAT, GS_LOST_STATS},
		{GS_SECTION_OOM, GS_LOST_OOMS},
	};
	unsigned lost = 0;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		lost |= whole < parts[i].kind ? parts[i].lost : 0u;
	return lost;
}

/* Whether what is whole may answer: at least the devices, and the layout where it was asked for. */
static bool keep_whole(gs_gsnap_reading *g, unsigned want)
{
	gs_snapshot *s = g->snapshot;
	unsigned whole = whole_kind(g);
	bool events = false;
	unsigned enough = want & GS_WANT_PARTS ? GS_SECTION_DEVICE
		: want & GS_WANT_FAILURES          ? GS_SECTION_OOM
										   : GS_SECTION_BLOCK;
	if (whole < enough)
		return false;
	s->complete = false;
	s->cut_at = gs_sections_offset(g->sections);
	forget_cut_section(g);
	for (size_t i = 0; i < s->ndevices; i++)
		events |= s->devices[i].trace.n || s->devices[i].trace.skipped;
	s->lost = lost_behind(whole) | (events ? 0u : (unsigned)GS_LOST_EVENTS);
	for (size_t i = 0; s->lost & GS_LOST_LAYOUT && i < s->ndevices; i++) {
		s->devices[i].has_layout = false;
		s->devices[i].captured.nsegments = s->devices[i].captured.nblocks = 0;
	}
	return true;
}

/* A stream that still grows, or whose process was killed. */
static bool keep_stream(gs_gsnap_reading *g)
{
	if (!g->snapshot->ndevices)
		return false;
	g->snapshot->complete = false;
	g->snapshot->cut_at = g->plan.directory.behind ? g->plan.cut_at
												   : gs_sections_offset(g->sections);
	forget_cut_section(g);
	return true;
}

/* Moves to the next section that is wanted. GS_END: none is, and the file has its end;
 * GS_TRUNCATED: and it has not. */
static gs_status go_on(gs_gsnap_reading *g, gs_source *source, gs_error *err)
{
	uint64_t at = gs_sections_behind(g->sections), next = gs_gsnap_plan_next(&g->plan, at);
	if (next == at)
		return GS_OK;
	if (next == UINT64_MAX)
		return g->plan.whole ? GS_END : GS_TRUNCATED;
	if (!gs_source_seek(source, next))
		return gs_fail(err, GS_IO, "it cannot be read twice");
	gs_sections_jump(g->sections, next, false);
	return GS_OK;
}

static gs_status read_next(gs_gsnap_reading *g, gs_source *source, unsigned want, gs_error *err)
{
	gs_status status = g->plan.windows ? go_on(g, source, err) : GS_OK;
	if (!status)
		status = gs_sections_next(g->sections, &g->section, err);
	if (!status)
		status = read_section(g, want, err);
	if (!status)
		gs_gsnap_plan_note(&g->plan, &g->section);
	return status;
}

/* What was free of the device is told with a layout; segments that came or went behind it made it
 * less or more. */
static void bring_device_free_up(gs_device *d)
{
	for (int64_t i = d->captured.idx + 1; d->device_free >= 0 && i < (int64_t)d->trace.n; i++) {
		const gs_event *e = &d->trace.events[i];
		int64_t size = e->size <= INT64_MAX ? (int64_t)e->size : 0;
		switch (gs_event_action(e)) {
		case GS_ACTION_SEGMENT_ALLOC:
		case GS_ACTION_SEGMENT_MAP:
			d->device_free = d->device_free >= size ? d->device_free - size : GS_NONE;
			break;
		case GS_ACTION_SEGMENT_FREE:
		case GS_ACTION_SEGMENT_UNMAP:
			d->device_free = size <= INT64_MAX - d->device_free ? d->device_free + size : GS_NONE;
			break;
		default: break;
		}
	}
}

static gs_status read_sections(gs_gsnap_reading *g, gs_source *source, unsigned want, gs_error *err)
{
	gs_status status = gs_gsnap_maps_init(g) ? no_memory(err) : GS_OK;
	while (!status)
		status = read_next(g, source, want, err);
	if (status == GS_TRUNCATED && (g->stream ? keep_stream(g) : keep_whole(g, want)))
		status = GS_END;
	gs_gsnap_give_layout_up(g);
	if (status != GS_END)
		return status;
	for (size_t i = 0; g->plan.windows && i < g->snapshot->ndevices; i++) {
		gs_trace *t = &g->snapshot->devices[i].trace;
		t->skipped -= t->skipped < t->n ? t->skipped : t->n;
	}
	if (want & GS_WANT_EVENTS)
		drop_lost_events(g->snapshot);
	for (size_t i = 0; g->stream && i < g->snapshot->ndevices; i++)
		if (g->snapshot->devices[i].has_layout && g->snapshot->devices[i].captured.idx >= -1)
			bring_device_free_up(&g->snapshot->devices[i]);
	return GS_OK;
}

static gs_status read_gsnap(gs_source *source, unsigned want, gs_snapshot *s, gs_error *err)
{
	gs_gsnap_reading g = {.snapshot = s};
	s->kind = GS_KIND_GSNAP;
	gs_status status = GS_OK;
	if (gs_source_moment(source) && want & GS_WANT_LAYOUT)
		status = gs_gsnap_plan_make(&g.plan, source, gs_source_moment(source), err);
	s->excerpt = g.plan.windows;
	if (!status)
		status = gs_sections_open(&g.sections, (gs_section_input){gs_gsnap_input, source}, err);
	s->stream = g.stream = !status && gs_sections_is_stream(g.sections);
	if (g.stream && want & GS_WANT_LAYOUT)
		want |= GS_WANT_EVENTS; /* its last moment is a layout and the events behind it */
	if (!status)
		status = read_sections(&g, source, want, err);
	gs_gsnap_maps_release(&g);
	gs_gsnap_plan_release(&g.plan);
	gs_sections_close(g.sections);
	return status;
}

static int probe(const unsigned char *head, size_t n)
{
	if (gs_gsnap_probe(head, n))
		return 100;
	/* cut within the first sixteen bytes, still ours (and "W*M" is no text worth reading) */
	unsigned char start[16] = {0};
	gs_put_le(start, GS_GSNAP_SKIPPABLE, 4);
	gs_put_le(start + 4, GS_GSNAP_HEADER_SIZE - 8, 4);
	memcpy(start + 8, GS_GSNAP_MAGIC, 8);
	return n && n < 16 && !memcmp(head, start, n) ? 100 : 0;
}

const gs_reader gs_reader_gsnap = {"gsnap", probe, read_gsnap};
