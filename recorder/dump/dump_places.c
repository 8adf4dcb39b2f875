/* The list of dumps kept. */
#include "recorder/dump/dump_places.h"

#include <string.h>

enum { REMEMBERED_MAX = 1024 };

gs_status gs_dump_places_init(
	gs_dump_places *p, uint32_t most, uint64_t most_bytes, gs_pages *pages)
{
	memset(p, 0, sizeof *p);
	pthread_mutex_init(&p->lock, NULL);
	p->most = most;
	p->most_bytes = most_bytes;
	p->pages = pages;
	p->cap = most < REMEMBERED_MAX ? most : REMEMBERED_MAX;
	p->at = gs_pages_take(pages, p->cap * sizeof *p->at);
	if (p->cap && !p->at) {
		p->cap = 0;
		return GS_NO_MEMORY;
	}
	return GS_OK;
}

void gs_dump_places_release(gs_dump_places *p)
{
	if (!p->pages)
		return;
	gs_pages_give(p->pages, p->at, p->cap * sizeof *p->at);
	pthread_mutex_destroy(&p->lock);
	memset(p, 0, sizeof *p);
}

static bool is_like(const gs_dump_failure *a, const gs_dump_failure *b)
{
	return a->device == b->device && a->stack == b->stack && a->size == b->size;
}

gs_status gs_dump_places_admit(gs_dump_places *p, const gs_dump_failure *failure)
{
	gs_status status = p->most ? GS_OK : GS_LIMIT;
	pthread_mutex_lock(&p->lock);
	for (uint32_t i = 0; i < p->n && !status; i++)
		if (p->at[i].merges && is_like(&p->at[i].failure, failure)) {
			p->at[i].count++;
			status = GS_EXISTS;
		}
	pthread_mutex_unlock(&p->lock);
	return status;
}

uint32_t gs_dump_places_going(gs_dump_places *p)
{
	pthread_mutex_lock(&p->lock);
	uint32_t going = p->n && p->forgotten + p->n >= p->most;
	pthread_mutex_unlock(&p->lock);
	return going;
}

uint32_t gs_dump_places_kept(gs_dump_places *p)
{
	pthread_mutex_lock(&p->lock);
	uint32_t n = p->n;
	pthread_mutex_unlock(&p->lock);
	return n;
}

uint64_t gs_dump_places_room(gs_dump_places *p, uint32_t going)
{
	pthread_mutex_lock(&p->lock);
	uint64_t bytes = p->bytes;
	for (uint32_t i = 0; i < going && i < p->n; i++)
		bytes -= p->at[p->n - 1 - i].bytes;
	uint64_t room = bytes < p->most_bytes ? p->most_bytes - bytes : 0;
	pthread_mutex_unlock(&p->lock);
	return room;
}

bool gs_dump_places_drop(gs_dump_places *p, gs_dump_place *gone)
{
	pthread_mutex_lock(&p->lock);
	bool any = p->n > 0;
	if (any) {
		*gone = p->at[--p->n];
		p->bytes -= gone->bytes;
	}
	pthread_mutex_unlock(&p->lock);
	return any;
}

void gs_dump_places_add(gs_dump_places *p, const gs_dump_place *place)
{
	pthread_mutex_lock(&p->lock);
	p->bytes += place->bytes;
	if (p->n < p->cap)
		p->at[p->n++] = *place;
	else
		p->forgotten++;
	pthread_mutex_unlock(&p->lock);
}

gs_status gs_dump_places_forget(gs_dump_places *p, const char *name, gs_dump_place *gone)
{
	gs_status status = GS_NOT_FOUND;
	pthread_mutex_lock(&p->lock);
	for (uint32_t i = 0; i < p->n && status; i++) {
		if (strcmp(p->at[i].name, name))
			continue;
		*gone = p->at[i];
		p->bytes -= gone->bytes;
		memmove(p->at + i, p->at + i + 1, (--p->n - i) * sizeof *p->at);
		status = GS_OK;
	}
	pthread_mutex_unlock(&p->lock);
	return status;
}

void gs_dump_places_after_fork(gs_dump_places *p)
{
	pthread_mutex_init(&p->lock, NULL); /* whoever held it is not here */
	p->n = p->forgotten = 0;
	p->bytes = 0;
}
