/* What a stream of the whole run adds to an alloc+free pair recorded in the ring alone, how many bytes an event takes in the file, and
 * whether memory stays the same: EVENTS (default 100,000,000) events of one device, in an order that takes turns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "recorder/gpusnap.h"

enum { SLOTS = 1000 };

static double now_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void open_recorder(const char *stream)
{
	gpusnap_config c;
	gpusnap_config_init(&c);
	c.simulated = 1;
	c.simulated_bytes = 1ull << 36;
	c.stacks = "c";
	c.max_dumps = 0;
	c.stream = stream;
	if (gpusnap_open(&c)) {
		fprintf(stderr, "bench_stream: %s\n", gpusnap_error());
		exit(1);
	}
}

/* Pairs on slots that are filled, in a fixed order; three events a pair, now and then a segment's. */
static void pairs(long n, double *cpu, double *wall)
{
	static void *live[SLOTS];
	uint64_t seed = 88172645463325252u;
	double start = now_ns(CLOCK_THREAD_CPUTIME_ID), begun = now_ns(CLOCK_MONOTONIC);
	for (long i = 0; i < n; i++) {
		seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
		void **slot = &live[seed % SLOTS];
		gpusnap_free(0, *slot);
		*slot = NULL;
		gpusnap_malloc(0, 512 + (seed >> 20) % 100000, NULL, slot);
	}
	*cpu += (now_ns(CLOCK_THREAD_CPUTIME_ID) - start) / (double)n;
	*wall += (now_ns(CLOCK_MONOTONIC) - begun) / (double)n;
	for (int i = 0; i < SLOTS; i++) {
		gpusnap_free(0, live[i]);
		live[i] = NULL;
	}
}

static long resident_kib(void)
{
	struct rusage r;
	getrusage(RUSAGE_SELF, &r);
	return r.ru_maxrss;
}

int main(int argc, char **argv)
{
	long events = argc > 1 ? atol(argv[1]) : 100000000, rounds = 10, each = events / 3 / rounds;
	char folder[] = "/tmp/gpusnap-bench-XXXXXX", path[100];
	double ring = 0, stream = 0, bytes = 0, ring_wall = 0, stream_wall = 0;
	long first = 0, last = 0;
	struct stat about;
	if (!mkdtemp(folder))
		return 1;
	for (long i = 0; i < rounds; i++) {
		snprintf(path, sizeof path, "%s/%ld.gsnap", folder, i);
		open_recorder(NULL);
		pairs(each, &ring, &ring_wall);
		gpusnap_close();
		open_recorder(path);
		pairs(each, &stream, &stream_wall);
		gpusnap_close();
		if (!stat(path, &about))
			bytes += (double)about.st_size;
		unlink(path);
		last = resident_kib();
		first = first ? first : last;
	}
	rmdir(folder);
	printf("stream of %ld events: pair %.0f ns, in the ring alone %.0f ns, ratio %.2f (goal 1.15; of the thread's processor time; with what it waited for the writer %.2f); %.1f bytes an event (goal 10); peak memory %ld MiB after the first tenth, %ld MiB after the last\n",
		each * 3 * rounds, stream / (double)rounds, ring / (double)rounds, stream / ring, stream_wall / ring_wall, bytes / (double)(each * 3 * rounds),
		first / 1024, last / 1024);
	return 0;
}
