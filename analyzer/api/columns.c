/* Events, and the blocks of a state, as columns. */
#include <string.h>

#include "analyzer/api/column_table.h"
#include "analyzer/api/timelines.h"
#include "analyzer/meaning/recording.h"

const char *gpusnap_action_name(unsigned number)
{
	return number < GS_ACTION_COUNT ? gs_action_text((gs_action)number) : NULL;
}

const char *gpusnap_category_name(unsigned number)
{
	return number < GS_CATEGORIES ? gs_category_word(NULL, number) : NULL;
}

size_t gpusnap_analyzer_validity(const int64_t *values, size_t n, uint8_t *bitmap)
{
	size_t unknown = 0;
	memset(bitmap, 0, (n + 7) / 8);
	for (size_t i = 0; i < n; i++) {
		if (values[i] == GS_NONE)
			unknown++;
		else
			bitmap[i / 8] |= (uint8_t)(1u << (i % 8));
	}
	return unknown;
}

static const gs_api_column event_columns[] = {
	GS_API_COLUMN(gpusnap_events, address, n),
	GS_API_COLUMN(gpusnap_events, size, n),
	GS_API_COLUMN(gpusnap_events, time_us, n),
	GS_API_COLUMN(gpusnap_events, stream, n),
	GS_API_COLUMN(gpusnap_events, stack, n),
	GS_API_COLUMN(gpusnap_events, tag, n),
	GS_API_COLUMN(gpusnap_events, action, n),
	GS_API_COLUMN(gpusnap_events, allocated, n),
	GS_API_COLUMN(gpusnap_events, reserved, n),
};

static const gs_api_column block_columns[] = {
	GS_API_COLUMN(gpusnap_blocks, address, n),
	GS_API_COLUMN(gpusnap_blocks, size, n),
	GS_API_COLUMN(gpusnap_blocks, requested, n),
	GS_API_COLUMN(gpusnap_blocks, idx, n),
	GS_API_COLUMN(gpusnap_blocks, segment, n),
	GS_API_COLUMN(gpusnap_blocks, stream, n),
	GS_API_COLUMN(gpusnap_blocks, stack, n),
	GS_API_COLUMN(gpusnap_blocks, tag, n),
	GS_API_COLUMN(gpusnap_blocks, state, n),
	GS_API_COLUMN(gpusnap_blocks, category, n),
};

void gpusnap_events_free(gpusnap_events *c)
{
	gs_api_free_columns(c, sizeof *c, GS_API_TABLE(event_columns));
}

void gpusnap_blocks_free(gpusnap_blocks *c)
{
	gs_api_free_columns(c, sizeof *c, GS_API_TABLE(block_columns));
}

static gs_status find_device(
	const gpusnap_snapshot *s, int64_t number, const gs_device **device, gs_error *err)
{
	*device = number < 0 ? (s->snapshot.ndevices ? &s->snapshot.devices[0] : NULL)
						 : gs_snapshot_find_device(&s->snapshot, (int32_t)number);
	if (!*device && number < 0)
		return gs_fail(err, GS_NOT_FOUND, "it tells of no device");
	return *device ? GS_OK
				   : gs_fail(err, GS_NOT_FOUND, "there is no device %lld in it", (long long)number);
}

static void fill_events(
	const gs_snapshot *s, const gs_history *h, const gs_trace *t, gpusnap_events *c)
{
	gs_running_totals g;
	gs_running_totals_start(h, &g);
	for (size_t i = 0; i < c->n; i++) {
		const gs_event *e = &t->events[i];
		gs_action action = gs_event_action(e);
		gs_running_totals_step(h, i, &g);
		c->address[i] = action == GS_ACTION_OOM ? 0 : e->address;
		c->size[i] = e->size;
		c->time_us[i] = e->time_us;
		c->stream[i] = e->stream < s->nstreams ? s->streams[e->stream] : 0;
		c->stack[i] = e->stack;
		c->tag[i] = gs_event_tag(e);
		c->action[i] = (uint8_t)action;
		c->allocated[i] = (int64_t)g.allocated;
		c->reserved[i] = (int64_t)g.reserved;
	}
}

