/* Allocation under the lock, recording, and the moment of failure. */
#include "recorder/api/heap.h"

#include <string.h>

#include "recorder/api/heap_outsiders.h"

/* --- called by the pool --- */

/* Bookkeeping for the pool; the copy for dumps grows with it, before the pool can use it. */
static void *take(void *user, size_t bytes)
{
	gs_heap *h = user;
	if (h->record && gs_log_reserve(&h->log, h->metadata + bytes))
		return NULL;
	void *chunk = gs_pages_take(h->pages, bytes);
	h->metadata += chunk ? bytes : 0;
	return chunk;
}

static void give(void *user, void *chunk, size_t bytes)
{
	gs_heap *h = user;
	h->metadata -= bytes;
	gs_pages_give(h->pages, chunk, bytes);
}

/* Whether this is the very moment that the last dump tells of: the call began before that dump did,
 * or nothing was allocated or freed since and another thread meets it. */
static bool is_same_moment(const gs_heap *h)
{
	uint64_t failures = atomic_load_explicit(&h->failures, memory_order_relaxed);
	if (h->every_oom || !failures)
		return false;
	return h->call_failures != failures ||
		(h->activity == h->last_activity && !pthread_equal(h->last_thread, pthread_self()));
}

/* The first to meet a failure copies the state; the dump is written outside the lock. */
static void note_failure(gs_heap *h, const gs_pool_action *a)
{
	if (!h->dumper || h->log.staging.in_use || is_same_moment(h))
		return;
	h->failure = (gs_dump_failure){a->ctx.stack, a->size, h->facts.number};
	h->refusing = gs_pool_last_oom(h->pool) ? gs_pool_last_oom(h->pool)->requested : a->size;
	if (!h->every_oom && gs_dumper_admit(h->dumper, &h->failure))
		return;
	gs_log_stage(&h->log, h->pool, (int64_t)a->device_free);
	h->log.staging.in_use = h->call_staged = true;
	h->last_activity = h->activity;
	h->last_thread = pthread_self();
	atomic_fetch_add_explicit(&h->failures, 1, memory_order_relaxed);
}

static void on_action(void *user, const gs_pool_action *a)
{
	gs_heap *h = user;
	if (h->listener)
		h->listener(h->listener_arg, a);
	if (!h->record)
		return;
	gs_log_action(&h->log, h->pool, a, h->call->ticks);
	if (a->action == GS_ACTION_ALLOC || a->action == GS_ACTION_FREE_REQUESTED)
		h->activity++;
	else if (a->action == GS_ACTION_OOM)
		note_failure(h, a);
}

/* Who else holds memory of the device, in a state that was copied. */
static void name_others(gs_heap *h, gs_staging *s)
{
	if (*h->pci)
		gs_heap_outsiders_ask(s, h->facts.number, h->pci, h->facts.capacity);
}

static int64_t reserved_in(const gs_staging *s)
{
	return s->stats.array[GS_STAT_RESERVED_BYTES][GS_STAT_ALL].current;
}

/* A layout for the stream, with what the device has left. Others are asked for under the lock, but
 * once in a million events. */
static void stream_layout(gs_heap *h)
{
	uint64_t free_bytes = 0, total = 0;
	gs_staging *s = &h->log.lane->staging;
	bool known = !h->ops->mem_info(h->device, &free_bytes, &total);
	gs_log_copy_for_stream(&h->log, h->pool);
	s->device_free = known ? (int64_t)free_bytes : GS_NONE;
	name_others(h, s);
	gs_lane_layout_ready(h->log.lane);
}

/* At the end of the process drivers may be gone already: what was told of the device last is
 * brought up by what this allocator, and libraries beside it, took or gave back since. */
static void last_stream_layout(gs_heap *h)
{
	gs_staging *s = &h->log.lane->staging;
	int64_t left = s->device_free, before = reserved_in(s) + s->outside.libraries;
	gs_log_copy_for_stream(&h->log, h->pool);
	if (*h->pci)
		gs_heap_outsiders_again(s, h->facts.number, h->facts.capacity);
	left = left == GS_NONE ? left : left + before - reserved_in(s) - s->outside.libraries;
	s->device_free = left == GS_NONE || left >= 0 ? left : GS_NONE;
	gs_lane_layout_ready(h->log.lane);
}

/* --- life --- */

void gs_heap_release(gs_heap *h)
{
	if (h->pool) {
		static const gs_call nobody = {0, 0, 0};
		h->call = &nobody;
		gs_pool_give_back(h->pool);
	}
	gs_pool_release(h->pool);
	h->pool = NULL;
	gs_log_release(&h->log, h->pages);
	pthread_cond_destroy(&h->written);
	pthread_mutex_destroy(&h->lock);
}

