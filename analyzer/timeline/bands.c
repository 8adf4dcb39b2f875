#include "analyzer/timeline/bands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/model/memory.h"
#include "analyzer/state/address_index.h"
#include "analyzer/timeline/axis.h"

/* --- columns -------------------------------------------------------------------------------------
 */

/* The first event of a column; of the one behind the last: the first event out of view. */
static size_t first_event(const gs_timeline *t, const gs_bands_ask *ask, int column)
{
	double x = ask->from + column * ((ask->to - ask->from) / ask->columns);
	return gs_axis_event(&t->device->trace, ask->timed, x);
}

static void record(gs_column_of_bands *c, const gs_running_totals *g, int64_t idx, bool begins)
{
	if (begins || g->reserved > c->reserved)
		c->reserved = g->reserved;
	if (begins || g->allocated < c->least)
		c->least = g->allocated;
	if (!begins && g->allocated <= c->allocated)
		return;
	c->allocated = g->allocated;
	c->pending = g->pending;
	c->idx = idx;
}

static void fill_columns(gs_bands *b, const gs_timeline *t, const gs_bands_ask *ask)
{
	size_t i = first_event(t, ask, 0);
	gs_running_totals g = gs_timeline_totals(t, (int64_t)i - 1);
	for (int k = 0; k < ask->columns; k++) {
		size_t end = first_event(t, ask, k + 1);
		record(&b->columns[k], &g, (int64_t)i - 1, true);
		for (; i < end; i++) {
			gs_running_totals_step(t->history, i, &g);
			record(&b->columns[k], &g, (int64_t)i, false);
			b->columns[k].failed += gs_event_action(&t->device->trace.events[i]) == GS_ACTION_OOM;
		}
	}
}

/* --- the pile ------------------------------------------------------------------------------------
 */

/* The blocks that live in view, by their place in the order. */
typedef struct block_pile {
	const gs_timeline *t;
	uint32_t n;
	uint32_t *life;  /* by place */
	uint64_t *size;  /* by place */
	uint32_t *key;   /* by place */
	uint32_t *place; /* by life; only of those in view */
	gs_address_set live;
} block_pile;

static void pile_release(block_pile *p)
{
	free(p->life);
	free(p->size);
	free(p->key);
	free(p->place);
	gs_address_set_release(&p->live);
}

/* Lives that are there after event `first` or are born up to event `last`, in order of birth. */
static uint32_t list_lives(const gs_lives *x, int64_t first, int64_t last, uint32_t *list)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < x->n && x->all[i].birth <= last; i++)
		if (x->all[i].death > first) {
			if (list)
				list[n] = i;
			n++;
		}
	return n;
}

static gs_status pile_take(block_pile *p, int64_t first, int64_t last)
{
	p->n = list_lives(&p->t->lives, first, last, NULL);
	size_t n = (size_t)p->n + 1;
	p->life = malloc(n * sizeof *p->life);
	p->size = malloc(n * sizeof *p->size);
	p->key = malloc(n * sizeof *p->key);
	p->place = malloc(((size_t)p->t->lives.n + 1) * sizeof *p->place);
	if (!p->life || !p->size || !p->key || !p->place || gs_address_set_init(&p->live, p->n))
		return GS_NO_MEMORY;
	list_lives(&p->t->lives, first, last, p->life);
	return GS_OK;
}

static gs_status pile_init(block_pile *p, const gs_timeline *t, gs_life_key order, gs_life_key key,
	int64_t first, int64_t last, gs_error *err)
{
	*p = (block_pile){.t = t};
	gs_status status = pile_take(p, first, last);
	status = status ? gs_fail(err, status, "no memory for a view of %u blocks", p->n)
					: gs_lives_order(t, order, p->life, p->n, err);
	for (uint32_t i = 0; i < p->n && !status; i++) {
		uint32_t life = p->life[i];
		p->place[life] = i;
		p->size[i] = gs_life_size(&t->lives, life);
		p->key[i] = gs_life_key_of(t, life, key);
		if (gs_life_lives(&t->lives.all[life], first))
			gs_address_set_add(&p->live, i);
	}
	return status;
}

/* --- pieces --------------------------------------------------------------------------------------
 */

typedef struct painter {
	gs_bands *b;
	const gs_bands_ask *ask;
	block_pile *pile;
	uint32_t *piece; /* by place: the last piece that began with that block */
	uint32_t *now;   /* pieces of the last column */
	size_t nnow, cap_now;
	int column;
	int64_t shown; /* the last moment painted, less than -1: none */
	size_t unseen; /* the next of lives.unseen */
	bool changed;  /* the pile, since then */
	double scale;  /* rows a byte */
	/* neighbours that are merged */
	struct run {
		uint64_t bottom, bytes;
		uint32_t from, to, count;
		uint32_t leader; /* place; by votes of bytes */
		uint64_t votes;
	} run;
} painter;

