/* The dump at an out-of-memory: 100,000 events and 10,000 blocks, without fsync. Time until the failed call returns, processor time, bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "recorder/api/env.h"
#include "recorder/pool/sim_device.h"
#include "recorder/api/recorder.h"

enum { BLOCKS = 10000, PAIRS = 35000, ROUNDS = 15 };

static gs_config config;
static gs_recorder recorder;

static double ms(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

__attribute__((noinline)) static gs_status allocate(uint64_t bytes, uint64_t *address)
{
	gs_regs from;
	gs_call call;
	gs_regs_of_caller(&from);
	gs_recorder_call(&recorder, &from, &call);
	return gs_heap_malloc(gs_recorder_heap(&recorder, 0), &call, bytes, 0, address, NULL, NULL);
}

/* From a few dozen stacks. */
__attribute__((noinline)) static gs_status deep(unsigned way, uint64_t bytes, uint64_t *address)
{
	volatile gs_status status = way ? deep(way - 1, bytes, address) : allocate(bytes, address);
	return status;
}

static void fill(void)
{
	static uint64_t live[BLOCKS];
	gs_call call;
	for (int i = 0; i < BLOCKS + PAIRS; i++) {
		uint64_t *slot = &live[i < BLOCKS ? i : rand() % BLOCKS];
		if (i >= BLOCKS) {
			gs_recorder_call_free(&recorder, &call);
			gs_heap_free(gs_recorder_heap(&recorder, 0), &call, *slot);
		}
		if (deep((unsigned)rand() % 40, (uint64_t)(1 + rand() % 40) * 512, slot))
			exit(1);
	}
}

int main(void)
{
	gs_error err = GS_ERROR_INIT;
	gs_sim *sim;
	gs_sim_config device = { .capacity = UINT64_C(1) << 30 };
	char folder[] = "/tmp/gpusnap-bench-XXXXXX", command[100];
	uint64_t none;
	double best = 1e9, best_cpu = 1e9;
	if (!mkdtemp(folder) || gs_config_read(&config, &err) || gs_config_set(&config, GS_ENV_DIR, folder, &err) || gs_sim_init(&sim, &device))
		return 1;
	config.sync = false;
	config.max_dumps = ROUNDS;
	strcpy(config.log, "none");
	gs_heap_config heap = { .ops = &gs_sim_ops, .device = sim };
	if (gs_recorder_init(&recorder, &config, 0, &err) || gs_recorder_add_device(&recorder, &heap, &err))
		return 1;
	fill();
	for (uint64_t i = 0; i < ROUNDS; i++) { /* each asks for another size: a failure of its own */
		double start = ms(CLOCK_MONOTONIC), cpu = ms(CLOCK_THREAD_CPUTIME_ID);
		if (deep(3, (UINT64_C(2) << 30) + (i << 20), &none) != GS_DEVICE_MEMORY)
			return 1;
		double took = ms(CLOCK_MONOTONIC) - start, took_cpu = ms(CLOCK_THREAD_CPUTIME_ID) - cpu;
		if (i == 0)
			printf("first dump                  %7.1f ms, %.1f ms of processor time\n", took, took_cpu);
		best = took < best ? took : best;
		best_cpu = took_cpu < best_cpu ? took_cpu : best_cpu;
	}
	const gs_dump_places *places = &recorder.dumper.places;
	uint64_t bytes = places->bytes / (places->n ? places->n : 1);
	printf("best of %d                  %7.1f ms, %.1f ms of processor time (goal 50)\n", ROUNDS, best, best_cpu);
	printf("bytes                       %7.0f KiB (goal 1024)\n", (double)bytes / 1024);
	gs_recorder_release(&recorder);
	gs_sim_release(sim);
	snprintf(command, sizeof command, "rm -rf %s", folder);
	return system(command);
}
