/* What changes with a category, what does not. */
#include "analyzer/meaning/scaling.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/meaning/meaning_internal.h"

static uint64_t size_of(const gs_meaning *m, size_t i)
{
	return m->history->device->trace.events[i].size;
}

static bool is_parameter_size(const gs_meaning *m, uint64_t size)
{
	return gs_parameter_size_at(m->internal, size) != SIZE_MAX;
}

/* The next or last allocation, over what the allocator did with segments meanwhile; SIZE_MAX none.
 */
static size_t next_alloc(const gs_meaning *m, size_t i)
{
	while (++i < m->history->n)
		if (gs_meaning_action(m, i) == GS_ACTION_ALLOC)
			return i;
	return SIZE_MAX;
}

static size_t last_alloc(const gs_meaning *m, size_t i)
{
	while (i--)
		if (gs_meaning_action(m, i) == GS_ACTION_ALLOC)
			return i;
	return SIZE_MAX;
}

/* How many of two blocks go back behind event i before another is asked for. */
static int gone_after(const gs_meaning *m, size_t i, size_t a, size_t b)
{
	int gone = 0;
	while (++i < m->history->n && gs_meaning_action(m, i) != GS_ACTION_ALLOC)
		if (gs_meaning_action(m, i) == GS_ACTION_FREE_COMPLETED)
			gone += m->history->births[i] == (int64_t)a || m->history->births[i] == (int64_t)b;
	return gone;
}

/* --- scratch of reductions
 * ---------------------------------------------------------------------------
 *
 * A sum over a batch (a bias' gradient, above all) is split over thread blocks once each thread has
 * 256 values to add (PyTorch, ATen/native/cuda/Reduce.cuh, setReduceConfig). Then it asks for a
 * place for the partial sums and, right behind, for a counter of 4 bytes a column of thread blocks;
 * both go back together. Up to 16 of a thread's values make a thread block of their own. With a
 * smaller batch the scratch is not smaller but gone, and it may be twice the size of what is added
 * up. */

enum { VALUES_TO_SPLIT = 256, VALUES_OF_A_SPLIT = 16, COUNTER = 4, WARP = 32, MOST_AT_ONCE = 4 };

/* The outputs of a thread block: up to four a thread, a warp of threads. */
static uint64_t outputs_of_a_block(uint64_t outputs)
{
	uint64_t each = MOST_AT_ONCE, threads = WARP;
	while (outputs % each)
		each /= 2;
	while (threads > outputs / each)
		threads /= 2;
	return each * threads;
}

/* Into how many parts the sums were split: the scratch is outputs x parts x outputs of a thread
 * block, of which there is a column for each counter. 0: no reduction's. */
static uint64_t parts_of(uint64_t scratch, uint64_t output, uint64_t counters)
{
	static const uint8_t bytes[][2] = {{4, 4}, {2, 4}, {8, 8}}; /* of an output, of a partial sum */
	for (size_t k = 0; k < sizeof bytes / sizeof *bytes; k++) {
		uint64_t outputs = output / bytes[k][0], each = outputs * bytes[k][1];
		if (!outputs || output % bytes[k][0] || outputs > UINT32_MAX)
			continue;
		uint64_t block = outputs_of_a_block(outputs);
		if ((outputs + block - 1) / block * COUNTER == counters && scratch % (each * block) == 0)
			return scratch / (each * block);
	}
	return 0;
}

/* The parts of the reduction that event i is the scratch of, into an output that is the same for
 * any batch; 0 if it is none. */
static uint64_t parts_of_reduction(const gs_meaning *m, size_t i)
{
	size_t counter = next_alloc(m, i), output = last_alloc(m, i);
	if (counter == SIZE_MAX || output == SIZE_MAX || !size_of(m, counter) ||
		size_of(m, counter) % COUNTER || gs_meaning_stack(m, counter) != gs_meaning_stack(m, i) ||
		gs_meaning_stack(m, output) != gs_meaning_stack(m, i) ||
		gone_after(m, counter, i, counter) < 2)
		return 0;
	uint64_t size = size_of(m, output);
	return is_parameter_size(m, size) || is_parameter_size(m, size * 2)
		? parts_of(size_of(m, i), size, size_of(m, counter))
		: 0;
}

/* --- what is the same for any batch --------------------------------------------------------------
 */

static bool is_layer(const gs_meaning *m, size_t i)
{
	gs_id stack = gs_meaning_stack(m, i);
	return stack && m->internal->phases.stacks[stack].layer &&
		gs_phase_of(&m->internal->phases, stack) == GS_PHASE_FORWARD;
}

/* Does a layer go on behind event i, with a block that stays for a while: a cast is made for the
 * output behind it, and a layer's only allocation is its output. */
static bool is_followed(const gs_meaning *m, size_t i)
{
	size_t next = next_alloc(m, i);
	return next != SIZE_MAX && gs_meaning_stack(m, next) == gs_meaning_stack(m, i) &&
		!gone_after(m, next, next, next);
}

