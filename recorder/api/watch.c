/* Watching another allocator: its events in rings, and a builder for its dumps. */
#include <pthread.h>
#include <stddef.h>
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
	gs_dump_device about; /* name is held here: */
	char name[96];
	int complete;
	uint64_t active;       /* bytes of active blocks after the last event, where is_sized */
	uint64_t block;        /* of the last event; an alloc's is found by the next one */
	uint64_t allocated_at; /* the last event is an alloc there; 0: it is none */
	bool is_sized;
} watched;

static struct {
	pthread_mutex_t lock; /* guards opening */
	gs_recorder recorder;
	watched devices[GS_DEVICES_MAX];
	gpusnap_watch_dump *dump;
	bool prepared; /* for forks */
	char rules[64];
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
	/* once: handlers are never taken back, and a fork takes each lock once */
	if (!watch.prepared) {
		for (int i = 0; i < GS_DEVICES_MAX; i++)
			pthread_mutex_init(&watch.devices[i].lock, NULL);
		watch.prepared = !pthread_atfork(before_fork, after_fork, after_fork);
	}
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
	const gs_dump_device unknown = {.number = number, .capacity = GS_NONE};
	pthread_mutex_lock(&watch.lock);
	gs_stream *stream = gs_recorder_stream(&watch.recorder);
	w->lane = stream ? gs_stream_lane(stream, w->name[0] ? &w->about : &unknown, &w->ring,
						   "pytorch", watch.rules[0] ? watch.rules : NULL)
					 : NULL;
	w->asked_stream = true;
	if (w->lane) {
		w->lane->complete = w->name[0] ? w->complete : -1;
		w->lane->sized = w->lane->late = w->is_sized;
		w->lane->figures.stale = w->lane->complete != 1;
	}
	pthread_mutex_unlock(&watch.lock);
}

/* Its lock is held. */
static bool make_ready(watched *w, int number)
{
	if (!w->ready)
		w->ready = !gs_ring_init(&w->ring, watch.recorder.config.events, &watch.recorder.pages);
	if (w->ready && !w->asked_stream)
		add_lane(w, number);
	return w->ready;
}

