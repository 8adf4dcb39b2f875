/* What a stream of the whole run adds to an alloc+free pair recorded in the ring alone, how many bytes an event takes in the file, whether
 * memory stays the same, what one state of the run costs, and what-if over all of it: EVENTS (default 100,000,000) events of one device, in an order that takes turns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/read/open/reader.h"
#include "analyzer/read/run.h"
#include "analyzer/replay/whatif.h"
#include "analyzer/state/state.h"
#include "recorder/gpusnap.h"

enum { SLOTS = 1000, STATES = 20 };

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
	getrusage(RUSAGE_SELF, &r); /* the most so far */
	return r.ru_maxrss;
}

/* --- one state of a long run, and of one of a tenth of it */

static double read_state(const char *path, uint64_t event, uint64_t reach, gs_layout *layout)
{
	const gs_moment_wanted moment = {.what = GS_MOMENT_EVENT, .number = event, .reach = reach};
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	char selector[24];
	double start = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	snprintf(selector, sizeof selector, "%llu", (unsigned long long)event);
	gs_layout_init(layout);
	if (gs_read_moment(path, GS_WANT_HISTORY, &moment, &s, &err) || gs_state_select(&s, &s.devices[0], selector, layout, NULL, &err)) {
		fprintf(stderr, "bench_stream: %s: %s\n", path, err.text);
		exit(1);
	}
	gs_snapshot_release(&s);
	return (now_ns(CLOCK_PROCESS_CPUTIME_ID) - start) / 1e6;
}

static int is_same(const gs_layout *a, const gs_layout *b)
{
	int same = a->nblocks == b->nblocks && a->nsegments == b->nsegments;
	for (size_t i = 0; same && i < a->nblocks; i++)
		same = a->blocks[i].address == b->blocks[i].address && a->blocks[i].size == b->blocks[i].size && a->blocks[i].state == b->blocks[i].state;
	return same;
}

/* The mean time of STATES states; each is held against a replay from an earlier layout. */
static double states(const char *path, uint64_t events, int *differ)
{
	uint64_t seed = 123456789;
	double ms = 0;
	for (int i = 0; i < STATES; i++) {
		gs_layout near, far;
		seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
		ms += read_state(path, seed % events, 0, &near);
		read_state(path, seed % events, 3 << 20, &far);
		*differ += !is_same(&near, &far);
		gs_layout_release(&near);
		gs_layout_release(&far);
	}
	return ms / STATES;
}

/* --- what-if from the first event to the last */

static int replay(const char *path)
{
	static const char *const confs[] = { "expandable_segments:True" };
	const gs_moment_wanted last = { .what = GS_MOMENT_LAST };
	gs_whatif_options options = GS_WHATIF_OPTIONS_INIT;
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	gs_run *run = NULL;
	gs_whatif w;
	if (gs_read_moment(path, GS_WANT_HISTORY, &last, &s, &err) || gs_run_open(path, s.devices[0].device, &run, &err))
		return 1;
	gs_event_source source = gs_run_events(run);
	options.source = &source;
	if (gs_whatif_open(&w, &s, &options, &err) || gs_whatif_try(&w, confs, 1, &err) || !w.rows[0].exact) {
		fprintf(stderr, "bench_stream: %s: %s\n", path, err.text);
		return 1;
	}
	return 0; /* the process ends here */
}

/* In a process of its own, whose memory is its own. */
static int replay_apart(const char *path, long events)
{
	struct rusage r = { .ru_maxrss = 0 };
	int status = 1;
	pid_t child = fork();
	if (!child)
		_exit(replay(path));
	if (child < 0 || wait4(child, &status, 0, &r) != child || status)
		return 1;
	double cpu = (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) + (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
	printf("what-if of %ld events, the recorded settings compared and one other tried: %.1f s of processor time, %ld MiB of memory\n", events, cpu,
		r.ru_maxrss / 1024);
	return 0;
}

/* A stream of so many events; resident memory after its first tenth and at its end. */
static double write_stream(const char *path, long events, long *first, long *last)
{
	double cpu = 0, wall = 0;
	struct stat about;
	open_recorder(path);
	pairs(events / 30, &cpu, &wall);
	*first = resident_kib();
	for (int i = 1; i < 10; i++)
		pairs(events / 30, &cpu, &wall);
	*last = resident_kib();
	gpusnap_close();
	return stat(path, &about) ? 0 : (double)about.st_size;
}

int main(int argc, char **argv)
{
	long events = argc > 1 ? atol(argv[1]) : 100000000, rounds = 10, each = events / 3 / rounds / 10;
	char folder[] = "/tmp/gpusnap-bench-XXXXXX", path[100], tenth[100];
	double ring = 0, stream = 0, ring_wall = 0, stream_wall = 0;
	long first, last, small;
	int differ = 0;
	if (!mkdtemp(folder))
		return 1;
	snprintf(path, sizeof path, "%s/run.gsnap", folder);
	snprintf(tenth, sizeof tenth, "%s/tenth.gsnap", folder);
	for (long i = 0; i < rounds; i++) {
		open_recorder(NULL);
		pairs(each, &ring, &ring_wall);
		gpusnap_close();
		open_recorder(path);
		pairs(each, &stream, &stream_wall);
		gpusnap_close();
		unlink(path);
	}
	write_stream(tenth, events / 10, &first, &small);
	double bytes = write_stream(path, events, &first, &last);
	printf("stream of %ld events: pair %.0f ns, in the ring alone %.0f ns, ratio %.2f (goal 1.15; of the thread's processor time; with what it waited for the writer %.2f); %.1f bytes an event (goal 10); memory %ld MiB after the first tenth, %ld MiB at the end\n",
		events, stream / (double)rounds, ring / (double)rounds, stream / ring, stream_wall / ring_wall, bytes / (double)events, first / 1024, last / 1024);
	if (replay_apart(tenth, events / 10) || replay_apart(path, events))
		return 1;
	double few = states(tenth, (uint64_t)(events / 10), &differ), many = states(path, (uint64_t)events, &differ);
	printf("one state: %.0f ms of processor time, of a run of a tenth %.0f ms; of %d states %d differ from a replay from an earlier layout\n", many, few, 2 * STATES, differ);
	unlink(path);
	unlink(tenth);
	rmdir(folder);
	return differ > 0;
}
