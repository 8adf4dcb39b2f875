/* Questions to a timeline that are answered in JSON. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/api/outline.h"
#include "analyzer/api/put.h"
#include "analyzer/api/request.h"
#include "analyzer/api/timelines.h"
#include "analyzer/model/frames.h"
#include "analyzer/timeline/bands.h"
#include "analyzer/timeline/flame.h"
#include "analyzer/timeline/span.h"

/* What a question gets: a timeline (but "outline", which is about all devices), options, and where
 * to write. */
typedef struct call {
	gpusnap_snapshot *s;
	const gs_timeline *t;
	const gs_api_options *o;
	FILE *out;
	gs_error *err;
} call;

/* --- outline -------------------------------------------------------------------------------------
 */

static gs_status tell_outline(const call *c)
{
	const gs_timeline *t;
	gs_status status = GS_OK;
	fputs("{\"schema_version\":1,\"devices\":[", c->out);
	for (size_t i = 0; i < c->s->snapshot.ndevices && !status; i++) {
		status = gs_api_timeline_at(c->s, i, &t, c->err);
		if (!status) {
			fputs(i ? ",\n" : "", c->out);
			gs_outline_device(t, c->out);
		}
	}
	fputc(']', c->out);
	gs_outline_words(c->out);
	fputs("}\n", c->out);
	return status;
}

/* --- a block -------------------------------------------------------------------------------------
 */

static void put_stack(const gs_snapshot *s, gs_id id, FILE *out)
{
	const gs_stack *stack = id < s->nstacks ? &s->stacks[id] : NULL;
	gs_put_key(out, "stack", false);
	fputc('[', out);
	for (uint32_t i = 0; stack && i < stack->n; i++) {
		char text[1024];
		gs_id frame = s->stack_frames[stack->first + i];
		gs_frame_text(s, frame, text, sizeof text);
		fputs(i ? ",{\"text\":" : "{\"text\":", out);
		gs_put_text(out, text);
		gs_put_flag_member(out, "plumbing", gs_frame_is_plumbing(s, frame));
		gs_put_flag_member(out, "user", gs_frame_is_user(s, frame));
		fputc('}', out);
	}
	fputc(']', out);
}

static void put_event(const gs_timeline *t, const char *key, int32_t idx, FILE *out)
{
	bool known = idx >= 0 && idx != GS_LIFE_NEVER;
	char time[32];
	snprintf(time, sizeof time, "%s_us", key);
	gs_put_number_member(out, key, known ? idx : GS_NONE);
	gs_put_number_member(out, time, known ? t->device->trace.events[idx].time_us : GS_NONE);
}

static void put_life(const gs_timeline *t, uint32_t life, FILE *out)
{
	const gs_snapshot *s = t->snapshot;
	const gs_life *l = &t->lives.all[life];
	gs_block b = gs_life_block(&t->lives, life);
	gs_categorization what_for = gs_timeline_categorization(t, life);
	int64_t step = gs_timeline_step_at(t, l->birth);
	uint16_t stream = gs_life_stream(&t->lives, life), pool = gs_life_pool(&t->lives, life);
	fprintf(out, "{\"life\":%u", life);
	gs_put_address_member(out, "address", b.address);
	gs_put_address_member(out, "size", b.size);
	gs_put_number_member(out, "requested", b.requested);
	gs_put_flag_member(out, "before", l->birth == GS_LIFE_BEFORE);
	put_event(t, "birth", l->birth, out);
	put_event(t, "freed", l->freed, out);
	put_event(t, "death", l->death, out);
	gs_put_text_member(out, "category", gs_category_word(NULL, what_for.category));
	gs_put_text_member(out, "category_why", gs_category_why(NULL, what_for.rule));
	gs_put_text_member(out, "step", step < 0 ? NULL : t->meaning->steps[step].name);
	gs_put_key(out, "stream", false);
	if (stream)
		fprintf(out, "%" PRIu64, s->streams[stream - 1]);
	else
		fputs("null", out);
	gs_put_key(out, "pool_id", false);
	if (pool)
		fprintf(out, "\"%" PRIu64 ",%" PRIu64 "\"", t->lives.pools[pool - 1].a,
			t->lives.pools[pool - 1].b);
	else
		fputs("null", out);
	gs_put_text_member(out, "tag", b.tag ? gs_string_text(s, b.tag) : NULL);
	gs_put_number_member(out, "holder", t->holder[life]);
	gs_put_text_member(out, "where", t->holders[t->holder[life]].where);
	gs_put_text_member(out, "called_by", t->holders[t->holder[life]].called_by);
	put_stack(s, b.stack, out);
	fputs("}\n", out);
}

