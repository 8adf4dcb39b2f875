/* The builder's side of the C API: taking rows. */
#include "recorder/api/builder.h"

#include <stdlib.h>
#include <string.h>

#include "recorder/api/error.h"
#include "recorder/api/opened.h"
#include "recorder/dump/dump.h"

static const gs_tables_limits roomy = {1 << 26, 1 << 19, 1 << 20, 1 << 19, 1 << 23, 1 << 16};

gpusnap_builder *gs_builder_over(gs_tables *tables)
{
	gpusnap_builder *b = calloc(1, sizeof *b);
	if (!b)
		return NULL;
	b->tables = tables;
	b->pid = b->rank = b->time_us = GS_NONE;
	b->reason = -1;
	return b;
}

gpusnap_builder *gpusnap_builder_new(void)
{
	gpusnap_builder *b = gs_builder_over(NULL);
	if (!b ||
		(gs_tables_init(&b->own, &roomy, &b->pages) &&
			gs_tables_init(&b->own, &gs_tables_default, &b->pages))) {
		free(b);
		gs_api_fail(GS_NO_MEMORY, "no memory for a builder");
		return NULL;
	}
	b->tables = &b->own;
	return b;
}

void gpusnap_builder_free(gpusnap_builder *b)
{
	if (!b)
		return;
	if (b->tables == &b->own)
		gs_tables_release(&b->own);
	free(b->devices.at);
	free(b->segments.at);
	free(b->blocks.at);
	free(b->events.at);
	free(b->ooms.at);
	free(b->stats.at);
	free(b->settings.at);
	free(b->annotations.at);
	free(b->warnings.at);
	free(b);
}

/* --- helpers --- */

static gpusnap_status no_memory(void)
{
	return gs_api_fail(GS_NO_MEMORY, "no memory for another row");
}

static void *grow(void *at, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return at;
	size_t wanted = *cap ? *cap * 2 : 64;
	void *more = realloc(at, wanted * size);
	if (more)
		*cap = wanted;
	return more;
}

/* Appends a row to one of the builder's arrays; false when memory is short (the rows stay). */
#define PUSH(rows, ...)                                                 \
	(grown = grow((rows).at, (rows).n, &(rows).cap, sizeof *(rows).at), \
		grown ? ((rows).at = grown, (rows).at[(rows).n++] = (__VA_ARGS__), true) : false)

static gs_id intern(gpusnap_builder *b, const char *text)
{
	return text ? gs_tables_text(b->tables, text, strlen(text)) : 0;
}

static gs_span text_of(const gpusnap_builder *b, gs_id id)
{
	const gs_table_text *t = &b->tables->texts[id];
	return (gs_span){id ? b->tables->text_bytes + t->at : NULL, t->n};
}

/* Copies a caller's struct, which may be older and shorter than ours: what it lacks is 0. */
static bool take_row(void *row, size_t size, const void *from)
{
	size_t given;
	memcpy(&given, from, sizeof given);
	if (given < sizeof given || given > size)
		return false;
	memset(row, 0, size);
	memcpy(row, from, given);
	return true;
}

static gpusnap_status wrong_size(void)
{
	return gs_api_fail(GS_INVALID, "the row's size is not that of a struct of this gpusnap");
}

static bool known_ids(const gpusnap_builder *b, gs_id stack, gs_id tag)
{
	return stack < b->tables->nstacks && tag < b->tables->ntags;
}

static gpusnap_status unknown_id(void)
{
	return gs_api_fail(GS_INVALID, "a stack or tag that the builder did not give");
}

/* --- facts, texts, stacks --- */

gpusnap_status gpusnap_builder_fact(gpusnap_builder *b, const char *name, const char *value)
{
	const struct {
		const char *name;
		gs_id *text;
		int64_t *number;
	} facts[] = {
		{"host", &b->host, NULL},
		{"tool", &b->tool, NULL},
		{"rules", &b->rules, NULL},
		{"library", &b->library, NULL},
		{"driver", &b->driver, NULL},
		{"argv", &b->argv, NULL},
		{"pid", NULL, &b->pid},
		{"rank", NULL, &b->rank},
		{"time_us", NULL, &b->time_us},
	};
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		char *end;
		if (strcmp(name, facts[i].name))
			continue;
		if (facts[i].text) {
			*facts[i].text = intern(b, value);
			return *facts[i].text ? GPUSNAP_OK : no_memory();
		}
		long long v = strtoll(value, &end, 10);
		if (!*value || *end)
			return gs_api_fail(GS_INVALID, "%s: \"%.40s\" is not a number", name, value);
		*facts[i].number = v;
		return GPUSNAP_OK;
	}
	return gs_api_fail(GS_NOT_FOUND, "there is no fact \"%.40s\"", name);
}

gpusnap_status gpusnap_builder_setting(gpusnap_builder *b, const char *name, const char *value)
{
	void *grown;
	gs_built_pair pair = {intern(b, name), intern(b, value), 0, 0};
	if (!pair.first || !pair.second || !PUSH(b->settings, pair))
		return no_memory();
	return GPUSNAP_OK;
}

