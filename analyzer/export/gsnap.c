/* Writing a snapshot as .gsnap. Strings, frames and stacks keep their ids; tags get ids of their
 * own, in order of their strings. */
#include "analyzer/export/gsnap.h"

#include <inttypes.h>
#include <stdio.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schema/outfile.h"

typedef struct gs_exporting {
	const gs_snapshot *s;
	gs_writer *w;
	gs_id *tags; /* by string id: tag id in the file, 0 none */
} exporting;

static gs_span text_of(const gs_snapshot *s, gs_id id)
{
	gs_span none = {NULL, 0};
	return id && id < s->nstrings ? (gs_span){s->strings[id].text, s->strings[id].length} : none;
}

static void put_process(exporting *x)
{
	const gs_snapshot *s = x->s;
	bool converted = s->kind != GS_KIND_GSNAP && s->kind != GS_KIND_UNKNOWN;
	gs_writer_process(x->w,
		&(gs_row_process){.host = gs_span_of(s->host),
			.tool = gs_span_of(s->tool),
			.argv = gs_span_of(s->argv),
			.rules = gs_span_of(s->rules),
			.library = gs_span_of(s->library),
			.driver = gs_span_of(s->driver),
			.origin = gs_span_of(converted ? gs_kind_text(s->kind) : NULL),
			.reason = gs_span_of(s->reason),
			.above = gs_span_of(s->above),
			.release_min = gs_span_of(s->release_min),
			.release_max = gs_span_of(s->release_max),
			.pid = s->pid,
			.rank = s->rank,
			.time_us = s->time_us,
			.incomplete = !s->complete});
}

static void put_devices(exporting *x)
{
	for (size_t i = 0; i < x->s->ndevices; i++) {
		const gs_device *d = &x->s->devices[i];
		gs_writer_device(x->w,
			&(gs_row_device){.device = d->device,
				.name = text_of(x->s, d->name),
				.capacity = d->capacity,
				.device_free = d->device_free,
				.allowed = d->allowed,
				.reserved = d->reserved,
				.allocated = d->allocated,
				.others = d->others,
				.idx = d->captured.idx,
				.dropped = d->trace.dropped,
				.complete = d->trace.complete,
				.no_layout = !d->has_layout,
				.inexact = !d->captured.exact,
				.layout_at_oom = d->layout_at_oom,
				.note = gs_span_of(d->captured.note[0] ? d->captured.note : NULL)});
	}
}

static void put_outsider(exporting *x, const gs_outsider *o)
{
	char text[512], pid[24] = "-";
	if (o->pid >= 0)
		snprintf(pid, sizeof pid, "%" PRId64, o->pid);
	snprintf(text, sizeof text, "%d %s %" PRId64 " %.150s\t%.200s", o->device < 0 ? 0 : o->device,
		pid, o->bytes, gs_string_text(x->s, o->known), gs_string_text(x->s, o->holder));
	if (o->bytes >= 0)
		gs_writer_setting(x->w, gs_span_of("outside"), gs_span_of(text));
}

static void put_strings(exporting *x)
{
	const gs_snapshot *s = x->s;
	for (size_t i = 0; i < s->nsettings; i++)
		gs_writer_setting(x->w, text_of(s, s->settings[i].name), text_of(s, s->settings[i].value));
	for (size_t i = 0; i < s->noutsiders; i++)
		put_outsider(x, &s->outsiders[i]);
	for (uint32_t i = 1; i < s->nstrings; i++)
		gs_writer_string(x->w, text_of(s, i));
	for (uint32_t i = 1; i < s->nframes; i++)
		gs_writer_frame(x->w,
			&(gs_row_frame){.name = s->frames[i].name,
				.file = s->frames[i].file,
				.line = s->frames[i].line,
				.class = s->frames[i].class});
	for (uint32_t i = 1; i < s->nstacks; i++)
		gs_writer_stack(x->w, &s->stack_frames[s->stacks[i].first], s->stacks[i].n);
}

static void mark_tags(exporting *x)
{
	for (size_t i = 0; i < x->s->ndevices; i++) {
		const gs_device *d = &x->s->devices[i];
		for (size_t k = 0; k < d->captured.nblocks; k++)
			x->tags[d->captured.blocks[k].tag] = 1;
		for (size_t k = 0; k < d->trace.n; k++)
			x->tags[gs_event_tag(&d->trace.events[k])] = 1;
	}
	x->tags[0] = 0;
	for (uint32_t i = 1; i < x->s->nstrings; i++)
		if (x->tags[i])
			x->tags[i] = gs_writer_tag(x->w, i);
}

static void put_layouts(exporting *x)
{
	const gs_snapshot *s = x->s;
	for (size_t i = 0; i < s->ndevices; i++) {
		const gs_layout *l = &s->devices[i].captured;
		for (size_t k = 0; k < l->nsegments; k++) {
			const gs_segment *g = &l->segments[k];
			gs_writer_segment(x->w,
				&(gs_row_segment){s->devices[i].device, g->address, g->size, g->stream, g->pool_id,
					g->stack, g->pool, g->expandable, !g->has_address});
		}
	}
	for (size_t i = 0, before = 0; i < s->ndevices; before += s->devices[i++].captured.nsegments) {
		const gs_layout *l = &s->devices[i].captured;
		for (size_t k = 0; k < l->nblocks; k++) {
			const gs_block *b = &l->blocks[k];
			gs_writer_block(x->w,
				&(gs_row_block){s->devices[i].device, before + b->segment + 1, b->address, b->size,
					b->requested, b->idx, b->stack, x->tags[b->tag], b->state, b->stale, b->more});
		}
	}
}

