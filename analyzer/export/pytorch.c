/* The model as PyTorch's nested dictionaries. Strings, frames and stacks are written once and
 * referred to. */
#include "analyzer/export/pytorch.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/export/pickle_json.h"
#include "analyzer/export/pickle_write.h"

enum { MOST_DEVICE = 1023 };

typedef struct exporter {
	const gs_snapshot *s;
	gs_pickler p;
	uint32_t *strings, *frames, *stacks; /* memo numbers by id, 0 not yet written */
	struct {
		const char *key;
		uint32_t memo;
	} keys[64];
	struct members {
		unsigned char *at;
		size_t n;
	} * more; /* by string id, made when first needed */
	size_t left_out;
} exporter;

/* A key; the same pointer is written once. */
static void key(exporter *x, const char *name)
{
	size_t i = 0;
	while (x->keys[i].key && x->keys[i].key != name)
		i++;
	if (x->keys[i].key) {
		gs_pickler_get(&x->p, x->keys[i].memo);
		return;
	}
	gs_pickler_text(&x->p, name, strlen(name));
	if (i + 1 < sizeof x->keys / sizeof *x->keys) {
		x->keys[i].key = name;
		x->keys[i].memo = gs_pickler_put(&x->p);
	}
}

static void string(exporter *x, gs_id id)
{
	const gs_string *t = id && id < x->s->nstrings ? &x->s->strings[id] : NULL;
	if (t && x->strings[id]) {
		gs_pickler_get(&x->p, x->strings[id]);
		return;
	}
	gs_pickler_text(&x->p, t ? t->text : "", t ? t->length : 0);
	if (t)
		x->strings[id] = gs_pickler_put(&x->p);
}

static void put_unsigned(exporter *x, const char *name, uint64_t u)
{
	key(x, name);
	gs_pickler_unsigned(&x->p, u);
}

static void frame(exporter *x, gs_id id)
{
	const gs_frame *f = &x->s->frames[id];
	if (x->frames[id]) {
		gs_pickler_get(&x->p, x->frames[id]);
		return;
	}
	gs_pickler_dict(&x->p);
	key(x, "name");
	string(x, f->name);
	key(x, "filename");
	string(x, f->file);
	key(x, "line");
	gs_pickler_integer(&x->p, f->line == GS_NONE ? 0 : f->line);
	gs_pickler_dict_end(&x->p);
	x->frames[id] = gs_pickler_put(&x->p);
}

static void put_frames(exporter *x, gs_id stack)
{
	key(x, "frames");
	if (!stack || stack >= x->s->nstacks) {
		gs_pickler_raw(&x->p, "]", 1);
		return;
	}
	if (x->stacks[stack]) {
		gs_pickler_get(&x->p, x->stacks[stack]);
		return;
	}
	const gs_stack *k = &x->s->stacks[stack];
	gs_pickler_list(&x->p);
	for (uint32_t i = 0; i < k->n; i++)
		frame(x, x->s->stack_frames[k->first + i]);
	gs_pickler_list_end(&x->p);
	x->stacks[stack] = gs_pickler_put(&x->p);
}

static void put_pool(exporter *x, const char *name, gs_pool_id id)
{
	key(x, name);
	gs_pickler_pair(&x->p, id.a, id.b);
}

/* Members of the original that the model does not hold. */
static void put_more(exporter *x, gs_id id)
{
	const gs_string *text = id && id < x->s->nstrings ? &x->s->strings[id] : NULL;
	if (!text || text->length > GS_MOST_MORE)
		return; /* a long one, which each of a million events may name, would fill the disk */
	struct members *m = &x->more[id];
	if (!m->at && !x->p.status)
		x->p.status = gs_pickle_json_members(text->text, text->length, &m->at, &m->n);
	if (m->n)
		gs_pickler_raw(&x->p, m->at, m->n);
}

/* requested_size must stand beside frames; a live block's, if unknown, is the whole block. Inactive
 * blocks say what the file said, or 0, as fresh ones do. */
static void block(exporter *x, const gs_block *b)
{
	uint64_t requested = b->state == GS_INACTIVE ? b->stale
		: b->requested == GS_NONE                ? b->size
												 : (uint64_t)b->requested;
	gs_pickler_dict(&x->p);
	put_unsigned(x, "address", b->address);
	put_unsigned(x, "size", b->size);
	put_unsigned(x, "requested_size", requested);
	key(x, "state");
	const char *state = gs_block_state_text((gs_block_state)b->state);
	key(x, state);
	put_more(x, b->more);
	if (b->tag) {
		key(x, "user_metadata");
		string(x, b->tag);
	}
	put_frames(x, b->stack);
	gs_pickler_dict_end(&x->p);
}

