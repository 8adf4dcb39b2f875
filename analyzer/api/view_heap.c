/* The heap at a moment as columns. */
#include "analyzer/api/call.h"
#include "analyzer/api/column_table.h"

static const gs_api_column heap_columns[] = {
	GS_API_COLUMN(gpusnap_heap, segment_address, nsegments),
	GS_API_COLUMN(gpusnap_heap, segment_size, nsegments),
	GS_API_COLUMN(gpusnap_heap, segment_stream, nsegments),
	GS_API_COLUMN(gpusnap_heap, segment_pool_a, nsegments),
	GS_API_COLUMN(gpusnap_heap, segment_pool_b, nsegments),
	GS_API_COLUMN(gpusnap_heap, segment_large, nsegments),
	GS_API_COLUMN(gpusnap_heap, segment_expandable, nsegments),
	GS_API_COLUMN(gpusnap_heap, address, nblocks),
	GS_API_COLUMN(gpusnap_heap, size, nblocks),
	GS_API_COLUMN(gpusnap_heap, requested, nblocks),
	GS_API_COLUMN(gpusnap_heap, segment, nblocks),
	GS_API_COLUMN(gpusnap_heap, life, nblocks),
	GS_API_COLUMN(gpusnap_heap, stack, nblocks),
	GS_API_COLUMN(gpusnap_heap, tag, nblocks),
	GS_API_COLUMN(gpusnap_heap, holder, nblocks),
	GS_API_COLUMN(gpusnap_heap, state, nblocks),
	GS_API_COLUMN(gpusnap_heap, category, nblocks),
};

void gpusnap_heap_free(gpusnap_heap *c)
{
	gs_api_free_columns(c, sizeof *c, GS_API_TABLE(heap_columns));
}

static void fill_segment(const gs_segment *g, size_t i, gpusnap_heap *c)
{
	c->segment_address[i] = g->address;
	c->segment_size[i] = g->size;
	c->segment_stream[i] = g->stream;
	c->segment_pool_a[i] = g->pool_id.a;
	c->segment_pool_b[i] = g->pool_id.b;
	c->segment_large[i] = g->pool;
	c->segment_expandable[i] = g->expandable;
}

static void fill_block(const gs_timeline *t, const gs_block *b, size_t i, gpusnap_heap *c)
{
	uint32_t life = gs_lives_of_block(&t->lives, b);
	c->address[i] = b->address;
	c->size[i] = b->size;
	c->requested[i] = b->requested;
	c->segment[i] = b->segment;
	c->life[i] = life == GS_NO_LIFE ? -1 : (int32_t)life;
	c->stack[i] = b->stack;
	c->tag[i] = b->tag;
	c->holder[i] = life == GS_NO_LIFE ? UINT32_MAX : t->holder[life];
	c->state[i] = b->state;
	c->category[i] = gs_meaning_of(t->meaning, b).category;
}

static void fill_heap(const gs_timeline *t, const gs_layout *l, gpusnap_heap *c)
{
	c->exact = l->exact;
	for (size_t i = 0; i < l->nsegments; i++)
		fill_segment(&l->segments[i], i, c);
	for (size_t i = 0; i < l->nblocks; i++)
		fill_block(t, &l->blocks[i], i, c);
}

static gs_status answer_heap(gpusnap_snapshot *s, const gs_timeline *t, const gs_api_options *o,
	void *columns, gs_error *err)
{
	gpusnap_heap *c = columns;
	gs_layout l;
	(void)s;
	gs_layout_init(&l);
	gs_status status = gs_api_option_moment(o, t, &c->idx, err);
	if (!status)
		status = gs_api_layout_at(t, c->idx, &l, err);
	c->nsegments = l.nsegments;
	c->nblocks = l.nblocks;
	if (!status)
		status = gs_api_take_columns(c, GS_API_TABLE(heap_columns), err);
	if (!status)
		fill_heap(t, &l, c);
	gs_layout_release(&l);
	return status;
}

int gpusnap_snapshot_heap(gpusnap_snapshot *s, const char *options, gpusnap_heap *columns)
{
	static const char *const names[] = {"device", "idx", "state", NULL};
	int failed = gs_api_columns_call(s, options, names, columns, sizeof *columns, answer_heap);
	if (failed)
		gpusnap_heap_free(columns);
	return failed;
}