static void put_stats(exporting *x)
{
	for (size_t i = 0; i < x->s->nstats; i++) {
		const gs_stat *t = &x->s->stats[i];
		gs_writer_stat(x->w,
			&(gs_row_stat){
				t->device, t->name, t->pool, t->current, t->peak, t->allocated, t->freed});
	}
}

static void put_ooms(exporting *x)
{
	const gs_snapshot *s = x->s;
	for (size_t i = 0; i < s->nooms; i++) {
		const gs_oom *o = &s->ooms[i];
		gs_writer_oom(x->w,
			&(gs_row_oom){.device = o->device,
				.idx = o->idx,
				.time_us = o->time_us,
				.requested = o->requested,
				.needed = o->needed,
				.stream = o->stream,
				.has_pool_id = o->has_pool_id,
				.pool_id = o->pool_id,
				.pool = (uint8_t)o->pool,
				.device_free = o->device_free,
				.capacity = o->capacity,
				.allocated = o->allocated,
				.reserved = o->reserved,
				.allowed = o->allowed,
				.library = gs_span_of(o->library),
				.message = gs_span_of(o->message),
				.stack = o->stack,
				.others = o->told.others,
				.own = o->told.own,
				.counted = o->told.counted,
				.private_free = o->told.private_free,
				.pool_free = o->told.pool_free,
				.pool_largest = o->told.pool_largest,
				.line = o->told.line,
				.says = o->told.says});
	}
}

static void put_facts(exporting *x)
{
	const gs_snapshot *s = x->s;
	put_stats(x);
	put_ooms(x);
	for (size_t i = 0; i < s->nannotations; i++) {
		const gs_annotation *a = &s->annotations[i];
		gs_writer_annotation(x->w, &(gs_row_annotation){a->device, a->name, a->stage, a->time_us});
	}
	for (size_t i = 0; i < s->nwarnings; i++)
		gs_writer_warning(x->w, gs_span_of(s->warnings[i].text));
}

static bool has_free(const gs_event *e)
{
	return gs_event_action(e) == GS_ACTION_OOM || gs_event_action(e) == GS_ACTION_REFUSED;
}

static void put_events(exporting *x)
{
	const gs_snapshot *s = x->s;
	for (size_t i = 0; i < s->ndevices; i++) {
		const gs_trace *t = &s->devices[i].trace;
		for (size_t k = 0; k < t->n && !gs_writer_status(x->w); k++) {
			const gs_event *e = &t->events[k];
			gs_pool_id none = {0, 0};
			gs_writer_event(x->w,
				&(gs_row_event){.device = s->devices[i].device,
					.address = has_free(e) ? 0 : e->address,
					.device_free = has_free(e) ? (int64_t)e->address : GS_NONE,
					.size = e->size,
					.time_us = e->time_us,
					.stream = s->streams[e->stream],
					.has_pool_id = e->pool != 0,
					.pool_id = e->pool ? s->pools[e->pool - 1] : none,
					.stack = e->stack,
					.tag = x->tags[gs_event_tag(e)],
					.action = (uint8_t)gs_event_action(e),
					.more = e->more});
		}
	}
}

gs_status gs_export_gsnap(const gs_snapshot *s, int level, gs_sink sink, void *arg, gs_error *err)
{
	exporting x = {s, NULL, calloc((size_t)s->nstrings + 1, sizeof *x.tags)};
	size_t size = gs_writer_workspace(level);
	void *workspace = malloc(size);
	gs_status status = x.tags && workspace ? GS_OK : GS_NO_MEMORY;
	if (!status)
		status = gs_writer_init(workspace, size, level, sink, arg, &x.w);
	if (!status) {
		put_process(&x);
		put_devices(&x);
		put_strings(&x);
		mark_tags(&x);
		put_layouts(&x);
		put_facts(&x);
		put_events(&x);
		status = gs_writer_finish(x.w);
	}
	free(workspace);
	free(x.tags);
	return status ? gs_fail(err, status, "cannot be written as .gsnap: %s", gs_status_text(status))
				  : GS_OK;
}

gs_status gs_export_gsnap_file(const gs_snapshot *s, const char *path, bool replace, gs_error *err)
{
	gs_outfile out = GS_OUTFILE_INIT;
	gs_status status = gs_outfile_open(
		&out, path, GS_OUTFILE_BINARY | (replace ? GS_OUTFILE_FORCE : 0), err);
	if (!status && (status = gs_export_gsnap(s, 3, gs_outfile_sink, &out, err)) == GS_IO)
		gs_fail(err, GS_IO, "%s", strerror(errno));
	if (!status)
		status = gs_outfile_commit(&out, err);
	gs_outfile_drop(&out);
	return status;
}