static void segment(exporter *x, const gs_device *d, const gs_segment *g)
{
	uint64_t allocated = 0, active = 0, requested = 0;
	const gs_block *b = d->captured.blocks + g->first_block;
	for (size_t i = 0; i < g->nblocks; i++) {
		allocated += b[i].state == GS_ACTIVE_ALLOCATED ? b[i].size : 0;
		active += b[i].state != GS_INACTIVE ? b[i].size : 0;
		requested += b[i].state == GS_INACTIVE ? 0
			: b[i].requested == GS_NONE        ? b[i].size
											   : (uint64_t)b[i].requested;
	}
	gs_pickler_dict(&x->p);
	put_unsigned(x, "device", (uint64_t)d->device);
	put_unsigned(x, "address", g->address);
	put_unsigned(x, "total_size", g->size);
	put_unsigned(x, "allocated_size", allocated);
	put_unsigned(x, "active_size", active);
	put_unsigned(x, "requested_size", requested);
	key(x, "stream");
	gs_pickler_integer(&x->p, (int64_t)g->stream);
	if (g->pool != GS_CLASS_UNKNOWN) {
		key(x, "segment_type");
		key(x, g->pool == GS_SMALL ? "small" : "large");
	}
	put_pool(x, "segment_pool_id", g->pool_id);
	key(x, "is_expandable");
	gs_pickler_boolean(&x->p, g->expandable);
	put_frames(x, g->stack);
	key(x, "blocks");
	gs_pickler_list(&x->p);
	for (size_t i = 0; i < g->nblocks; i++)
		block(x, &b[i]);
	gs_pickler_list_end(&x->p);
	gs_pickler_dict_end(&x->p);
}

static bool has_action(gs_action a)
{
	return a != GS_ACTION_REFUSED && a != GS_ACTION_RECORD_STREAM && a != GS_ACTION_EMPTY_CACHE &&
		a != GS_ACTION_UNKNOWN;
}

static void event(exporter *x, const gs_event *e)
{
	gs_action action = gs_event_action(e);
	bool named = has_action(
		action); /* what the original called it otherwise is among the members */
	if (!named && !(action == GS_ACTION_UNKNOWN && e->more)) {
		x->left_out++;
		return;
	}
	gs_pickler_dict(&x->p);
	if (named) {
		key(x, "action");
		key(x, gs_action_text(action));
	}
	key(x, action == GS_ACTION_OOM ? "device_free" : "addr");
	if (action == GS_ACTION_OOM)
		gs_pickler_integer(&x->p, (int64_t)e->address == GS_NONE ? -1 : (int64_t)e->address);
	else
		gs_pickler_unsigned(&x->p, e->address);
	put_unsigned(x, "size", e->size);
	key(x, "stream");
	gs_pickler_integer(&x->p, (int64_t)x->s->streams[e->stream]);
	if (e->time_us != GS_NONE) {
		key(x, "time_us");
		gs_pickler_integer(&x->p, e->time_us);
	}
	put_more(x, e->more);
	if (gs_event_tag(e)) {
		key(x, "user_metadata");
		string(x, gs_event_tag(e));
	}
	if (e->pool)
		put_pool(x, "pool_id", x->s->pools[e->pool - 1]);
	if (e->stack)
		put_frames(x, e->stack);
	gs_pickler_dict_end(&x->p);
}

/* A list a device, also for those between that have no events. */
static void traces(exporter *x)
{
	int32_t next = 0;
	key(x, "device_traces");
	gs_pickler_list(&x->p);
	for (size_t i = 0; i < x->s->ndevices; i++) {
		const gs_device *d = &x->s->devices[i];
		if (d->device < 0 || d->device > MOST_DEVICE || gs_device_is_host(x->s, d))
			continue;
		for (; next < d->device; next++)
			gs_pickler_raw(&x->p, "]", 1);
		gs_pickler_list(&x->p);
		for (size_t k = 0; k < d->trace.n; k++)
			event(x, &d->trace.events[k]);
		gs_pickler_list_end(&x->p);
		next++;
	}
	gs_pickler_list_end(&x->p);
}

/* `{"1":0,"2":0}` back to a dictionary of integers; false if it is anything else. */
static bool put_divisions(exporter *x, const char *text)
{
	const char *c = text;
	for (c++; *c == '"';) { /* first look, then write */
		c += 1 + strspn(c + 1, "0123456789");
		if (c[0] != '"' || c[1] != ':')
			return false;
		c += 2 + strspn(c + 2, "0123456789");
		c += *c == ',';
	}
	if (strcmp(c, "}"))
		return false;
	gs_pickler_dict(&x->p);
	for (c = text + 1; *c == '"';) {
		size_t n = strspn(c + 1, "0123456789");
		char *end;
		gs_pickler_text(&x->p, c + 1, n);
		gs_pickler_integer(&x->p, strtoll(c + n + 3, &end, 10));
		c = end + (*end == ',');
	}
	gs_pickler_dict_end(&x->p);
	return true;
}