static gs_status tell_life(const call *c)
{
	int64_t life = GS_NONE;
	gs_status status = gs_api_option_number(c->o, "life", &life, c->err);
	if (!status && (life < 0 || life >= (int64_t)c->t->lives.n))
		status = gs_fail(
			c->err, GS_NOT_FOUND, "there are lives 0 to %lld", (long long)c->t->lives.n - 1);
	if (!status)
		put_life(c->t, (uint32_t)life, c->out);
	return status;
}

static gs_status tell_at(const call *c)
{
	const char *word = "birth";
	double bytes = 0;
	int64_t idx = 0;
	uint32_t life = GS_NO_LIFE;
	uint64_t bottom = 0;
	gs_status status = gs_api_option_text(c->o, "order", &word, c->err);
	if (!status && gs_life_key_parse(word) == GS_LIFE_KEY_COUNT)
		status = gs_fail(c->err, GS_INVALID, "no order is called \"%.40s\"", word);
	if (!status)
		status = gs_api_option_real(c->o, "bytes", &bytes, c->err);
	if (!status)
		status = gs_api_option_moment(c->o, c->t, &idx, c->err);
	idx = idx == GS_NONE ? c->t->history->captured_at : idx;
	if (!status)
		status = gs_bands_find(c->t, gs_life_key_parse(word), idx, bytes, &life, &bottom, c->err);
	if (status)
		return status;
	if (life == GS_NO_LIFE)
		fputs("null\n", c->out);
	else
		fprintf(c->out, "{\"life\":%u,\"bottom\":%" PRIu64 ",\"size\":%" PRIu64 "}\n", life, bottom,
			gs_life_size(&c->t->lives, life));
	return GS_OK;
}

/* --- a moment ------------------------------------------------------------------------------------
 */

static gs_status put_moment_rows(const gs_timeline *t, const gs_layout *l, FILE *out)
{
	gs_holder_row *rows = NULL;
	gs_category_sum *sums = NULL;
	size_t nrows = 0, nsums = 0;
	gs_status status = gs_meaning_holders(t->meaning, l, &rows, &nrows);
	if (!status)
		status = gs_meaning_categories(t->meaning, l, &sums, &nsums);
	gs_put_key(out, "holders", false);
	fputc('[', out);
	for (size_t i = 0; i < nrows; i++) {
		fputs(i ? ",\n{\"where\":" : "{\"where\":", out);
		gs_put_text(out, rows[i].where);
		gs_put_text_member(out, "called_by", *rows[i].called_by ? rows[i].called_by : NULL);
		gs_put_text_member(out, "category", gs_category_word(NULL, rows[i].category));
		gs_put_address_member(out, "bytes", rows[i].bytes);
		gs_put_address_member(out, "blocks", rows[i].blocks);
		fputc('}', out);
	}
	fputs("],\"categories\":[", out);
	for (size_t i = 0; i < nsums; i++)
		fprintf(out, "%s{\"category\":\"%s\",\"bytes\":%" PRIu64 ",\"blocks\":%" PRIu64 "}",
			i ? "," : "", gs_category_word(NULL, sums[i].category), sums[i].bytes, sums[i].blocks);
	fputc(']', out);
	free(rows);
	free(sums);
	return status;
}

