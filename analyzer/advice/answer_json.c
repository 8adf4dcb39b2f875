/* A diagnosis as one JSON object. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/advice/answer.h"
#include "analyzer/model/frames.h"
#include "analyzer/diagnose/others.h"
#include "schema/json.h"

static void text_or_null(FILE *out, const char *key, const char *text)
{
	size_t n = text ? strlen(text) : 0;
	char *quoted = text ? malloc(6 * n + 3) : NULL;
	fprintf(out, "\"%s\":%s", key, quoted ? gs_json_quote(quoted, 6 * n + 3, text, n) : "null");
	free(quoted);
}

static void number(FILE *out, const char *key, int64_t n)
{
	if (n == GS_NONE)
		fprintf(out, "\"%s\":null", key);
	else
		fprintf(out, "\"%s\":%lld", key, (long long)n);
}

static void truth(FILE *out, const char *key, int fits)
{
	fprintf(out, "\"%s\":%s", key, fits < 0 ? "null" : fits ? "true" : "false");
}

static void comma(FILE *out) { fputc(',', out); }

static void user_frame(const gs_diagnosis *d, FILE *out, gs_id stack)
{
	char frame[4096];
	gs_id id = stack ? gs_stack_user_frame(d->snapshot, stack) : 0;
	if (id)
		gs_frame_text(d->snapshot, id, frame, sizeof frame);
	text_or_null(out, "user_frame", id ? frame : NULL);
	comma(out);
	char *text = stack ? gs_diagnosis_stack(d->snapshot, stack) : NULL;
	text_or_null(out, "stack", text);
	free(text);
}

static void print_request(const gs_diagnosis *d, FILE *out)
{
	static const char *const classes[] = {"small", "large", NULL};
	char pool_id[48];
	int64_t device = d->device ? d->device->device
		: d->oom != SIZE_MAX   ? d->snapshot->ooms[d->oom].device
							   : -1;
	snprintf(pool_id, sizeof pool_id, "%llu,%llu", (unsigned long long)d->pool_id.a,
		(unsigned long long)d->pool_id.b);
	number(out, "device", device < 0 ? GS_NONE : device), comma(out);
	number(out, "idx", d->device ? gs_event_number(&d->device->trace, d->idx) : d->idx), comma(out);
	text_or_null(out, "verdict", gs_step_word(d->verdict)), comma(out);
	text_or_null(out, "kind", gs_step_kind(d->verdict)), comma(out);
	truth(out, "exact", d->exact), comma(out);
	number(out, "requested", d->requested), comma(out);
	number(out, "needed", d->needed), comma(out);
	number(out, "stream", d->stream), comma(out);
	text_or_null(out, "pool", classes[d->pool]), comma(out);
	text_or_null(out, "pool_id", d->oom != SIZE_MAX && d->has_pool_id ? pool_id : NULL), comma(out);
	number(out, "free", d->free), comma(out);
	number(out, "free_blocks", d->free_blocks), comma(out);
	number(out, "largest_free", d->largest_free), comma(out);
	number(out, "device_free", d->device_free), comma(out);
	number(out, "missing", d->missing), comma(out);
	text_or_null(out, "refused_by", d->refused_by);
}

static void print_ladder(const gs_diagnosis *d, FILE *out)
{
	const char *between = "";
	fputs("\"nulls\":[", out);
	for (int i = 0; i < GS_STEPS; i++) {
		if (!d->null[i])
			continue;
		fprintf(out, "%s\"%s\"", between, gs_step_word((gs_step)i));
		between = ",";
	}
	fputs("],\"ladder\":[", out);
	for (int i = 0; i < d->nladder; i++) {
		const gs_rung *r = &d->ladder[i];
		fputs(i ? ",{" : "{", out);
		text_or_null(out, "step", gs_step_word(r->step)), comma(out);
		truth(out, "fits", r->fits), comma(out);
		number(out, "available", r->available), comma(out);
		number(out, "needed", r->needed);
		fputc('}', out);
	}
	fputc(']', out);
}

static void print_pinning(const gs_diagnosis *d, FILE *out)
{
	fputs("\"pinning\":[", out);
	for (size_t i = 0; i < d->npinning; i++) {
		const gs_pinning *p = &d->pinning[i];
		fputs(i ? ",{" : "{", out);
		user_frame(d, out, p->stack), comma(out);
		number(out, "blocks", (int64_t)p->blocks), comma(out);
		number(out, "bytes", (int64_t)p->bytes), comma(out);
		number(out, "segments", (int64_t)p->segments), comma(out);
		number(out, "free_pinned", (int64_t)p->free_pinned);
		fputc('}', out);
	}
	fputc(']', out);
}

static void print_eviction(const gs_diagnosis *d, FILE *out)
{
	const gs_eviction *e = d->nevictions ? d->evictions : NULL;
	if (!e) {
		fputs("\"eviction\":null", out);
		return;
	}
	bool one = e->segment != SIZE_MAX;
	fputs("\"eviction\":{", out);
	number(out, "segment", one ? (int64_t)d->layout.segments[e->segment].address : GS_NONE),
		comma(out);
	number(out, "address", one ? (int64_t)e->address : GS_NONE), comma(out);
	number(out, "size", (int64_t)e->size), comma(out);
	number(out, "live_bytes", (int64_t)e->live_bytes), comma(out);
	number(out, "live_blocks", (int64_t)e->live_blocks), comma(out);
	truth(out, "sufficient", e->sufficient);
	fputc('}', out);
}

static void print_growth(const gs_diagnosis *d, FILE *out)
{
	fputs("\"growth\":[", out);
	for (size_t i = 0; i < d->ngrowth; i++) {
		const gs_growth *g = &d->growth[i];
		fputs(i ? ",{" : "{", out);
		user_frame(d, out, g->stack), comma(out);
		number(out, "bytes", (int64_t)g->bytes), comma(out);
		number(out, "blocks", (int64_t)g->blocks), comma(out);
		truth(out, "estimated", g->estimated), comma(out);
		truth(out, "given_back", g->given_back);
		fputc('}', out);
	}
	fputc(']', out);
}

static void print_advice(const gs_diagnosis *d, FILE *out)
{
	fputs("\"advice\":[", out);
	for (size_t i = 0; i < d->nadvice; i++) {
		fputs(i ? ",{" : "{", out);
		text_or_null(out, "do", d->advice[i].act), comma(out);
		text_or_null(out, "because", d->advice[i].because), comma(out);
		text_or_null(out, "known", gs_known_word(d->advice[i].known));
		fputc('}', out);
	}
	fputc(']', out);
}

static void print_holders(const gs_diagnosis *d, FILE *out, const gs_holder_row *rows, size_t n)
{
	fputs("\"holders\":[", out);
	for (size_t i = 0; i < n; i++) {
		const gs_holder_row *h = &rows[i];
		fputs(i ? ",{" : "{", out);
		text_or_null(out, "where", *h->where ? h->where : NULL), comma(out);
		text_or_null(out, "called_by", *h->called_by ? h->called_by : NULL), comma(out);
		text_or_null(out, "category", gs_category_word(d->recording->meaning.rules, h->category)),
			comma(out);
		number(out, "bytes", (int64_t)h->bytes), comma(out);
		number(out, "blocks", (int64_t)h->blocks);
		fputc('}', out);
	}
	fputc(']', out);
}

static void print_categories(
	const gs_diagnosis *d, FILE *out, const gs_category_sum *sums, size_t n)
{
	fputs("\"categories\":[", out);
	for (size_t i = 0; i < n; i++) {
		const gs_category_sum *c = &sums[i];
		fputs(i ? ",{" : "{", out);
		text_or_null(out, "category", gs_category_word(d->recording->meaning.rules, c->category)),
			comma(out);
		number(out, "bytes", (int64_t)c->bytes), comma(out);
		number(out, "blocks", (int64_t)c->blocks);
		fputc('}', out);
	}
	fputc(']', out);
}

/* Of this moment, unless the peak was another; not known where its events are not in memory. */
static void print_peak_parts(const gs_diagnosis *d, FILE *out)
{
	if (d->peak.is_apart) {
		fputs("\"categories\":null,\"holders\":null", out);
		return;
	}
	if (d->peak_apart) {
		print_categories(d, out, d->peak_categories, d->npeak_categories), comma(out);
		print_holders(d, out, d->peak_holders, d->npeak_holders);
		return;
	}
	print_categories(d, out, d->categories, d->ncategories), comma(out);
	print_holders(d, out, d->holders, d->nholders);
}

