/* Compares what two sentences say, and how they are shown. */
#include "analyzer/read/messages/join.h"

#include <string.h>

enum {
	NEAR = 20000,         /* squeezed characters within which two sentences can be one failure */
	HEADING = 3000,       /* … a sentence without figures and the message itself */
	BESIDE = 600,         /* … two sentences that have no figures by which to know them */
	BACK = 16,            /* finds looked at: ranks that print at once take turns */
	SAME_MOMENT = 5000000 /* microseconds */
};

/* Printed with two decimals or rounded up a little: the same size. */
static bool same_size(int64_t a, int64_t b)
{
	if (a == GS_NONE || b == GS_NONE)
		return false;
	int64_t d = a > b ? a - b : b - a;
	return d <= 4096 || d <= (a > b ? a : b) / 64;
}

static bool driver_says(const char *library)
{
	return !strcmp(library, "cuda") || !strcmp(library, "hip") || !strcmp(library, "thrust");
}

/* Whether an error that was printed and the exception that ended the program can be one. */
static bool related(const gs_oom_find *a, const gs_oom_find *b)
{
	int64_t x = a->row.requested, y = b->row.requested;
	const char *p = a->row.library, *q = b->row.library;
	return (x == GS_NONE || y == GS_NONE || same_size(x, y)) &&
		(!strcmp(p, q) || driver_says(p) || driver_says(q));
}

static bool agree(int64_t a, int64_t b) { return a == GS_NONE || b == GS_NONE || a == b; }

static bool same_moment(const gs_oom_find *a, const gs_oom_find *b)
{
	int64_t x = a->row.time_us, y = b->row.time_us;
	return x == GS_NONE || y == GS_NONE || (x > y ? x - y : y - x) <= SAME_MOMENT;
}

static bool devices_agree(const gs_oom_find *a, const gs_oom_find *b)
{
	return a->row.device < 0 || b->row.device < 0 || a->row.device == b->row.device;
}

static unsigned figures(const gs_oom *r)
{
	return (r->requested != GS_NONE) + (r->capacity != GS_NONE) + (r->device_free != GS_NONE) +
		(r->allocated != GS_NONE) + (r->reserved != GS_NONE) + (r->allowed != GS_NONE);
}

/* What another library, or another part of the same one, says of the failure that it was told of.
 */
static bool said_by_several(const gs_oom_find *a, const gs_oom_find *b)
{
	bool near = b->at - a->end < NEAR, bfc_dump = a->kind == GS_OOM_BFC;
	if ((!near && !bfc_dump) || !devices_agree(a, b))
		return false;
	if (b->thrown && !a->thrown && a->end + 300 > b->at && a->kind != GS_OOM_MEMCHECK &&
		related(a, b))
		return true;
	if (b->kind == GS_OOM_OTHER && b->again && related(a, b) && b->at - a->end < BESIDE &&
		a->row.requested == GS_NONE)
		return true; /* the driver's error, then the library's */
	switch (b->kind) {
	case GS_OOM_CUDART: return a->kind == GS_OOM_THC;
	case GS_OOM_RMM: return a->kind == GS_OOM_MEMCHECK;
	case GS_OOM_SHAPE: return bfc_dump || (a->kind == GS_OOM_SHAPE && a->words == b->words);
	case GS_OOM_STATUS:
		if (a->kind == GS_OOM_STATUS) /* logged and then raised, or raised through layers; else the
										 next failure */
			return a->row.requested == b->row.requested && a->row.requested != GS_NONE &&
				(a->logged != b->logged || b->again);
		return (bfc_dump || a->kind == GS_OOM_DRIVER) &&
			(same_size(a->row.requested, b->row.requested) ||
				(bfc_dump && near && b->row.requested == GS_NONE));
	case GS_OOM_ORT:
		return (a->kind == GS_OOM_ORT && a->row.requested == b->row.requested) ||
			(bfc_dump && a->row.requested != GS_NONE &&
				(a->row.requested + 255) / 256 ==
					(b->row.requested + 255) / 256); /* in units of 256 */
	case GS_OOM_GGML:
		return a->kind == GS_OOM_GGML && (a->end + 100 > b->at || b->again) &&
			(b->row.requested == GS_NONE || same_size(a->row.requested, b->row.requested));
	case GS_OOM_TRT:
		return a->kind == GS_OOM_TRT &&
			(b->again || (a->end + 400 > b->at && a->row.requested == GS_NONE));
	case GS_OOM_TORCH_BARE: /* a wrapper, or the exception's name again */
		return a->kind == GS_OOM_TORCH && figures(&a->row) &&
			(b->wrapper || (b->at - a->end < HEADING && same_moment(a, b)));
	case GS_OOM_TORCH: /* under its heading, or with it as a summary */
		if (a->kind == GS_OOM_TORCH && !figures(&a->row) == !figures(&b->row))
			return false;
		return (a->kind == GS_OOM_TORCH || a->kind == GS_OOM_TORCH_BARE) && !a->wrapper &&
			(figures(&a->row) || figures(&b->row)) && b->at - a->end < HEADING && same_moment(a, b);
	default: return false;
	}
}

