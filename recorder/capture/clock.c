/* Calibration of the time stamp counter. */
#include "recorder/capture/clock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int64_t ns_of(clockid_t id)
{
	struct timespec t = {0, 0};
	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The kernel has judged whether the counter runs evenly on all processors. */
static bool kernel_uses_tsc(void)
{
	char name[8] = "";
	int fd = open(
		"/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, name, sizeof name - 1);
	close(fd);
	return n >= 3 && !strncmp(name, "tsc", 3) && (name[3] == '\n' || !name[3]);
}

/* One moment in ticks and by both clocks. */
typedef struct moment {
	uint64_t ticks;
	int64_t monotonic, real;
} moment;

/* Whoever is interrupted between two readings tries again: sections of a stream are held against
 * each other by their times. */
static moment read_moment(const gs_clock *c)
{
	enum { TRIES = 8 };
	moment best = {0};
	uint64_t least = UINT64_MAX;
	gs_clock copy = *c;
	for (int i = 0; i < TRIES; i++) {
		uint64_t begun = gs_clock_ticks(&copy);
		moment m = {.monotonic = ns_of(CLOCK_MONOTONIC), .real = ns_of(CLOCK_REALTIME)};
		uint64_t took = gs_clock_ticks(&copy) - begun;
		m.ticks = begun + took / 2;
		if (took < least) {
			least = took;
			best = m;
		}
	}
	return best;
}

void gs_clock_init(gs_clock *c)
{
	memset(c, 0, sizeof *c);
#if defined(__x86_64__)
	c->tsc = kernel_uses_tsc();
#endif
	moment now = read_moment(c);
	c->ticks0 = now.ticks;
	c->monotonic0 = now.monotonic;
	c->real0 = now.real;
	c->millisecond = c->tsc ? 3000000 : 1000000;
	(void)kernel_uses_tsc;
}

void gs_clock_init_manual(gs_clock *c, uint64_t ns)
{
	memset(c, 0, sizeof *c);
	c->manual = true;
	c->next = ns;
	c->millisecond = 1000000;
}

static gs_clock_scale scale_of(const gs_clock *c, bool steady)
{
	gs_clock_scale s = {c->next, (int64_t)c->next, 1};
	if (c->manual)
		return s;
	moment now = read_moment(c);
	s.ticks = now.ticks;
	s.real = steady ? c->real0 + (now.monotonic - c->monotonic0) : now.real;
	if (c->tsc && s.ticks > c->ticks0)
		s.ns = (double)(now.monotonic - c->monotonic0) / (double)(s.ticks - c->ticks0);
	return s;
}

gs_clock_scale gs_clock_scale_now(const gs_clock *c) { return scale_of(c, false); }
gs_clock_scale gs_clock_scale_steady(const gs_clock *c) { return scale_of(c, true); }

int64_t gs_clock_ns(const gs_clock_scale *s, uint64_t ticks)
{
	return s->real - (int64_t)((double)(int64_t)(s->ticks - ticks) * s->ns);
}

int64_t gs_clock_real(void) { return ns_of(CLOCK_REALTIME); }
