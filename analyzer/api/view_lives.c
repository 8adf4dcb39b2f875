/* Every block's life as columns. */
#include "analyzer/api/call.h"
#include "analyzer/api/column_table.h"
#include "analyzer/model/parts.h"

static const gs_api_column life_columns[] = {
	GS_API_COLUMN(gpusnap_lives, birth, n),
	GS_API_COLUMN(gpusnap_lives, freed, n),
	GS_API_COLUMN(gpusnap_lives, death, n),
	GS_API_COLUMN(gpusnap_lives, address, n),
	GS_API_COLUMN(gpusnap_lives, size, n),
	GS_API_COLUMN(gpusnap_lives, holder, n),
	GS_API_COLUMN(gpusnap_lives, stack, n),
	GS_API_COLUMN(gpusnap_lives, tag, n),
	GS_API_COLUMN(gpusnap_lives, step, n),
	GS_API_COLUMN(gpusnap_lives, stream, n),
	GS_API_COLUMN(gpusnap_lives, pool, n),
	GS_API_COLUMN(gpusnap_lives, category, n),
};

void gpusnap_lives_free(gpusnap_lives *c)
{
	gs_api_free_columns(c, sizeof *c, GS_API_TABLE(life_columns));
}

typedef struct filling {
	const gs_timeline *t;
	gpusnap_lives *c;
} filling;

static void fill_life(const gs_timeline *t, uint32_t i, gpusnap_lives *c)
{
	const gs_life *l = &t->lives.all[i];
	GS_API_PUT(c, birth, i, l->birth);
	GS_API_PUT(c, freed, i, l->freed);
	GS_API_PUT(c, death, i, l->death);
	GS_API_PUT(c, address, i, gs_life_address(&t->lives, i));
	GS_API_PUT(c, size, i, gs_life_size(&t->lives, i));
	GS_API_PUT(c, holder, i, t->holder[i]);
	GS_API_PUT(c, stack, i, gs_life_block(&t->lives, i).stack);
	GS_API_PUT(c, tag, i, gs_life_tag(&t->lives, i));
	GS_API_PUT(c, step, i, (int32_t)gs_timeline_step_at(t, l->birth));
	GS_API_PUT(c, stream, i, gs_life_stream(&t->lives, i));
	GS_API_PUT(c, pool, i, gs_life_pool(&t->lives, i));
	GS_API_PUT(c, category, i, gs_timeline_categorization(t, i).category);
}

static gs_status fill_lives(void *arg, size_t i, size_t end)
{
	const filling *x = arg;
	for (; i < end; i++)
		fill_life(x->t, (uint32_t)i, x->c);
	return GS_OK;
}

static gs_status answer_lives(gpusnap_snapshot *s, const gs_timeline *t, const gs_api_options *o,
	void *columns, gs_error *err)
{
	gpusnap_lives *c = columns;
	(void)s;
	c->n = t->lives.n;
	gs_status status = gs_api_take_wanted(o, c, GS_API_TABLE(life_columns), err);
	filling x = {t, c};
	return status ? status : gs_in_parts(t->lives.n, fill_lives, &x);
}

int gpusnap_snapshot_lives(gpusnap_snapshot *s, const char *options, gpusnap_lives *columns)
{
	static const char *const names[] = {"device", "columns", NULL};
	int failed = gs_api_columns_call(s, options, names, columns, sizeof *columns, answer_lives);
	if (failed)
		gpusnap_lives_free(columns);
	return failed;
}
