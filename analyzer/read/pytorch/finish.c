/* The whole of a PyTorch snapshot: hands the rows that the lists hold over to the snapshot's
 * devices. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/memory.h"
#include "analyzer/read/pytorch/object.h"
#include "analyzer/read/pytorch/allocator_settings.h"

enum { MOST_DEVICES = 1024 };

static const gs_torch_value *member(gs_torch *t, const gs_torch_value *dict, gs_id key)
{
	const gs_object *o = gs_torch_object(t, dict);
	const gs_torch_value *pairs = o->items, *found = NULL;
	for (size_t i = 0; i + 1 < o->n; i += 2)
		if (pairs[i].type == GS_V_STRING && pairs[i].id == key)
			found = &pairs[i + 1];
	return found;
}

static gs_object *list_of(gs_torch *t, const gs_torch_value *v, gs_holds holds)
{
	gs_object *o = v && v->type == GS_V_LIST ? gs_torch_object(t, v) : NULL;
	return o && o->holds == holds ? o : NULL;
}

static bool is_list(const gs_torch_value *v)
{
	return v && (v->type == GS_V_LIST || v->type == GS_V_STACK);
}

static gs_device *device_of(gs_torch *t, int64_t number)
{
	gs_device *d = number >= 0 && number <= INT32_MAX
		? gs_snapshot_find_device(t->s, (int32_t)number)
		: NULL;
	if (d)
		return d;
	if (number < 0 || number > INT32_MAX || t->s->ndevices >= MOST_DEVICES) {
		gs_fail(&t->error, GS_FORMAT, "device %lld cannot be", (long long)number);
		return NULL;
	}
	d = gs_snapshot_device(t->s, (int32_t)number);
	if (!d)
		gs_torch_no_memory(t);
	else
		d->has_layout = true;
	return d;
}

/* How many segments and blocks each device will have; its arrays are made to measure. */
static gs_status size_layouts(gs_torch *t, const gs_object *list)
{
	const gs_raw_segment *r = list->items;
	for (size_t i = 0; i < list->n; i++) {
		gs_device *d = device_of(t, r[i].device);
		if (!d)
			return t->error.status;
		d->captured.nsegments++;
		d->captured.nblocks += r[i].g.nblocks;
	}
	for (size_t i = 0; i < t->s->ndevices; i++) {
		gs_layout *l = &t->s->devices[i].captured;
		if (l->segments)
			continue; /* of another list */
		l->segments = gs_memory_zeroed(l->nsegments + 1, sizeof *l->segments);
		l->blocks = gs_memory_zeroed(l->nblocks + 1, sizeof *l->blocks);
		l->nsegments = l->nblocks = 0;
		if (!l->segments || !l->blocks)
			return gs_torch_no_memory(t);
	}
	return GS_OK;
}

static gs_status take_segments(gs_torch *t, gs_object *list)
{
	gs_raw_segment *r = list->items;
	if (size_layouts(t, list))
		return t->error.status;
	for (size_t i = 0; i < list->n; i++) {
		gs_device *d = device_of(t, r[i].device);
		if (!d)
			return t->error.status;
		gs_layout *l = &d->captured;
		r[i].g.first_block = l->nblocks;
		if (r[i].g.nblocks)
			memcpy(l->blocks + l->nblocks, r[i].blocks, r[i].g.nblocks * sizeof *l->blocks);
		gs_memory_give(r[i].blocks);
		r[i].blocks = NULL;
		l->nblocks += r[i].g.nblocks;
		l->segments[l->nsegments++] = r[i].g;
	}
	return GS_OK;
}

