/* A script's calls made on a pool; the transcript of what it did. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/snapshot.h"
#include "tools/sim_script.h"

typedef struct slot { /* an id and what it holds */
	struct slot *next;
	gs_pool_block *block; /* NULL: not set, or of 0 bytes */
	gs_pool_id pool;      /* of a private pool's name */
	char name[SIM_NAME_MAX];
} slot;

enum { BUCKETS = 1 << 12 };

struct sim_run {
	sim_options options;
	gs_sim *sim;
	gs_pool *pool;
	slot *buckets[BUCKETS];
	char tags[SIM_TAGS_MAX][SIM_NAME_MAX];
	int ntags;
	uint64_t npools, ngraphs; /* ids given out */
};

static void on_action(void *user, const gs_pool_action *a)
{
	sim_run *run = user;
	if (run->options.trace && a->action != GS_ACTION_RECORD_STREAM &&
		a->action != GS_ACTION_EMPTY_CACHE)
		fprintf(run->options.trace, "    %-14s 0x%" PRIx64 " %" PRIu64 " stream=%" PRIu64 "\n",
			gs_action_text(a->action), a->action == GS_ACTION_OOM ? a->device_free : a->address,
			a->size, a->stream);
	if (run->options.hooks.action)
		run->options.hooks.action(run->options.hooks.user, run->pool, a);
}

gs_status sim_run_init(sim_run **out, const sim_options *options, gs_error *err)
{
	sim_run *run = calloc(1, sizeof *run);
	if (!run)
		return gs_fail(err, GS_NO_MEMORY, "no memory for a run");
	run->options = *options;
	gs_sim_config device = {.capacity = options->capacity, .lazy_events = true};
	gs_status status = gs_sim_init(&run->sim, &device);
	gs_pool_config config = {
		.ops = &gs_sim_ops,
		.device = run->sim,
		.memory = gs_pool_heap,
		.rules = options->rules,
		.on_action = on_action,
		.user = run,
	};
	if (!status)
		status = gs_pool_init(&run->pool, &config, err);
	if (status) {
		sim_run_release(run);
		return gs_fail(err, status, "no memory for a run");
	}
	*out = run;
	return GS_OK;
}

void sim_run_release(sim_run *run)
{
	if (!run)
		return;
	for (int i = 0; i < BUCKETS; i++)
		while (run->buckets[i]) {
			slot *s = run->buckets[i];
			run->buckets[i] = s->next;
			free(s);
		}
	gs_pool_release(run->pool);
	gs_sim_release(run->sim);
	free(run);
}

gs_pool *sim_run_pool(sim_run *run) { return run->pool; }

static slot *find_slot(sim_run *run, const char *name, bool make)
{
	uint32_t h = 2166136261u;
	for (const char *c = name; *c; c++)
		h = (h ^ (unsigned char)*c) * 16777619u;
	slot **bucket = &run->buckets[(h ^ h >> 16) % BUCKETS];
	for (slot *s = *bucket; s; s = s->next)
		if (!strcmp(s->name, name))
			return s;
	slot *s = make ? calloc(1, sizeof *s) : NULL;
	if (!s)
		return NULL;
	strcpy(s->name, name);
	s->next = *bucket;
	return *bucket = s;
}

static void refuse(sim_run *run, const gs_error *why)
{
	if (run->options.trace)
		fprintf(run->options.trace, "    EXC %s\n", why->text);
}

/* A refused malloc: the pool's text whole, where the message was cut to fit an error. */
static void refuse_malloc(sim_run *run, const gs_error *why)
{
	char text[1024];
	const gs_pool_oom *oom = gs_pool_last_oom(run->pool);
	bool whole = oom &&
		!strncmp(gs_pool_oom_message(oom, text, sizeof text), why->text, strlen(why->text));
	if (run->options.trace)
		fprintf(run->options.trace, "    EXC %s\n", whole ? text : why->text);
}

