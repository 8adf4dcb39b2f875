/* The in-memory model: devices and small facts. Interning is in intern.c. */
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

bool gs_snapshot_is_own(const gs_snapshot *s)
{
	return s->library && !strcmp(s->library, "gpusnap");
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

const char *gs_kind_text(gs_kind kind)
{
#define GS_KIND(name, word) word,
	static const char *const words[] = {GS_KIND_WORDS(GS_KIND)};
#undef GS_KIND
	return (unsigned)kind < GS_KINDS ? words[kind] : words[GS_KIND_UNKNOWN];
}