gpusnap_id gpusnap_builder_frame(
	gpusnap_builder *b, const char *name, const char *file, int64_t line)
{
	gs_id id = gs_tables_frame(b->tables, intern(b, name), intern(b, file),
		line < 0 || line > INT32_MAX ? -1 : (int32_t)line);
	if (!id)
		gs_api_fail(GS_LIMIT, "too many frames");
	return id;
}

gpusnap_id gpusnap_builder_stack(gpusnap_builder *b, const gpusnap_id *frames, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!frames[i] || frames[i] >= b->tables->nframes) {
			gs_api_fail(GS_INVALID, "a frame that the builder did not give");
			return 0;
		}
	gs_id id = gs_tables_stack(b->tables, frames, n > 1024 ? 1024 : (uint32_t)n, NULL, 0, 0);
	if (!id && n)
		gs_api_fail(GS_LIMIT, "too many stacks");
	return id;
}

gpusnap_id gpusnap_builder_tag(gpusnap_builder *b, const char *name)
{
	gs_id id = gs_tables_tag(b->tables, name, strlen(name));
	if (!id)
		gs_api_fail(GS_LIMIT, "too many tags");
	return id;
}

/* --- rows --- */

gpusnap_status gpusnap_builder_device(gpusnap_builder *b, const gpusnap_device_row *from)
{
	gpusnap_device_row row;
	void *grown;
	if (!take_row(&row, sizeof row, from))
		return wrong_size();
	for (size_t i = 0; i < b->devices.n; i++)
		if (b->devices.at[i].device == row.device)
			return gs_api_fail(GS_EXISTS, "device %d was added before", row.device);
	gs_row_device d = {.device = row.device,
		.name = text_of(b, intern(b, row.name)),
		.capacity = row.capacity,
		.device_free = row.device_free,
		.allowed = row.allowed,
		.reserved = GS_NONE,
		.allocated = GS_NONE,
		.others = row.others,
		.idx = GS_NONE,
		.dropped = row.dropped > 0 ? (uint64_t)row.dropped : 0,
		.complete = row.complete,
		.layout_at_oom = row.layout_at_oom};
	return PUSH(b->devices, d) ? GPUSNAP_OK : no_memory();
}

gpusnap_status gpusnap_builder_segment(gpusnap_builder *b, const gpusnap_segment_row *from)
{
	gpusnap_segment_row row;
	void *grown;
	if (!take_row(&row, sizeof row, from))
		return wrong_size();
	if (!known_ids(b, row.stack, 0))
		return unknown_id();
	gs_row_segment s = {.device = row.device,
		.address = row.address,
		.size = row.bytes,
		.stream = row.stream,
		.pool_id = {row.pool_id.a, row.pool_id.b},
		.stack = row.stack,
		.pool = (uint8_t)row.pool,
		.expandable = row.expandable};
	return PUSH(b->segments, s) ? GPUSNAP_OK : no_memory();
}

gpusnap_status gpusnap_builder_block(gpusnap_builder *b, const gpusnap_block_row *from)
{
	gpusnap_block_row row;
	void *grown;
	if (!take_row(&row, sizeof row, from))
		return wrong_size();
	if (!known_ids(b, row.stack, row.tag))
		return unknown_id();
	gs_row_block k = {.device = row.device,
		.address = row.address,
		.size = row.bytes,
		.requested = row.state == GPUSNAP_INACTIVE ? GS_NONE : row.requested,
		.idx = row.event,
		.stack = row.stack,
		.tag = row.tag,
		.state = (uint8_t)row.state};
	return PUSH(b->blocks, k) ? GPUSNAP_OK : no_memory();
}

bool gs_builder_push_event(gpusnap_builder *b, const gs_row_event *event)
{
	void *grown;
	return PUSH(b->events, *event);
}

gpusnap_status gpusnap_builder_event(gpusnap_builder *b, const gpusnap_event_row *from)
{
	gpusnap_event_row row;
	void *grown;
	if (!take_row(&row, sizeof row, from))
		return wrong_size();
	if (!known_ids(b, row.stack, row.tag))
		return unknown_id();
	bool failed = row.action == GPUSNAP_OOM || row.action == GPUSNAP_REFUSED;
	if (failed && row.size <= offsetof(gpusnap_event_row, device_free))
		row.device_free = (int64_t)row.address;
	gs_row_event e = {.device = row.device,
		.address = failed ? 0 : row.address,
		.size = row.bytes,
		.time_us = row.time_us,
		.stream = row.stream,
		.has_pool_id = row.has_pool_id,
		.pool_id = {row.pool_id.a, row.pool_id.b},
		.stack = row.stack,
		.tag = row.tag,
		.action = (uint8_t)row.action,
		.device_free = failed && row.device_free >= 0 ? row.device_free : GS_NONE};
	return PUSH(b->events, e) ? GPUSNAP_OK : no_memory();
}