static gs_status init_log(gs_heap *h, const gs_heap_config *config, gs_error *err)
{
	uint32_t events = config->record ? config->events : 0;
	gs_status status = gs_log_init(&h->log, events, h->pages);
	if (status)
		return gs_fail(err, status, "no memory for %u events", events);
	h->log.refuses = config->refuses;
	if (config->settings)
		gs_log_set_conf(&h->log, config->settings);
	return GS_OK;
}

static gs_status init_pool(gs_heap *h, const gs_heap_config *config, gs_error *err)
{
	gs_pool_config pool = {.ops = config->ops,
		.device = config->device,
		.number = config->number,
		.memory = {take, give, h},
		.rules = config->rules,
		.settings = config->settings,
		.on_action = config->record || config->listener ? on_action : NULL,
		.user = h};
	gs_status status = gs_pool_init(&h->pool, &pool, err);
	if (!status && config->fraction > 0)
		status = gs_pool_set_fraction(h->pool, config->fraction, err);
	return status;
}

gs_status gs_heap_init(
	gs_heap *h, const gs_heap_config *config, gs_dumper *dumper, gs_pages *pages, gs_error *err)
{
	uint64_t free_bytes = 0, total = 0;
	memset(h, 0, sizeof *h);
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->written, NULL);
	h->pages = pages;
	h->record = config->record;
	h->every_oom = config->every_oom;
	h->listener = config->listener;
	h->listener_arg = config->listener_arg;
	h->dumper = config->record ? dumper : NULL;
	h->ops = config->ops;
	h->device = config->device;
	gs_status status = config->ops->mem_info(config->device, &free_bytes, &total);
	if (status) {
		gs_fail(err, status, "device %d does not tell its memory", config->number);
		goto out;
	}
	h->pci = config->pci ? config->pci : "";
	if (config->record && *h->pci)
		gs_heap_outsiders_prepare();
	h->facts = (gs_dump_device){.number = config->number,
		.name = config->name,
		.driver = config->driver,
		.capacity = (int64_t)total};
	status = init_log(h, config, err);
	if (!status)
		status = init_pool(h, config, err);
out:
	if (status)
		gs_heap_release(h);
	return status;
}

void gs_heap_stream(gs_heap *h, gs_stream *stream)
{
	gs_lane *lane = gs_stream_lane(
		stream, &h->facts, &h->log.ring, NULL, gs_pool_rules_name(h->pool));
	if (!lane)
		return;
	pthread_mutex_lock(&h->lock);
	if (!gs_lane_reserve(lane, h->metadata))
		h->log.lane = lane;
	pthread_mutex_unlock(&h->lock);
}

void gs_heap_last_layout(gs_heap *h)
{
	if (pthread_mutex_trylock(&h->lock))
		return;
	if (h->log.lane && h->log.lane->layout != 2)
		last_stream_layout(h);
	pthread_mutex_unlock(&h->lock);
}

void gs_heap_end_stream(gs_heap *h)
{
	pthread_mutex_lock(&h->lock);
	if (h->log.lane && h->log.lane->layout != 2)
		stream_layout(h);
	h->log.lane = NULL;
	pthread_mutex_unlock(&h->lock);
}

/* --- calls --- */

static void enter(gs_heap *h, const gs_call *call)
{
	uint64_t failures = atomic_load_explicit(&h->failures, memory_order_relaxed);
	pthread_mutex_lock(&h->lock);
	h->call = call;
	h->call_failures = failures;
	h->call_staged = false;
	if (h->log.lane && __builtin_expect(gs_lane_layout_due(h->log.lane), 0))
		stream_layout(h);
}

static void leave(gs_heap *h) { pthread_mutex_unlock(&h->lock); }

static void stage_is_free(gs_heap *h)
{
	pthread_mutex_lock(&h->lock);
	h->log.staging.in_use = false;
	pthread_cond_broadcast(&h->written);
	pthread_mutex_unlock(&h->lock);
}

/* A refusal's dump takes the place of the one before. The staging is in use: nobody else is here.
 */
static void write_refusal(gs_heap *h, gs_dump_request *request)
{
	char written[sizeof h->refused_dump];
	request->reason = GS_DUMP_REFUSED;
	request->quiet = true;
	if (gs_dumper_write(
			h->dumper, &h->log.staging, &h->facts, request, written, sizeof written, NULL))
		return;
	if (h->refused)
		gs_dumper_forget(h->dumper, h->refused_dump);
	memcpy(h->refused_dump, written, sizeof written);
	pthread_mutex_lock(&h->lock);
	h->refused = h->refusing;
	pthread_mutex_unlock(&h->lock);
}

