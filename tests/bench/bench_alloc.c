/* What an alloc+free pair costs, in nanoseconds of processor time, over the calls of two golden scripts repeated: our recorder in several
 * states, and (where TORCH_VENV names an environment with PyTorch) PyTorch's own allocator on the pretend CUDA, in the same run. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "recorder/gpusnap.h"
#include "tests/bench/calls.h"

static double cpu_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int allocate(void *context, size_t bytes, void **p)
{
	(void)context;
	return (int)gpusnap_malloc(0, bytes, NULL, p);
}

static void release(void *context, void *p)
{
	(void)context;
	gpusnap_free(0, p);
}

static void open_recorder(int disable, const char *stacks)
{
	gpusnap_config c;
	gpusnap_config_init(&c);
	c.simulated = 1;
	c.simulated_bytes = 1ull << 38;
	c.disable = disable;
	c.stacks = stacks;
	c.depth = 16;
	c.max_dumps = 0;
	c.log = "none";
	if (gpusnap_open(&c)) {
		fprintf(stderr, "bench: %s\n", gpusnap_error());
		exit(1);
	}
}

/* The best of many short rounds, after one to warm up: so it is the machine's speed that counts, not what else runs on it. */
static double measure(const calls *c)
{
	double best = 1e18;
	void **live = calloc(c->nslots, sizeof *live);
	calls_run(c, live, NULL, allocate, release);
	for (int i = 0; i < c->repeat; i++) {
		double start = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
		for (int k = 0; k < CALLS_ROUND; k++)
			calls_run(c, live, NULL, allocate, release);
		double took = (cpu_ns(CLOCK_THREAD_CPUTIME_ID) - start) / CALLS_ROUND / c->pairs;
		best = took < best ? took : best;
	}
	free(live);
	return best;
}

static double with_state(const calls *c, int disable, const char *stacks)
{
	open_recorder(disable, stacks);
	double ns = measure(c);
	gpusnap_close();
	return ns;
}

/* Holes of many sizes in the large pool's free list, kept apart by live blocks; then pairs of sizes that fit in between. */
static double with_holes(int holes)
{
	enum { PAIRS = 20000 };
	void *p, **blocks = calloc((size_t)holes * 2, sizeof *blocks);
	double best = 1e18;
	open_recorder(0, "none");
	for (int i = 0; i < holes * 2; i++)
		gpusnap_malloc(0, (size_t)(1 + i % 500) << 10, NULL, &blocks[i]);
	for (int i = 0; i < holes * 2; i += 2)
		gpusnap_free(0, blocks[i]);
	for (unsigned round = 0; round < 50; round++) {
		unsigned seed = round;
		double start = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
		for (int i = 0; i < PAIRS; i++) {
			gpusnap_malloc(0, (size_t)(1 + rand_r(&seed) % 500) << 10, NULL, &p);
			gpusnap_free(0, p);
		}
		double took = (cpu_ns(CLOCK_THREAD_CPUTIME_ID) - start) / PAIRS;
		best = took < best ? took : best;
	}
	gpusnap_close();
	free(blocks);
	return best;
}

static void *thread(void *arg)
{
	const calls *c = arg;
	void **live = calloc(c->nslots, sizeof *live);
	for (int k = 0; k < c->repeat * 2; k++)
		calls_run(c, live, NULL, allocate, release);
	free(live);
	return NULL;
}

static double two_threads(calls *c)
{
	pthread_t threads[2];
	open_recorder(0, "c");
	double start = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, thread, c);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	double took = (cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - start) / (4.0 * c->repeat) / c->pairs;
	gpusnap_close();
	return took;
}

/* PyTorch in a process of its own, with the pretend CUDA preloaded; −1 where it is not there. It prints a number. */
static double torch(const char *script, const char *state)
{
	char command[600], line[100] = "";
	const char *run = getenv("BENCH_TORCH"); /* a command line, set by rules.mk where TORCH_VENV has PyTorch */
	if (!run || !*run)
		return -1;
	snprintf(command, sizeof command, "%s %s %s", run, script, state);
	FILE *f = popen(command, "r");
	if (!f || !fgets(line, sizeof line, f))
		line[0] = 0;
	return f && !pclose(f) && line[0] ? atof(line) : -1;
}

/* Ours with C stacks and PyTorch with nothing recorded, the least of three turns each: neither has the quieter machine. */
static void by_turns(const calls *c, const char *path, double *ours, double *theirs)
{
	*ours = 1e18;
	*theirs = 1e18;
	for (int turn = 0; turn < 3; turn++) {
		double stacks = with_state(c, 0, "c"), plain = torch(path, "off");
		*ours = stacks < *ours ? stacks : *ours;
		*theirs = plain < *theirs ? plain : *theirs;
	}
}

static void one_script(const char *name)
{
	calls c;
	char path[300];
	if (calls_open(&c, name, path, sizeof path)) {
		printf("%s: SKIPPED (no script)\n", name);
		return;
	}
	printf("%s: %d pairs, repeated\n", name, c.pairs);
	printf("  (a) recording off                   %7.0f\n", with_state(&c, 1, "none"));
	printf("  (b) on, without stacks              %7.0f\n", with_state(&c, 0, "none"));
	double stacks, plain;
	by_turns(&c, path, &stacks, &plain);
	printf("  (c) on, 16 C frames                 %7.0f\n", stacks);
	printf("  (e) the same, 2 threads             %7.0f\n", two_threads(&c));
	if (plain > 0) {
		printf("  PyTorch, recording off              %7.0f   (c) is %.2f of it (goal 0.60)\n", plain, stacks / plain);
		printf("  PyTorch, recording on               %7.0f\n", torch(path, "on"));
		printf("  PyTorch, recording with C++ stacks  %7.0f\n", torch(path, "stacks"));
	} else {
		printf("  PyTorch: SKIPPED (TORCH_VENV names no environment with PyTorch)\n");
	}
	unlink(path);
	calls_release(&c);
}

int main(void)
{
	printf("nanoseconds of processor time for an alloc+free pair\n");
	one_script("default");
	one_script("real_a_default");
	double few = with_holes(1000), many = with_holes(65536);
	printf("(d) with 1,000 holes                  %7.0f\n(d) with 65,536 holes                 %7.0f   %.2f of the small case (goal 2)\n", few, many,
	       many / few);
	return 0;
}
