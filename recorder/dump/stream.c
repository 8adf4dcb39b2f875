/* The stream's thread and life. */
#include "recorder/dump/stream_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "recorder/dump/dump_file.h"
#include "recorder/dump/file_error.h"
#include "recorder/dump/text.h"

enum {
	BATCH = 4096,         /* events encoded in one go */
	EPOCH_OF_BLOCKS = 32, /* events between two layouts for each block of the last one */
	BUSY_MS = 1,
	IDLE_MS = 100,   /* how long the thread sleeps where there is little to do */
	QUIET_MS = 16,   /* after so long without an event what there is goes into the file … */
	FLUSH_MS = 200,  /* … and at the latest when it is as old as this */
	ALONE_MS = 1000, /* how often it looks whether it is the last thread of the process */
	WORTH_SAYING_MS = 100
};

/* All open ones, for the end of the process. */
static struct {
	pthread_mutex_t lock;
	gs_stream *first;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Only what somebody may have felt; a stream that ended early has said its line. */
static void say_waited(const gs_stream *s)
{
	uint64_t times = 0, ns = 0;
	for (uint32_t i = 0; i < s->nlanes; i++) {
		times += s->lanes[i]->waited;
		ns += s->lanes[i]->waited_ns;
	}
	if (s->failed || ns / 1000000 < WORTH_SAYING_MS)
		return;
	char text[200] = "the program waited ";
	gs_line line = {text, strlen(text), sizeof text};
	gs_line_number(&line, times, 1);
	gs_line_text(&line, times == 1 ? " time, " : " times, ");
	gs_line_number(&line, ns / 1000000, 1);
	gs_line_text(&line, " ms in all, for the stream to be written");
	gs_stream_say(s, text);
}

static void want_layout(gs_stream *s, gs_lane *l, uint64_t tail)
{
	uint64_t wanted = l->last_blocks * EPOCH_OF_BLOCKS;
	uint32_t none = 0;
	if (wanted < s->config->stream_epoch)
		wanted = s->config->stream_epoch;
	if (tail - l->last_layout >= wanted || gs_stream_is_half_full(s))
		atomic_compare_exchange_strong(&l->layout, &none, 1);
}

/* A forked child's file is made when there is something for it. */
static bool is_writable(gs_stream *s, gs_lane *l)
{
	if (s->failed)
		return false;
	if (!s->w && !gs_stream_begin_file(s))
		return false;
	gs_stream_put_device(s, l);
	return !s->failed;
}

/* Takes what is in the lane: at most a batch, and nothing behind a layout that is due. Returns how
 * many events. */
static uint64_t drain(gs_stream *s, gs_lane *l)
{
	uint64_t tail = atomic_load_explicit(&l->tail, memory_order_relaxed),
			 head = atomic_load_explicit(&l->head, memory_order_acquire);
	uint32_t state = atomic_load_explicit(&l->layout, memory_order_acquire);
	bool layout = state == 2;
	uint64_t n = (state > 1 ? l->layout_at : head) - tail;
	if (!n && !layout)
		return 0;
	if (is_writable(s, l)) {
		gs_stream_put_marks(s); /* those that stand before these events are there by now */
		n = n > BATCH ? BATCH : n;
		gs_stream_put_events(s, l, tail, n);
		atomic_store_explicit(&l->tail, tail + n, memory_order_release);
		if (layout && tail + n == l->layout_at) {
			gs_stream_count_held(s, l, l->layout_block);
			if (gs_stream_is_half_full(s))
				gs_stream_rotate(s); /* the new file begins with this layout */
			gs_stream_put_layout(s, l, tail + n);
		}
		if (!s->failed && gs_writer_index_is_due(s->w))
			gs_writer_index(s->w);
		want_layout(s, l, tail + n);
	}
	if (layout && tail + n == l->layout_at)
		atomic_store_explicit(&l->layout, 0, memory_order_release);
	atomic_store_explicit(&l->tail, tail + n, memory_order_release);
	return n ? n : 1;
}

static uint64_t drain_all(gs_stream *s)
{
	uint64_t n = 0;
	pthread_mutex_lock(&s->lock);
	for (uint32_t i = 0; i < atomic_load_explicit(&s->nlanes, memory_order_acquire); i++)
		n += drain(s, s->lanes[i]);
	n += gs_stream_put_marks(s);
	pthread_mutex_unlock(&s->lock);
	return n;
}

static void flush(gs_stream *s)
{
	pthread_mutex_lock(&s->lock);
	if (s->w && !s->failed)
		gs_writer_flush(s->w);
	pthread_mutex_unlock(&s->lock);
}

static void pause_for(gs_stream *s, int ms)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += ms * 1000000L;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	while (sem_timedwait(&s->consumer.wake, &until) && errno == EINTR)
		;
	while (!sem_trywait(&s->consumer.wake))
		;
}

