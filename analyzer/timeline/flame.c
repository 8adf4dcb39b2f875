#include "analyzer/timeline/flame.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/model/frames.h"
#include "analyzer/model/hash_map.h"

typedef struct planter {
	gs_flame *f;
	const gs_snapshot *s;
	uint8_t *plumbing; /* by frame */
	gs_hash_map nodes; /* by parent and frame */
} planter;

/* Goes down to the child of that frame, which is made where there is none. */
static gs_status step_down(planter *p, int32_t *at, gs_id frame)
{
	gs_flame *f = p->f;
	bool is_new;
	uint32_t *node = gs_hash_map_at(&p->nodes, (uint64_t)(uint32_t)*at << 32 | frame, &is_new);
	if (!node)
		return GS_NO_MEMORY;
	if (is_new) {
		if (f->n >= INT32_MAX || !GS_ARRAY_RESERVE(f->nodes, f->cap, f->n + 1))
			return GS_NO_MEMORY;
		f->nodes[f->n] = (gs_flame_node){frame, *at, 0};
		*node = (uint32_t)f->n++;
	}
	*at = (int32_t)*node;
	return GS_OK;
}

/* Where nothing but plumbing is there it is shown. */
static bool only_plumbing(const planter *p, const gs_stack *stack)
{
	for (uint32_t i = 0; i < stack->n; i++)
		if (!p->plumbing[p->s->stack_frames[stack->first + i]])
			return false;
	return true;
}

static gs_status add_stack(planter *p, gs_id id, double value)
{
	const gs_stack none = {0, 0}, *stack = id < p->s->nstacks ? &p->s->stacks[id] : &none;
	bool all = only_plumbing(p, stack);
	int32_t at = -1;
	gs_status status = stack->n ? GS_OK : step_down(p, &at, 0);
	for (uint32_t i = stack->n; i-- > 0 && !status;) {
		gs_id frame = p->s->stack_frames[stack->first + i];
		if (all || !p->plumbing[frame])
			status = step_down(p, &at, frame);
	}
	if (!status)
		p->f->nodes[at].value += value;
	p->f->total += value;
	return status;
}

static gs_status plant(gs_flame *f, const gs_snapshot *s, const double *weights)
{
	planter p = {.f = f, .s = s};
	p.plumbing = calloc((size_t)s->nframes + 1, 1);
	gs_status status = p.plumbing ? GS_OK : GS_NO_MEMORY;
	for (gs_id i = 1; i < s->nframes && !status; i++)
		p.plumbing[i] = gs_frame_is_plumbing(s, i);
	for (gs_id id = 0; (!id || id < s->nstacks) && !status; id++)
		if (weights[id] > 0)
			status = add_stack(&p, id, weights[id]);
	for (size_t i = f->n; i-- > 0 && !status;) /* children stand behind their parents */
		if (f->nodes[i].parent >= 0)
			f->nodes[f->nodes[i].parent].value += f->nodes[i].value;
	free(p.plumbing);
	gs_hash_map_release(&p.nodes);
	return status;
}

/* How long a life lasted between two moments, on the axis. */
static double lasted(const gs_timeline *t, const gs_life *l, int64_t from, int64_t to)
{
	const gs_event *events = t->device->trace.events;
	int64_t begin = l->birth > from ? l->birth : from, end = l->freed < to ? l->freed : to;
	if (end <= begin)
		return 0;
	if (!t->timed)
		return (double)(end - begin);
	return (double)(events[end].time_us - events[begin < 0 ? 0 : begin].time_us);
}

static gs_status weigh(gs_flame *f, const gs_timeline *t, int64_t from, int64_t to)
{
	double *weights = calloc((size_t)t->snapshot->nstacks + 1, sizeof *weights);
	if (!weights)
		return GS_NO_MEMORY;
	for (uint32_t i = 0; i < t->lives.n && t->lives.all[i].birth <= to; i++) {
		const gs_life *l = &t->lives.all[i];
		double factor = from == to ? l->freed > to : lasted(t, l, from, to);
		if (!(factor > 0))
			continue;
		gs_block b = gs_life_block(&t->lives, i);
		weights[b.stack < t->snapshot->nstacks ? b.stack : 0] += factor * (double)b.size;
	}
	gs_status status = plant(f, t->snapshot, weights);
	free(weights);
	return status;
}

static gs_status make(gs_flame *f, const gs_timeline *t, int64_t from, int64_t to, gs_error *err)
{
	memset(f, 0, sizeof *f);
	f->timed = t->timed;
	if (from < -1 || to < from || to >= (int64_t)t->history->n)
		return gs_fail(err, GS_INVALID, "events go from -1 to %lld", (long long)t->history->n - 1);
	gs_status status = weigh(f, t, from, to);
	return status ? gs_fail(err, status, "no memory for a tree of stacks") : GS_OK;
}

gs_status gs_flame_moment(gs_flame *f, const gs_timeline *t, int64_t idx, gs_error *err)
{
	return make(f, t, idx, idx, err);
}

gs_status gs_flame_stretch(
	gs_flame *f, const gs_timeline *t, int64_t from, int64_t to, gs_error *err)
{
	if (to > from)
		return make(f, t, from, to, err);
	memset(f, 0, sizeof *f);
	return gs_fail(err, GS_INVALID, "a stretch ends behind its begin");
}

void gs_flame_release(gs_flame *f)
{
	free(f->nodes);
	memset(f, 0, sizeof *f);
}
