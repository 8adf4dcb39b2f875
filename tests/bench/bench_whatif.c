/* Replay: recorded events a second on one core, and the search over settings. The recording is made by the pool itself:
 * a mix of small, middle and large tensors with some thousands live. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "analyzer/replay/whatif.h"
#include "recorder/pool/pool.h"
#include "recorder/pool/sim_device.h"

enum { EVENTS = 1000000, LIVE = 4000 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Of this thread alone: other programs on the machine do not count. */
static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void record(void *user, const gs_pool_action *a)
{
	gs_event *e = gs_trace_append(user);

	if (!e)
		exit(1);
	e->address = a->address;
	e->size = a->size;
	e->tag_action = a->action;
	e->stream = 0;
}

static uint64_t some_size(void)
{
	int kind = rand() % 10;

	return kind < 6 ? 512 + (uint64_t)(rand() % 100000) : kind < 9 ? (1u << 20) + (uint64_t)(rand() % (8 << 20)) : (10u << 20) + (uint64_t)(rand() % (60 << 20));
}

static void make_recording(gs_snapshot *s)
{
	gs_device *d = gs_snapshot_device(s, 0);
	gs_sim_config device = { .capacity = 1ull << 40 };
	gs_pool_config config = { .ops = &gs_sim_ops, .memory = gs_pool_heap, .rules = gs_rules_newest, .on_action = record, .user = &d->trace };
	static uint64_t live[LIVE];
	gs_sim *sim;
	gs_pool *pool;

	gs_snapshot_stream(s, 0);
	if (gs_sim_init(&sim, &device))
		exit(1);
	config.device = sim;
	if (gs_pool_init(&pool, &config, NULL))
		exit(1);
	srand(7);
	while (d->trace.n < EVENTS) {
		int i = rand() % LIVE;
		if (live[i])
			gs_pool_free(pool, live[i]);
		live[i] = 0;
		if (gs_pool_malloc(pool, some_size(), 0, (gs_pool_ctx){ 0, 0 }, &live[i], NULL))
			exit(1);
	}
	gs_pool_release(pool);
	gs_sim_release(sim);
	s->kind = GS_KIND_PYTORCH;
	d->trace.complete = 1;
}

static void time_run(gs_whatif *w, const char *conf)
{
	gs_replay_settings settings = { .rules = gs_rules_newest, .conf = conf, .capacity = w->total, .allowed = UINT64_MAX };
	gs_replay_result result;
	double best = 1e9;

	for (int i = 0; i < 3; i++) {
		double start = cpu();
		if (gs_replay_run_all(&w->replay, &settings, 1, &result, NULL))
			exit(1);
		best = cpu() - start < best ? cpu() - start : best;
	}
	printf("replay of %zu events under \"%s\": %.0f ms, %.1f million events/s (goal: 5)\n", w->device->trace.n, conf, best * 1e3,
	       (double)w->device->trace.n / best / 1e6);
}

int main(void)
{
	gs_whatif_options options = GS_WHATIF_OPTIONS_INIT;
	gs_snapshot s;
	gs_whatif w;
	gs_error err = GS_ERROR_INIT;
	double start;

	gs_snapshot_init(&s);
	make_recording(&s);
	start = now();
	if (gs_whatif_open(&w, &s, &options, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	printf("requests from the trace, and the recorded settings compared with it: %.0f ms (%s)\n", (now() - start) * 1e3,
	       w.agreement.agrees ? "all events agree" : w.agreement.text);
	time_run(&w, "");
	time_run(&w, "expandable_segments:True");
	time_run(&w, "max_split_size_mb:128");
	start = now();
	if (gs_whatif_search(&w, &err))
		return 1;
	printf("search over %zu settings: %.1f s (goal: 10)\n", w.n, now() - start);
	gs_whatif_release(&w);
	gs_snapshot_release(&s);
	return 0;
}