static uint64_t now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000 + 1;
}

static long threads_of_streams(void)
{
	long n = 0;
	pthread_mutex_lock(&all.lock);
	for (const gs_stream *s = all.first; s; s = s->next)
		n += s->consumer.runs;
	pthread_mutex_unlock(&all.lock);
	return n;
}

/* Whether the program's first thread has ended by pthread_exit and only threads of ours are left:
 * without them the process would end. The first one is counted until the last has gone (proc(5):
 * state, num_threads). */
static bool is_left_alone(void)
{
	enum { THREADS_AFTER_STATE = 17 };
	char text[1024];
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	const char *at = strrchr(text, ')'); /* the name before it may hold anything */
	if (!at || at[1] != ' ' || at[2] != 'Z')
		return false;
	at += 2;
	for (int i = 0; at && i < THREADS_AFTER_STATE; i++)
		if ((at = strchr(at, ' ')))
			at++;
	return at && strtol(at, NULL, 10) <= 1 + threads_of_streams();
}

static void *run(void *arg)
{
	gs_stream *s = arg;
	int idle = 0; /* ms without an event; up to ALONE_MS, then anew from FLUSH_MS */
	uint64_t staged_since =
		0; /* when the first event came that a section does not hold yet; 0: none */
	while (s->consumer.runs) {
		uint64_t n = drain_all(s);
		if (n)
			idle = 0;
		if (n && !staged_since)
			staged_since = now_ms();
		if (staged_since && (idle >= QUIET_MS || now_ms() - staged_since >= FLUSH_MS)) {
			flush(s); /* few events: they go out as they are */
			staged_since = 0;
		}
		if (n >= BATCH)
			continue;
		int ms = idle < FLUSH_MS ? BUSY_MS : IDLE_MS;
		pause_for(s, ms);
		idle += ms;
		if (idle < ALONE_MS)
			continue;
		idle = FLUSH_MS;
		if (is_left_alone())
			s->consumer.runs = false; /* the process ends, and with it the file */
	}
	return NULL;
}

/* False: there is no stream, with a line. */
static bool start_thread(gs_stream *s)
{
	sigset_t every, before;
	sigfillset(&every);
	pthread_sigmask(SIG_BLOCK, &every, &before); /* signals belong to the program's own threads */
	s->consumer.runs = true;
	int error = pthread_create(&s->thread, NULL, run, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!error)
		return true;
	s->consumer.runs = false;
	s->failed = error;
	gs_stream_say(s, "the whole run is not recorded: no thread can be started that writes it");
	return false;
}

gs_stream *gs_stream_open(
	const gs_config *config, gs_tables *tables, gs_clock *clock, gs_pages *pages)
{
	gs_stream *s = gs_pages_take(pages, sizeof *s);
	if (!s || gs_encoder_init(&s->encoder, tables, config->level, pages)) {
		gs_pages_give(pages, s, sizeof *s);
		return NULL;
	}
	s->config = config;
	s->tables = tables;
	s->clock = clock;
	s->pages = pages;
	s->pid = getpid();
	pthread_mutex_init(&s->lock, NULL);
	sem_init(&s->consumer.wake, 0, 0);
	bool begun = gs_stream_begin_file(s);
	if (!begun || !start_thread(s)) {
		if (begun)
			unlink(s->path); /* nothing is in it yet */
		if (s->fd >= 0)
			close(s->fd);
		gs_encoder_release(&s->encoder);
		gs_pages_give(pages, s, sizeof *s);
		return NULL;
	}
	pthread_mutex_lock(&all.lock);
	s->next = all.first;
	all.first = s;
	pthread_mutex_unlock(&all.lock);
	return s;
}

void gs_stream_watch_marks(gs_stream *s, gs_marks *marks)
{
	pthread_mutex_lock(&s->lock);
	s->marks = marks;
	if (s->consumer.runs)
		gs_marks_pass(marks); /* from now on none is lost, whenever the thread comes to run */
	pthread_mutex_unlock(&s->lock);
}

gs_lane *gs_stream_lane(gs_stream *s, const gs_dump_device *device, gs_ring *ring,
	const char *library, const char *rules)
{
	uint32_t n = s->nlanes;
	gs_lane *l = n < GS_STREAM_LANES ? gs_pages_take(s->pages, sizeof *l) : NULL;
	if (!l)
		return NULL;
	l->events = gs_pages_take(s->pages, GS_LANE_EVENTS * sizeof *l->events);
	l->blocks = gs_pages_take(s->pages, GS_LANE_EVENTS * sizeof *l->blocks);
	if (!l->events || !l->blocks || gs_staging_init(&l->staging, 0, s->pages)) {
		gs_pages_give(s->pages, l->blocks, GS_LANE_EVENTS * sizeof *l->blocks);
		gs_pages_give(s->pages, l->events, GS_LANE_EVENTS * sizeof *l->events);
		gs_pages_give(s->pages, l, sizeof *l);
		return NULL;
	}
	l->consumer = &s->consumer;
	l->device = *device;
	l->ring = ring;
	l->library = library;
	l->figures.own = !library;
	l->rules = rules;
	l->complete = 1;
	l->sized = true;
	l->layout = 1; /* the first one brings what the allocator is set to */
	l->staging.device_free = l->staging.allowed = GS_NONE;
	s->lanes[n] = l;
	atomic_store_explicit(&s->nlanes, n + 1, memory_order_release);
	return l;
}

