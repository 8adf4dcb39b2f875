/* The in-memory model: devices, events, OOM rows and small facts. Interning is in intern.c, layouts
 * in layout.c. */
#include "analyzer/model/snapshot.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/model/intern.h"
#include "analyzer/model/memory.h"

void gs_snapshot_init(gs_snapshot *s)
{
	memset(s, 0, sizeof *s);
	s->pid = s->rank = s->time_us = GS_NONE;
	s->complete = true;
}

void gs_snapshot_release(gs_snapshot *s)
{
	for (size_t i = 0; i < s->ndevices; i++) {
		gs_layout_release(&s->devices[i].captured);
		gs_memory_give(s->devices[i].trace.events);
		gs_memory_give(s->devices[i].trace.figures);
	}
	gs_memory_give(s->devices);
	gs_memory_give(s->ooms);
	gs_memory_give(s->outsiders);
	gs_memory_give(s->annotations);
	gs_memory_give(s->settings);
	gs_memory_give(s->stats);
	gs_memory_give(s->warnings);
	gs_intern_release(s);
	gs_snapshot_init(s);
}

gs_device *gs_snapshot_find_device(const gs_snapshot *s, int32_t device)
{
	for (size_t i = 0; i < s->ndevices; i++)
		if (s->devices[i].device == device)
			return &s->devices[i];
	return NULL;
}

bool gs_device_is_host(const gs_snapshot *s, const gs_device *d)
{
	return d->name && !strcmp(gs_string_text(s, d->name), GS_HOST);
}

gs_device *gs_snapshot_device(gs_snapshot *s, int32_t device)
{
	gs_device *d = gs_snapshot_find_device(s, device);
	if (d)
		return d;
	if (!GS_ARRAY_ONE_MORE(s->devices, s->ndevices))
		return NULL;
	size_t at = s->ndevices++;
	for (; at && s->devices[at - 1].device > device; at--)
		s->devices[at] = s->devices[at - 1];
	d = &s->devices[at];
	memset(d, 0, sizeof *d);
	d->device = device;
	d->capacity = d->device_free = d->allowed = d->others = d->reserved = d->allocated = GS_NONE;
	d->trace.complete = -1;
	gs_layout_init(&d->captured);
	return d;
}

gs_event *gs_trace_append(gs_trace *t)
{
	if (!GS_ARRAY_RESERVE(t->events, t->cap, t->n + 1))
		return NULL;
	gs_event *e = &t->events[t->n++];
	memset(e, 0, sizeof *e);
	e->time_us = GS_NONE;
	return e;
}

gs_status gs_trace_add_figures(gs_trace *t, const gs_run_figures *figures)
{
	if (!GS_ARRAY_ONE_MORE(t->figures, t->nfigures))
		return GS_NO_MEMORY;
	t->figures[t->nfigures++] = *figures;
	return GS_OK;
}

void gs_oom_init(gs_oom *o)
{
	memset(o, 0, sizeof *o);
	o->number = GS_NONE;
	o->device = -1;
	o->pool = GS_CLASS_UNKNOWN;
	o->idx = o->time_us = o->requested = o->needed = o->stream = GS_NONE;
	o->device_free = o->capacity = o->allocated = o->reserved = o->allowed = GS_NONE;
	gs_oom_told *t = &o->told;
	t->others = t->own = t->counted = t->private_free = GS_NONE;
	t->pool_free = t->pool_largest = t->line = GS_NONE;
}

gs_oom *gs_snapshot_add_oom(gs_snapshot *s)
{
	if (!GS_ARRAY_ONE_MORE(s->ooms, s->nooms))
		return NULL;
	gs_oom *o = &s->ooms[s->nooms++];
	gs_oom_init(o);
	return o;
}

static gs_outsider *append_outsider(gs_snapshot *s)
{
	if (!GS_ARRAY_ONE_MORE(s->outsiders, s->noutsiders))
		return NULL;
	return &s->outsiders[s->noutsiders++];
}

/* What is said last of a process of a device counts. */
static gs_outsider *same_outsider(gs_snapshot *s, const gs_outsider *x)
{
	for (size_t i = 0; i < s->noutsiders && x->pid != GS_NONE; i++)
		if (s->outsiders[i].pid == x->pid && s->outsiders[i].device == x->device)
			return &s->outsiders[i];
	return NULL;
}

gs_status gs_snapshot_add_outsider(gs_snapshot *s, const gs_outsider *outsider)
{
	gs_outsider *x = same_outsider(s, outsider);
	if (!x)
		x = append_outsider(s);
	if (!x)
		return GS_NO_MEMORY;
	*x = *outsider;
	return GS_OK;
}

static gs_setting *append_setting(gs_snapshot *s)
{
	if (!GS_ARRAY_ONE_MORE(s->settings, s->nsettings))
		return NULL;
	return &s->settings[s->nsettings++];
}