/* An allocation succeeded that shows that the program got over a refusal. The lock is held. */
static void forgive(gs_heap *h)
{
	while (h->log.staging.in_use) /* its dump may be under way */
		pthread_cond_wait(&h->written, &h->lock);
	if (!h->refused)
		return;
	gs_dumper_forget(h->dumper, h->refused_dump);
	h->refused = 0;
	gs_log_forgive(&h->log);
}

/* The caller's request failed: the dump is to be there before it hears of it. */
static void after_failure(gs_heap *h, bool staged)
{
	if (staged) {
		gs_dump_failure failure = h->failure; /* ours while the staging is in use */
		gs_dump_request request = {
			.reason = GS_DUMP_OOM, .failure = h->every_oom ? NULL : &failure};
		name_others(h, &h->log.staging);
		if (h->log.refuses)
			write_refusal(h, &request);
		else
			gs_dumper_write(h->dumper, &h->log.staging, &h->facts, &request, NULL, 0, NULL);
		stage_is_free(h);
		return;
	}
	pthread_mutex_lock(&h->lock);
	while (h->log.staging.in_use)
		pthread_cond_wait(&h->written, &h->lock);
	pthread_mutex_unlock(&h->lock);
}

/* The pool's words for the failure in *err, uncut where they are its usual ones. */
static void tell_whole(const gs_heap *h, const gs_error *err, gs_long_text *message)
{
	const gs_pool_oom *oom = gs_pool_last_oom(h->pool);
	size_t n = strlen(err->text);
	if (oom)
		gs_pool_oom_message(oom, message->text, sizeof message->text);
	if (!oom || strncmp(message->text, err->text, n))
		memcpy(message->text, err->text, n + 1);
}

gs_status gs_heap_malloc(gs_heap *h, const gs_call *call, uint64_t bytes, uint64_t stream,
	uint64_t *address, gs_long_text *message, gs_error *err)
{
	enter(h, call);
	gs_status status = gs_pool_malloc(
		h->pool, bytes, stream, (gs_pool_ctx){call->stack, call->tag}, address, err);
	bool staged = h->call_staged;
	if (__builtin_expect(status == GS_DEVICE_MEMORY, 0) && message)
		tell_whole(h, err, message);
	if (__builtin_expect(h->refused != 0, 0) && !status && bytes >= h->refused)
		forgive(h);
	leave(h);
	if (__builtin_expect(status == GS_DEVICE_MEMORY, 0) && h->dumper)
		after_failure(h, staged);
	return status;
}

gs_status gs_heap_free(gs_heap *h, const gs_call *call, uint64_t address)
{
	enter(h, call);
	gs_status status = gs_pool_free(h->pool, address);
	leave(h);
	return status;
}

gs_status gs_heap_record_stream(gs_heap *h, const gs_call *call, uint64_t address, uint64_t stream)
{
	enter(h, call);
	gs_status status = gs_pool_record_stream(h->pool, address, stream);
	leave(h);
	return status;
}

gs_status gs_heap_empty_cache(gs_heap *h, const gs_call *call)
{
	enter(h, call);
	gs_status status = gs_pool_empty_cache(h->pool);
	leave(h);
	return status;
}

gs_status gs_heap_set_fraction(gs_heap *h, double fraction, gs_error *err)
{
	pthread_mutex_lock(&h->lock);
	gs_status status = gs_pool_set_fraction(h->pool, fraction, err);
	leave(h);
	return status;
}

gs_status gs_heap_find(gs_heap *h, uint64_t address, uint64_t *bytes)
{
	pthread_mutex_lock(&h->lock);
	const gs_pool_block *block = gs_pool_find(h->pool, address);
	if (block)
		*bytes = gs_pool_block_size(block);
	leave(h);
	return block ? GS_OK : GS_NOT_FOUND;
}

typedef struct place {
	uint64_t address, start, bytes;
} place;

static gs_status locate_block(void *user, const gs_pool_block_info *b)
{
	place *p = user;
	if (b->state == GS_INACTIVE || p->address < b->address || p->address - b->address >= b->size)
		return GS_OK;
	p->start = b->address;
	p->bytes = b->requested;
	return GS_END;
}