int gs_stream_layout_due(const gs_stream *s)
{
	uint32_t n = atomic_load_explicit(&s->nlanes, memory_order_acquire);
	for (uint32_t i = 0; i < n; i++)
		if (gs_lane_layout_due(s->lanes[i]))
			return s->lanes[i]->device.number;
	return -1;
}

static void stop_thread(gs_stream *s)
{
	if (!s->consumer.runs)
		return;
	s->consumer.runs = false;
	sem_post(&s->consumer.wake);
	pthread_join(s->thread, NULL);
}

/* Who was filling it is gone. */
static void give_up_unfinished(gs_stream *s)
{
	for (uint32_t i = 0; i < s->nlanes; i++) {
		uint32_t unfinished = 3;
		atomic_compare_exchange_strong(&s->lanes[i]->layout, &unfinished, 0);
	}
}

/* What is left, then the end. */
static void finish(gs_stream *s)
{
	gs_dump_signals signals;
	stop_thread(s);
	give_up_unfinished(s);
	gs_dump_hold_signals(&signals);
	while (drain_all(s))
		;
	pthread_mutex_lock(&s->lock);
	if (s->w && !s->failed)
		gs_stream_end_file(s);
	pthread_mutex_unlock(&s->lock);
	say_waited(s);
	gs_dump_release_signals(&signals);
}

static void forget(gs_stream *s)
{
	pthread_mutex_lock(&all.lock);
	for (gs_stream **at = &all.first; *at; at = &(*at)->next)
		if (*at == s) {
			*at = s->next;
			break;
		}
	pthread_mutex_unlock(&all.lock);
}

void gs_stream_close(gs_stream *s)
{
	if (!s)
		return;
	forget(s);
	finish(s);
	if (s->fd >= 0)
		close(s->fd);
	for (uint32_t i = 0; i < s->nlanes; i++) {
		gs_lane *l = s->lanes[i];
		gs_staging_release(&l->staging);
		gs_pages_give(s->pages, l->blocks, GS_LANE_EVENTS * sizeof *l->blocks);
		gs_pages_give(s->pages, l->events, GS_LANE_EVENTS * sizeof *l->events);
		gs_pages_give(s->pages, l, sizeof *l);
	}
	gs_encoder_release(&s->encoder);
	pthread_mutex_destroy(&s->lock);
	gs_pages_give(s->pages, s, sizeof *s);
}

/* A process that ends without closing its recorder still has its whole run. After all other
 * destructors of the library, which may hand over a last layout. */
__attribute__((destructor(101))) static void at_exit(void)
{
	for (gs_stream *s = all.first; s; s = s->next)
		finish(s);
}

/* What the parent did is in its file before the fork: a parent that becomes a daemon ends at once,
 * and without its destructors. */
void gs_stream_before_fork(gs_stream *s)
{
	gs_dump_signals signals;
	gs_dump_hold_signals(&signals);
	for (int i = 0; i <= GS_LANE_EVENTS / BATCH && drain_all(s); i++)
		;
	flush(s);
	gs_dump_release_signals(&signals);
	pthread_mutex_lock(&s->lock);
}

void gs_stream_after_fork(gs_stream *s, bool child)
{
	if (!child) {
		pthread_mutex_unlock(&s->lock);
		return;
	}
	pthread_mutex_init(&s->lock, NULL);
	pthread_mutex_init(&all.lock, NULL);
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	s->w = NULL;
	s->pid = getpid();
	s->marks_seen = s->marks ? s->marks->count : 0;
	if (s->marks)
		gs_marks_seen(s->marks, GS_MARKS_NOBODY);
	for (uint32_t i = 0; i < s->nlanes; i++) {
		gs_lane *l = s->lanes[i];
		l->tail = l->head; /* the parent writes what is not written yet */
		l->ooms_written = l->nooms;
		l->waited = l->waited_ns = 0;
		l->figures.stale = true;
		l->figures.holds = false;
		l->layout = l->head > 0; /* its file begins with what there was */
	}
	sem_init(&s->consumer.wake, 0, 0);
	if (s->failed)
		s->consumer.runs = false; /* nobody empties the lanes here: nobody waits for it */
	else if (s->consumer.runs)
		start_thread(s);
}
