#include "analyzer/picture/plot_series.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/meaning/course.h"
#include "analyzer/timeline/axis.h"

/* Bands as events are played. */
typedef struct player {
	gs_plot_series *s;
	const gs_history *h;
	const gs_palette *palette;
	const gs_meaning *meaning;
	int source;
	uint8_t *class;   /* by event: of an allocation */
	uint8_t *counted; /* by event: in its class's band */
	struct initial_block {
		uint64_t address, size;
		uint8_t class, counted;
	} * initial; /* live before the first event, by address */
	size_t ninitial;
	gs_running_totals totals;
	uint64_t bands[GS_CLASSES];
} player;

static int by_address(const void *a, const void *b)
{
	const struct initial_block *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static void add_born(player *p, const gs_layout *l, const gs_block *b)
{
	gs_colored c = {.source = p->source,
		.stack = b->stack,
		.tag = b->tag,
		.stream = l->segments[b->segment].stream,
		.size = b->size,
		.idx = GS_NONE,
		.category = GS_CATEGORY_UNKNOWN};

	if (p->meaning)
		c.category = gs_meaning_of(p->meaning, b).category;
	bool live = b->state == GS_ACTIVE_ALLOCATED;
	int class = live ? gs_palette_live(p->palette, &c) : GS_CLASS_PENDING;
	p->initial[p->ninitial++] = (struct initial_block){b->address, b->size, (uint8_t) class, live};
	p->bands[class] += b->size;
}

static gs_status player_init(player *p, gs_error *err)
{
	const gs_layout *l = &p->h->initial;

	p->class = calloc(p->h->n + 1, 1);
	p->counted = calloc(p->h->n + 1, 1);
	p->initial = calloc(l->nblocks + 1, sizeof *p->initial);
	if (!p->class || !p->counted || !p->initial)
		return gs_fail(err, GS_NO_MEMORY, "a plot of %zu events", p->h->n);
	for (size_t i = 0; i < l->nblocks; i++)
		if (l->blocks[i].state != GS_INACTIVE)
			add_born(p, l, &l->blocks[i]);
	qsort(p->initial, p->ninitial, sizeof *p->initial, by_address);
	gs_running_totals_start(p->h, &p->totals);
	return GS_OK;
}

static void player_release(player *p)
{
	free(p->class);
	free(p->counted);
	free(p->initial);
}

static int class_of_event(const player *p, size_t i)
{
	const gs_event *e = &p->h->device->trace.events[i];
	gs_colored c = {.source = p->source,
		.stack = e->stack,
		.tag = gs_event_tag(e),
		.stream = e->stream < p->h->snapshot->nstreams ? p->h->snapshot->streams[e->stream] : 0,
		.size = gs_history_size(p->h, i),
		.idx = (int64_t)i,
		.category = p->meaning ? p->meaning->events[i].category : GS_CATEGORY_UNKNOWN};

	return gs_palette_live(p->palette, &c);
}

static void subtract_bytes(uint64_t *band, uint64_t bytes)
{
	*band -= bytes < *band ? bytes : *band;
}

/* The block that an event frees: which class it is counted in, and where that is marked. */
static uint8_t *find_freed(player *p, size_t i, int *class)
{
	struct initial_block key = {.address = p->h->device->trace.events[i].address}, *born;

	if (p->h->births[i] >= 0) {
		*class = p->class[p->h->births[i]];
		return &p->counted[p->h->births[i]];
	}
	born = bsearch(&key, p->initial, p->ninitial, sizeof *born, by_address);
	*class = born ? born->class : 0;
	return born ? &born->counted : NULL;
}

static void free_block(player *p, size_t i, bool completed)
{
	int class;
	uint8_t *counted = find_freed(p, i, &class);

	if (counted && *counted) {
		*counted = 0;
		subtract_bytes(&p->bands[class], gs_history_size(p->h, i));
		if (!completed)
			p->bands[GS_CLASS_PENDING] += gs_history_size(p->h, i);
	} else if (completed)
		subtract_bytes(&p->bands[GS_CLASS_PENDING], gs_history_size(p->h, i));
}

/* Whether the free that event i asks for is complete at once: no other stream had to be waited for.
 */
static bool completes_at_once(const player *p, size_t i)
{
	const gs_event *events = p->h->device->trace.events;

	return i + 1 < p->h->n && gs_event_action(&events[i]) == GS_ACTION_FREE_REQUESTED &&
		gs_event_action(&events[i + 1]) == GS_ACTION_FREE_COMPLETED &&
		events[i].address == events[i + 1].address;
}

static void step(player *p, size_t i)
{
	switch (gs_event_action(&p->h->device->trace.events[i])) {
	case GS_ACTION_ALLOC:
		p->class[i] = (uint8_t)class_of_event(p, i);
		p->counted[i] = 1;
		p->bands[p->class[i]] += gs_history_size(p->h, i);
		break;
	case GS_ACTION_FREE_REQUESTED: free_block(p, i, completes_at_once(p, i)); break;
	case GS_ACTION_FREE_COMPLETED:
		if (!i || !completes_at_once(p, i - 1))
			free_block(p, i, true);
		break;
	default: break;
	}
	gs_running_totals_step(p->h, i, &p->totals);
}

/* The moment as it is now, into a column. */
static void record(player *p, int column, int64_t idx)
{
	gs_plot_column *c = &p->s->columns[column];

	if (p->totals.reserved > c->reserved)
		c->reserved = p->totals.reserved;
	if (c->idx != GS_NONE && p->totals.allocated <= c->allocated)
		return;
	c->allocated = p->totals.allocated;
	c->idx = idx;
	memcpy(c->bands, p->bands, sizeof c->bands);
}

static void play(player *p)
{
	gs_plot_series *s = p->s;
	int filled = s->course ? gs_plot_column_of(s, 0) : 0; /* columns that have a moment */
	int end = s->course ? gs_plot_column_of(s, p->h->n - 1) + 1 : s->n;

	for (size_t i = 0; i < p->h->n; i++) {
		int column = gs_plot_column_of(s, i);
		for (; filled <= column; filled++)
			record(p, filled, (int64_t)i - 1);
		step(p, i);
		record(p, column, (int64_t)i);
		if (p->totals.allocated > s->peak_allocated) {
			s->peak_allocated = p->totals.allocated;
			s->peak = gs_event_number(&p->h->device->trace, (int64_t)i);
			s->peak_column = column;
		}
		if (gs_event_action(&p->h->device->trace.events[i]) == GS_ACTION_OOM)
			s->columns[column].failed = true;
	}
	for (; filled < end; filled++)
		record(p, filled, (int64_t)p->h->n - 1);
}

/* --- the axis ----------------------------------------------------------------------------------
 */

int gs_plot_column_at(const gs_plot_series *s, int64_t value)
{
	double span = (double)(s->end - s->begin) + (s->timed ? 0 : 1), at;

	if (value <= s->begin || span <= 0)
		return 0;
	at = (double)(value - s->begin) / span * s->n;
	return at >= s->n ? s->n - 1 : (int)at;
}

int gs_plot_column_of(const gs_plot_series *s, size_t event)
{
	const gs_trace *t = &s->history->device->trace;
	int64_t number = (int64_t)((s->course ? t->first : 0) + event);

	return gs_plot_column_at(s, s->timed ? t->events[event].time_us : number);
}

uint64_t gs_plot_events(const gs_plot_series *s)
{
	const gs_trace *t = &s->history->device->trace;
	return t->n + (s->course ? t->skipped : 0);
}

static bool in_memory(const gs_trace *t, uint64_t number)
{
	return number >= t->first && number - t->first < t->n;
}

int gs_plot_column_numbered(const gs_plot_series *s, uint64_t number)
{
	const gs_trace *t = &s->history->device->trace;
	size_t i = 0;

	if (in_memory(t, number))
		return gs_plot_column_of(s, (size_t)(number - t->first));
	if (!s->timed)
		return gs_plot_column_at(s, (int64_t)number);
	while (i + 1 < t->nfigures && t->figures[i + 1].first <= number)
		i++;
	return t->nfigures ? gs_plot_column_at(s, t->figures[i].from_us) : 0;
}

int gs_plot_column_time(const gs_plot_series *s, int64_t time_us)
{
	const gs_trace *t = &s->history->device->trace;
	size_t low = 0, high = t->n;

	if (s->timed)
		return gs_plot_column_at(s, time_us);
	if (!gs_axis_timed(t))
		return -1;
	if (s->course && time_us < t->events[0].time_us) {
		while (low + 1 < t->nfigures && t->figures[low + 1].from_us <= time_us)
			low++;
		return gs_plot_column_at(s, t->nfigures ? (int64_t)t->figures[low].first : 0);
	}
	while (low < high) { /* the first event that is not earlier */
		size_t middle = low + (high - low) / 2;
		if (t->events[middle].time_us < time_us)
			low = middle + 1;
		else
			high = middle;
	}
	return gs_plot_column_at(s, (int64_t)low + (s->course ? (int64_t)t->first : 0));
}

static void set_axis(gs_plot_series *s, gs_plot_axis axis)
{
	const gs_trace *t = &s->history->device->trace;

	s->timed = axis != GS_PLOT_EVENTS && gs_axis_timed(t) &&
		(axis == GS_PLOT_TIME || s->course || !gs_axis_crowded(t));
	s->begin = s->timed ? t->events[0].time_us : 0;
	s->end = s->timed ? t->events[t->n - 1].time_us : (int64_t)gs_plot_events(s) - 1;
	if (!s->timed || !s->course)
		return;
	if (t->figures[0].from_us < s->begin)
		s->begin = t->figures[0].from_us;
	if (t->figures[t->nfigures - 1].until_us > s->end)
		s->end = t->figures[t->nfigures - 1].until_us;
}

/* --- what figures tell -------------------------------------------------------------------------
 */

/* A column outside the events in memory: the most that was in use there. */
static void record_figures(gs_plot_column *c, uint64_t allocated, uint64_t reserved)
{
	c->reserved = reserved > c->reserved ? reserved : c->reserved;
	if (c->idx != GS_NONE && allocated <= c->allocated)
		return;
	c->idx = -1;
	memset(c->bands, 0, sizeof c->bands);
	c->allocated = c->bands[GS_CLASS_UNTOLD] = allocated;
}

static void mark_failures(gs_plot_series *s)
{
	const gs_snapshot *snapshot = s->history->snapshot;

	for (size_t i = 0; i < snapshot->nooms; i++) {
		const gs_oom *o = &snapshot->ooms[i];
		if (o->device == s->history->device->device && o->number >= 0 &&
			!in_memory(&s->history->device->trace, (uint64_t)o->number))
			s->columns[s->timed && o->time_us != GS_NONE
					 ? gs_plot_column_at(s, o->time_us)
					 : gs_plot_column_numbered(s, (uint64_t)o->number)]
				.failed = true;
	}
}

/* Whether none of the events that a row sums up is in memory. */
static bool is_elsewhere(const gs_trace *t, const gs_run_figures *f)
{
	return f->first + f->events <= t->first || f->first >= t->first + t->n;
}

/* The columns before the first event in memory and behind the last, and what those two columns have
 * of both. Between two rows of figures
 * nothing happened. */
static void draw_course(gs_plot_series *s)
{
	const gs_trace *t = &s->history->device->trace;
	int first = gs_plot_column_of(s, 0), last = gs_plot_column_of(s, t->n - 1), filled = 0;

	for (size_t i = 0; i < t->nfigures; i++) {
		const gs_run_figures *f = &t->figures[i], *before = i ? f - 1 : NULL;
		int from = s->timed ? gs_plot_column_at(s, f->from_us)
							: gs_plot_column_at(s, (int64_t)f->first),
			to = s->timed ? gs_plot_column_at(s, f->until_us)
						  : gs_plot_column_at(s, (int64_t)(f->first + f->events) - 1);
		for (; filled < from; filled++)
			if (before && (filled < first || filled > last))
				record_figures(&s->columns[filled], before->allocated, before->reserved);
		for (int k = from; k <= to; k++)
			if (k < first || k > last || ((k == first || k == last) && is_elsewhere(t, f)))
				record_figures(&s->columns[k], f->most_allocated, f->most_reserved);
		filled = to + 1 > filled ? to + 1 : filled;
		if (f->most_allocated > s->peak_allocated) {
			s->peak_allocated = f->most_allocated;
			s->peak = (int64_t)f->allocated_idx;
			s->peak_column = gs_plot_column_numbered(s, f->allocated_idx);
		}
	}
	mark_failures(s);
}

/* --- the largest hole --------------------------------------------------------------------------
 */

enum { HOLES_MOST = 220, BLOCKS_MOST = 20000000 };

typedef struct holes {
	gs_plot_series *s;
	const int *column; /* of each sample */
} holes;

static gs_status find_hole(void *context, size_t number, const gs_layout *l)
{
	holes *h = context;
	gs_totals t;

	gs_layout_totals(l, &t);
	h->s->columns[h->column[number]].hole = t.largest < l->nblocks
		? (int64_t)l->blocks[t.largest].size
		: 0;
	return GS_OK;
}

/* At a bounded number of moments, since each takes a walk over the heap. */
static gs_status sample_holes(gs_plot_series *s, gs_error *err)
{
	int64_t idx[HOLES_MOST];
	int column[HOLES_MOST], n = 0;
	size_t blocks = s->history->device->captured.nblocks + s->history->initial.nblocks + 1,
		   most = BLOCKS_MOST / blocks;
	int every;
	holes h = {s, column};

	most = most > HOLES_MOST ? HOLES_MOST : most < 16 ? 16 : most;
	every = (s->n + (int)most - 1) / (int)most;
	for (int i = 0; i < s->n; i += every)
		if (s->columns[i].idx >= 0 && (!n || s->columns[i].idx >= idx[n - 1])) {
			idx[n] = s->columns[i].idx;
			column[n++] = i;
		}
	return gs_history_layouts(s->history, idx, (size_t)n, find_hole, &h, err);
}

/* --- all ---------------------------------------------------------------------------------------
 */

gs_status gs_plot_series_init(gs_plot_series *s, const gs_history *h, const gs_meaning *meaning,
	const gs_palette *palette, int source, gs_plot_axis axis, int columns, gs_error *err)
{
	player p = {.s = s, .h = h, .palette = palette, .meaning = meaning, .source = source};
	gs_status status;

	memset(s, 0, sizeof *s);
	s->history = h;
	s->n = columns;
	s->peak = -1;
	s->columns = calloc((size_t)columns, sizeof *s->columns);
	if (!s->columns)
		return gs_fail(err, GS_NO_MEMORY, "a plot of %d columns", columns);
	for (int i = 0; i < columns; i++)
		s->columns[i].idx = s->columns[i].hole = GS_NONE;
	s->course = h->snapshot->excerpt && h->n && h->device->trace.nfigures &&
		gs_course_is_told(h->device);
	set_axis(s, axis);
	status = player_init(&p, err);
	if (!status) {
		s->peak_allocated = p.totals.allocated;
		play(&p);
		if (s->course)
			draw_course(s);
		status = sample_holes(s, err);
	}
	player_release(&p);
	for (int i = 0; i < columns; i++) {
		const gs_plot_column *c = &s->columns[i];
		s->most = c->reserved > s->most ? c->reserved : s->most;
		s->most = c->allocated > s->most ? c->allocated : s->most;
	}
	return status;
}

void gs_plot_series_release(gs_plot_series *s)
{
	free(s->columns);
	memset(s, 0, sizeof *s);
}
