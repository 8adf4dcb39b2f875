#include "analyzer/api/outline.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/api/put.h"
#include "analyzer/meaning/step_state.h"
#include "analyzer/model/parts.h"
#include "analyzer/timeline/axis.h"

static int64_t time_of(const gs_timeline *t, int64_t idx)
{
	return idx >= 0 && (size_t)idx < t->history->n ? t->device->trace.events[idx].time_us : GS_NONE;
}

static void put_peak(const gs_timeline *t, const char *key, bool reserved, FILE *out)
{
	int64_t idx = gs_history_peak(t->history, reserved);
	gs_running_totals g = gs_timeline_totals(t, idx);
	gs_put_key(out, key, false);
	fprintf(out, "{\"idx\":%" PRId64, idx);
	gs_put_number_member(out, "time_us", time_of(t, idx));
	gs_put_address_member(out, "allocated", g.allocated);
	gs_put_address_member(out, "pending", g.pending);
	gs_put_address_member(out, "reserved", g.reserved);
	fputc('}', out);
}

static void put_failures(const gs_timeline *t, FILE *out)
{
	const gs_snapshot *s = t->snapshot;
	bool any = false;
	gs_put_key(out, "failures", false);
	fputc('[', out);
	for (size_t i = 0; i < s->nooms; i++) {
		const gs_oom *oom = &s->ooms[i];
		if (oom->device != t->device->device)
			continue;
		fprintf(out, "%s{\"idx\":", any ? "," : "");
		fprintf(out, oom->idx == GS_NONE ? "null" : "%" PRId64, oom->idx);
		gs_put_number_member(out, "time_us", oom->time_us);
		gs_put_number_member(out, "requested", oom->requested);
		gs_put_number_member(out, "needed", oom->needed);
		gs_put_number_member(out, "device_free", oom->device_free);
		fputc('}', out);
		any = true;
	}
	fputc(']', out);
}

static void put_steps(const gs_timeline *t, FILE *out)
{
	gs_put_key(out, "steps", false);
	fputc('[', out);
	for (size_t i = 0; i < t->meaning->nsteps; i++) {
		const gs_phase_step *step = &t->meaning->steps[i];
		fprintf(out, "%s{\"step\":%" PRId64, i ? "," : "", step->number);
		gs_put_text_member(out, "name", step->name);
		gs_put_number_member(out, "first_idx", step->first_idx);
		gs_put_number_member(out, "last_idx", step->last_idx);
		gs_put_number_member(out, "peak_idx", step->peak_idx);
		gs_put_address_member(out, "peak_allocated", step->peak_allocated);
		gs_put_text_member(out, "how", gs_step_how_word(step->how));
		gs_put_flag_member(out, "whole", step->whole);
		fputc('}', out);
	}
	fputc(']', out);
}

static void put_annotations(const gs_timeline *t, FILE *out)
{
	const gs_snapshot *s = t->snapshot;
	bool any = false;
	gs_put_key(out, "annotations", false);
	fputc('[', out);
	for (size_t i = 0; i < s->nannotations; i++) {
		const gs_annotation *a = &s->annotations[i];
		if (a->device >= 0 && a->device != t->device->device)
			continue;
		fputs(any ? ",{\"name\":" : "{\"name\":", out);
		gs_put_text(out, gs_string_text(s, a->name));
		gs_put_text_member(out, "stage", gs_string_text(s, a->stage));
		gs_put_number_member(out, "time_us", a->time_us);
		gs_put_number_member(out, "idx",
			t->timed && a->time_us != GS_NONE
				? (int64_t)gs_axis_event(&t->device->trace, true, (double)a->time_us)
				: GS_NONE);
		fputc('}', out);
		any = true;
	}
	fputc(']', out);
}

static void put_holders(const gs_timeline *t, FILE *out)
{
	gs_put_key(out, "holders", false);
	fputc('[', out);
	for (size_t i = 0; i < t->nholders; i++) {
		fputs(i ? ",{\"where\":" : "{\"where\":", out);
		gs_put_text(out, t->holders[i].where);
		gs_put_text_member(out, "called_by", t->holders[i].called_by);
		fputc('}', out);
	}
	fputc(']', out);
}