gpusnap_status gpusnap_builder_oom(gpusnap_builder *b, const gpusnap_oom_row *from)
{
	gpusnap_oom_row row;
	void *grown;
	if (!take_row(&row, sizeof row, from))
		return wrong_size();
	if (!known_ids(b, row.stack, 0))
		return unknown_id();
	gs_row_oom o = {GS_ROW_OOM_UNTOLD, .device = row.device, .idx = row.event,
		.time_us = row.time_us, .requested = row.requested, .needed = row.needed,
		.stream = row.stream, .has_pool_id = row.has_pool_id,
		.pool_id = {row.pool_id.a, row.pool_id.b}, .pool = (uint8_t)row.pool,
		.device_free = row.device_free, .capacity = row.capacity, .allocated = row.allocated,
		.reserved = row.reserved, .allowed = row.allowed,
		.message = text_of(b, intern(b, row.message)), .stack = row.stack};
	return PUSH(b->ooms, o) ? GPUSNAP_OK : no_memory();
}

gpusnap_status gpusnap_builder_stat(gpusnap_builder *b, const gpusnap_stat_row *from)
{
	gpusnap_stat_row row;
	void *grown;
	if (!take_row(&row, sizeof row, from))
		return wrong_size();
	gs_row_stat s = {row.device, intern(b, row.name), intern(b, row.pool), row.current, row.peak,
		row.allocated, row.freed};
	return s.name && PUSH(b->stats, s) ? GPUSNAP_OK : no_memory();
}

gpusnap_status gpusnap_builder_annotation(
	gpusnap_builder *b, int device, const char *name, const char *stage, int64_t time_us)
{
	void *grown;
	gs_built_pair pair = {intern(b, name), intern(b, stage), device, time_us};
	return PUSH(b->annotations, pair) ? GPUSNAP_OK : no_memory();
}

gpusnap_status gpusnap_builder_warning(gpusnap_builder *b, const char *text)
{
	void *grown;
	gs_built_text warning = {intern(b, text)};
	return PUSH(b->warnings, warning) ? GPUSNAP_OK : no_memory();
}

/* --- what made the dump --- */

gpusnap_status gpusnap_failure(int device, uint64_t stack, uint64_t bytes)
{
	gs_error *err = gs_api_error();
	gs_dumper *d = gs_opened_dumper(err);
	gs_dump_failure failure = {stack, bytes, device};
	gs_status status = d ? gs_dumper_admit(d, &failure) : err->status;
	if (status == GS_EXISTS)
		return gs_api_fail(status, "a dump of this failure is there");
	return gs_api_result(status);
}

gpusnap_status gpusnap_builder_reason(gpusnap_builder *b, gpusnap_reason reason)
{
	if (reason < GPUSNAP_BY_FAILURE || reason > GPUSNAP_BY_DEMAND)
		return gs_api_fail(GS_INVALID, "there is no reason %d", (int)reason);
	b->reason = (int)reason;
	return GPUSNAP_OK;
}

gpusnap_status gpusnap_builder_failure(
	gpusnap_builder *b, int device, uint64_t stack, uint64_t bytes)
{
	b->failure = (gs_dump_failure){stack, bytes, device};
	b->has_failure = true;
	return GPUSNAP_OK;
}

/* --- writing --- */

typedef struct writing {
	gpusnap_builder *b;
	gs_encoder *encoder;
	const gs_config *config;
	const char *reason;
	gs_error *err;
} writing;

static gs_status encode(void *arg, int64_t pid, gs_sink sink, void *sink_arg)
{
	const writing *w = arg;
	return gs_builder_encode(w->b, w->encoder, w->config, pid, w->reason, sink, sink_arg, w->err);
}

static gs_dump_reason reason_of(const gpusnap_builder *b, const char *path)
{
	static const gs_dump_reason reasons[] = {GS_DUMP_OOM, GS_DUMP_SIGNAL, GS_DUMP_DEMAND};
	return b->reason >= 0 ? reasons[b->reason] : path ? GS_DUMP_DEMAND : GS_DUMP_OOM;
}

gpusnap_status gpusnap_builder_write(
	gpusnap_builder *b, int device, const char *path, int overwrite, char *written, size_t cap)
{
	gs_encoder encoder = {.pages = NULL};
	gs_error why = GS_ERROR_INIT, *err = gs_api_error();
	gs_dumper *d = gs_opened_dumper(err);
	if (!d)
		return gs_api_result(err->status);
	gs_status status = gs_encoder_init(&encoder, b->tables, d->config->level, &b->pages);
	if (status)
		return gs_api_fail(status, "no memory to write the file");
	const char *reason = b->reason >= 0 || !path ? gs_dump_reason_text(reason_of(b, path)) : NULL;
	writing w = {b, &encoder, d->config, reason, &why};
	gs_dump_request request = {.reason = reason_of(b, path),
		.failure = b->has_failure ? &b->failure : NULL,
		.path = path,
		.overwrite = overwrite,
		.quiet = path};
	status = gs_dumper_write_by(d, encode, &w, device, &request, written, cap, err);
	gs_encoder_release(&encoder);
	return why.text[0] ? gs_api_fail(why.status, "%s", why.text) : gs_api_result(status);
}
