/* pthread_atfork over all open recorders. */
#include "recorder/api/fork.h"

#include <pthread.h>
#include <string.h>

#include "recorder/api/recorder.h"
#include "recorder/api/signal.h"

static struct {
	pthread_mutex_t lock;
	gs_recorder *first;
	bool registered;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Locks in the order in which calls take them: heap, dumper, tables. The signal's lock is never
 * held together with one of them but here. */
static void prepare(void)
{
	gs_signal_before_fork();
	pthread_mutex_lock(&all.lock);
	for (gs_recorder *r = all.first; r; r = r->next) {
		for (uint32_t i = 0; i < GS_DEVICES_MAX; i++)
			if (gs_recorder_heap(r, (int32_t)i))
				gs_heap_before_fork(gs_recorder_heap(r, (int32_t)i));
		if (r->stream)
			gs_stream_before_fork(r->stream);
		gs_dumper_before_fork(
			&r->dumper); /* marks: the stream's thread takes their lock inside its own */
		pthread_mutex_lock(&r->tables.lock);
	}
}

static void finish(bool child)
{
	for (gs_recorder *r = all.first; r; r = r->next) {
		pthread_mutex_unlock(&r->tables.lock);
		if (r->stream)
			gs_stream_after_fork(r->stream, child);
		gs_dumper_after_fork(&r->dumper, child);
		for (uint32_t i = 0; i < GS_DEVICES_MAX; i++)
			if (gs_recorder_heap(r, (int32_t)i))
				gs_heap_after_fork(gs_recorder_heap(r, (int32_t)i), child);
	}
	pthread_mutex_unlock(&all.lock);
	gs_signal_after_fork(child);
}

static void in_parent(void) { finish(false); }
static void in_child(void) { finish(true); }

void gs_fork_remember(gs_recorder *r)
{
	pthread_mutex_lock(&all.lock);
	if (!all.registered)
		all.registered = !pthread_atfork(prepare, in_parent, in_child);
	r->next = all.first;
	all.first = r;
	pthread_mutex_unlock(&all.lock);
}

void gs_fork_forget(gs_recorder *r)
{
	pthread_mutex_lock(&all.lock);
	for (gs_recorder **at = &all.first; *at; at = &(*at)->next)
		if (*at == r) {
			*at = r->next;
			break;
		}
	pthread_mutex_unlock(&all.lock);
}

/* The process ends: the streams of recorders that were not closed get a last layout. */
__attribute__((destructor)) static void at_exit(void)
{
	if (pthread_mutex_trylock(&all.lock))
		return;
	for (gs_recorder *r = all.first; r; r = r->next)
		for (uint32_t i = 0; r->stream && i < GS_DEVICES_MAX; i++)
			if (gs_recorder_heap(r, (int32_t)i))
				gs_heap_last_layout(gs_recorder_heap(r, (int32_t)i));
	pthread_mutex_unlock(&all.lock);
}

void gs_fork_hold(void) { pthread_mutex_lock(&all.lock); }
void gs_fork_let(void) { pthread_mutex_unlock(&all.lock); }