gs_status gs_snapshot_add_setting(gs_snapshot *s, const char *name, const char *value)
{
	gs_setting *x = append_setting(s);
	if (!x)
		return GS_NO_MEMORY;
	x->name = gs_snapshot_string(s, name, strlen(name));
	x->value = gs_snapshot_string(s, value, strlen(value));
	return x->name && x->value ? GS_OK : GS_NO_MEMORY;
}

int64_t gs_snapshot_events(const gs_snapshot *s, const gs_device *d)
{
	uint64_t n = d->trace.n + d->trace.skipped;
	return !n && s->lost & GS_LOST_EVENTS ? GS_NONE : (int64_t)n;
}

int64_t gs_snapshot_failures(const gs_snapshot *s, const gs_device *d)
{
	int64_t n = 0;
	for (size_t i = 0; i < s->nooms; i++)
		n += !d || s->ooms[i].device == d->device;
	return !n && s->lost & GS_LOST_OOMS ? GS_NONE : n;
}

const char *gs_snapshot_setting(const gs_snapshot *s, const char *name)
{
	for (size_t i = s->nsettings; i--;)
		if (!strcmp(gs_string_text(s, s->settings[i].name), name))
			return gs_string_text(s, s->settings[i].value);
	return NULL;
}

static gs_stat *append_stat(gs_snapshot *s)
{
	if (!GS_ARRAY_ONE_MORE(s->stats, s->nstats))
		return NULL;
	return &s->stats[s->nstats++];
}

gs_status gs_snapshot_add_stat(gs_snapshot *s, const gs_stat *stat)
{
	gs_stat *x = append_stat(s);
	if (!x)
		return GS_NO_MEMORY;
	*x = *stat;
	return GS_OK;
}

static gs_annotation *append_annotation(gs_snapshot *s)
{
	if (!GS_ARRAY_ONE_MORE(s->annotations, s->nannotations))
		return NULL;
	return &s->annotations[s->nannotations++];
}

gs_status gs_snapshot_add_annotation(gs_snapshot *s, const gs_annotation *a)
{
	gs_annotation *x = append_annotation(s);
	if (!x)
		return GS_NO_MEMORY;
	*x = *a;
	return GS_OK;
}

static gs_warning *append_warning(gs_snapshot *s)
{
	if (!GS_ARRAY_ONE_MORE(s->warnings, s->nwarnings))
		return NULL;
	return &s->warnings[s->nwarnings++];
}

enum { MAX_WARNINGS = 32 };

void gs_snapshot_warn(gs_snapshot *s, const char *format, ...)
{
	gs_warning new;
	va_list args;
	va_start(args, format);
	vsnprintf(new.text, sizeof new.text, format, args);
	va_end(args);
	for (size_t i = 0; i < s->nwarnings; i++)
		if (!strcmp(s->warnings[i].text, new.text)) /* told by the file already */
			return;
	gs_warning *w = s->nwarnings < MAX_WARNINGS ? append_warning(s) : NULL;
	if (w)
		*w = new;
}

/* --- words ------------------------------------------------------------------------------------ */

static const struct {
	const char *text;
	size_t length;
} action_words[] = {
#define GS_ACT(name, text) {text, sizeof text - 1},
#include "schema/actions.def"
#undef GS_ACT
};

const char *gs_action_text(gs_action action)
{
	return (unsigned)action < GS_ACTION_COUNT ? action_words[action].text : "unknown";
}

gs_action gs_action_parse(const char *word, size_t n)
{
	for (int i = 0; i < GS_ACTION_COUNT; i++)
		if (action_words[i].length == n && !memcmp(word, action_words[i].text, n))
			return (gs_action)i;
	return GS_ACTION_UNKNOWN;
}

static const char *const state_words[] = {
#define GS_STATE_ROW(name, text) text,
#include "schema/block_states.def"
#undef GS_STATE_ROW
};
static const char *const class_words[] = {
#define GS_CLASS_ROW(name, text) text,
#include "schema/pool_classes.def"
#undef GS_CLASS_ROW
};

/* Number of a word in a list; n where it is none of them. */
static int number_of(const char *word, const char *const *words, int n)
{
	int i = 0;
	while (i < n && !(word && !strcmp(word, words[i])))
		i++;
	return i;
}

const char *gs_block_state_text(gs_block_state state)
{
	return (unsigned)state < GS_BLOCK_STATES ? state_words[state] : "unknown";
}

gs_block_state gs_block_state_parse(const char *word)
{
	return (gs_block_state)number_of(word, state_words, GS_BLOCK_STATES);
}

const char *gs_class_text(int pool)
{
	return (unsigned)pool < GS_CLASS_UNKNOWN ? class_words[pool] : NULL;
}

gs_pool_class gs_class_parse(const char *word)
{
	return (gs_pool_class)number_of(word, class_words, GS_CLASS_UNKNOWN);
}

const char *gs_kind_text(gs_kind kind)
{
#define GS_KIND(name, word) word,
	static const char *const words[] = {GS_KIND_WORDS(GS_KIND)};
#undef GS_KIND
	return (unsigned)kind < GS_KINDS ? words[kind] : words[GS_KIND_UNKNOWN];
}