static void print_peak(const gs_diagnosis *d, FILE *out)
{
	const gs_peak *p = &d->peak;
	if (!d->has_layout) {
		fputs("\"peak\":null", out);
		return;
	}
	fputs("\"peak\":{", out);
	number(out, "idx", p->number < 0 ? GS_NONE : p->number), comma(out);
	number(out, "time_us", p->time_us), comma(out);
	number(out, "allocated", (int64_t)p->allocated), comma(out);
	number(out, "reserved", (int64_t)p->reserved), comma(out);
	print_peak_parts(d, out);
	fputc('}', out);
}

static void print_unlike(uint8_t unlike, FILE *out)
{
	static const char *const words[] = {"verdict", "reserved", "blocks", "holder"};
	const char *between = "";
	fputs("\"unlike\":[", out);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (unlike & 1u << i) {
			fprintf(out, "%s\"%s\"", between, words[i]);
			between = ",";
		}
	fputc(']', out);
}

static void print_standing(const gs_standing *x, FILE *out)
{
	number(out, "reserved", x->reserved), comma(out);
	number(out, "blocks", x->blocks), comma(out);
	text_or_null(out, "holder", *x->holder ? x->holder : NULL);
}

/* What is usual among many; null where there are too few to tell. */
static void print_usual(const gs_diagnosis *d, FILE *out)
{
	const gs_standing *usual = d->many ? &d->many->usual.of : NULL;
	if (!usual || (!usual->verdict && usual->reserved == GS_NONE && !*usual->holder)) {
		fputs("\"usual\":null", out);
		return;
	}
	fputs("\"usual\":{", out);
	text_or_null(out, "verdict", usual->verdict), comma(out);
	print_standing(usual, out);
	fputc('}', out);
}

