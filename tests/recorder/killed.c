/* usage: killed TIMES: a program that streams its run is killed at TIMES (200) random moments; what is in the file is held against the run
 * that was not killed: the same events in the same order, states that do not contradict them, and no more lost than was on its way. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/read/open/reader.h"
#include "analyzer/state/state.h"
#include "recorder/gpusnap.h"

enum { SLOTS = 500, CALLS = 400000, ON_ITS_WAY = 1 << 14 /* of a lane */, SECTIONS = 4 * 8192, LONGEST_MS = 400 };

static uint64_t *pushed; /* shared: calls of the child so far */

static void run(const char *path)
{
	static void *live[SLOTS];
	gpusnap_config c;
	uint64_t seed = 88172645463325252u;
	gpusnap_config_init(&c);
	c.simulated = 1;
	c.simulated_bytes = 1ull << 34;
	c.max_dumps = 0;
	c.stream = path;
	if (gpusnap_open(&c))
		_exit(9);
	for (long i = 0; i < CALLS; i++) {
		seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
		void **slot = &live[seed % SLOTS];
		if (*slot)
			gpusnap_free(0, *slot);
		*slot = NULL;
		gpusnap_malloc(0, 512 + (seed >> 20) % 3000000, NULL, slot);
		__atomic_store_n(pushed, (uint64_t)i, __ATOMIC_RELAXED);
	}
	gpusnap_close();
	_exit(0);
}

/* Addresses of a simulated device begin anywhere: they are compared from the first segment on. */
static int same_events(const gs_snapshot *a, const gs_snapshot *b)
{
	const gs_trace *x = &a->devices[0].trace, *y = &b->devices[0].trace;
	for (size_t i = 0; i < x->n; i++)
		if (i >= y->n || gs_event_action(&x->events[i]) != gs_event_action(&y->events[i]) || x->events[i].size != y->events[i].size ||
			x->events[i].stream != y->events[i].stream || x->events[i].address - x->events[0].address != y->events[i].address - y->events[0].address)
			return 0;
	return 1;
}

static int is_exact(const gs_snapshot *s)
{
	gs_layout l;
	gs_error err = GS_ERROR_INIT;
	gs_layout_init(&l);
	int exact = !gs_state_select(s, &s->devices[0], "captured", &l, NULL, &err) && l.exact;
	gs_layout_release(&l);
	return exact;
}

/* How often each call made an event on the average tells how many were pushed. */
static int check(const char *path, const gs_snapshot *whole, uint64_t *most_lost)
{
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	if (!*pushed && access(path, F_OK)) /* killed before it began to record */
		return 1;
	gs_status status = gs_read_path(path, GS_WANT_HISTORY, &s, &err);
	uint64_t there = !status && s.ndevices ? s.devices[0].trace.n : 0;
	uint64_t made = *pushed * whole->devices[0].trace.n / CALLS, lost = made > there ? made - there : 0;
	*most_lost = lost > *most_lost ? lost : *most_lost;
	int good = status ? status == GS_TRUNCATED && made < ON_ITS_WAY + SECTIONS : !s.ndevices || (same_events(&s, whole) && (!there || is_exact(&s)));
	if (!good)
		fprintf(stderr, "killed: after %llu calls: %llu events: %s\n", (unsigned long long)*pushed, (unsigned long long)there, err.text);
	if (!status)
		gs_snapshot_release(&s);
	return good && lost <= ON_ITS_WAY + SECTIONS;
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 200, passed = 0;
	char folder[] = "/tmp/gpusnap-killed-XXXXXX", path[100];
	gs_snapshot whole;
	gs_error err = GS_ERROR_INIT;
	uint64_t seed = (uint64_t)time(NULL), most_lost = 0;
	pushed = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!mkdtemp(folder) || pushed == MAP_FAILED)
		return 1;
	printf("killed: seed %llu\n", (unsigned long long)seed);
	for (int i = -1; i < times; i++) {
		struct timespec wait;
		snprintf(path, sizeof path, "%s/%d.gsnap", folder, i);
		fflush(stdout);
		*pushed = 0;
		pid_t child = fork();
		if (!child)
			run(path);
		seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
		wait = (struct timespec){0, (long)(seed % (LONGEST_MS * 1000000ull))};
		if (i >= 0) {
			nanosleep(&wait, NULL);
			kill(child, SIGKILL);
		}
		waitpid(child, NULL, 0);
		if (i >= 0)
			passed += check(path, &whole, &most_lost);
		else if (gs_read_path(path, GS_WANT_HISTORY, &whole, &err))
			return fprintf(stderr, "killed: %s\n", err.text), 1;
		unlink(path);
	}
	gs_snapshot_release(&whole);
	rmdir(folder);
	printf("killed: at most %llu events lost\nkilled: %d passed, %d failed\n", (unsigned long long)most_lost, passed, times - passed);
	return passed < times;
}
