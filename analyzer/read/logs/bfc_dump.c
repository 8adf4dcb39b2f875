/* Dumps as they are gathered from a log: which one a line belongs to. */
#include "analyzer/read/logs/bfc_internal.h"

#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/model/memory.h"
#include "analyzer/read/text/speaker.h"

enum { MAX_DUMPS = 4096 };

void gs_bfc_release(gs_bfc *b)
{
	for (size_t i = 0; i < b->n; i++) {
		gs_memory_give(b->dumps[i].chunks);
		gs_memory_give(b->dumps[i].regions);
	}
	gs_memory_give(b->dumps);
	*b = (gs_bfc)GS_BFC_INIT;
}

bool gs_bfc_empty(const gs_bfc_dump *d)
{
	return !d->nchunks && !d->nregions && !d->nbins && !d->stats && !d->listed;
}

bool gs_bfc_found(const gs_bfc *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (!gs_bfc_empty(&b->dumps[i]))
			return true;
	return false;
}

static void forget_chunks(gs_bfc_dump *d)
{
	gs_memory_give(d->chunks);
	gs_memory_give(d->regions);
	d->chunks = NULL;
	d->regions = NULL;
	d->nchunks = d->cap_chunks = d->nregions = d->cap_regions = 0;
}

void gs_bfc_listen(gs_bfc *b, const gs_text *t, size_t i, bool begins)
{
	if (b->nvoices == 1 && !begins)
		return;
	uint64_t speaker = gs_text_speaker(t, i);
	for (size_t k = 0; k < b->nvoices && speaker; k++)
		if (b->voices[k].speaker == speaker) {
			b->voice = k;
			return;
		}
	if (!begins)
		return;
	if (b->nvoices == 1 && !b->voices[0].speaker && !b->voices[0].open) {
		b->voices[0].speaker = speaker;
	} else if (speaker && b->nvoices < GS_BFC_VOICES) {
		b->voice = b->nvoices++;
		b->voices[b->voice] = (gs_bfc_voice){.speaker = speaker, .asked_device = -1};
	}
}

/* Whether somebody goes on with dump k. */
static bool goes_on(const gs_bfc *b, size_t k)
{
	for (size_t v = 0; v < b->nvoices; v++)
		if (b->voices[v].open && b->voices[v].current == k)
			return true;
	return false;
}

/* The oldest ones give their place, many at once: moving the others takes long. */
static void forget_oldest(gs_bfc *b)
{
	const size_t some = MAX_DUMPS / 4;
	for (size_t k = 0; k < some; k++)
		forget_chunks(&b->dumps[k]);
	b->n -= some;
	memmove(b->dumps, b->dumps + some, b->n * sizeof *b->dumps);
	for (size_t v = 0; v < b->nvoices; v++) {
		b->voices[v].open &= b->voices[v].current >= some;
		b->voices[v].current -= b->voices[v].open ? some : 0;
	}
}

static gs_bfc_dump *begin_dump(gs_bfc *b, uint64_t at)
{
	gs_bfc_voice *v = gs_bfc_speaking(b);
	v->open = false;
	if (b->n && gs_bfc_empty(&b->dumps[b->n - 1]) && !goes_on(b, b->n - 1))
		forget_chunks(&b->dumps[--b->n]);
	if (b->n == MAX_DUMPS)
		forget_oldest(b);
	if (!GS_ARRAY_RESERVE(b->dumps, b->cap, b->n + 1))
		return NULL;
	gs_bfc_dump *d = &b->dumps[b->n++];
	*d = (gs_bfc_dump){.device = v->asked_device, .at = at, .end = at, .voice = b->voice};
	d->request = d->limit = d->in_use = d->max_in_use = d->num_allocs = d->max_alloc = d->reserved =
		d->largest_free = d->pool = d->sum_in_use = GS_NONE;
	v->open = true;
	v->current = b->n - 1;
	return d;
}

gs_bfc_dump *gs_bfc_dump_of(gs_bfc *b, const gs_text *t, size_t i, bool fresh)
{
	gs_bfc_dump *d = gs_bfc_open_dump(b);
	if (d && !fresh) {
		d->end = t->base + i;
		return d;
	}
	if (!(d = begin_dump(b, t->base + i)))
		return NULL;
	for (size_t k = b->n - 1; k--;) {
		if (b->dumps[k].device == d->device && !goes_on(b, k)) {
			forget_chunks(&b->dumps[k]); /* those before it went when it came */
			break;
		}
	}
	return d;
}

bool gs_bfc_is_over(const gs_bfc *b)
{
	const gs_bfc_dump *d = gs_bfc_open_dump(b);
	return d && (d->stats || d->summed);
}