gs_status gs_heap_locate(gs_heap *h, uint64_t address, uint64_t *start, uint64_t *bytes)
{
	static const gs_pool_visitor visitor = {NULL, locate_block};
	place p = {address, 0, 0};
	pthread_mutex_lock(&h->lock);
	gs_status status = gs_pool_walk(h->pool, &visitor, &p);
	pthread_mutex_unlock(&h->lock);
	if (status != GS_END)
		return GS_NOT_FOUND;
	*start = p.start;
	*bytes = p.bytes;
	return GS_OK;
}

void gs_heap_walk(gs_heap *h, const gs_pool_visitor *visitor, void *user)
{
	pthread_mutex_lock(&h->lock);
	gs_pool_walk(h->pool, visitor, user);
	leave(h);
}

void gs_heap_stats(gs_heap *h, gs_pool_stats *stats)
{
	pthread_mutex_lock(&h->lock);
	gs_pool_get_stats(h->pool, stats);
	leave(h);
}

void gs_heap_reset_stats(gs_heap *h, bool peak, bool accumulated)
{
	pthread_mutex_lock(&h->lock);
	if (peak)
		gs_pool_reset_peak(h->pool);
	if (accumulated)
		gs_pool_reset_accumulated(h->pool);
	leave(h);
}

gs_status gs_heap_memory(gs_heap *h, uint64_t *free_bytes, uint64_t *total_bytes)
{
	pthread_mutex_lock(&h->lock);
	gs_status status = h->ops->mem_info(h->device, free_bytes, total_bytes);
	leave(h);
	return status;
}

void gs_heap_set_above(gs_heap *h, const char *above)
{
	pthread_mutex_lock(&h->lock);
	h->log.staging.above = above;
	leave(h);
}

gs_status gs_heap_check(gs_heap *h, gs_error *err)
{
	pthread_mutex_lock(&h->lock);
	gs_status status = gs_pool_check(h->pool, err);
	leave(h);
	return status;
}

bool gs_heap_has_events(gs_heap *h)
{
	pthread_mutex_lock(&h->lock);
	bool any = h->record && h->log.ring.count;
	leave(h);
	return any;
}

gs_status gs_heap_begin_private(
	gs_heap *h, gs_pool_id id, gs_pool_filter *filter, void *user, bool capture)
{
	pthread_mutex_lock(&h->lock);
	gs_status status = gs_pool_begin_private(h->pool, id, filter, user, capture);
	leave(h);
	return status;
}

gs_status gs_heap_end_private(gs_heap *h, gs_pool_id id)
{
	pthread_mutex_lock(&h->lock);
	gs_status status = gs_pool_end_private(h->pool, id);
	leave(h);
	return status;
}

gs_status gs_heap_drop_private(gs_heap *h, gs_pool_id id)
{
	pthread_mutex_lock(&h->lock);
	gs_status status = gs_pool_drop_private(h->pool, id);
	leave(h);
	return status;
}

gs_status gs_heap_configure(gs_heap *h, const char *conf, gs_error *err)
{
	pthread_mutex_lock(&h->lock);
	gs_status status = gs_pool_configure(h->pool, conf, err);
	gs_log_set_conf(&h->log, conf); /* PyTorch too remembers the text before it reads it */
	pthread_mutex_unlock(&h->lock);
	return status;
}

gs_status gs_heap_dump(
	gs_heap *h, const gs_dump_request *request, char *written, size_t cap, gs_error *err)
{
	uint64_t free_bytes = 0, total = 0;
	if (!h->dumper)
		return gs_fail(err, GS_STATE, "nothing is recorded");
	pthread_mutex_lock(&h->lock);
	while (h->log.staging.in_use)
		pthread_cond_wait(&h->written, &h->lock);
	bool known = !h->ops->mem_info(h->device, &free_bytes, &total);
	gs_log_stage(&h->log, h->pool, known ? (int64_t)free_bytes : GS_NONE);
	h->log.staging.in_use = true;
	pthread_mutex_unlock(&h->lock);
	name_others(h, &h->log.staging);
	gs_status status = gs_dumper_write(
		h->dumper, &h->log.staging, &h->facts, request, written, cap, err);
	stage_is_free(h);
	return status;
}

void gs_heap_before_fork(gs_heap *h)
{
	pthread_mutex_lock(&h->lock);
	while (h->log.staging.in_use)
		pthread_cond_wait(&h->written, &h->lock);
}

void gs_heap_after_fork(gs_heap *h, bool child)
{
	if (child)
		pthread_cond_init(&h->written, NULL); /* its waiters are not here */
	pthread_mutex_unlock(&h->lock);
}