static float cut_to_view(const painter *p, double row)
{
	return (float)fmin(fmax(row, -2), p->ask->rows + 2);
}

/* The piece goes on from the column before where nothing about it changed. */
static gs_status put_piece(painter *p, gs_band band)
{
	gs_band *old = p->piece[band.from] < p->b->npieces ? &p->b->pieces[p->piece[band.from]] : NULL;
	if (!GS_ARRAY_RESERVE(p->now, p->cap_now, p->nnow + 1))
		return GS_NO_MEMORY;
	if (old && old->last == p->column && old->from == band.from && old->to == band.to &&
		old->count == band.count && old->key == band.key && old->bottom == band.bottom &&
		old->height == band.height) {
		old->last++;
		p->now[p->nnow++] = p->piece[band.from];
		return GS_OK;
	}
	if (p->b->npieces >= UINT32_MAX - 1 ||
		!GS_ARRAY_RESERVE(p->b->pieces, p->b->cap, p->b->npieces + 1))
		return GS_NO_MEMORY;
	band.first = (uint16_t)p->column;
	band.last = (uint16_t)(p->column + 1);
	p->now[p->nnow++] = p->piece[band.from] = (uint32_t)p->b->npieces;
	p->b->pieces[p->b->npieces++] = band;
	return GS_OK;
}

static gs_status put_run(painter *p)
{
	struct run *r = &p->run;
	if (!r->count)
		return GS_OK;
	double bottom = ((double)r->bottom - p->ask->low) * p->scale;
	gs_band band = {.bottom = cut_to_view(p, bottom),
		.life = p->pile->life[r->leader],
		.count = r->count,
		.key = p->pile->key[r->leader],
		.from = r->from,
		.to = r->to};
	band.height = cut_to_view(p, bottom + (double)r->bytes * p->scale) - band.bottom;
	r->count = 0;
	return put_piece(p, band);
}

/* The key with more than half of the bytes leads at the end, whatever the order (Boyer and Moore's
 * vote). */
static void vote(const block_pile *pile, struct run *r, uint32_t place)
{
	uint64_t bytes = pile->size[place];
	if (!r->count || pile->key[r->leader] == pile->key[place]) {
		r->votes = r->count ? r->votes + bytes : bytes;
		r->leader = r->count ? r->leader : place;
	} else if (r->votes >= bytes) {
		r->votes -= bytes;
	} else {
		r->votes = bytes - r->votes;
		r->leader = place;
	}
}

static void add_to_run(painter *p, uint32_t place, uint64_t bottom)
{
	struct run *r = &p->run;
	vote(p->pile, r, place);
	if (!r->count) {
		r->bottom = bottom;
		r->bytes = 0;
		r->from = place;
	}
	r->bytes += p->pile->size[place];
	r->to = place;
	r->count++;
}

static gs_status put_block(painter *p, uint32_t place, uint64_t bottom)
{
	bool single = (double)p->pile->size[place] * p->scale >= 1;
	gs_status status = single ? put_run(p) : GS_OK;
	if (!status)
		add_to_run(p, place, bottom);
	if (!status && (single || (double)p->run.bytes * p->scale >= 1))
		status = put_run(p);
	return status;
}

static gs_status paint_column(painter *p)
{
	uint64_t bottom = 0;
	gs_status status = GS_OK;
	p->nnow = 0;
	for (uint32_t k = gs_address_set_next(&p->pile->live, 0); k != GS_NO_ADDRESS && !status;
		 k = gs_address_set_next(&p->pile->live, k + 1)) {
		if ((double)bottom >= p->ask->high)
			break;
		if ((double)(bottom + p->pile->size[k]) > p->ask->low)
			status = put_block(p, k, bottom);
		bottom += p->pile->size[k];
	}
	return status ? status : put_run(p);
}

/* Nothing changed since the last column. */
static void repeat_column(painter *p)
{
	for (size_t i = 0; i < p->nnow; i++)
		p->b->pieces[p->now[i]].last++;
}

/* Counts a block that was in no moment shown. */
static void count_passed(painter *p, uint32_t place, int column)
{
	if (p->pile->t->lives.all[p->pile->life[place]].birth <= p->shown)
		return;
	p->b->columns[column].passed++;
	p->b->columns[column].passed_bytes += p->pile->size[place];
}

static void take_away(painter *p, uint32_t life)
{
	uint32_t place = p->pile->place[life];
	gs_address_set_remove(&p->pile->live, place);
	p->changed = true;
	count_passed(p, place, p->column);
}