/* The same figures, as far as both print them. */
static bool same_figures(const gs_oom *a, const gs_oom *b)
{
	return a->requested != GS_NONE && a->requested == b->requested &&
		agree(a->capacity, b->capacity) && agree(a->device_free, b->device_free) &&
		agree(a->allocated, b->allocated) && agree(a->reserved, b->reserved) &&
		agree(a->allowed, b->allowed);
}

/* Whether b says what a says. */
static bool says_the_same(const gs_oom_find *a, const gs_oom_find *b)
{
	if (a->kind != b->kind || a->kind > GS_OOM_RMM || strcmp(a->row.library, b->row.library))
		return false; /* those of TensorFlow and the like have rules of their own */
	if (!devices_agree(a, b) || !same_moment(a, b) || b->at - a->end >= NEAR)
		return false;
	if (figures(&a->row) && figures(&b->row))
		return same_figures(&a->row, &b->row);
	return a->words == b->words && !figures(&a->row) && !figures(&b->row);
}

static bool said_twice(const gs_oom_find *a, const gs_oom_find *b, bool chained)
{
	if (chained)
		return true;
	if (a->form == b->form || (a->lead && b->lead && a->lead != b->lead))
		return false;
	return figures(&a->row) || b->at - a->end < BESIDE || (a->traced && b->named && !a->named);
}

/* The last find before f that f's speaker wrote; the last one where that is not known. */
static size_t last_of_speaker(const gs_oom_find *finds, size_t n, const gs_oom_find *f)
{
	for (size_t k = n; f->speaker && k > 0 && n - k < BACK; k--)
		if (finds[k - 1].speaker == f->speaker)
			return k - 1;
	return n - 1;
}

size_t gs_oom_same_failure(const gs_oom_find *finds, size_t n, const gs_oom_find *f, bool chained)
{
	if (!n)
		return n;
	size_t last = last_of_speaker(finds, n, f);
	if (said_by_several(&finds[last], f))
		return last;
	for (size_t k = n; k > 0 && n - k < BACK; k--)
		if (says_the_same(&finds[k - 1], f))
			return said_twice(&finds[k - 1], f, chained && k == n) ? k - 1 : n;
	return n;
}

static void fill_unknown(int64_t *to, int64_t from)
{
	if (*to == GS_NONE)
		*to = from;
}

void gs_oom_fill(gs_oom *a, const gs_oom *f)
{
	fill_unknown(&a->requested, f->requested);
	fill_unknown(&a->needed, f->needed);
	fill_unknown(&a->capacity, f->capacity);
	fill_unknown(&a->device_free, f->device_free);
	fill_unknown(&a->allocated, f->allocated);
	fill_unknown(&a->reserved, f->reserved);
	fill_unknown(&a->allowed, f->allowed);
	fill_unknown(&a->told.others, f->told.others);
	fill_unknown(&a->told.own, f->told.own);
	fill_unknown(&a->told.counted, f->told.counted);
	fill_unknown(&a->told.private_free, f->told.private_free);
	fill_unknown(&a->told.pool_free, f->told.pool_free);
	fill_unknown(&a->told.pool_largest, f->told.pool_largest);
}

bool gs_oom_tells_more(const gs_oom_find *a, const gs_oom_find *f)
{
	return f->kind == GS_OOM_TORCH && figures(&f->row) > figures(&a->row);
}

void gs_oom_join(gs_oom_find *a, const gs_oom_find *f)
{
	if (gs_oom_tells_more(a, f)) {
		a->kind = f->kind;
		a->words = f->words;
		a->form = f->form;
		a->row.message = f->row.message;
	}
	if (a->row.device < 0)
		a->row.device = f->row.device;
	if (a->kind == GS_OOM_MEMCHECK || ((f->thrown || f->again) && driver_says(a->row.library)))
		a->row.library = f->row.library;
	a->logged = f->logged;
	a->thrown |= f->thrown;
	gs_oom_fill(&a->row, &f->row);
	fill_unknown(&a->row.time_us, f->row.time_us);
	unsigned cut = a->row.told.says & f->row.told.says & GS_SAYS_CUT;
	a->row.told.says = ((a->row.told.says | f->row.told.says) & ~(unsigned)GS_SAYS_CUT) | cut;
	a->end = f->end;
}
