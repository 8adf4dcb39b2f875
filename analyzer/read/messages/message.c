/* Collects messages over the whole input and joins what is one failure. */
#include "analyzer/read/messages/message.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/read/messages/asides.h"
#include "analyzer/read/messages/join.h"
#include "analyzer/read/messages/message_context.h"
#include "analyzer/read/messages/spoken.h"
#include "analyzer/read/text/figure.h"

enum { MAX_FINDS = 65536 };

void gs_oom_text_release(gs_oom_text *o)
{
	free(o->finds);
	*o = (gs_oom_text)GS_OOM_TEXT_INIT;
}

/* Outside the reader's account: MAX_FINDS bounds it, whatever the text's size. */
gs_status gs_oom_text_add(gs_oom_text *o, const gs_oom_find *f, gs_error *err)
{
	if (o->n == o->cap) {
		size_t cap = o->cap ? o->cap + o->cap / 2 : 16;
		gs_oom_find *finds = realloc(o->finds, cap * sizeof *finds);
		if (!finds)
			return gs_fail(err, GS_NO_MEMORY, "no memory for %zu messages", cap);
		o->finds = finds;
		o->cap = cap;
	}
	o->finds[o->n++] = *f;
	return GS_OK;
}

/* The processes that the message names, as holders of memory of its device. */
static gs_status name_processes(gs_oom_text *o, const gs_oom_match *m, gs_error *err)
{
	gs_snapshot *s = o->snapshot;
	gs_outsider x = {.device = m->row.device};
	gs_status status = GS_OK;
	for (size_t i = 0; i < m->nprocesses && !status; i++) {
		x.pid = m->processes[i].pid;
		x.bytes = m->processes[i].bytes;
		x.holder = gs_snapshot_string(s, "process", 7);
		x.known = gs_snapshot_string(s, "message", 7);
		status = x.holder && x.known ? gs_snapshot_add_outsider(s, &x) : GS_NO_MEMORY;
	}
	return status ? gs_fail(err, status, "no memory for the processes of a message") : GS_OK;
}

/* The failure told at [same] is told again by f. */
static void join_find(gs_oom_text *o, size_t same, const gs_oom_find *f)
{
	o->again += o->finds[same].kind == f->kind && f->row.requested != GS_NONE;
	gs_oom_join(&o->finds[same], f);
}

static gs_status keep_match(gs_oom_text *o, const gs_text *t, const gs_oom_match *m, gs_error *err)
{
	gs_oom_find f;
	bool zone;
	gs_oom_describe(o, t, m, &f, &zone);
	o->zoneless |= f.row.time_us != GS_NONE && !zone;
	gs_oom_take_aside(o, &f.row);
	f.heading = f.row.requested == GS_NONE && f.row.capacity == GS_NONE && gs_oom_is_heading(t, m);
	gs_status status = name_processes(o, m, err);
	if (status)
		return status;
	size_t same = gs_oom_same_failure(o->finds, o->n, &f, gs_oom_chained(o, t, m));
	if (same == o->n && o->n == MAX_FINDS) {
		o->more++;
		return GS_OK;
	}
	if (same == o->n || gs_oom_tells_more(&o->finds[same], &f)) {
		f.row.message = gs_oom_message_text(o->snapshot, t, m);
		if (!f.row.message)
			return gs_fail(err, GS_NO_MEMORY, "no memory for the text of message %zu", o->n + 1);
	}
	if (same < o->n) {
		join_find(o, same, &f);
		return GS_OK;
	}
	f.line = gs_text_line(t, m->begin);
	f.row.told.line = (int64_t)f.line;
	return gs_oom_text_add(o, &f, err);
}

gs_status gs_oom_text_scan(gs_oom_text *o, const gs_text *t, size_t from, size_t to, gs_error *err)
{
	gs_oom_seeker seeker;
	gs_oom_match m;
	int is;
	if (o->done > t->base + from)
		from = (size_t)(o->done - t->base);
	gs_oom_seek(t, from, to, &seeker);
	while ((is = gs_oom_text_match(t, from, &seeker, &m))) {
		if (is > 0 && !m.aside && gs_oom_is_spoken_of(t, &m)) {
			is = -1;
			m.reason = GS_NOT_TOLD;
		}
		if (is > 0 && m.aside) {
			gs_oom_put_aside(o, &m.row);
		} else if (is > 0) {
			gs_status status = keep_match(o, t, &m, err);
			if (status)
				return status;
		} else if (!o->nots[m.reason]++) {
			o->not_line[m.reason] = gs_text_line(t, m.begin);
		}
		from = m.end;
		o->done = t->base + m.end;
	}
	return GS_OK;
}

/* --- the snapshot --- */