/* Those that were born behind the last moment and live on. */
static void count_the_rest(painter *p)
{
	const gs_address_set *live = &p->pile->live;
	for (uint32_t k = gs_address_set_next(live, 0); k != GS_NO_ADDRESS;
		 k = gs_address_set_next(live, k + 1))
		count_passed(p, k, p->ask->columns - 1);
}

static void play_event(painter *p, size_t i)
{
	const gs_lives *x = &p->pile->t->lives;
	uint32_t life = gs_life_at(x, i);
	for (; p->unseen < x->nunseen && x->unseen[p->unseen].event <= (int64_t)i; p->unseen++)
		if (x->unseen[p->unseen].event == (int64_t)i)
			take_away(p, x->unseen[p->unseen].life);
	if (life == GS_NO_LIFE)
		return;
	if (x->all[life].birth == (int64_t)i) {
		gs_address_set_add(&p->pile->live, p->pile->place[life]);
		p->changed = true;
	} else if (x->all[life].death == (int64_t)i) {
		take_away(p, life);
	}
}

static gs_status paint_columns(painter *p)
{
	const gs_timeline *t = p->pile->t;
	size_t i = first_event(t, p->ask, 0);
	gs_status status = GS_OK;
	for (p->column = 0; p->column < p->ask->columns && !status; p->column++) {
		size_t end = first_event(t, p->ask, p->column + 1);
		int64_t moment = p->b->columns[p->column].idx;
		for (; (int64_t)i <= moment; i++)
			play_event(p, i);
		if (p->changed)
			status = paint_column(p);
		else
			repeat_column(p);
		p->changed = false;
		p->shown = moment;
		for (; i < end; i++)
			play_event(p, i);
	}
	count_the_rest(p);
	return status;
}

static gs_status paint(gs_bands *b, const gs_timeline *t, const gs_bands_ask *ask, gs_error *err)
{
	block_pile pile;
	size_t first = first_event(t, ask, 0), behind = first_event(t, ask, ask->columns);
	gs_status status = pile_init(
		&pile, t, ask->order, ask->key, (int64_t)first - 1, (int64_t)behind - 1, err);
	painter p = {.b = b,
		.ask = ask,
		.pile = &pile,
		.shown = -2,
		.changed = true,
		.scale = ask->rows / (ask->high - ask->low)};
	p.piece = malloc(((size_t)pile.n + 1) * sizeof *p.piece);
	if (!status && !p.piece)
		status = GS_NO_MEMORY;
	if (!status) {
		memset(p.piece, 0xff, ((size_t)pile.n + 1) * sizeof *p.piece);
		status = paint_columns(&p);
	}
	if (status == GS_NO_MEMORY)
		gs_fail(err, status, "no memory for a view of %u blocks", pile.n);
	free(p.piece);
	gs_memory_give(p.now);
	pile_release(&pile);
	return status;
}

gs_status gs_bands_init(gs_bands *b, const gs_timeline *t, const gs_bands_ask *ask, gs_error *err)
{
	memset(b, 0, sizeof *b);
	if (!(ask->to > ask->from) || !isfinite(ask->to - ask->from) || ask->columns < 1 ||
		ask->columns > GS_BANDS_MOST || ask->rows < 0 || ask->rows > GS_BANDS_MOST)
		return gs_fail(err, GS_INVALID, "a view has 1 to %d columns of some extent", GS_BANDS_MOST);
	if (ask->rows && (!(ask->high > ask->low) || !isfinite(ask->high - ask->low)))
		return gs_fail(err, GS_INVALID, "a view of rows goes from fewer to more bytes");
	if (ask->timed && !t->timed)
		return gs_fail(err, GS_INVALID, "the events have no times");
	b->ncolumns = ask->columns;
	b->columns = calloc((size_t)ask->columns, sizeof *b->columns);
	if (!b->columns)
		return gs_fail(err, GS_NO_MEMORY, "no memory for %d columns", ask->columns);
	fill_columns(b, t, ask);
	return ask->rows ? paint(b, t, ask, err) : GS_OK;
}

void gs_bands_release(gs_bands *b)
{
	free(b->columns);
	gs_memory_give(b->pieces);
	memset(b, 0, sizeof *b);
}

gs_status gs_bands_find(const gs_timeline *t, gs_life_key order, int64_t idx, double bytes,
	uint32_t *life, uint64_t *bottom, gs_error *err)
{
	block_pile pile;
	gs_status status = pile_init(&pile, t, order, order, idx, idx, err);
	*life = GS_NO_LIFE;
	*bottom = 0;
	for (uint32_t k = 0; k < pile.n && !status; k++) {
		if (bytes >= 0 && bytes < (double)(*bottom + pile.size[k])) {
			*life = pile.life[k];
			break;
		}
		*bottom += pile.size[k];
	}
	pile_release(&pile);
	return status;
}