/* The device's record with its lock held, made ready at first use; NULL when there is none. */
static inline watched *lock_device(int number)
{
	if (number < 0 || number >= GS_DEVICES_MAX || !gs_opened_get(GS_OPENED_WATCH))
		return NULL;
	watched *w = &watch.devices[number];
	pthread_mutex_lock(&w->lock);
	if (__builtin_expect(w->asked_stream, 1) || make_ready(w, number))
		return w;
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* --- events
 * ------------------------------------------------------------------------------------------- */

__attribute__((noinline)) void gpusnap_watch_call(void)
{
	gs_regs from;
	gs_recorder *r = gs_opened_get(GS_OPENED_WATCH);
	gs_thread *t = r ? gs_thread_self() : NULL;
	if (!t)
		return;
	gs_regs_of_caller(&from);
	t->watched.stack = gs_recorder_place(r, &from);
	t->watched.tag = gs_thread_tag(t, r->serial);
}

static bool made_by_the_call(gpusnap_action action)
{
	return action == GPUSNAP_ALLOC || action == GPUSNAP_SEGMENT_ALLOC ||
		action == GPUSNAP_SEGMENT_MAP || action == GPUSNAP_OOM;
}

/* What the event says of the live allocations: a free carries its allocation's stack. */
static void keep_live(watched *w, gs_ring_event *e)
{
	gs_live_block b = {
		e->address, e->size, e->stream, e->stack, e->tag, 0, w->lane ? w->lane->head : 0};
	const gs_live_block *live = NULL;
	w->allocated_at = e->action == GPUSNAP_ALLOC ? e->address : 0;
	w->block = 0;
	if (e->action == GPUSNAP_ALLOC)
		gs_live_add(&w->live, &b, &watch.recorder.pages);
	else if (e->action == GPUSNAP_FREE_REQUESTED)
		live = gs_live_find(&w->live, e->address);
	else if (e->action == GPUSNAP_FREE_COMPLETED && gs_live_take(&w->live, e->address, &b))
		live = &b;
	if (live) {
		e->stack = live->stack;
		e->tag = live->tag;
		w->block = live->block;
	}
	if (e->action == GPUSNAP_FREE_COMPLETED)
		w->active -= w->block < w->active ? w->block : w->active;
}

/* Older programs' rows end before ticks. */
static uint64_t ticks_of(const gpusnap_event_row *row)
{
	bool told = row->size > offsetof(gpusnap_event_row, ticks) && row->ticks;
	return told && watch.recorder.clock.tsc ? row->ticks : gs_clock_ticks(&watch.recorder.clock);
}

/* The device's record as lock_device gives it, with room in its lane: nobody waits for the stream
 * with the lock held, which whoever gives it a layout may need. */
static watched *lock_with_room(int number)
{
	watched *w = lock_device(number);
	while (w && w->lane && w->lane->consumer->runs && gs_lane_is_full(w->lane)) {
		gs_lane *lane = w->lane;
		pthread_mutex_unlock(&w->lock);
		gs_lane_wait(lane);
		w = lock_device(number);
	}
	return w;
}

void gpusnap_watch_event(const gpusnap_event_row *row)
{
	watched *w = lock_with_room(row->device);
	if (!w)
		return;
	gs_thread *t = gs_thread_self();
	uint64_t block = w->block;
	gs_ring_event e = {.address = row->address,
		.size = row->bytes,
		.ticks = ticks_of(row),
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
		gs_lane_push(w->lane, &e, block);
	pthread_mutex_unlock(&w->lock);
}

/* --- the stream's layouts
 * ----------------------------------------------------------------------------- */

int gpusnap_watch_streams(void)
{
	const gs_recorder *r = gs_opened_get(GS_OPENED_WATCH);
	return r && r->config.stream[0] && !r->config.disable;
}

gpusnap_status gpusnap_watch_device(const gpusnap_device_row *row, const char *rules)
{
	if (row->device < 0 || row->device >= GS_DEVICES_MAX)
		return gs_api_fail(GS_NOT_FOUND, "there is no device %d", row->device);
	watched *w = &watch.devices[row->device];
	pthread_mutex_lock(&w->lock);
	gs_line name = GS_LINE(w->name), release = GS_LINE(watch.rules);
	gs_line_text(&name, row->name && row->name[0] ? row->name : "GPU");
	w->about = (gs_dump_device){.number = row->device, .name = w->name, .capacity = row->capacity};
	w->complete = row->complete;
	if (rules && !watch.rules[0])
		gs_line_text(&release, rules);
	w->is_sized = true;
	pthread_mutex_unlock(&w->lock);
	return GPUSNAP_OK;
}

void gpusnap_watch_active(int device, uint64_t bytes)
{
	watched *w = lock_device(device);
	if (!w)
		return;
	gs_live_block *live = w->allocated_at
		? (gs_live_block *)(uintptr_t)gs_live_find(&w->live, w->allocated_at)
		: NULL;
	if (w->allocated_at && bytes > w->active)
		w->block = bytes - w->active;
	if (live)
		live->block = w->block;
	w->allocated_at = 0;
	w->active = bytes;
	pthread_mutex_unlock(&w->lock);
}

int gpusnap_watch_layout_due(void)
{
	const gs_recorder *r = gs_opened_get(GS_OPENED_WATCH);
	return r && r->stream ? gs_stream_layout_due(r->stream) : -1;
}

void gpusnap_watch_layout_here(int device)
{
	watched *w = lock_device(device);
	if (!w)
		return;
	if (w->lane)
		gs_lane_layout_here(w->lane, w->block);
	pthread_mutex_unlock(&w->lock);
}

/* A block that was there before the first event is known from now on; what was allocated after the
 * layout's moment tells nothing of it. */
static void settle_block(watched *w, gs_row_block *b)
{
	const gs_live_block *live = gs_live_find(&w->live, b->address);
	if (live && live->number >= w->lane->layout_at)
		b->stack = b->tag = 0;
	if (live || b->state == GS_INACTIVE)
		return;
	const gs_live_block born_before = {.address = b->address,
		.size = b->requested > 0 ? (uint64_t)b->requested : b->size,
		.block = b->size};
	gs_live_add(&w->live, &born_before, &watch.recorder.pages);
}

/* False: no room. Segments and blocks ascend. */
static bool stage(gs_staging *s, const gpusnap_builder *b, int device)
{
	s->nsegments = s->nblocks = 0;
	s->whole = true;
	for (size_t i = 0; i < b->segments.n; i++) {
		const gs_row_segment *g = &b->segments.at[i];
		if (g->device != device)
			continue;
		if (s->nsegments == s->room)
			return false;
		s->segments[s->nsegments++] = (gs_stage_segment){
			g->address, g->size, g->stream, g->pool_id, g->stack, g->pool, g->expandable};
	}
	uint32_t segment = 0;
	for (size_t i = 0; i < b->blocks.n; i++) {
		const gs_row_block *k = &b->blocks.at[i];
		if (k->device != device)
			continue;
		while (segment < s->nsegments &&
			k->address - s->segments[segment].address >= s->segments[segment].size)
			segment++;
		if (segment == s->nsegments || s->nblocks == s->room)
			return false;
		s->blocks[s->nblocks++] = (gs_stage_block){k->address, k->size,
			k->requested > 0 ? (uint64_t)k->requested : 0, segment, k->stack, (uint16_t)k->tag,
			k->state};
	}
	return true;
}

static void stage_facts(gs_lane *l, const gpusnap_builder *b, int device)
{
	for (size_t i = 0; i < b->devices.n; i++)
		if (b->devices.at[i].device == device) {
			l->staging.device_free = b->devices.at[i].device_free;
			l->staging.allowed = b->devices.at[i].allowed;
			l->staging.outside.known = b->devices.at[i].others != GS_NONE;
			l->staging.outside.processes = b->devices.at[i].others;
		}
	l->nsettings = 0;
	for (size_t i = 0; i < b->settings.n && l->nsettings < GS_LANE_SETTINGS; i++) {
		l->settings[l->nsettings].name = b->settings.at[i].first;
		l->settings[l->nsettings++].value = b->settings.at[i].second;
	}
}

void gpusnap_watch_layout(const gpusnap_builder *b, int device)
{
	watched *w = lock_device(device);
	if (!w)
		return;
	gs_lane *l = w->lane && w->lane->layout == 3 ? w->lane : NULL;
	for (size_t i = 0; l && b && i < b->blocks.n; i++)
		if (b->blocks.at[i].device == device)
			settle_block(w, &b->blocks.at[i]);
	pthread_mutex_unlock(&w->lock);
	if (!l)
		return;
	bool there = b && !gs_lane_reserve(l, (b->segments.n + b->blocks.n + 1) * GS_STAGE_OBJECT) &&
		stage(&l->staging, b, device);
	if (there)
		stage_facts(l, b, device);
	gs_lane_layout_filled(l, there);
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
