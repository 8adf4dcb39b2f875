#include "analyzer/export/flamegraph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/frames.h"
#include "schema/json.h"
#include "schema/printable.h"
#include "schema/version.h"

static const char nobody[] = "(no stack recorded)";

typedef struct weight {
	gs_id stack;
	uint64_t bytes;
} weight;

typedef struct graph {
	const gs_snapshot *s;
	uint8_t *plumbing; /* by frame id */
	uint64_t *sum;     /* by stack id, of the device at hand */
	weight *weights;
	size_t n;
} graph;

static gs_status graph_init(graph *g, const gs_snapshot *s, gs_error *err)
{
	*g = (graph){.s = s};
	g->plumbing = calloc((size_t)s->nframes + 1, 1);
	g->sum = calloc((size_t)s->nstacks + 1, sizeof *g->sum);
	g->weights = calloc((size_t)s->nstacks + 1, sizeof *g->weights);
	if (!g->plumbing || !g->sum || !g->weights)
		return gs_fail(err, GS_NO_MEMORY, "sums of %u stacks", s->nstacks);
	for (gs_id i = 1; i < s->nframes; i++)
		g->plumbing[i] = gs_frame_is_plumbing(s, i);
	return GS_OK;
}

static void graph_release(graph *g)
{
	free(g->plumbing);
	free(g->sum);
	free(g->weights);
}

static int heavier_first(const void *a, const void *b)
{
	const weight *x = a, *y = b;

	return x->bytes != y->bytes ? (x->bytes < y->bytes ? 1 : -1)
		: x->stack < y->stack   ? -1
								: x->stack > y->stack;
}

/* The weights of one device, heaviest first. */
static void weigh(graph *g, const gs_layout *l)
{
	memset(g->sum, 0, ((size_t)g->s->nstacks + 1) * sizeof *g->sum);
	g->n = 0;
	for (size_t i = 0; i < l->nblocks; i++)
		if (l->blocks[i].state == GS_ACTIVE_ALLOCATED)
			g->sum[l->blocks[i].stack < g->s->nstacks ? l->blocks[i].stack : 0] +=
				l->blocks[i].size;
	for (gs_id id = 0; id == 0 || id < g->s->nstacks; id++)
		if (g->sum[id])
			g->weights[g->n++] = (weight){id, g->sum[id]};
	qsort(g->weights, g->n, sizeof *g->weights, heavier_first);
}

/* Then the plumbing is shown, for nothing else is there. */
static bool only_plumbing(const graph *g, const gs_stack *stack)
{
	for (uint32_t i = 0; i < stack->n; i++)
		if (!g->plumbing[g->s->stack_frames[stack->first + i]])
			return false;
	return true;
}

typedef void each_frame(graph *g, gs_id frame, bool first, FILE *out);

/* Calls for each shown frame from the outermost; false: there is none. */
static bool walk(graph *g, gs_id id, each_frame *call, bool first, FILE *out)
{
	const gs_stack *stack = id < g->s->nstacks ? &g->s->stacks[id] : NULL;
	bool all = stack && only_plumbing(g, stack), any = false;

	for (uint32_t i = stack ? stack->n : 0; i-- > 0;) {
		gs_id frame = g->s->stack_frames[stack->first + i];
		if (g->plumbing[frame] && !all)
			continue;
		call(g, frame, first && !any, out);
		any = true;
	}
	return any;
}

/* --- folded ------------------------------------------------------------------------------------
 */

/* A frame in a folded line: no line's end, and no semicolon, which parts frames. */
static void put_folded(FILE *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		fputc(c == ';' ? ':' : c < 0x20 || c == 0x7f ? '?' : c, out);
	}
}

static void folded_frame(graph *g, gs_id frame, bool first, FILE *out)
{
	char text[1024];

	gs_frame_text(g->s, frame, text, sizeof text);
	if (!first)
		fputc(';', out);
	put_folded(out, text);
}