static void setting(exporter *x, const gs_setting *set)
{
	const char *name = gs_string_text(x->s, set->name), *value = gs_string_text(x->s, set->value);
	char *end;
	string(x, set->name);
	if (!strcmp(value, "True") || !strcmp(value, "False")) {
		gs_pickler_boolean(&x->p, *value == 'T');
		return;
	}
	if (*value == '{' && put_divisions(x, value))
		return;
	long long i = strtoll(value, &end, 10);
	if (*value && !*end && strcmp(name, "PYTORCH_CUDA_ALLOC_CONF")) {
		gs_pickler_integer(&x->p, i);
		return;
	}
	double f = strtod(value, &end);
	if (*value && !*end && strcmp(name, "PYTORCH_CUDA_ALLOC_CONF"))
		gs_pickler_real(&x->p, f);
	else
		string(x, set->value);
}

static void facts(exporter *x)
{
	if (x->s->nsettings) {
		key(x, "allocator_settings");
		gs_pickler_dict(&x->p);
		for (size_t i = 0; i < x->s->nsettings; i++)
			setting(x, &x->s->settings[i]);
		gs_pickler_dict_end(&x->p);
	}
	if (!x->s->nannotations)
		return;
	key(x, "external_annotations");
	gs_pickler_list(&x->p);
	for (size_t i = 0; i < x->s->nannotations; i++) {
		const gs_annotation *a = &x->s->annotations[i];
		gs_pickler_dict(&x->p);
		key(x, "stage");
		string(x, a->stage);
		key(x, "name");
		string(x, a->name);
		key(x, "device");
		gs_pickler_integer(&x->p, a->device);
		if (a->time_us != GS_NONE) {
			key(x, "time_us");
			gs_pickler_integer(&x->p, a->time_us);
		}
		gs_pickler_dict_end(&x->p);
	}
	gs_pickler_list_end(&x->p);
}

static void segments(exporter *x, bool host)
{
	key(x, host ? "host_segments" : "segments");
	gs_pickler_list(&x->p);
	for (size_t i = 0; i < x->s->ndevices; i++) {
		const gs_device *d = &x->s->devices[i];
		if (gs_device_is_host(x->s, d) == host)
			for (size_t k = 0; k < d->captured.nsegments; k++)
				segment(x, d, &d->captured.segments[k]);
	}
	gs_pickler_list_end(&x->p);
}

/* Pinned host memory, as PyTorch has it: its events are one list. */
static void host(exporter *x)
{
	const gs_device *d = NULL;
	for (size_t i = 0; i < x->s->ndevices && !d; i++)
		d = gs_device_is_host(x->s, &x->s->devices[i]) ? &x->s->devices[i] : NULL;
	if (!d)
		return;
	segments(x, true);
	key(x, "host_traces");
	gs_pickler_list(&x->p);
	for (size_t k = 0; k < d->trace.n; k++)
		event(x, &d->trace.events[k]);
	gs_pickler_list_end(&x->p);
}

static void everything(exporter *x)
{
	gs_pickler_dict(&x->p);
	segments(x, false);
	traces(x);
	host(x);
	facts(x);
	gs_pickler_dict_end(&x->p);
}

static bool has_anything(const gs_snapshot *s)
{
	for (size_t i = 0; i < s->ndevices; i++)
		if (s->devices[i].captured.nsegments || s->devices[i].trace.n)
			return true;
	return s->kind == GS_KIND_PYTORCH || s->kind == GS_KIND_GSNAP;
}

gs_status gs_export_pytorch(
	const gs_snapshot *s, gs_sink sink, void *arg, size_t *left_out, gs_error *err)
{
	if (!has_anything(s))
		return gs_fail(err, GS_UNSUPPORTED, "it has neither segments nor events to export");
	exporter *x = calloc(1, sizeof *x);
	gs_status status;
	if (!x)
		return gs_no_memory(err);
	x->s = s;
	x->strings = calloc(s->nstrings + 1, sizeof *x->strings);
	x->frames = calloc(s->nframes + 1, sizeof *x->frames);
	x->stacks = calloc(s->nstacks + 1, sizeof *x->stacks);
	x->more = calloc(s->nstrings + 1, sizeof *x->more);
	if (x->strings && x->frames && x->stacks && x->more) {
		gs_pickler_init(&x->p, sink, arg);
		everything(x);
		status = gs_pickler_finish(&x->p, err);
	} else {
		status = gs_no_memory(err);
	}
	if (left_out)
		*left_out = x->left_out;
	for (uint32_t i = 0; x->more && i < s->nstrings; i++)
		free(x->more[i].at);
	free(x->more);
	free(x->strings);
	free(x->frames);
	free(x->stacks);
	free(x);
	return status;
}