static gs_status tell_moment(const call *c)
{
	int64_t idx;
	gs_layout l;
	gs_totals g;
	gs_layout_init(&l);
	gs_status status = gs_api_option_moment(c->o, c->t, &idx, c->err);
	if (!status)
		status = gs_api_layout_at(c->t, idx, &l, c->err);
	if (status)
		return status;
	gs_layout_totals(&l, &g);
	int64_t at = idx == GS_NONE ? c->t->history->captured_at : idx;
	fputs("{\"schema_version\":1", c->out);
	gs_put_number_member(c->out, "idx", idx);
	gs_put_number_member(
		c->out, "time_us", at >= 0 ? c->t->device->trace.events[at].time_us : GS_NONE);
	gs_put_address_member(c->out, "reserved", g.reserved);
	gs_put_address_member(c->out, "allocated", g.allocated);
	gs_put_address_member(c->out, "pending", g.pending);
	gs_put_address_member(c->out, "free", g.free);
	gs_put_address_member(c->out, "free_blocks", g.free_blocks);
	gs_put_address_member(
		c->out, "largest_free", g.largest < l.nblocks ? l.blocks[g.largest].size : 0);
	gs_put_address_member(c->out, "segments", g.segments);
	gs_put_address_member(c->out, "blocks", g.blocks);
	gs_put_flag_member(c->out, "exact", l.exact);
	gs_put_text_member(c->out, "note", *l.note ? l.note : NULL);
	gs_put_request(c->t, &l, idx, c->out);
	status = put_moment_rows(c->t, &l, c->out);
	fputs("}\n", c->out);
	gs_layout_release(&l);
	return status ? gs_fail(c->err, status, "no memory for the holders") : GS_OK;
}

/* --- a span --------------------------------------------------------------------------------------
 */

static void put_sum(FILE *out, const char *name, const gs_span_sum *sum)
{
	fprintf(out, ",\"%s\":%" PRIu64 ",\"%s_bytes\":%" PRIu64, name, sum->blocks, name, sum->bytes);
}

static void put_span_row(const gs_timeline *t, const gs_span_row *row, bool total, FILE *out)
{
	if (total) {
		fputs("{\"total\":true", out);
	} else {
		const gs_timeline_holder *h = &t->holders[row->holder];
		fprintf(out, "{\"holder\":%u", row->holder);
		gs_put_text_member(out, "where", h->where);
		gs_put_text_member(out, "called_by", *h->called_by ? h->called_by : NULL);
		gs_put_text_member(out, "category", gs_category_word(NULL, row->category));
	}
	put_sum(out, "born", &row->born);
	put_sum(out, "died", &row->died);
	put_sum(out, "stayed", &row->stayed);
	put_sum(out, "passed", &row->passed);
	fputc('}', out);
}

static gs_status read_stretch(const call *c, int64_t *from, int64_t *to)
{
	*from = -1;
	*to = (int64_t)c->t->history->n - 1;
	gs_status status = gs_api_option_idx(c->o, "from", from, c->err);
	return status ? status : gs_api_option_idx(c->o, "to", to, c->err);
}

static gs_status tell_span(const call *c)
{
	gs_timeline_span span = GS_SPAN_INIT;
	int64_t from, to;
	gs_status status = read_stretch(c, &from, &to);
	if (!status)
		status = gs_span_init(&span, c->t, from, to, c->err);
	if (!status) {
		fprintf(c->out, "{\"schema_version\":1,\"from\":%" PRId64 ",\"to\":%" PRId64 ",\"rows\":[",
			from, to);
		for (size_t i = 0; i < span.n; i++) {
			fputs(i ? ",\n" : "", c->out);
			put_span_row(c->t, &span.rows[i], false, c->out);
		}
		fputs("],\"total\":", c->out);
		put_span_row(c->t, &span.total, true, c->out);
		fputs("}\n", c->out);
	}
	gs_span_release(&span);
	return status;
}

/* --- the flame graph -----------------------------------------------------------------------------
 */

/* Frames by their place among those shown: place by id, + 1. */
static gs_status put_frames(const gs_flame *f, const gs_snapshot *s, uint32_t *place, FILE *out)
{
	uint32_t n = 0;
	gs_put_key(out, "frames", false);
	fputc('[', out);
	for (size_t i = 0; i < f->n; i++) {
		char text[1024] = "(no stack recorded)";
		if (place[f->nodes[i].frame])
			continue;
		if (f->nodes[i].frame)
			gs_frame_text(s, f->nodes[i].frame, text, sizeof text);
		fputs(n ? "," : "", out);
		gs_put_text(out, text);
		place[f->nodes[i].frame] = ++n;
	}
	fputc(']', out);
	return GS_OK;
}