static gs_status recording_of(
	gpusnap_snapshot *s, const gs_device *device, gs_recording **r, gs_error *err)
{
	gs_recordings all;
	gs_status status = gs_api_recordings(s, &all, err);
	if (!status)
		*r = &all.all[device - s->snapshot.devices];
	return status;
}

static gs_status answer_events(
	gpusnap_snapshot *s, const gs_device *device, gpusnap_events *c, gs_error *err)
{
	gs_recording *r;
	gs_status status = recording_of(s, device, &r, err);
	if (!status)
		status = gs_recording_need_history(r, err);
	c->n = device->trace.n;
	if (!status)
		status = gs_api_take_columns(c, GS_API_TABLE(event_columns), err);
	if (!status)
		fill_events(&s->snapshot, &r->history, &device->trace, c);
	else
		gpusnap_events_free(c);
	return status;
}

/* Begins a call about a device: zeroed columns come back where it fails. */
static int begin(
	gpusnap_snapshot *s, int64_t number, void *columns, size_t size, const gs_device **device)
{
	gs_error err = GS_ERROR_INIT;
	char *none;
	size_t n;
	int begun = gs_api_begin(s, &none, &n);
	memset(columns, 0, size);
	if (begun)
		return begun;
	gs_status status = find_device(s, number, device, &err);
	return status ? gs_api_end(s, status, &err) : 0;
}

int gpusnap_snapshot_events(gpusnap_snapshot *s, int64_t number, gpusnap_events *columns)
{
	const gs_device *device;
	gs_error err = GS_ERROR_INIT;
	int failed = begin(s, number, columns, sizeof *columns, &device);
	return failed ? failed : gs_api_end(s, answer_events(s, device, columns, &err), &err);
}

static void fill_blocks(const gs_meaning *m, const gs_layout *l, gpusnap_blocks *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const gs_block *b = &l->blocks[i];
		const gs_segment *g = &l->segments[b->segment];
		c->address[i] = b->address;
		c->size[i] = b->size;
		c->requested[i] = b->requested;
		c->idx[i] = b->idx;
		c->segment[i] = g->address;
		c->stream[i] = g->stream;
		c->stack[i] = b->stack;
		c->tag[i] = b->tag;
		c->state[i] = b->state;
		c->category[i] = gs_meaning_of(m, b).category;
	}
}

static gs_status answer_blocks(gpusnap_snapshot *s, const gs_device *device, const char *selector,
	gpusnap_blocks *c, gs_error *err)
{
	gs_recording *r;
	gs_layout l;
	gs_state state;
	gs_layout_init(&l);
	gs_status status = recording_of(s, device, &r, err);
	if (!status)
		status = gs_recording_need_meaning(r, err);
	if (!status)
		status = gs_state_find(&s->snapshot, device, &r->history, selector, &state, err);
	if (!status)
		status = gs_history_layout(
			&r->history, state.idx == GS_NONE ? r->history.captured_at : state.idx, &l, err);
	c->n = l.nblocks;
	if (!status)
		status = gs_api_take_columns(c, GS_API_TABLE(block_columns), err);
	if (!status)
		fill_blocks(&r->meaning, &l, c);
	else
		gpusnap_blocks_free(c);
	gs_layout_release(&l);
	return status;
}

int gpusnap_snapshot_blocks(
	gpusnap_snapshot *s, int64_t number, const char *state, gpusnap_blocks *columns)
{
	const gs_device *device;
	gs_error err = GS_ERROR_INIT;
	int failed = begin(s, number, columns, sizeof *columns, &device);
	return failed ? failed : gs_api_end(s, answer_blocks(s, device, state, columns, &err), &err);
}