static gs_status do_malloc(sim_run *run, const sim_call *call, gs_error *err)
{
	const sim_hooks *hooks = &run->options.hooks;
	gs_error why = GS_ERROR_INIT;
	gs_pool_ctx ctx = {0, 0};
	if (hooks->context)
		ctx = hooks->context(hooks->user, call, run->ntags ? run->tags[run->ntags - 1] : NULL);
	slot *s = find_slot(run, call->name, true);
	if (!s)
		return gs_fail(err, GS_NO_MEMORY, "no memory for an id");
	gs_pool_block *block;
	gs_status status = gs_pool_malloc_block(
		run->pool, call->bytes, gs_sim_stream(call->stream), ctx, &block, &why);
	if (status == GS_DEVICE_MEMORY) {
		refuse_malloc(run, &why);
		return GS_OK;
	}
	if (status)
		return gs_fail(err, status, "%s:%u: %s", call->file, call->line, why.text);
	gs_pool_free_block(
		run->pool, s->block); /* an id that was set holds the new one only after it was made */
	s->block = block;
	if (run->options.trace)
		fprintf(
			run->options.trace, "    -> 0x%" PRIx64 "\n", block ? gs_pool_block_address(block) : 0);
	return GS_OK;
}

static gs_status do_free(sim_run *run, const char *name)
{
	slot *s = find_slot(run, name, false);
	if (!s)
		return GS_OK;
	gs_pool_block *block = s->block;
	s->block = NULL;
	return gs_pool_free_block(run->pool, block);
}

static gs_status do_record(sim_run *run, const sim_call *call)
{
	slot *s = find_slot(run, call->name, false);
	return s && s->block
		? gs_pool_record_stream_block(run->pool, s->block, gs_sim_stream(call->stream))
		: GS_OK;
}

static gs_status sum_active(void *user, const gs_pool_segment_info *s)
{
	*(uint64_t *)user += s->active;
	return GS_OK;
}

static gs_status print_segment(void *user, const gs_pool_segment_info *s)
{
	fprintf(user,
		"    SEG 0x%" PRIx64 " total=%" PRIu64 " alloc=%" PRIu64 " active=%" PRIu64 " req=%" PRIu64
		" %s exp=%d stream=%" PRIu64 "\n",
		s->address, s->size, s->allocated, s->active, s->requested, gs_class_text(s->pool),
		s->expandable, s->stream);
	return GS_OK;
}

static gs_status print_block(void *user, const gs_pool_block_info *b)
{
	fprintf(user, "       0x%" PRIx64 " %" PRIu64 " req=%" PRIu64 " %s\n", b->address, b->size,
		b->requested, gs_block_state_text(b->state));
	return GS_OK;
}

static void print_snapshot(const sim_run *run)
{
	static const gs_pool_visitor sum = {sum_active, NULL}, print = {print_segment, print_block};
	uint64_t active = 0;
	gs_pool_walk(run->pool, &sum, &active);
	fprintf(run->options.trace, "    %-14s 0x0 %" PRIu64 " stream=0\n", "snapshot", active);
	gs_pool_walk(run->pool, &print, run->options.trace);
}

static void print_stats(const sim_run *run)
{
	gs_pool_stats s;
	FILE *out = run->options.trace;
	gs_pool_get_stats(run->pool, &s);
	for (int a = 0; a < GS_STAT_ARRAYS; a++) {
		fprintf(out, "    %-22s", gs_pool_array_name((gs_pool_array)a));
		for (int c = 0; c < GS_STAT_CLASSES; c++) {
			const gs_pool_stat *t = &s.array[a][c];
			fprintf(out, " | %" PRId64 "/%" PRId64 "/%" PRId64 "/%" PRId64, t->current, t->peak,
				t->allocated, t->freed);
		}
		fputc('\n', out);
	}
	fprintf(out,
		"    retries=%" PRId64 " ooms=%" PRId64 " sync_all=%" PRId64 " dev_alloc=%" PRId64
		" dev_free=%" PRId64 " oversize_alloc=%" PRId64 " oversize_seg=%" PRId64
		" fake_used=%" PRIu64 "\n",
		s.num_alloc_retries, s.num_ooms, s.num_sync_all_streams, s.num_device_alloc,
		s.num_device_free, s.oversize_allocations.current, s.oversize_segments.current,
		gs_sim_used(run->sim));
}

static bool is_stream(void *user, uint64_t stream) { return stream == (uint64_t)(uintptr_t)user; }

