/* Watching another allocator: its events in rings, and a builder for its dumps. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "recorder/api/api_config.h"
#include "recorder/api/builder.h"
#include "recorder/api/config_read.h"
#include "recorder/api/error.h"
#include "recorder/api/opened.h"
#include "recorder/api/recorder.h"
#include "recorder/dump/live_allocations.h"
#include "recorder/dump/ring.h"
#include "recorder/dump/text.h"

typedef struct watched {
	pthread_mutex_t lock; /* innermost: nothing is called while it is held */
	gs_ring ring;
	gs_live live;
	gs_lane *lane; /* of the stream; NULL: none */
	bool ready, asked_stream;
} watched;

static struct {
	pthread_mutex_t lock; /* guards opening */
	gs_recorder recorder;
	watched devices[GS_DEVICES_MAX];
	gpusnap_watch_dump *dump;
	bool prepared; /* for forks */
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* --- opening
 * ------------------------------------------------------------------------------------------ */

static void before_fork(void)
{
	for (int i = 0; i < GS_DEVICES_MAX; i++)
		pthread_mutex_lock(&watch.devices[i].lock);
}

static void after_fork(void)
{
	for (int i = 0; i < GS_DEVICES_MAX; i++)
		pthread_mutex_unlock(&watch.devices[i].lock);
}

static bool has_events(watched *w)
{
	pthread_mutex_lock(&w->lock);
	bool any = w->ready && w->ring.count;
	pthread_mutex_unlock(&w->lock);
	return any;
}

/* On the recorder's own thread, which holds no lock. */
static gs_status dump_all(gs_dump_reason reason)
{
	if (watch.dump)
		for (int i = 0; i < GS_DEVICES_MAX; i++)
			if (has_events(&watch.devices[i]))
				watch.dump(i, reason == GS_DUMP_SIGNAL ? GPUSNAP_BY_SIGNAL : GPUSNAP_BY_DEMAND);
	return GS_OK;
}

/* A bad variable does not stop a program that was only to be watched: its default holds. */
static void complain(const gs_error *err)
{
	char text[sizeof err->text + 64] = "";
	gs_line line = GS_LINE(text);
	gs_line_text(&line, "gpusnap: ");
	gs_line_text(&line, err->text);
	gs_line_text(&line, "; its default holds\n");
	gs_dump_write(STDERR_FILENO, line.at, line.n);
}

static gs_status open_locked(const gpusnap_config *config, gpusnap_watch_dump *dump, gs_error *err)
{
	static gs_config c; /* too large for a thread's stack */
	gpusnap_config full;
	if (watch.recorder.serial)
		return gs_fail(err, GS_STATE, "an allocator is watched already");
	gs_status status = gs_api_whole_config(&full, config, err);
	if (!status && gs_config_read(&c, err))
		complain(err);
	if (!status)
		status = gs_api_apply(&c, &full, err);
	if (!status)
		status = gs_recorder_init(&watch.recorder, &c, 0, err);
	if (status)
		return status;
	watch.dump = dump;
	watch.recorder.dump_all = dump_all;
	if (!c.disable && (c.stacks & GS_STACKS_PYTHON))
		gs_recorder_hook_python(&watch.recorder);
	if (!watch.prepared)
		for (int i = 0; i < GS_DEVICES_MAX; i++)
			pthread_mutex_init(&watch.devices[i].lock, NULL);
	watch.prepared |= !pthread_atfork(before_fork, after_fork, after_fork);
	gs_opened_set(GS_OPENED_WATCH, c.disable ? NULL : &watch.recorder);
	return GS_OK;
}

gpusnap_status gpusnap_watch_open(const gpusnap_config *config, gpusnap_watch_dump *dump)
{
	pthread_mutex_lock(&watch.lock);
	gs_status status = open_locked(config, dump, gs_api_error());
	pthread_mutex_unlock(&watch.lock);
	return gs_api_result(status);
}

/* The stream goes with the recorder. */
static void end_lanes(void)
{
	for (int i = 0; i < GS_DEVICES_MAX; i++) {
		watched *w = &watch.devices[i];
		pthread_mutex_lock(&w->lock);
		w->lane = NULL;
		w->asked_stream = false;
		pthread_mutex_unlock(&w->lock);
	}
}

void gpusnap_watch_close(void)
{
	pthread_mutex_lock(&watch.lock);
	if (watch.recorder.serial) {
		gs_opened_set(GS_OPENED_WATCH, NULL);
		end_lanes();
		gs_recorder_release(&watch.recorder);
	}
	pthread_mutex_unlock(&watch.lock);
}

static void add_lane(watched *w, int number)
{
	const gs_dump_device device = {.number = number, .capacity = GS_NONE};
	pthread_mutex_lock(&watch.lock);
	gs_stream *stream = gs_recorder_stream(&watch.recorder);
	w->lane = stream ? gs_stream_lane(stream, &device, &w->ring, "pytorch", NULL) : NULL;
	w->asked_stream = true;
	if (w->lane)
		w->lane->complete = -1, w->lane->sized = false; /* layouts are PyTorch's to tell */
	pthread_mutex_unlock(&watch.lock);
}

/* The device's record with its lock held, made ready at first use; NULL when there is none. */
static watched *lock_device(int number)
{
	if (number < 0 || number >= GS_DEVICES_MAX || !gs_opened_get(GS_OPENED_WATCH))
		return NULL;
	watched *w = &watch.devices[number];
	pthread_mutex_lock(&w->lock);
	if (!w->ready)
		w->ready = !gs_ring_init(&w->ring, watch.recorder.config.events, &watch.recorder.pages);
	if (w->ready && !w->asked_stream)
		add_lane(w, number);
	if (w->ready)
		return w;
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* --- events
 * ------------------------------------------------------------------------------------------- */

__attribute__((noinline)) void gpusnap_watch_call(void)
{
	gs_regs from;
	gs_call call;
	gs_recorder *r = gs_opened_get(GS_OPENED_WATCH);
	gs_thread *t = r ? gs_thread_self() : NULL;
	if (!t)
		return;
	gs_regs_of_caller(&from);
	gs_recorder_call(r, &from, &call);
	t->watched.stack = call.stack;
	t->watched.tag = call.tag;
}

static bool made_by_the_call(gpusnap_action action)
{
	return action == GPUSNAP_ALLOC || action == GPUSNAP_SEGMENT_ALLOC ||
		action == GPUSNAP_SEGMENT_MAP || action == GPUSNAP_OOM;
}

/* What the event says of the live allocations: a free carries its allocation's stack. */
static void keep_live(watched *w, gs_ring_event *e)
{
	gs_live_block b = {e->address, e->size, e->stream, e->stack, e->tag};
	const gs_live_block *live = NULL;
	if (e->action == GPUSNAP_ALLOC)
		gs_live_add(&w->live, &b, &watch.recorder.pages);
	else if (e->action == GPUSNAP_FREE_REQUESTED)
		live = gs_live_find(&w->live, e->address);
	else if (e->action == GPUSNAP_FREE_COMPLETED && gs_live_take(&w->live, e->address, &b))
		live = &b;
	if (live) {
		e->stack = live->stack;
		e->tag = live->tag;
	}
}

void gpusnap_watch_event(const gpusnap_event_row *row)
{
	watched *w = lock_device(row->device);
	if (!w)
		return;
	gs_thread *t = gs_thread_self();
	gs_ring_event e = {.address = row->address,
		.size = row->bytes,
		.ticks = gs_clock_ticks(&watch.recorder.clock),
		.stream = row->stream,
		.pool = GS_RING_POOLS,
		.action = (uint8_t)row->action};
	if (row->has_pool_id)
		e.pool = gs_ring_pool(&w->ring, (gs_pool_id){row->pool_id.a, row->pool_id.b});
	if (t && made_by_the_call(row->action)) {
		e.stack = t->watched.stack;
		e.tag = t->watched.tag;
	}
	keep_live(w, &e);
	if (t && row->action == GPUSNAP_OOM) {
		t->watched.failure = w->ring.count;
		t->watched.failed_stack = e.stack;
		t->watched.failed_size = e.size;
	}
	if (t && (row->action == GPUSNAP_ALLOC || row->action == GPUSNAP_OOM))
		t->watched.stack = t->watched.tag = 0; /* of this call only */
	gs_ring_push(&w->ring, &e);
	if (w->lane)
		gs_lane_push(w->lane, &e, 0);
	pthread_mutex_unlock(&w->lock);
}

/* --- dumps
 * -------------------------------------------------------------------------------------------- */

gpusnap_status gpusnap_watch_failure(int device)
{
	const gs_thread *t = gs_thread_self();
	return t ? gpusnap_failure(device, t->watched.failed_stack, t->watched.failed_size)
			 : gs_api_fail(GS_NO_MEMORY, "no memory for the thread");
}

gpusnap_status gpusnap_watch_failed(gpusnap_builder *b, int device)
{
	const gs_thread *t = gs_thread_self();
	return t ? gpusnap_builder_failure(b, device, t->watched.failed_stack, t->watched.failed_size)
			 : gs_api_fail(GS_NO_MEMORY, "no memory for the thread");
}

gpusnap_builder *gpusnap_watch_builder(void)
{
	gs_recorder *r = gs_opened_get(GS_OPENED_WATCH);
	if (!r) {
		gs_api_fail(GS_STATE, "no allocator is watched");
		return NULL;
	}
	gs_tables_refresh_modules(&r->tables);
	gpusnap_builder *b = gs_builder_over(&r->tables);
	if (!b)
		gs_api_fail(GS_NO_MEMORY, "no memory for a builder");
	return b;
}

static gs_row_event row_of(
	const gs_ring *ring, const gs_ring_event *e, int device, const gs_clock_scale *scale)
{
	int64_t ns = gs_clock_ns(scale, e->ticks);
	bool oom = e->action == GPUSNAP_OOM, has_pool = e->pool < GS_RING_POOLS;
	gs_row_event row = {.device = device,
		.size = e->size,
		.time_us = ns / 1000,
		.nanos = (uint64_t)(ns % 1000),
		.stream = e->stream,
		.has_pool_id = has_pool,
		.stack = e->stack,
		.tag = e->tag,
		.action = e->action};
	row.address = oom ? 0 : e->address;
	row.extra = oom ? e->address : 0;
	if (has_pool)
		row.pool_id = ring->pools[e->pool];
	return row;
}

/* The failure that the calling thread met last, if the ring still has it. */
static void tell_failure(const gs_ring *ring, gpusnap_watched *told)
{
	const gs_thread *t = gs_thread_self();
	uint64_t first = ring->count - gs_ring_kept(ring);
	told->dropped = (int64_t)first;
	told->oom = t && ring->count && t->watched.failure >= first && t->watched.failure < ring->count
		? (int64_t)(t->watched.failure - first)
		: -1;
	told->acted_after = told->oom >= 0 && t->watched.failure + 1 < ring->count;
}

static gpusnap_status put_marks(gpusnap_builder *b, int device, const gs_clock_scale *scale)
{
	static pthread_mutex_t taking = PTHREAD_MUTEX_INITIALIZER; /* one copy */
	gs_marks *m = &watch.recorder.dumper.marks;
	gpusnap_status status = GPUSNAP_OK;
	pthread_mutex_lock(&taking);
	uint32_t n = gs_marks_take(m);
	for (uint32_t i = 0; i < n && !status; i++)
		status = gpusnap_builder_annotation(b, device, m->copy[i].name,
			gs_mark_stage_name(m->copy[i].stage), gs_clock_ns(scale, m->copy[i].ticks) / 1000);
	pthread_mutex_unlock(&taking);
	return status;
}

gpusnap_status gpusnap_watch_rows(gpusnap_builder *b, int device, gpusnap_watched *told)
{
	gs_clock_scale scale = gs_clock_scale_now(&watch.recorder.clock);
	gpusnap_status marked = put_marks(b, device, &scale);
	if (marked)
		return marked;
	watched *w = lock_device(device);
	bool fitted = true;
	if (!w)
		return gs_api_fail(GS_NOT_FOUND, "device %d is not watched", device);
	uint32_t kept = gs_ring_kept(&w->ring), at = kept == w->ring.cap ? w->ring.next : 0;
	tell_failure(&w->ring, told);
	told->events = kept;
	for (uint32_t i = 0; i < kept && fitted; i++) {
		gs_row_event row = row_of(&w->ring, &w->ring.events[at], device, &scale);
		fitted = gs_builder_push_event(b, &row);
		if ((int64_t)i == told->oom) {
			told->time_us = row.time_us;
			told->requested = (int64_t)row.size;
			told->stream = row.stream;
			told->stack = row.stack;
			told->has_pool_id = row.has_pool_id;
			told->pool_id = (gpusnap_pool_id){row.pool_id.a, row.pool_id.b};
		}
		at = at + 1 == w->ring.cap ? 0 : at + 1;
	}
	pthread_mutex_unlock(&w->lock);
	return fitted ? GPUSNAP_OK : gs_api_fail(GS_NO_MEMORY, "no memory for the events");
}

void gpusnap_watch_block(gpusnap_block_row *row)
{
	watched *w = lock_device(row->device);
	if (!w)
		return;
	const gs_live_block *live = gs_live_find(&w->live, row->address);
	row->stack = live ? live->stack : 0;
	row->tag = live ? live->tag : 0;
	pthread_mutex_unlock(&w->lock);
}
