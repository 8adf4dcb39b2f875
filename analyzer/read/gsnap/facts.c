/* Facts of a .gsnap: rows that stand for themselves. */
#include "analyzer/read/gsnap/gsnap_internal.h"

#include <stdlib.h>
#include <string.h>

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

gs_status gs_gsnap_add_process(gs_gsnap_reading *g, gs_error *err)
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
	return failed ? gs_no_memory(err) : GS_OK;
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

gs_status gs_gsnap_add_device(gs_gsnap_reading *g, uint32_t i, gs_error *err)
{
	gs_snapshot *s = g->snapshot;
	gs_row_device row;
	bool failed = false;
	gs_sections_row(g->sections, i, &row);
	bool known = gs_snapshot_find_device(s, row.device) != NULL;
	gs_device *d = gs_snapshot_device(s, row.device);
	if (!d)
		return gs_no_memory(err);
	g->device = NULL; /* it may have moved */
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
	return failed ? gs_no_memory(err) : GS_OK;
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

gs_status gs_gsnap_add_setting(gs_gsnap_reading *g, uint32_t i, gs_error *err)
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
		return gs_snapshot_add_outsider(g->snapshot, &outsider) ? gs_no_memory(err) : GS_OK;
	}
	if (failed || gs_snapshot_add_setting(g->snapshot, name ? name : "", value ? value : ""))
		return gs_no_memory(err);
	return GS_OK;
}

gs_status gs_gsnap_add_stat(gs_gsnap_reading *g, uint32_t i, gs_error *err)
{
	gs_row_stat row;
	gs_sections_row(g->sections, i, &row);
	gs_stat stat = {row.device, g->strings.ids[row.name], g->strings.ids[row.pool], row.current,
		row.peak, row.allocated, row.freed};
	return gs_snapshot_add_stat(g->snapshot, &stat) ? gs_no_memory(err) : GS_OK;
}

gs_status gs_gsnap_add_figures(gs_gsnap_reading *g, uint32_t i, gs_error *err)
{
	gs_row_figures row;
	gs_sections_row(g->sections, i, &row);
	gs_device *d = gs_snapshot_find_device(g->snapshot, row.device);
	if (!d)
		return GS_OK; /* of nothing that the file tells */
	const gs_run_figures figures = {row.first, row.events, row.from_us, row.until_us, row.allocated,
		row.pending, row.reserved, row.most_allocated, row.allocated_idx, row.most_reserved,
		row.reserved_idx, row.reserved_then, row.ooms, row.retries};
	return gs_trace_add_figures(&d->trace, &figures) ? gs_no_memory(err) : GS_OK;
}

gs_status gs_gsnap_add_annotation(gs_gsnap_reading *g, uint32_t i, gs_error *err)
{
	gs_row_annotation row;
	gs_sections_row(g->sections, i, &row);
	gs_annotation a = {
		g->strings.ids[row.name], g->strings.ids[row.stage], row.device, row.time_us};
	return gs_snapshot_add_annotation(g->snapshot, &a) ? gs_no_memory(err) : GS_OK;
}

gs_status gs_gsnap_add_warning(gs_gsnap_reading *g, uint32_t i, gs_error *err)
{
	gs_row_warning row;
	(void)err;
	gs_sections_row(g->sections, i, &row);
	gs_snapshot_warn(g->snapshot, "%.*s", (int)row.text.n, row.text.at ? row.text.at : "");
	return GS_OK;
}

gs_status gs_gsnap_add_oom(gs_gsnap_reading *g, uint32_t i, gs_error *err)
{
	gs_row_oom row;
	bool failed = false;
	gs_sections_row(g->sections, i, &row);
	gs_oom *o = gs_snapshot_add_oom(g->snapshot);
	if (!o)
		return gs_no_memory(err);
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
	return failed ? gs_no_memory(err) : GS_OK;
}