static gs_status put_flame(const call *c, const gs_flame *f, bool stretch)
{
	uint32_t *place = calloc((size_t)c->t->snapshot->nframes + 1, sizeof *place);
	if (!place)
		return gs_fail(c->err, GS_NO_MEMORY, "no memory for the frames");
	fprintf(c->out, "{\"schema_version\":1,\"unit\":\"%s\",\"total\":%.17g",
		!stretch       ? "bytes"
			: f->timed ? "bytes × microseconds"
					   : "bytes × events",
		f->total);
	put_frames(f, c->t->snapshot, place, c->out);
	fputs(",\"nodes\":[", c->out);
	for (size_t i = 0; i < f->n; i++)
		fprintf(c->out, "%s[%u,%d,%.17g]", i ? "," : "", place[f->nodes[i].frame] - 1,
			f->nodes[i].parent, f->nodes[i].value);
	fputs("]}\n", c->out);
	free(place);
	return GS_OK;
}

static gs_status tell_flame(const call *c)
{
	gs_flame f = GS_FLAME_INIT;
	bool stretch = gs_api_option_given(c->o, "from") || gs_api_option_given(c->o, "to");
	int64_t from, to;
	gs_status status = stretch ? read_stretch(c, &from, &to)
							   : gs_api_option_moment(c->o, c->t, &to, c->err);
	to = to == GS_NONE ? c->t->history->captured_at : to;
	if (!status)
		status = stretch ? gs_flame_stretch(&f, c->t, from, to, c->err)
						 : gs_flame_moment(&f, c->t, to, c->err);
	if (!status)
		status = put_flame(c, &f, stretch);
	gs_flame_release(&f);
	return status;
}

/* -------------------------------------------------------------------------------------------------
 */

static const struct question {
	const char *what;
	gs_status (*tell)(const call *c);
	const char *options[6];
} questions[] = {
	{"outline", tell_outline, {NULL}},
	{"life", tell_life, {"device", "life", NULL}},
	{"at", tell_at, {"device", "idx", "state", "bytes", "order", NULL}},
	{"moment", tell_moment, {"device", "idx", "state", NULL}},
	{"span", tell_span, {"device", "from", "to", NULL}},
	{"flame", tell_flame, {"device", "idx", "state", "from", "to", NULL}},
};

static gs_status find_question(const char *what, const struct question **q, gs_error *err)
{
	for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
		if (!strcmp(questions[i].what, what)) {
			*q = &questions[i];
			return GS_OK;
		}
	return gs_fail(err, GS_INVALID, "no view is called \"%.40s\"", what);
}

static gs_status answer(gpusnap_snapshot *s, const struct question *q, const gs_api_options *o,
	char **out, size_t *n, gs_error *err)
{
	call c = {s, NULL, o, NULL, err};
	gs_api_answer a;
	gs_status status = q->tell == tell_outline ? GS_OK : gs_api_timeline_of(s, o, &c.t, err);
	if (status || (status = gs_api_answer_open(&a, err)))
		return status;
	c.out = a.stream;
	return gs_api_answer_finish(&a, q->tell(&c), out, n, err);
}

int gpusnap_snapshot_timeline(
	gpusnap_snapshot *s, const char *what, const char *options, char **out, size_t *n)
{
	const struct question *q = NULL;
	gs_api_options o = {NULL};
	gs_error err = GS_ERROR_INIT;
	int begun = gs_api_begin(s, out, n);
	if (begun)
		return begun;
	gs_status status = find_question(what, &q, &err);
	if (!status)
		status = gs_api_options_parse(&o, options, q->options, &err);
	if (!status)
		status = answer(s, q, &o, out, n, &err);
	gs_api_options_release(&o);
	return gs_api_end(s, status, &err);
}