/* Under autocast weights are cast to half their bytes, which most of the parameters' sizes show. */
static bool casts_weights(const gs_meaning *m)
{
	enum { LEAST_BYTES = 4096 };
	const gs_meaning_internal *w = m->internal;
	size_t large = 0, halved = 0;
	bool *seen = calloc(w->nparameter_sizes + 1, sizeof *seen);
	if (!seen)
		return false;
	for (size_t i = 0; i < m->history->n; i++) {
		size_t at = gs_meaning_action(m, i) == GS_ACTION_ALLOC && is_layer(m, i) &&
				is_followed(m, i)
			? gs_parameter_size_at(w, size_of(m, i) * 2)
			: SIZE_MAX;
		if (at != SIZE_MAX)
			seen[at] = true;
	}
	for (size_t k = 0; k < w->nparameter_sizes; k++) {
		large += w->parameter_sizes[k] >= LEAST_BYTES;
		halved += w->parameter_sizes[k] >= LEAST_BYTES && seen[k];
	}
	free(seen);
	return halved > 1 && halved * 5 >= large * 3;
}

/* A layer casts its bias, then its weight, before anything else: of each of its calls the first one
 * or two allocations. What has such a size behind them is an activation. */
static void fix_casts(gs_scaling *s)
{
	const gs_meaning *m = s->m;
	size_t before = SIZE_MAX, nth = 0;
	for (size_t i = 0; i < m->history->n; i++) {
		if (gs_meaning_action(m, i) != GS_ACTION_ALLOC)
			continue;
		bool same = before != SIZE_MAX && gs_meaning_stack(m, before) == gs_meaning_stack(m, i);
		bool halved = is_layer(m, i) && is_followed(m, i) &&
			is_parameter_size(m, size_of(m, i) * 2);
		nth = same ? nth + 1 : 0;
		s->fixed[i] |= halved &&
			(!nth || (nth == 1 && s->fixed[before] && size_of(m, before) < size_of(m, i)));
		before = i;
	}
}

/* A gradient that backward makes in half the bytes goes back as soon as its whole copy is there. */
static void fix_halved_gradients(gs_scaling *s)
{
	const gs_meaning *m = s->m;
	uint64_t gradient = 0; /* the last allocation, if a gradient */
	for (size_t i = 0; i < m->history->n; i++) {
		gs_action action = gs_meaning_action(m, i);
		int32_t birth = m->history->births[i];
		if (action == GS_ACTION_ALLOC)
			gradient = m->events[i].category == GS_CATEGORY_GRADIENT ? size_of(m, i) : 0;
		else if (action == GS_ACTION_FREE_COMPLETED && birth >= 0 && gradient &&
			size_of(m, (size_t)birth) * 2 == gradient)
			s->fixed[birth] = 1;
	}
}

/* cuBLASLt takes the same for each call (1 MiB where nothing else is set) and gives it back at
 * once: behind outputs of several sizes it is known. */
static void fix_workspaces(gs_scaling *s)
{
	enum { MOST_SIZES = 16, USUAL = 1 << 20 };
	const gs_meaning *m = s->m;
	uint64_t sizes[MOST_SIZES], outputs[MOST_SIZES];
	bool known[MOST_SIZES];
	size_t n = 0;
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 1; i < m->history->n; i++) {
			if (gs_meaning_action(m, i) != GS_ACTION_ALLOC || !is_layer(m, i) ||
				!gone_after(m, i, i, i))
				continue;
			size_t output = last_alloc(m, i), k = 0;
			if (output == SIZE_MAX || gs_meaning_stack(m, output) != gs_meaning_stack(m, i))
				continue;
			while (k < n && sizes[k] != size_of(m, i))
				k++;
			if (pass) {
				s->fixed[i] |= k < n && known[k];
			} else if (k < n) {
				known[k] |= outputs[k] != size_of(m, output);
			} else if (n < MOST_SIZES) {
				sizes[n] = size_of(m, i);
				known[n] = sizes[n] == USUAL;
				outputs[n++] = size_of(m, output);
			}
		}
}

/* Is it alive while equal blocks come and go one at a time, several behind each other, and but for
 * parameters' gradients nothing else, until it goes: the scratch of a loop over samples, of the
 * size of one. */
static bool serves_samples(const gs_meaning *m, size_t i)
{
	enum { MOST_EVENTS = 4096 };
	size_t first = next_alloc(m, i), turns = 0, until = m->history->n;
	until = until - i > MOST_EVENTS ? i + MOST_EVENTS : until;
	if (first == SIZE_MAX || !gone_after(m, first, first, first))
		return false;
	for (size_t k = i + 1; k < until; k++) {
		gs_action action = gs_meaning_action(m, k);
		if (action == GS_ACTION_FREE_COMPLETED && m->history->births[k] == (int64_t)i)
			return turns > 1;
		if (action != GS_ACTION_ALLOC)
			continue;
		bool turn = size_of(m, k) == size_of(m, first) && gone_after(m, k, k, k);
		if (!turn && (turns == 1 || !is_parameter_size(m, size_of(m, k))))
			return false;
		turns = turn ? turns + 1 : 0;
	}
	return false;
}