static gs_status begin_pool(sim_run *run, const sim_call *call, slot *s)
{
	bool graph = call->name[0] == 'g';
	gs_status status = GS_OK;
	if (!s->pool.a && !s->pool.b) {
		s->pool = graph ? (gs_pool_id){++run->ngraphs, 0} : (gs_pool_id){0, ++run->npools};
		if (!graph) /* the MemPool object is a user of its own, besides each use */
			status = gs_pool_hold_private(run->pool, s->pool);
	}
	if (status)
		return status;
	if (graph)
		return gs_pool_begin_private(
			run->pool, s->pool, is_stream, (void *)(uintptr_t)gs_sim_stream(call->stream), true);
	return gs_pool_begin_private(run->pool, s->pool, NULL, NULL, false);
}

static gs_status do_private(sim_run *run, const sim_call *call)
{
	bool graph = call->name[0] == 'g';
	slot *s = find_slot(run, call->name, call->op == SIM_BEGIN);
	if (!s)
		return call->op == SIM_BEGIN ? GS_NO_MEMORY : GS_NOT_FOUND;
	if (call->op == SIM_BEGIN)
		return begin_pool(run, call, s);
	if (call->op == SIM_END) {
		gs_status status = gs_pool_end_private(run->pool, s->pool);
		return status || graph ? status : gs_pool_drop_private(run->pool, s->pool);
	}
	gs_pool_id id = s->pool;
	s->pool = (gs_pool_id){0, 0};
	gs_status status = gs_pool_drop_private(run->pool, id);
	return status || graph ? status : gs_pool_empty_private(run->pool, id);
}

static gs_status do_tag(sim_run *run, const sim_call *call, gs_error *err)
{
	if (call->op == SIM_UNTAG) {
		if (!run->ntags)
			return gs_fail(err, GS_INVALID, "%s:%u: untag without tag", call->file, call->line);
		run->ntags--;
		return GS_OK;
	}
	if (run->ntags == SIM_TAGS_MAX)
		return gs_fail(
			err, GS_INVALID, "%s:%u: more than %d tags", call->file, call->line, SIM_TAGS_MAX);
	strcpy(run->tags[run->ntags++], call->name);
	return GS_OK;
}

static gs_status dispatch(sim_run *run, const sim_call *call, gs_error *err)
{
	gs_error why = GS_ERROR_INIT;
	switch (call->op) {
	case SIM_CONF:
		if (gs_pool_configure(run->pool, call->argument, &why))
			refuse(run, &why);
		return GS_OK;
	case SIM_FRAC:
		if (gs_pool_set_fraction(run->pool, call->fraction, &why))
			refuse(run, &why);
		return GS_OK;
	case SIM_MALLOC: return do_malloc(run, call, err);
	case SIM_FREE: return do_free(run, call->name);
	case SIM_RECORD: return do_record(run, call);
	case SIM_COMPLETE: gs_sim_complete(run->sim); return GS_OK;
	case SIM_EMPTY:
		if (gs_pool_empty_cache(run->pool) == GS_STATE) {
			gs_fail(&why, GS_STATE, "the cache is not emptied while a graph is captured");
			refuse(run, &why);
		}
		return GS_OK;
	case SIM_SNAP:
		if (run->options.trace)
			print_snapshot(run);
		return GS_OK;
	case SIM_STATS:
		if (run->options.trace)
			print_stats(run);
		return GS_OK;
	case SIM_TAG:
	case SIM_UNTAG: return do_tag(run, call, err);
	case SIM_BEGIN:
	case SIM_END:
	case SIM_RELEASE: {
		gs_status status = do_private(run, call);
		return status
			? gs_fail(err, status, "%s:%u: %s is not a pool in that state: begin, end, release",
				  call->file, call->line, call->name)
			: GS_OK;
	}
	case SIM_BLANK:
	case SIM_COMMENT: break;
	}
	return GS_OK;
}

gs_status sim_run_call(sim_run *run, const sim_call *call, gs_error *err)
{
	FILE *out = run->options.trace;
	if (call->op == SIM_BLANK)
		return GS_OK;
	if (out && call->op == SIM_COMMENT)
		fprintf(out, "%s\n", call->text);
	else if (out)
		fprintf(out, "> %s\n", call->text);
	gs_error inner = GS_ERROR_INIT;
	gs_status status = dispatch(run, call, &inner);
	if (status && inner.text[0])
		return gs_fail(err, status, "%s", inner.text);
	return status
		? gs_fail(err, status, "%s:%u: %s", call->file, call->line, gs_status_text(status))
		: GS_OK;
}