/* The segment size asked of the driver, as the error text prints it. */
static uint64_t segment_size(const gs_snapshot *s, uint64_t rounded)
{
	uint64_t mib = 1 << 20, large = 20 * mib;
	const char *conf = gs_snapshot_setting(s, "PYTORCH_CUDA_ALLOC_CONF"),
			   *set = conf ? strstr(conf, "large_segment_size_mb") : NULL;
	if (set && (set = strchr(set, ':')) && strtoull(set + 1, NULL, 10) > 10 &&
		strtoull(set + 1, NULL, 10) < 1 << 20)
		large = strtoull(set + 1, NULL, 10) * mib;
	if (rounded <= mib)
		return 2 * mib;
	if (rounded < 10 * mib)
		return large;
	return rounded > UINT64_MAX - 2 * mib ? rounded
										  : (rounded + 2 * mib - 1) / (2 * mib) * (2 * mib);
}

static gs_status add_oom(gs_torch *t, const gs_device *d, size_t idx)
{
	const gs_event *e = &d->trace.events[idx];
	gs_oom *o = gs_snapshot_add_oom(t->s);
	if (!o)
		return gs_torch_no_memory(t);
	o->device = d->device;
	o->idx = (int64_t)idx;
	o->time_us = e->time_us;
	o->requested = (int64_t)e->size;
	o->needed = (int64_t)segment_size(t->s, e->size);
	o->stream = (int64_t)t->s->streams[e->stream];
	o->pool = e->size <= 1 << 20 ? GS_SMALL : GS_LARGE;
	o->device_free = (int64_t)e->address;
	o->stack = e->stack;
	o->library = "pytorch";
	if (e->pool) {
		o->has_pool_id = true;
		o->pool_id = t->s->pools[e->pool - 1];
	}
	return GS_OK;
}

/* A list of events becomes the trace of a device. The array changes hands, without what it had to
 * spare. */
static gs_status take_trace(gs_torch *t, gs_object *events, int64_t number)
{
	if (!events->n)
		return GS_OK;
	gs_device *d = device_of(t, number);
	if (!d)
		return t->error.status;
	if (d->trace.n)
		return GS_OK;
	gs_event *cut = gs_memory_resize(events->items, events->n * sizeof *cut);
	d->trace.events = cut ? cut : events->items;
	d->trace.n = d->trace.cap = events->n;
	events->items = NULL;
	events->n = events->bytes = 0;
	for (size_t i = 0; i < d->trace.n; i++)
		if (gs_event_action(&d->trace.events[i]) == GS_ACTION_OOM && !gs_device_is_host(t->s, d) &&
			add_oom(t, d, i))
			return t->error.status;
	/* nothing was recorded between the failure and the snapshot */
	d->layout_at_oom = gs_event_action(&d->trace.events[d->trace.n - 1]) == GS_ACTION_OOM;
	return GS_OK;
}

static gs_status take_traces(gs_torch *t, const gs_torch_value *v)
{
	gs_object *flat = list_of(t, v, GS_HOLDS_EVENTS);
	if (flat) /* one device's trace by itself */
		return take_trace(t, flat, 0);
	gs_object *lists = list_of(t, v, GS_HOLDS_LISTS);
	const gs_torch_value *items = lists ? lists->items : NULL;
	for (size_t i = 0; lists && i < lists->n; i++) {
		gs_object *events = list_of(t, &items[i], GS_HOLDS_EVENTS);
		if (events && take_trace(t, events, (int64_t)i))
			return t->error.status;
	}
	return GS_OK;
}

static gs_status take_notes(gs_torch *t, const gs_torch_value *v)
{
	const gs_object *list = list_of(t, v, GS_HOLDS_NOTES);
	const gs_annotation *a = list ? list->items : NULL;
	for (size_t i = 0; list && i < list->n; i++)
		if (gs_snapshot_add_annotation(t->s, &a[i]))
			return gs_torch_no_memory(t);
	return GS_OK;
}

/* Pinned host memory is another heap: a device behind the last GPU. Its events are one list, its
 * segments stand in any order. */