static void print_others(const gs_diagnosis *d, FILE *out)
{
	fputs("\"others\":[", out);
	for (size_t i = 0; i < d->nothers; i++) {
		const struct gs_other *x = &d->others_list[i];
		const gs_snapshot *s = x->failure.snapshot;
		const gs_oom *oom = &s->ooms[x->failure.oom];
		fputs(i ? ",{" : "{", out);
		number(out, "rank", s->rank), comma(out);
		text_or_null(out, "snapshot", s->path), comma(out);
		number(out, "device", oom->device < 0 ? GS_NONE : oom->device), comma(out);
		const gs_device *device = gs_snapshot_find_device(s, oom->device);
		number(out, "idx", device ? gs_event_number(&device->trace, oom->idx) : oom->idx);
		comma(out);
		number(out, "time_us", oom->time_us), comma(out);
		text_or_null(out, "verdict", gs_step_word(x->verdict)), comma(out);
		text_or_null(out, "kind", gs_step_kind(x->verdict)), comma(out);
		text_or_null(out, "where", *x->where ? x->where : NULL), comma(out);
		truth(out, "alike", x->alike), comma(out);
		print_standing(&x->standing, out), comma(out);
		print_unlike(x->unlike, out);
		fputc('}', out);
	}
	fputc(']', out);
}

void gs_diagnosis_print_json(const gs_diagnosis *d, FILE *out)
{
	fputs("{\"schema_version\":1,", out);
	print_request(d, out), comma(out);
	print_ladder(d, out), comma(out);
	print_pinning(d, out), comma(out);
	print_eviction(d, out), comma(out);
	print_growth(d, out), comma(out);
	print_advice(d, out), comma(out);
	print_holders(d, out, d->holders, d->nholders), comma(out);
	print_categories(d, out, d->categories, d->ncategories), comma(out);
	print_peak(d, out), comma(out);
	number(out, "free_whole", d->free_whole), comma(out);
	number(out, "rank", d->snapshot->rank), comma(out);
	text_or_null(out, "snapshot", d->snapshot->path), comma(out);
	print_others(d, out), comma(out);
	print_usual(d, out), comma(out);
	print_unlike(d->many ? d->many->unlike : 0, out);
	fputs("}\n", out);
}
