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

void gs_clock_init(gs_clock *c)
{
	memset(c, 0, sizeof *c);
#if defined(__x86_64__)
	c->tsc = kernel_uses_tsc();
#endif
	c->ticks0 = gs_clock_ticks(c);
	c->monotonic0 = ns_of(CLOCK_MONOTONIC);
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

gs_clock_scale gs_clock_scale_now(const gs_clock *c)
{
	gs_clock_scale s = {c->next, (int64_t)c->next, 1};
	if (c->manual)
		return s;
	gs_clock copy = *c;
	int64_t monotonic = ns_of(CLOCK_MONOTONIC);
	s.ticks = gs_clock_ticks(&copy);
	s.real = ns_of(CLOCK_REALTIME);
	if (c->tsc && s.ticks > c->ticks0)
		s.ns = (double)(monotonic - c->monotonic0) / (double)(s.ticks - c->ticks0);
	return s;
}

int64_t gs_clock_ns(const gs_clock_scale *s, uint64_t ticks)
{
	return s->real - (int64_t)((double)(int64_t)(s->ticks - ticks) * s->ns);
}

int64_t gs_clock_real(void) { return ns_of(CLOCK_REALTIME); }
