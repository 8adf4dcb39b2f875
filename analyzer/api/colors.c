/* The colours of the pictures (picture/palette.h) by life, ranked as a scene ranks them: by what
 * the default state of each device holds, then by its peak. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/api/put.h"
#include "analyzer/api/call.h"
#include "analyzer/meaning/step_state.h"
#include "analyzer/model/parts.h"
#include "analyzer/picture/palette.h"

typedef struct ranking {
	gs_palette_moment *moments;
	gs_layout *layouts;
	size_t n;
	bool failed; /* a device is shown where a request failed: what is held there ranks first */
} ranking;

static gs_status rank_device(ranking *r, const gs_timeline *t, gs_error *err)
{
	int64_t peak = gs_history_peak(t->history, false);
	gs_state state;
	gs_status status = gs_meaning_state_find(
		t->snapshot, t->device, t->history, t->meaning, NULL, &state, err);
	for (int i = 0; i < 2 && !status; i++) {
		int64_t idx = i ? peak : state.idx;
		status = gs_api_layout_at(t, idx < 0 ? GS_NONE : idx, &r->layouts[r->n], err);
		if (!status) {
			r->moments[r->n] = (gs_palette_moment){
				t->snapshot, &r->layouts[r->n], t->meaning, false};
			r->n++;
		}
	}
	if (!status)
		r->failed |= state.oom != SIZE_MAX;
	return status;
}

static gs_status rank(ranking *r, gpusnap_snapshot *s, gs_error *err)
{
	size_t devices = s->snapshot.ndevices;
	gs_status status = GS_OK;
	*r = (ranking){.moments = calloc(2 * devices + 1, sizeof *r->moments),
		.layouts = calloc(2 * devices + 1, sizeof *r->layouts)};
	if (!r->moments || !r->layouts)
		return gs_fail(err, GS_NO_MEMORY, "no memory to rank holders");
	for (size_t i = 0; i < devices && !status; i++) {
		const gs_timeline *t;
		status = s->snapshot.devices[i].has_layout ? gs_api_timeline_at(s, i, &t, err) : GS_OK;
		if (!status && s->snapshot.devices[i].has_layout)
			status = rank_device(r, t, err);
	}
	for (size_t i = 1; i < r->n; i += 2)
		r->moments[i].beside = r->failed;
	if (!r->n) { /* no device tells of a heap: what its events name has no rank */
		gs_layout_init(&r->layouts[0]);
		r->moments[r->n++] = (gs_palette_moment){&s->snapshot, &r->layouts[0], NULL, false};
	}
	return status;
}

static void ranking_release(ranking *r)
{
	for (size_t i = 0; i < r->n; i++)
		gs_layout_release(&r->layouts[i]);
	free(r->layouts);
	free(r->moments);
}

static void put_class(const gs_palette *p, int class, bool first, FILE *out)
{
	static const char *const patterns[GS_PATTERNS] = {
		"plain", "hatched", "falling", "dotted", "checked"};
	const gs_swatch *c = &p->classes[class];
	fprintf(out, "%s{\"class\":%d", first ? "" : ",", class);
	gs_put_text_member(out, "name", c->name);
	gs_put_text_member(out, "label", c->label);
	fprintf(out, ",\"rgb\":\"#%06x\",\"ink\":\"#%06x\",\"pattern\":\"%s\"}", c->paint.rgb,
		c->paint.ink, patterns[c->paint.pattern]);
}

/* Classes in use, and those that a heap needs at any moment. */
static gs_status put_legend(const gs_palette *p, gpusnap_colors *c, gs_error *err)
{
	bool used[GS_CLASSES] = {
		[GS_CLASS_FREE] = true, [GS_CLASS_UNUSABLE] = true, [GS_CLASS_PENDING] = true};
	bool any = false;
	gs_api_answer a;
	gs_status status = gs_api_answer_open(&a, err);
	if (status)
		return status;
	for (size_t i = 0; i < c->n; i++)
		used[c->of[i]] = true;
	fputs("{\"classes\":[", a.stream);
	for (int i = 0; i < GS_CLASSES; i++)
		if (used[i]) {
			put_class(p, i, !any, a.stream);
			any = true;
		}
	fputs("]", a.stream);
	gs_put_text_member(a.stream, "remark", p->remark);
	fputs("}\n", a.stream);
	return gs_api_answer_finish(&a, GS_OK, &c->legend, &c->nlegend, err);
}

static int class_of(const gs_palette *p, const gs_timeline *t, uint32_t life)
{
	const gs_snapshot *s = t->snapshot;
	gs_block b = gs_life_block(&t->lives, life);
	uint16_t stream = gs_life_stream(&t->lives, life);
	const gs_colored c = {.stack = b.stack,
		.tag = b.tag,
		.stream = stream ? s->streams[stream - 1] : 0,
		.size = b.size,
		.idx = b.idx,
		.category = gs_timeline_categorization(t, life).category};
	return gs_palette_live(p, &c);
}

typedef struct coloring {
	const gs_palette *palette;
	const gs_timeline *t;
	uint8_t *of;
} coloring;

static gs_status color_lives(void *arg, size_t i, size_t end)
{
	const coloring *x = arg;
	for (; i < end; i++)
		x->of[i] = (uint8_t)class_of(x->palette, x->t, (uint32_t)i);
	return GS_OK;
}

static gs_status fill_colors(
	gpusnap_snapshot *s, const gs_timeline *t, gs_color color, gpusnap_colors *c, gs_error *err)
{
	gs_palette palette = {0};
	ranking r;
	gs_status status = rank(&r, s, err);
	if (!status)
		status = gs_palette_init(&palette, r.moments, r.n, color, true, err);
	c->of = malloc((size_t)t->lives.n + 1);
	if (!status && !c->of)
		status = gs_fail(err, GS_NO_MEMORY, "no memory for %u colours", t->lives.n);
	coloring x = {&palette, t, c->of};
	c->n = status ? 0 : t->lives.n;
	gs_in_parts(c->n, color_lives, &x);
	if (!status)
		status = put_legend(&palette, c, err);
	gs_palette_release(&palette);
	ranking_release(&r);
	return status;
}

void gpusnap_colors_free(gpusnap_colors *c)
{
	free(c->of);
	free(c->legend);
	memset(c, 0, sizeof *c);
}

static gs_status read_color(const gs_api_options *o, gs_color *color, gs_error *err)
{
	const char *by = "holder";
	gs_status status = gs_api_option_text(o, "by", &by, err);
	*color = gs_color_parse(by);
	if (!status && (*color == GS_COLORS || *color == GS_COLOR_STATE))
		status = gs_fail(err, GS_INVALID, "lives are not coloured by \"%.40s\"", by);
	return status;
}

static gs_status answer_colors(gpusnap_snapshot *s, const gs_timeline *t, const gs_api_options *o,
	void *columns, gs_error *err)
{
	gs_color color = GS_COLOR_HOLDER;
	gs_status status = read_color(o, &color, err);
	return status ? status : fill_colors(s, t, color, columns, err);
}

int gpusnap_snapshot_colors(gpusnap_snapshot *s, const char *options, gpusnap_colors *columns)
{
	static const char *const names[] = {"device", "by", NULL};
	int failed = gs_api_columns_call(s, options, names, columns, sizeof *columns, answer_colors);
	if (failed)
		gpusnap_colors_free(columns);
	return failed;
}
