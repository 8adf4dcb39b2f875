/* The builder's rows, put in order and written. */
#include <stdlib.h>
#include <string.h>

#include "recorder/api/builder.h"
#include "recorder/capture/clock.h"
#include "recorder/dump/encode.h"
#include "schema/version.h"

/* --- order --- */

static int by(int64_t a, int64_t b) { return (a > b) - (a < b); }
static int by_address(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int devices_order(const void *a, const void *b)
{
	return by(((const gs_row_device *)a)->device, ((const gs_row_device *)b)->device);
}

static int segments_order(const void *va, const void *vb)
{
	const gs_row_segment *a = va, *b = vb;
	int device = by(a->device, b->device);
	return device ? device : by_address(a->address, b->address);
}

static int blocks_order(const void *va, const void *vb)
{
	const gs_row_block *a = va, *b = vb;
	int device = by(a->device, b->device);
	return device ? device : by_address(a->address, b->address);
}

/* Of one device's rows the order of adding stays. */
static bool sort_by_device(void *rows, size_t n, size_t size, size_t offset)
{
	char *at = rows, *sorted = NULL;
	bool in_order = true;
	int32_t last = INT32_MIN, device, next;
	for (size_t i = 0; i < n; i++, last = device) {
		memcpy(&device, at + i * size + offset, sizeof device);
		in_order &= device >= last;
	}
	if (in_order)
		return true;
	if (!(sorted = malloc(n * size)))
		return false;
	size_t done = 0;
	for (last = INT32_MIN; done < n; last = next) { /* one pass a device: there are few */
		next = INT32_MAX;
		for (size_t i = 0; i < n; i++) {
			memcpy(&device, at + i * size + offset, sizeof device);
			if (device > last && device < next)
				next = device;
		}
		for (size_t i = 0; i < n; i++) {
			memcpy(&device, at + i * size + offset, sizeof device);
			if (device == next || (next == INT32_MAX && device == INT32_MAX))
				memcpy(sorted + done++ * size, at + i * size, size);
		}
	}
	memcpy(rows, sorted, n * size);
	free(sorted);
	return true;
}

#define SORT_BY_DEVICE(rows)                                   \
	((rows).n < 2 ||                                           \
		sort_by_device((rows).at, (rows).n, sizeof *(rows).at, \
			(size_t)((char *)&(rows).at->device - (char *)(rows).at)))

static bool has_device(const gpusnap_builder *b, int32_t device)
{
	for (size_t i = 0; i < b->devices.n; i++)
		if (b->devices.at[i].device == device)
			return true;
	return false;
}

static gs_status need_device(const gpusnap_builder *b, int32_t device, gs_error *err)
{
	return has_device(b, device)
		? GS_OK
		: gs_fail(err, GS_INVALID, "device %d has rows but was not added", device);
}

/* Every row's device is there. */
static gs_status check_devices(const gpusnap_builder *b, gs_error *err)
{
	gs_status status = GS_OK;
	for (size_t i = 0; i < b->segments.n && !status; i++)
		status = need_device(b, b->segments.at[i].device, err);
	for (size_t i = 0; i < b->events.n && !status; i++)
		if (!i || b->events.at[i].device != b->events.at[i - 1].device)
			status = need_device(b, b->events.at[i].device, err);
	for (size_t i = 0; i < b->stats.n && !status; i++)
		status = need_device(b, b->stats.at[i].device, err);
	return status;
}

/* Numbers each block's segment. */
static gs_status place_blocks(gpusnap_builder *b, gs_error *err)
{
	size_t s = 0;
	for (size_t i = 0; i < b->blocks.n; i++) {
		gs_row_block *k = &b->blocks.at[i];
		while (s < b->segments.n &&
			(b->segments.at[s].device < k->device ||
				(b->segments.at[s].device == k->device &&
					k->address - b->segments.at[s].address >= b->segments.at[s].size)))
			s++;
		if (s == b->segments.n || b->segments.at[s].device != k->device ||
			k->address < b->segments.at[s].address)
			return gs_fail(err, GS_INVALID, "the block at 0x%llx of device %d is in no segment",
				(unsigned long long)k->address, k->device);
		k->segment = s + 1;
	}
	return GS_OK;
}

static gs_status put_in_order(gpusnap_builder *b, gs_error *err)
{
	if (b->devices.n)
		qsort(b->devices.at, b->devices.n, sizeof *b->devices.at, devices_order);
	if (b->segments.n)
		qsort(b->segments.at, b->segments.n, sizeof *b->segments.at, segments_order);
	if (b->blocks.n)
		qsort(b->blocks.at, b->blocks.n, sizeof *b->blocks.at, blocks_order);
	if (!SORT_BY_DEVICE(b->events) || !SORT_BY_DEVICE(b->ooms) || !SORT_BY_DEVICE(b->stats))
		return gs_fail(err, GS_NO_MEMORY, "no memory to sort the rows");
	gs_status status = check_devices(b, err);
	return status ? status : place_blocks(b, err);
}

/* --- rows --- */

static gs_span text_of(const gpusnap_builder *b, gs_id id)
{
	const gs_table_text *t = &b->tables->texts[id];
	return (gs_span){id ? b->tables->text_bytes + t->at : NULL, t->n};
}

static gs_span either(const gpusnap_builder *b, gs_id id, const char *fallback)
{
	return id ? text_of(b, id) : gs_span_of(fallback);
}

static int64_t either_number(int64_t told, int64_t fallback)
{
	return told == GS_NONE ? fallback : told;
}

static void put_process(
	const gpusnap_builder *b, gs_writer *w, const gs_config *c, int64_t pid, const char *reason)
{
	gs_row_process row = {.host = either(b, b->host, c->host),
		.tool = either(b, b->tool, "gpusnap " GS_RELEASE),
		.argv = b->argv ? text_of(b, b->argv)
						: (gs_span){c->argv_length ? c->argv : NULL, c->argv_length},
		.rules = text_of(b, b->rules),
		.library = text_of(b, b->library),
		.driver = text_of(b, b->driver),
		.reason = gs_span_of(reason),
		.pid = either_number(b->pid, pid),
		.rank = either_number(b->rank, c->rank),
		.time_us = either_number(b->time_us, gs_clock_real() / 1000)};
	gs_writer_process(w, &row);
}

static void mark_used(const gpusnap_builder *b, gs_encoder *e)
{
	gs_encoder_begin(e);
	for (size_t i = 0; i < b->segments.n; i++)
		gs_encoder_mark(e, b->segments.at[i].stack, 0);
	for (size_t i = 0; i < b->blocks.n; i++)
		gs_encoder_mark(e, b->blocks.at[i].stack, (uint16_t)b->blocks.at[i].tag);
	for (size_t i = 0; i < b->events.n; i++)
		gs_encoder_mark(e, b->events.at[i].stack, (uint16_t)b->events.at[i].tag);
	for (size_t i = 0; i < b->ooms.n; i++)
		gs_encoder_mark(e, b->ooms.at[i].stack, 0);
	for (size_t i = 0; i < b->stats.n; i++) {
		gs_encoder_mark_text(e, b->stats.at[i].name);
		gs_encoder_mark_text(e, b->stats.at[i].pool);
	}
	for (size_t i = 0; i < b->annotations.n; i++) {
		gs_encoder_mark_text(e, b->annotations.at[i].first);
		gs_encoder_mark_text(e, b->annotations.at[i].second);
	}
}

/* Rows before the layout. */
static void put_head(gpusnap_builder *b, gs_encoder *e, gs_writer *w, const gs_config *config,
	int64_t pid, const char *reason)
{
	put_process(b, w, config, pid, reason);
	for (size_t i = 0; i < b->devices.n; i++)
		gs_writer_device(w, &b->devices.at[i]);
	for (size_t i = 0; i < b->settings.n; i++)
		gs_writer_setting(
			w, text_of(b, b->settings.at[i].first), text_of(b, b->settings.at[i].second));
	gs_encoder_put(e, w);
}

static void put_layout(const gpusnap_builder *b, const gs_encoder *e, gs_writer *w)
{
	for (size_t i = 0; i < b->segments.n; i++) {
		gs_row_segment row = b->segments.at[i];
		row.stack = e->stacks[row.stack];
		gs_writer_segment(w, &row);
	}
	for (size_t i = 0; i < b->blocks.n; i++) {
		gs_row_block row = b->blocks.at[i];
		row.stack = e->stacks[row.stack];
		row.tag = e->tags[row.tag];
		gs_writer_block(w, &row);
	}
}

static void put_tail(const gpusnap_builder *b, const gs_encoder *e, gs_writer *w)
{
	for (size_t i = 0; i < b->stats.n; i++) {
		gs_row_stat row = b->stats.at[i];
		row.name = e->texts[row.name];
		row.pool = e->texts[row.pool];
		gs_writer_stat(w, &row);
	}
	for (size_t i = 0; i < b->ooms.n; i++) {
		gs_row_oom row = b->ooms.at[i];
		row.stack = e->stacks[row.stack];
		row.library = text_of(b, b->library);
		gs_writer_oom(w, &row);
	}
	for (size_t i = 0; i < b->annotations.n; i++) {
		const gs_built_pair *a = &b->annotations.at[i];
		gs_row_annotation row = {a->device, e->texts[a->first], e->texts[a->second], a->time_us};
		gs_writer_annotation(w, &row);
	}
	for (size_t i = 0; i < b->warnings.n; i++)
		gs_writer_warning(w, text_of(b, b->warnings.at[i].name));
	gs_encode_full(w, b->tables);
	for (size_t i = 0; i < b->events.n; i++) {
		gs_row_event row = b->events.at[i];
		row.stack = e->stacks[row.stack];
		row.tag = e->tags[row.tag];
		gs_writer_event(w, &row);
	}
}

gs_status gs_builder_encode(gpusnap_builder *b, gs_encoder *e, const gs_config *config, int64_t pid,
	const char *reason, gs_sink sink, void *arg, gs_error *err)
{
	gs_writer *w;
	gs_status status = put_in_order(b, err);
	if (!status)
		status = gs_writer_init(e->workspace, e->workspace_bytes, config->level, sink, arg, &w);
	if (status)
		return status;
	mark_used(b, e);
	put_head(b, e, w, config, pid, reason);
	put_layout(b, e, w);
	put_tail(b, e, w);
	status = gs_writer_finish(w);
	return status == GS_INVALID
		? gs_fail(err, status, "a row has a value that the format does not have")
		: status;
}