static gs_status take_host(
	gs_torch *t, const gs_torch_value *segments, const gs_torch_value *events, int64_t number)
{
	gs_object *list = list_of(t, segments, GS_HOLDS_SEGMENTS),
			  *flat = list_of(t, events, GS_HOLDS_EVENTS),
			  *lists = list_of(t, events, GS_HOLDS_LISTS);
	const gs_torch_value *items = lists ? lists->items : NULL;
	for (size_t i = 0; lists && i < lists->n && !(flat && flat->n); i++)
		flat = list_of(t, &items[i], GS_HOLDS_EVENTS);
	gs_raw_segment *r = list ? list->items : NULL;
	for (size_t i = 0; list && i < list->n; i++)
		r[i].device = number;
	if (!(list && list->n) && !(flat && flat->n))
		return GS_OK;
	gs_device *host = device_of(t, number);
	if (!host)
		return t->error.status;
	host->name = gs_snapshot_string(t->s, GS_HOST, strlen(GS_HOST));
	if (!host->name)
		return gs_torch_no_memory(t);
	gs_status status = list && list->n ? take_segments(t, list) : GS_OK;
	return !status && flat ? take_trace(t, flat, number) : status;
}

/* The number behind all devices that the file may have: a list of events each. */
static int64_t behind_devices(gs_torch *t, const gs_torch_value *traces)
{
	const gs_object *lists = list_of(t, traces, GS_HOLDS_LISTS);
	int64_t next = lists ? (int64_t)lists->n : 0;
	for (size_t i = 0; i < t->s->ndevices; i++)
		if (t->s->devices[i].device >= next)
			next = (int64_t)t->s->devices[i].device + 1;
	return next;
}

/* torch.profiler puts the CPU's allocations behind the last GPU's. */
static gs_status name_profiled_cpu(gs_torch *t, const gs_torch_value *traces)
{
	const gs_object *lists = list_of(t, traces, GS_HOLDS_LISTS);
	if (!(t->event_keys >> GS_WORD_CATEGORY & 1) || t->event_keys >> GS_WORD_TIME_US & 1 ||
		!lists || !lists->n)
		return GS_OK;
	gs_device *cpu = gs_snapshot_find_device(t->s, (int32_t)lists->n - 1);
	if (!cpu)
		return GS_OK;
	cpu->name = gs_snapshot_string(t->s, "CPU", 3);
	gs_snapshot_warn(t->s, "made by torch.profiler: device %d stands for the CPU", cpu->device);
	return cpu->name ? GS_OK : gs_torch_no_memory(t);
}

static gs_status take_root(gs_torch *t, const gs_torch_value *root)
{
	const gs_torch_value *segments = member(t, root, GS_WORD_SEGMENTS),
						 *traces = member(t, root, GS_WORD_DEVICE_TRACES);
	if (!is_list(traces))
		traces = member(t, root, GS_WORD_TRACES);
	if (!is_list(segments) && !is_list(traces))
		return gs_fail(&t->error, GS_UNKNOWN_KIND,
			"neither segments nor device_traces in it: not a PyTorch memory snapshot");
	const gs_torch_value *settings = member(t, root, GS_WORD_ALLOCATOR_SETTINGS);
	gs_object *list = list_of(t, segments, GS_HOLDS_SEGMENTS);
	if (settings && gs_torch_settings(t, settings))
		return t->error.status;
	if (list && take_segments(t, list))
		return t->error.status;
	if (traces && take_traces(t, traces))
		return t->error.status;
	if (take_notes(t, member(t, root, GS_WORD_EXTERNAL_ANNOTATIONS)))
		return t->error.status;
	if (name_profiled_cpu(t, traces))
		return t->error.status;
	if (take_host(t, member(t, root, GS_WORD_HOST_SEGMENTS), member(t, root, GS_WORD_HOST_TRACES),
			behind_devices(t, traces)))
		return t->error.status;
	gs_torch_overflow(t, settings);
	return GS_OK;
}

/* --- of a file that was cut --------------------------------------------------------------------
 */

/* The values of the root's members on the stack: root, then key, value, key, value … above the
 * first mark. The last one may be half. */