gs_status gs_export_folded(
	const gs_snapshot *s, const gs_moments *moments, FILE *out, gs_error *err)
{
	graph g;
	gs_status status = graph_init(&g, s, err);
	bool many = moments->n > 1;

	for (size_t k = 0; k < moments->n && !status; k++) {
		weigh(&g, &moments->at[k].layout);
		for (size_t i = 0; i < g.n; i++) {
			if (many)
				fprintf(out, "device %d", moments->at[k].device->device);
			if (!walk(&g, g.weights[i].stack, folded_frame, !many, out))
				fprintf(out, "%s%s", many ? ";" : "", nobody);
			fprintf(out, " %" PRIu64 "\n", g.weights[i].bytes);
		}
	}
	graph_release(&g);
	return status;
}

/* --- speedscope --------------------------------------------------------------------------------
 */

static void put_json(FILE *out, const char *text)
{
	char buf[6 * 1024 + 3];

	fputs(gs_json_quote(buf, sizeof buf, text, strlen(text)), out);
}

/* Frame 0 stands for the stacks that were not recorded; the others have their ids. */
static void put_frames(const gs_snapshot *s, FILE *out)
{
	fprintf(out, "{\"name\":\"%s\"}", nobody);
	for (gs_id i = 1; i < s->nframes; i++) {
		const gs_frame *f = &s->frames[i];
		const char *file = gs_string_text(s, f->file);
		fputs(",\n{\"name\":", out);
		put_json(out, gs_string_text(s, f->name));
		if (*file) {
			fputs(",\"file\":", out);
			put_json(out, file);
		}
		if (f->line != GS_NONE)
			fprintf(out, ",\"line\":%" PRId64, f->line);
		fputc('}', out);
	}
}

static void sample_frame(graph *g, gs_id frame, bool first, FILE *out)
{
	(void)g;
	fprintf(out, first ? "%u" : ",%u", frame);
}

static void put_profile(graph *g, const gs_moment *m, FILE *out)
{
	uint64_t total = 0;
	char name[100];

	weigh(g, &m->layout);
	for (size_t i = 0; i < g->n; i++)
		total += g->weights[i].bytes;
	snprintf(name, sizeof name, "device %d: allocated bytes, state %s", m->device->device,
		m->state.name);
	fputs("{\"type\":\"sampled\",\"name\":", out);
	put_json(out, name);
	fprintf(out, ",\"unit\":\"bytes\",\"startValue\":0,\"endValue\":%" PRIu64 ",\n\"samples\":[",
		total);
	for (size_t i = 0; i < g->n; i++) {
		fputs(i ? ",[" : "[", out);
		if (!walk(g, g->weights[i].stack, sample_frame, true, out))
			fputc('0', out);
		fputc(']', out);
	}
	fputs("],\n\"weights\":[", out);
	for (size_t i = 0; i < g->n; i++)
		fprintf(out, i ? ",%" PRIu64 : "%" PRIu64, g->weights[i].bytes);
	fputs("]}", out);
}

gs_status gs_export_speedscope(
	const gs_snapshot *s, const gs_moments *moments, FILE *out, gs_error *err)
{
	const char *path = s->path ? s->path : "a snapshot", *slash = strrchr(path, '/');
	graph g;
	gs_status status = graph_init(&g, s, err);

	if (!status) {
		fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n", out);
		fputs("\"exporter\":\"gpusnap@" GS_RELEASE "\",\"name\":", out);
		put_json(out, slash && slash[1] ? slash + 1 : path);
		fputs(",\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[", out);
		put_frames(s, out);
		fputs("]},\n\"profiles\":[", out);
		for (size_t k = 0; k < moments->n; k++) {
			fputs(k ? ",\n" : "", out);
			put_profile(&g, &moments->at[k], out);
		}
		fputs("]}\n", out);
	}
	graph_release(&g);
	return status;
}
