/* The ring of marks. */
#include "recorder/capture/marks.h"

#include <string.h>
#include <time.h>

enum {
	NEAR = 256
}; /* how far back another of the same name is looked for: spans nest, steps follow */

gs_status gs_marks_init(gs_marks *m, gs_pages *pages)
{
	memset(m, 0, sizeof *m);
	gs_marks_seen(m, GS_MARKS_NOBODY);
	pthread_mutex_init(&m->lock, NULL);
	m->pages = pages;
	m->ring = gs_pages_take(pages, GS_MARKS_KEPT * sizeof *m->ring);
	m->copy = gs_pages_take(pages, GS_MARKS_KEPT * sizeof *m->copy);
	if (m->ring && m->copy)
		return GS_OK;
	gs_marks_release(m);
	return GS_NO_MEMORY;
}

void gs_marks_release(gs_marks *m)
{
	if (!m->pages)
		return;
	gs_pages_give(m->pages, m->ring, GS_MARKS_KEPT * sizeof *m->ring);
	gs_pages_give(m->pages, m->copy, GS_MARKS_KEPT * sizeof *m->copy);
	pthread_mutex_destroy(&m->lock);
	memset(m, 0, sizeof *m);
}

static uint32_t find_alike(const gs_marks *m, const char *name)
{
	for (uint32_t back = 1; back <= NEAR && back <= m->count; back++)
		if (!strcmp(m->ring[(m->count - back) % GS_MARKS_KEPT].name, name))
			return back;
	return 0;
}

void gs_marks_seen(gs_marks *m, uint64_t seen)
{
	uint64_t room = seen == GS_MARKS_NOBODY ? GS_MARKS_NOBODY : seen + GS_MARKS_KEPT;
	atomic_store_explicit(&m->room, room, memory_order_relaxed);
}

void gs_marks_pass(gs_marks *m)
{
	pthread_mutex_lock(&m->lock);
	gs_marks_seen(m, m->count);
	pthread_mutex_unlock(&m->lock);
}

/* With the lock, which is let go of meanwhile. */
static void wait_for_room(gs_marks *m)
{
	enum { STEP_NS = 50000, STEPS = 20000 };
	const struct timespec step = {.tv_nsec = STEP_NS};
	for (int i = 0; i < STEPS && m->count >= atomic_load_explicit(&m->room, memory_order_relaxed);
		 i++) {
		pthread_mutex_unlock(&m->lock);
		nanosleep(&step, NULL);
		pthread_mutex_lock(&m->lock);
	}
}

void gs_marks_put(gs_marks *m, const char *name, gs_mark_stage stage, uint64_t ticks)
{
	gs_mark mark = {.ticks = ticks, .stage = (uint8_t)stage};
	size_t n = strnlen(name, GS_MARK_NAME - 1);
	if (!m->ring)
		return;
	memcpy(mark.name, name, n);
	pthread_mutex_lock(&m->lock);
	wait_for_room(m);
	mark.alike = stage == GS_MARK_END ? find_alike(m, mark.name) : 0;
	m->ring[m->count++ % GS_MARKS_KEPT] = mark;
	pthread_mutex_unlock(&m->lock);
}

uint32_t gs_marks_take(gs_marks *m)
{
	if (!m->ring)
		return 0;
	pthread_mutex_lock(&m->lock);
	uint32_t n = m->count < GS_MARKS_KEPT ? (uint32_t)m->count : GS_MARKS_KEPT;
	for (uint32_t i = 0; i < n; i++)
		m->copy[i] = m->ring[(m->count - n + i) % GS_MARKS_KEPT];
	pthread_mutex_unlock(&m->lock);
	return n;
}

uint32_t gs_marks_next(gs_marks *m, uint64_t *seen, gs_mark *out, uint32_t most)
{
	uint32_t n = 0;
	if (!m->ring)
		return 0;
	pthread_mutex_lock(&m->lock);
	if (m->count - *seen > GS_MARKS_KEPT)
		*seen = m->count - GS_MARKS_KEPT;
	while (n < most && *seen < m->count)
		out[n++] = m->ring[(*seen)++ % GS_MARKS_KEPT];
	pthread_mutex_unlock(&m->lock);
	return n;
}

const char *gs_mark_stage_name(uint8_t stage)
{
	return stage == GS_MARK_START ? "START" : stage == GS_MARK_END ? "END" : "";
}
