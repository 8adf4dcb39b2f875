/* A snapshot's rows as text. */
#include "tests/unit/snapshot_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "analyzer/model/frames.h"

static void put_known(FILE *f, int64_t x)
{
	if (x == GS_NONE)
		fputs("\t-", f);
	else
		fprintf(f, "\t%" PRId64, x);
}

static void put_stack(FILE *f, const gs_snapshot *s, uint32_t *sums, gs_id stack)
{
	if (stack && !sums[stack]) {
		size_t n = gs_stack_text(s, stack, true, NULL, 0);
		char *text = malloc(n + 1);
		gs_stack_text(s, stack, true, text, n + 1);
		sums[stack] = (uint32_t)crc32(0, (const unsigned char *)text, (unsigned)n);
		free(text);
	}
	fprintf(f, "\t%08" PRIx32 "\n", stack ? sums[stack] : 0);
}

static const char *tag_text(const gs_snapshot *s, gs_id tag)
{
	return tag ? gs_string_text(s, tag) : "-";
}

static void put_layout(FILE *f, const gs_snapshot *s, uint32_t *sums, const gs_device *d)
{
	for (size_t i = 0; i < d->captured.nsegments; i++) {
		const gs_segment *g = &d->captured.segments[i];
		static const char *const words[] = {"small", "large", "-"};
		fprintf(f, "S\t%d\t%" PRIu64 "\t%" PRIu64 "\t%" PRId64 "\t%s\t%" PRIu64 ",%" PRIu64 "\t%d",
			d->device, g->address, g->size, (int64_t)g->stream, words[g->pool], g->pool_id.a,
			g->pool_id.b, g->expandable);
		put_stack(f, s, sums, g->stack);
		for (size_t k = g->first_block; k < g->first_block + g->nblocks; k++) {
			const gs_block *b = &d->captured.blocks[k];
			fprintf(f, "B\t%d\t%" PRIu64 "\t%" PRIu64, d->device, b->address, b->size);
			put_known(f, b->requested);
			fprintf(
				f, "\t%s\t%s", gs_block_state_text((gs_block_state)b->state), tag_text(s, b->tag));
			put_stack(f, s, sums, b->stack);
		}
	}
}

static void put_trace(FILE *f, const gs_snapshot *s, uint32_t *sums, const gs_device *d)
{
	for (size_t i = 0; i < d->trace.n; i++) {
		const gs_event *e = &d->trace.events[i];
		fprintf(f, "E\t%d\t%zu\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRId64, d->device, i,
			gs_action_text(gs_event_action(e)), e->address, e->size,
			(int64_t)s->streams[e->stream]);
		put_known(f, e->time_us);
		if (e->pool)
			fprintf(f, "\t%" PRIu64 ",%" PRIu64, s->pools[e->pool - 1].a, s->pools[e->pool - 1].b);
		else
			fputs("\t-", f);
		fprintf(f, "\t%s", tag_text(s, gs_event_tag(e)));
		put_stack(f, s, sums, e->stack);
	}
}

char *gs_snapshot_rows(const gs_snapshot *s)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	uint32_t *sums = calloc(s->nstacks + 1, sizeof *sums);
	if (!f || !sums)
		abort();
	for (size_t i = 0; i < s->ndevices; i++) {
		put_layout(f, s, sums, &s->devices[i]);
		put_trace(f, s, sums, &s->devices[i]);
	}
	free(sums);
	fclose(f);
	return text;
}