static void put_streams_and_pools(const gs_timeline *t, FILE *out)
{
	const gs_snapshot *s = t->snapshot;
	gs_put_key(out, "streams", false);
	for (uint32_t i = 0; i < s->nstreams; i++)
		fprintf(out, "%c%" PRIu64, i ? ',' : '[', s->streams[i]);
	fputs(s->nstreams ? "]" : "[]", out);
	gs_put_key(out, "pools", false);
	for (uint16_t i = 0; i < t->lives.npools; i++)
		fprintf(out, "%c\"%" PRIu64 ",%" PRIu64 "\"", i ? ',' : '[', t->lives.pools[i].a,
			t->lives.pools[i].b);
	fputs(t->lives.npools ? "]" : "[]", out);
}

typedef struct tags {
	const gs_timeline *t;
	uint8_t *used; /* by id */
} tags;

static gs_status look_for_tags(void *arg, size_t i, size_t end)
{
	const tags *x = arg;
	for (; i < end; i++) {
		gs_id tag = gs_life_tag(&x->t->lives, (uint32_t)i);
		x->used[tag < x->t->snapshot->nstrings ? tag : 0] = 1;
	}
	return GS_OK;
}

/* Tags that a block has, by id. Without memory for the list: none. */
static void put_tags(const gs_timeline *t, FILE *out)
{
	uint8_t *used = calloc((size_t)t->snapshot->nstrings + 1, 1);
	bool any = false;
	tags x = {t, used};
	if (used && !t->snapshot->untagged)
		gs_in_parts(t->lives.n, look_for_tags, &x);
	gs_put_key(out, "tags", false);
	fputc('{', out);
	for (gs_id tag = 1; used && tag < t->snapshot->nstrings; tag++)
		if (used[tag]) {
			fprintf(out, "%s\"%u\":", any ? "," : "", tag);
			gs_put_text(out, gs_string_text(t->snapshot, tag));
			any = true;
		}
	fputc('}', out);
	free(used);
}

static void put_default_state(const gs_timeline *t, FILE *out)
{
	gs_state state;
	bool found = !gs_meaning_state_find(
		t->snapshot, t->device, t->history, t->meaning, NULL, &state, NULL);
	gs_put_text_member(out, "default_state", found ? state.name : NULL);
	gs_put_number_member(out, "default_idx", found ? state.idx : GS_NONE);
}

void gs_outline_device(const gs_timeline *t, FILE *out)
{
	const gs_trace *trace = &t->device->trace;
	gs_running_totals g = gs_timeline_totals(t, -1);
	fprintf(out, "{\"device\":%d", t->device->device);
	gs_put_text_member(
		out, "name", t->device->name ? gs_string_text(t->snapshot, t->device->name) : NULL);
	gs_put_number_member(out, "capacity", t->device->capacity);
	gs_put_number_member(out, "allowed", t->device->allowed);
	gs_put_number_member(out, "device_free", t->device->device_free);
	gs_put_address_member(out, "events", trace->n);
	gs_put_address_member(out, "dropped", trace->dropped);
	gs_put_flag_member(out, "timed", t->timed);
	gs_put_flag_member(out, "crowded", t->crowded);
	gs_put_flag_member(out, "has_heap", t->device->has_layout);
	gs_put_number_member(out, "first_us", trace->n ? trace->events[0].time_us : GS_NONE);
	gs_put_number_member(out, "last_us", trace->n ? trace->events[trace->n - 1].time_us : GS_NONE);
	gs_put_address_member(out, "initial_allocated", g.allocated);
	gs_put_address_member(out, "initial_reserved", g.reserved);
	gs_put_address_member(out, "lives", t->lives.n);
	put_peak(t, "peak", false, out);
	put_peak(t, "peak_reserved", true, out);
	put_failures(t, out);
	put_steps(t, out);
	put_annotations(t, out);
	put_holders(t, out);
	put_streams_and_pools(t, out);
	put_tags(t, out);
	put_default_state(t, out);
	fputc('}', out);
}

void gs_outline_words(FILE *out)
{
	gs_put_key(out, "categories", false);
	for (unsigned i = 0; i < GS_CATEGORIES; i++)
		fprintf(out, "%c\"%s\"", i ? ',' : '[', gs_category_word(NULL, i));
	fputc(']', out);
	gs_put_key(out, "actions", false);
	for (int i = 0; i < GS_ACTION_COUNT; i++)
		fprintf(out, "%c\"%s\"", i ? ',' : '[', gs_action_text((gs_action)i));
	fputc(']', out);
}