/* A convolution without cuDNN unfolds one sample after the other into the same columns. */
static void fix_columns(gs_scaling *s)
{
	const gs_meaning *m = s->m;
	for (size_t i = 0; i < m->history->n; i++)
		if (gs_meaning_action(m, i) == GS_ACTION_ALLOC && !s->fixed[i] &&
			m->events[i].category == GS_CATEGORY_TEMPORARY)
			s->fixed[i] = serves_samples(m, i);
}

/* --- activations' sizes --------------------------------------------------------------------------
 */

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* What forward makes, and what it works on. */
static bool is_of_forward(const gs_scaling *s, size_t event)
{
	const gs_meaning *m = s->m;
	unsigned category = m->events[event].category;
	if (gs_meaning_action(m, event) != GS_ACTION_ALLOC || s->fixed[event])
		return false;
	return category == GS_CATEGORY_ACTIVATION || category == GS_CATEGORY_INPUT ||
		(category == GS_CATEGORY_TEMPORARY &&
			gs_phase_of(&m->internal->phases, gs_meaning_stack(m, event)) == GS_PHASE_FORWARD);
}

static gs_status learn_activations(gs_scaling *s)
{
	enum { LEAST_BYTES = 4096 };
	const gs_meaning *m = s->m;
	size_t n = 0, kept = 0;
	s->activations = malloc((m->history->n + 1) * sizeof *s->activations);
	if (!s->activations)
		return GS_NO_MEMORY;
	for (size_t i = 0; i < m->history->n; i++)
		if (is_of_forward(s, i) && size_of(m, i) >= LEAST_BYTES)
			s->activations[n++] = size_of(m, i);
	if (n)
		qsort(s->activations, n, sizeof *s->activations, by_value);
	for (size_t i = 0; i < n; i++)
		if (!kept || s->activations[kept - 1] != s->activations[i])
			s->activations[kept++] = s->activations[i];
	s->nactivations = kept;
	return GS_OK;
}

static bool is_activation_size(const gs_scaling *s, uint64_t size)
{
	return s->nactivations &&
		bsearch(&size, s->activations, s->nactivations, sizeof size, by_value);
}

/* What the program itself makes within its steps, of an activation's very size. */
static bool is_kept_activation(const gs_scaling *s, size_t event)
{
	const gs_meaning *m = s->m;
	return gs_phase_of(&m->internal->phases, gs_meaning_stack(m, event)) == GS_PHASE_USER &&
		m->internal->nstarts && event >= m->internal->starts[0] &&
		!is_parameter_size(m, size_of(m, event)) && is_activation_size(s, size_of(m, event));
}

/* --- all together --------------------------------------------------------------------------------
 */

gs_status gs_scaling_init(gs_scaling *s, const gs_meaning *m)
{
	*s = (gs_scaling){.m = m, .fixed = calloc(m->history->n + 1, 1)};
	if (!s->fixed)
		return GS_NO_MEMORY;
	if (casts_weights(m)) {
		fix_casts(s);
		fix_halved_gradients(s);
	}
	fix_workspaces(s);
	fix_columns(s);
	return learn_activations(s);
}

void gs_scaling_release(gs_scaling *s)
{
	free(s->fixed);
	free(s->activations);
	memset(s, 0, sizeof *s);
}

/* What backward makes of a parameter's size and gives back is on its way to a gradient where no
 * activation has that size, or where the pass adds to older gradients and makes none. */
static bool flows(const gs_scaling *s, size_t event)
{
	const gs_meaning_internal *w = s->m->internal;
	uint64_t size = size_of(s->m, event);
	return !is_parameter_size(s->m, size) ||
		(w->passes[gs_pass_at(w, event)].gradients && is_activation_size(s, size));
}

static bool goes_with_batch(const gs_scaling *s, size_t event)
{
	const gs_meaning *m = s->m;
	uint8_t phase = gs_phase_of(&m->internal->phases, gs_meaning_stack(m, event));
	switch (m->events[event].category) {
	case GS_CATEGORY_ACTIVATION:
	case GS_CATEGORY_INPUT: return true;
	case GS_CATEGORY_UNKNOWN: return phase == GS_PHASE_FORWARD || is_kept_activation(s, event);
	case GS_CATEGORY_TEMPORARY:
		if (phase == GS_PHASE_BACKWARD)
			return flows(s, event);
		return phase == GS_PHASE_FORWARD || phase == GS_PHASE_RECOMPUTE || phase == GS_PHASE_USER;
	default: return false;
	}
}

double gs_scaling_factor(const gs_scaling *s, size_t event, unsigned category, double factor)
{
	uint8_t is = s->m->events[event].category;
	if (category != GS_CATEGORY_ACTIVATION)
		return is == category ? factor : 1;
	if (s->fixed[event] || !goes_with_batch(s, event))
		return 1;
	uint64_t parts = is == GS_CATEGORY_TEMPORARY ? parts_of_reduction(s->m, event) : 0;
	return parts && (double)(parts * VALUES_OF_A_SPLIT) * factor < VALUES_TO_SPLIT ? 0 : factor;
}