typedef struct members {
	const gs_torch_value *segments, *traces;
	size_t traces_at; /* index on the stack */
	bool traces_whole, settings;
} members;

static members open_members(const gs_torch *t)
{
	members m = {NULL, NULL, 0, false, false};
	if (t->n < 3 || t->stack[0].type != GS_V_DICT || !t->nmarks || t->marks[0] != 1)
		return m;
	for (size_t i = 1; i + 1 < t->n && t->stack[i].type == GS_V_STRING; i += 2) {
		bool whole = i + 2 < t->n && t->stack[i + 2].type == GS_V_STRING &&
			(t->nmarks < 2 || t->marks[1] > i + 2); /* the next key is there */
		gs_id key = t->stack[i].id;
		if (key == GS_WORD_SEGMENTS && whole)
			m.segments = &t->stack[i + 1];
		if (key == GS_WORD_DEVICE_TRACES || key == GS_WORD_TRACES) {
			m.traces = &t->stack[i + 1];
			m.traces_at = i + 1;
			m.traces_whole = whole;
		}
		if (key == GS_WORD_ALLOCATOR_SETTINGS && whole)
			m.settings = !gs_torch_settings((gs_torch *)t, &t->stack[i + 1]);
	}
	return m;
}

/* The traces in front of the one that was cut: above the mark of their list. */
static bool take_whole_traces(gs_torch *t, const members *m)
{
	size_t first = m->traces_at + 1;
	if (m->traces_whole)
		return !take_traces(t, m->traces);
	if (!m->traces || t->nmarks < 2 || t->marks[1] != first)
		return true;
	for (size_t i = first; i + 1 < t->n && (t->nmarks < 3 || i + 1 < t->marks[2]); i++) {
		gs_object *events = list_of(t, &t->stack[i], GS_HOLDS_EVENTS);
		if (events && take_trace(t, events, (int64_t)(i - first)))
			return false;
	}
	return true;
}

bool gs_torch_keep_whole(gs_torch *t, uint64_t cut_at)
{
	members m = open_members(t);
	gs_object *list = m.segments ? list_of(t, m.segments, GS_HOLDS_SEGMENTS) : NULL;
	if (!list || take_segments(t, list) || !take_whole_traces(t, &m))
		return false;
	gs_torch_releases(t);
	t->s->kind = GS_KIND_PYTORCH;
	t->s->library = "pytorch";
	t->s->complete = false;
	t->s->cut_at = cut_at;
	t->s->lost = (m.settings ? 0u : (unsigned)GS_LOST_SETTINGS) |
		(m.traces_whole ? 0u : (unsigned)GS_LOST_EVENTS | GS_LOST_OOMS);
	t->s->events_skipped = t->events_dropped;
	return true;
}

gs_status gs_torch_finish(gs_torch *t)
{
	if (t->n != 1 || t->nmarks)
		return gs_fail(&t->error, GS_FORMAT, "it ends with %zu values instead of one", t->n);
	const gs_torch_value *root = t->stack;
	gs_object *list = list_of(t, root, GS_HOLDS_SEGMENTS);
	gs_status status = GS_OK;
	t->s->kind = GS_KIND_PYTORCH;
	t->s->library = "pytorch";
	if (root->type == GS_V_DICT)
		status = take_root(t, root);
	else if (list)
		status = take_segments(t, list);
	else if (!list_of(t, root, GS_HOLDS_NOTHING) && !(root->type == GS_V_STACK && !root->id))
		status = gs_fail(&t->error, GS_UNKNOWN_KIND,
			"neither a dictionary nor a list of segments: not a PyTorch memory snapshot");
	if (!status && t->left_out)
		gs_snapshot_warn(t->s,
			"%llu entries of lists of segments, blocks or events are something else, or stand there twice: left out",
			(unsigned long long)t->left_out);
	if (!status)
		gs_torch_releases(t);
	t->s->events_skipped = t->events_dropped;
	return status;
}
