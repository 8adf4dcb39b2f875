/* The stream's file and thread. */
#include "recorder/dump/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h> /* rename */
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "recorder/dump/dump_file.h"
#include "recorder/dump/file_error.h"
#include "recorder/dump/file_name.h"
#include "recorder/dump/text.h"

enum {
	LANES_MAX = 64,
	BATCH = 4096,         /* events encoded in one go */
	ENOUGH = 7021,        /* of a device are a whole section */
	EPOCH_OF_BLOCKS = 32, /* events between two layouts for each block of the last one */
	INDEX_ROWS = 4096,
	MARKS = 64,      /* copied in one go */
	MARK_NAMES = 64, /* last ones whose id is remembered */
	BUSY_MS = 1,
	IDLE_MS = 100, /* how long the thread sleeps where there is little to do */
	FLUSH_MS = 200 /* how old an event may become before it is in the file */
};

struct gs_stream {
	const gs_config *config;
	gs_tables *tables;
	gs_clock *clock;
	gs_pages *pages;
	gs_encoder encoder;
	gs_writer *w; /* NULL: no file is open (a forked child that pushed nothing yet) */
	int fd;
	uint64_t bytes; /* whole sections sent */
	int failed;     /* errno of the write that ended it; 0: it goes on */
	char path[PATH_MAX];
	pid_t pid;
	gs_row_index index[INDEX_ROWS];
	uint32_t nindex;
	gs_marks *marks; /* NULL: none */
	uint64_t marks_seen;
	gs_mark batch[MARKS];
	struct {
		gs_id id;
		char text[GS_MARK_NAME];
	} names[MARK_NAMES]; /* in this file; the oldest is replaced */
	uint32_t next_name;
	gs_lane *lanes[LANES_MAX];
	_Atomic uint32_t nlanes;
	pthread_mutex_t lock; /* held by whoever encodes; never by a producer */
	sem_t wake;
	pthread_t thread;
	bool has_thread;
	bool headed;  /* the file tells of the process */
	bool settled; /* … and of the allocator's settings */
	_Atomic bool stop;
	struct gs_stream *next; /* of all open ones, for the end of the process */
};

static struct {
	pthread_mutex_t lock;
	gs_stream *first;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

const char *gs_stream_path(const gs_stream *s) { return s->path; }

/* --- messages
 * ----------------------------------------------------------------------------------------- */

static void say(const gs_stream *s, const char *text)
{
	char whole[PATH_MAX + 300] = "gpusnap: ";
	gs_line line = {whole, strlen(whole), sizeof whole};
	gs_line_text(&line, s->path);
	gs_line_text(&line, ": ");
	gs_line_text(&line, text);
	gs_line_char(&line, '\n');
	gs_dump_say(s->config, whole, line.n);
}

static void say_failed(const gs_stream *s)
{
	char text[200] = "the stream ends here: ";
	gs_line line = {text, strlen(text), sizeof text};
	gs_line_text(&line, gs_file_error(s->failed));
	say(s, text);
}

static void say_waited(const gs_stream *s)
{
	uint64_t times = 0, ns = 0;
	for (uint32_t i = 0; i < s->nlanes; i++) {
		times += s->lanes[i]->waited;
		ns += s->lanes[i]->waited_ns;
	}
	if (!times)
		return;
	char text[200] = "the program waited ";
	gs_line line = {text, strlen(text), sizeof text};
	gs_line_number(&line, times, 1);
	gs_line_text(&line, times == 1 ? " time, " : " times, ");
	gs_line_number(&line, ns / 1000000, 1);
	gs_line_text(&line, " ms in all, for the stream to be written");
	say(s, text);
}

/* --- the file
 * ----------------------------------------------------------------------------------------- */

/* Whole sections come here; a part of one is taken back. */
static gs_status sink(void *arg, const void *data, size_t n)
{
	gs_stream *s = arg;
	if (s->failed)
		return GS_IO;
	s->failed = gs_dump_write(s->fd, data, n);
	if (!s->failed) {
		s->bytes += n;
		return GS_OK;
	}
	if (ftruncate(s->fd, (off_t)s->bytes)) /* cut where it is, the reader manages */
		errno = 0;
	say_failed(s);
	return GS_IO;
}

/* run.gsnap → run-PID.gsnap */
static void add_to_name(char *path, size_t cap, const char *word)
{
	char end[PATH_MAX] = "";
	size_t n = strlen(path);
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
	gs_line ending = GS_LINE(end);
	if (dot && (!slash || dot > slash + 1)) {
		gs_line_text(&ending, dot);
		n = (size_t)(dot - path);
	}
	gs_line line = {path, n, cap};
	gs_line_char(&line, '-');
	gs_line_text(&line, word);
	gs_line_text(&line, end);
}

static int create(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY | O_APPEND, 0600);
	if (fd < 0 || fd > 2)
		return fd;
	int high = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	close(fd);
	return high;
}

/* The pattern's file; where another process has it, one that is named after ours. */
static int create_own(gs_stream *s)
{
	const gs_name_facts facts = {
		s->config->host, s->pid, s->config->rank, 0, gs_clock_scale_now(s->clock).real, 1, true};
	char pid[24];
	gs_line path = GS_LINE(s->path), word = GS_LINE(pid);
	gs_name_put(&path, s->config->stream, &facts);
	gs_line_signed(&word, s->pid);
	int fd = create(s->path);
	if (fd < 0 && errno == ENOENT) {
		gs_dump_make_folders(s->path);
		fd = create(s->path);
	}
	for (int tries = 0; fd < 0 && errno == EEXIST && tries < 10; tries++) {
		add_to_name(s->path, sizeof s->path, tries ? "2" : pid);
		fd = create(s->path);
	}
	return fd;
}

/* Whose allocator it is, its first lane tells. */
static void put_head(gs_stream *s, const gs_lane *lane)
{
	if (s->headed)
		return;
	s->headed = true;
	gs_staging none = {.settings = {0}};
	gs_dump_device nothing = {0};
	gs_clock_scale scale = gs_clock_scale_now(s->clock);
	gs_encode_source source = {
		.stage = &none, .device = &nothing, .config = s->config, .scale = &scale, .pid = s->pid};
	none.library = lane->library;
	none.rules = lane->rules;
	gs_encode_process(s->w, &source, scale.real);
}

/* Begins a file on s->fd: ids and events are counted anew. */
static gs_status begin_file(gs_stream *s)
{
	s->bytes = 0;
	s->nindex = 0;
	memset(s->names, 0, sizeof s->names);
	gs_encoder_begin(&s->encoder);
	gs_status status = gs_writer_init_stream(
		s->encoder.workspace, s->encoder.workspace_bytes, s->config->level, sink, s, &s->w);
	s->headed = s->settled = false;
	for (uint32_t i = 0; i < s->nlanes; i++) {
		gs_lane *l = s->lanes[i];
		l->base = l->tail;
		l->last_layout = l->tail;
		uint32_t none = 0;
		atomic_compare_exchange_strong(&l->layout, &none, 1);
	}
	return status;
}

/* Index and end; the file is whole. */
static void end_file(gs_stream *s)
{
	for (uint32_t i = 0; i < s->nindex; i++)
		gs_writer_index(s->w, &s->index[i]);
	gs_writer_finish(s->w);
	close(s->fd);
	s->fd = -1;
	s->w = NULL;
}

static bool is_half_full(const gs_stream *s)
{
	return s->config->stream_bytes && s->bytes > s->config->stream_bytes / 2;
}

/* The file holds half of what may be taken: it becomes the old one, and a new one begins. */
static void rotate(gs_stream *s)
{
	char old[PATH_MAX + 8];
	end_file(s);
	memcpy(old, s->path, sizeof s->path);
	add_to_name(old, sizeof old, "old");
	int fd = rename(s->path, old) ? -1 : create(s->path);
	if (fd < 0 || (s->fd = fd, begin_file(s))) {
		s->failed = errno ? errno : EIO;
		say_failed(s);
	}
}

/* --- encoding
 * ----------------------------------------------------------------------------------------- */

static void put_new(gs_stream *s)
{
	if (!s->encoder.pending)
		return;
	gs_tables_refresh_modules(s->tables);
	gs_encoder_put(&s->encoder, s->w);
}

static void put_event(gs_stream *s, const gs_lane *l, const gs_ring_event *v, int64_t ns)
{
	bool failed = v->action == GS_ACTION_OOM || v->action == GS_ACTION_REFUSED,
		 has_pool = v->pool < GS_RING_POOLS;
	gs_row_event row = {.device = l->device.number,
		.address = failed ? 0 : v->address,
		.size = v->size,
		.time_us = ns / 1000,
		.stream = v->stream,
		.has_pool_id = has_pool,
		.stack = s->encoder.stacks[v->stack],
		.tag = s->encoder.tags[v->tag],
		.action = v->action,
		.device_free = failed && v->device_free <= INT64_MAX ? (int64_t)v->device_free : GS_NONE};
	if (has_pool)
		row.pool_id = l->ring->pools[v->pool];
	gs_writer_event(s->w, &row);
}

static void put_batch(gs_stream *s, gs_lane *l, uint64_t tail, uint64_t n)
{
	gs_clock_scale scale = gs_clock_scale_now(s->clock);
	for (uint64_t i = 0; i < n; i++) {
		const gs_ring_event *v = &l->events[(tail + i) % GS_LANE_EVENTS];
		gs_encoder_mark(&s->encoder, v->stack, v->tag);
	}
	put_new(s);
	for (uint64_t i = 0; i < n; i++) {
		const gs_ring_event *v = &l->events[(tail + i) % GS_LANE_EVENTS];
		put_event(s, l, v, gs_clock_ns(&scale, v->ticks));
	}
}

/* Failures whose events are in the file. */
static void put_ooms(gs_stream *s, gs_lane *l, uint64_t tail)
{
	uint64_t n = atomic_load_explicit(&l->nooms, memory_order_acquire);
	gs_staging about = {.library = l->library};
	gs_clock_scale scale = gs_clock_scale_now(s->clock);
	gs_encode_source source = {
		.stage = &about, .device = &l->device, .config = s->config, .scale = &scale, .pid = s->pid};
	if (n - l->ooms_written > GS_LANE_OOMS)
		l->ooms_written = n - GS_LANE_OOMS;
	for (; l->ooms_written < n; l->ooms_written++) {
		const gs_stage_oom *o = &l->ooms[l->ooms_written % GS_LANE_OOMS];
		if (o->number >= tail)
			return;
		if (o->number < l->base)
			continue;
		gs_encoder_mark(&s->encoder, o->figures.ctx.stack, (uint16_t)o->figures.ctx.tag);
		put_new(s);
		gs_encode_oom(&s->encoder, s->w, &source, o, l->base);
	}
}

/* Every second row goes when there are too many: the index only has to be near. */
static void add_to_index(gs_stream *s, const gs_row_index *row)
{
	if (s->nindex == INDEX_ROWS) {
		for (uint32_t i = 0; i < INDEX_ROWS / 2; i++)
			s->index[i] = s->index[2 * i];
		s->nindex = INDEX_ROWS / 2;
	}
	s->index[s->nindex++] = *row;
}

/* Of our own allocator they are known; the first layout brings them. */
static void put_settings(gs_stream *s, const gs_lane *l)
{
	gs_encode_source source = {.stage = &l->stage, .recorder_bytes = s->pages->bytes};
	if (!s->settled && !l->library)
		gs_encode_settings(s->w, &source);
	s->settled = true;
}

static void put_layout(gs_stream *s, gs_lane *l, uint64_t tail)
{
	gs_staging *g = &l->stage;
	gs_clock_scale scale = gs_clock_scale_now(s->clock);
	if (s->failed)
		return;
	for (size_t i = 0; i < g->nsegments; i++)
		gs_encoder_mark(&s->encoder, g->segments[i].stack, 0);
	for (size_t i = 0; i < g->nblocks; i++)
		gs_encoder_mark(&s->encoder, g->blocks[i].stack, g->blocks[i].tag);
	put_new(s);
	put_settings(s, l);
	gs_writer_flush(s->w);
	gs_row_index where = {l->device.number, (int64_t)(tail - l->base) - 1, s->bytes};
	gs_row_device row = {.device = l->device.number,
		.name = gs_span_of(l->device.name),
		.capacity = l->device.capacity,
		.device_free = g->device_free,
		.allowed = g->allowed,
		.reserved = GS_NONE,
		.allocated = GS_NONE,
		.others = GS_NONE,
		.idx = where.idx,
		.dropped = l->base,
		.complete = l->base ? 0 : l->complete,
		.inexact = !g->whole};
	gs_encode_source source = {.stage = g,
		.device = &l->device,
		.config = s->config,
		.scale = &scale,
		.pid = s->pid,
		.first_segment = gs_writer_rows(s->w, GS_SECTION_SEGMENT)};
	gs_writer_device(s->w, &row);
	gs_encode_layout(&s->encoder, s->w, &source);
	gs_writer_end_layout(s->w);
	add_to_index(s, &where);
	l->last_layout = tail;
	l->last_blocks = g->nblocks;
}

/* --- the consumer
 * ------------------------------------------------------------------------------------- */

/* A lane without anything in the file first needs its device, without which no event can stand. */
static bool is_introduced(gs_stream *s, gs_lane *l)
{
	put_head(s, l);
	if (!gs_writer_knows_device(s->w, l->device.number)) {
		gs_row_device row = {.device = l->device.number,
			.name = gs_span_of(l->device.name),
			.capacity = l->device.capacity,
			.device_free = GS_NONE,
			.allowed = GS_NONE,
			.reserved = GS_NONE,
			.allocated = GS_NONE,
			.others = GS_NONE,
			.idx = -1,
			.dropped = l->base,
			.complete = l->base ? 0 : l->complete,
			.no_layout = l->base || l->complete < 1};
		gs_writer_device(s->w, &row);
		if (!row.no_layout) /* recorded from the start: it was empty */
			gs_writer_end_layout(s->w);
	}
	return !s->failed;
}

static void want_layout(gs_stream *s, gs_lane *l, uint64_t tail)
{
	uint64_t wanted = l->last_blocks * EPOCH_OF_BLOCKS;
	uint32_t none = 0;
	if (wanted < s->config->stream_epoch)
		wanted = s->config->stream_epoch;
	if (tail - l->last_layout >= wanted || is_half_full(s))
		atomic_compare_exchange_strong(&l->layout, &none, 1);
}

/* Takes what is in the lane: at most a batch, and nothing behind a layout that is due. Returns how
 * many events. */
static uint64_t drain(gs_stream *s, gs_lane *l)
{
	uint64_t tail = atomic_load_explicit(&l->tail, memory_order_relaxed),
			 head = atomic_load_explicit(&l->head, memory_order_acquire);
	bool layout = atomic_load_explicit(&l->layout, memory_order_acquire) == 2;
	uint64_t n = (layout ? l->layout_at : head) - tail;
	if (!n && !layout)
		return 0;
	if (!s->failed && (s->w || ((s->fd = create_own(s)) >= 0 && !begin_file(s))) &&
		is_introduced(s, l)) {
		n = n > BATCH ? BATCH : n;
		put_batch(s, l, tail, n);
		put_ooms(s, l, tail + n);
		atomic_store_explicit(&l->tail, tail + n, memory_order_release);
		if (layout && tail + n == l->layout_at) {
			if (is_half_full(s))
				rotate(s); /* the new file begins with this layout */
			put_layout(s, l, tail + n);
		}
		want_layout(s, l, tail + n);
	} else if (!s->failed) {
		s->failed = errno ? errno : EIO;
		say_failed(s);
	}
	if (layout && tail + n == l->layout_at)
		atomic_store_explicit(&l->layout, 0, memory_order_release);
	atomic_store_explicit(&l->tail, tail + n, memory_order_release);
	return n ? n : 1;
}

/* The id of a name of marks in this file. */
static gs_id name_id(gs_stream *s, const char *text)
{
	for (uint32_t i = 0; i < MARK_NAMES; i++)
		if (s->names[i].id && !strcmp(s->names[i].text, text))
			return s->names[i].id;
	uint32_t at = s->next_name++ % MARK_NAMES;
	memccpy(s->names[at].text, text, 0, GS_MARK_NAME - 1);
	return s->names[at].id = gs_writer_string(s->w, gs_span_of(s->names[at].text));
}

static void put_mark(gs_stream *s, const gs_mark *mark, const gs_clock_scale *scale)
{
	gs_row_annotation row = {.name = name_id(s, mark->name),
		.stage = mark->stage == GS_MARK_MOMENT ? 0 : name_id(s, gs_mark_stage_name(mark->stage)),
		.time_us = gs_clock_ns(scale, mark->ticks) / 1000};
	for (uint32_t i = 0; i < s->nlanes; i++) {
		row.device = s->lanes[i]->device.number;
		if (gs_writer_knows_device(s->w, row.device))
			gs_writer_annotation(s->w, &row);
	}
}

/* Marks wait until the file tells of a device. */
static uint64_t put_marks(gs_stream *s)
{
	if (!s->marks || !s->w || s->failed || !s->headed)
		return 0;
	gs_clock_scale scale = gs_clock_scale_now(s->clock);
	uint32_t n = gs_marks_next(s->marks, &s->marks_seen, s->batch, MARKS);
	for (uint32_t i = 0; i < n; i++)
		put_mark(s, &s->batch[i], &scale);
	return n;
}

static uint64_t drain_all(gs_stream *s)
{
	uint64_t n = 0;
	pthread_mutex_lock(&s->lock);
	for (uint32_t i = 0; i < atomic_load_explicit(&s->nlanes, memory_order_acquire); i++)
		n += drain(s, s->lanes[i]);
	n += put_marks(s);
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
	while (sem_timedwait(&s->wake, &until) && errno == EINTR)
		;
	while (!sem_trywait(&s->wake))
		;
}

static void *run(void *arg)
{
	gs_stream *s = arg;
	int idle = 0; /* ms without an event */
	bool staged = false;
	while (!s->stop) {
		uint64_t n = drain_all(s);
		if (n) {
			idle = 0;
			staged = true;
		}
		if (n >= BATCH)
			continue;
		int ms = idle < FLUSH_MS ? BUSY_MS : IDLE_MS;
		pause_for(s, ms);
		idle += ms;
		if (staged && idle % 16 == 0) { /* few events: they go out as they are */
			flush(s);
			staged = false;
		}
	}
	return NULL;
}

static void start_thread(gs_stream *s)
{
	sigset_t every, before;
	sigfillset(&every);
	pthread_sigmask(SIG_BLOCK, &every, &before); /* signals belong to the program's own threads */
	s->stop = false;
	s->has_thread = !pthread_create(&s->thread, NULL, run, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* --- the producer's side
 * ------------------------------------------------------------------------------ */

void gs_lane_wait(gs_lane *l)
{
	gs_stream *s = l->stream;
	const struct timespec step = {0, 50000};
	struct timespec from, to;
	clock_gettime(CLOCK_MONOTONIC, &from);
	atomic_fetch_add_explicit(&l->waited, 1, memory_order_relaxed);
	while (!s->stop && s->has_thread &&
		l->head - atomic_load_explicit(&l->tail, memory_order_acquire) >= GS_LANE_EVENTS) {
		sem_post(&s->wake);
		nanosleep(&step, NULL);
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	atomic_fetch_add_explicit(&l->waited_ns,
		(uint64_t)((to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec),
		memory_order_relaxed);
}

void gs_lane_push_oom(gs_lane *l, const gs_stage_oom *oom)
{
	uint64_t n = atomic_load_explicit(&l->nooms, memory_order_relaxed);
	gs_stage_oom *to = &l->ooms[n % GS_LANE_OOMS];
	*to = *oom;
	to->number = l->head;
	atomic_store_explicit(&l->nooms, n + 1, memory_order_release);
}

gs_status gs_lane_reserve(gs_lane *l, size_t metadata_bytes)
{
	l->stage.in_use = atomic_load_explicit(&l->layout, memory_order_acquire) == 2;
	return gs_staging_reserve(&l->stage, metadata_bytes);
}

void gs_lane_layout_ready(gs_lane *l)
{
	l->layout_at = l->head;
	atomic_store_explicit(&l->layout, 2, memory_order_release);
}

/* --- life
 * ------------------------------------------------------------------------------------------- */

gs_stream *gs_stream_open(
	const gs_config *config, gs_tables *tables, gs_clock *clock, gs_pages *pages, gs_error *err)
{
	gs_stream *s = gs_pages_take(pages, sizeof *s);
	if (!s || gs_encoder_init(&s->encoder, tables, config->level, pages)) {
		gs_pages_give(pages, s, sizeof *s);
		gs_fail(err, GS_NO_MEMORY, "no memory for the stream");
		return NULL;
	}
	s->config = config;
	s->tables = tables;
	s->clock = clock;
	s->pages = pages;
	s->pid = getpid();
	s->fd = create_own(s);
	pthread_mutex_init(&s->lock, NULL);
	sem_init(&s->wake, 0, 0);
	if (s->fd < 0 || begin_file(s)) {
		s->failed = s->failed ? s->failed : errno;
		say_failed(s);
		gs_fail(err, GS_IO, "%s: %s", s->path, gs_file_error(s->failed));
		gs_encoder_release(&s->encoder);
		gs_pages_give(pages, s, sizeof *s);
		return NULL;
	}
	start_thread(s);
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
	pthread_mutex_unlock(&s->lock);
}

gs_lane *gs_stream_lane(gs_stream *s, const gs_dump_device *device, gs_ring *ring,
	const char *library, const char *rules)
{
	uint32_t n = s->nlanes;
	gs_lane *l = n < LANES_MAX ? gs_pages_take(s->pages, sizeof *l) : NULL;
	if (!l)
		return NULL;
	l->events = gs_pages_take(s->pages, GS_LANE_EVENTS * sizeof *l->events);
	if (!l->events || gs_staging_init(&l->stage, 0, s->pages)) {
		gs_pages_give(s->pages, l->events, GS_LANE_EVENTS * sizeof *l->events);
		gs_pages_give(s->pages, l, sizeof *l);
		return NULL;
	}
	l->stream = s;
	l->device = *device;
	l->ring = ring;
	l->library = library;
	l->rules = rules;
	l->complete = 1;
	l->stage.device_free = l->stage.allowed = GS_NONE;
	s->lanes[n] = l;
	atomic_store_explicit(&s->nlanes, n + 1, memory_order_release);
	return l;
}

static void stop_thread(gs_stream *s)
{
	if (!s->has_thread)
		return;
	s->stop = true;
	sem_post(&s->wake);
	pthread_join(s->thread, NULL);
	s->has_thread = false;
}

/* What is left, then the end. */
static void finish(gs_stream *s)
{
	gs_dump_signals signals;
	stop_thread(s);
	gs_dump_hold_signals(&signals);
	while (drain_all(s))
		;
	pthread_mutex_lock(&s->lock);
	if (s->w && !s->failed)
		end_file(s);
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
		gs_staging_release(&l->stage);
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

void gs_stream_before_fork(gs_stream *s) { pthread_mutex_lock(&s->lock); }

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
	for (uint32_t i = 0; i < s->nlanes; i++) {
		gs_lane *l = s->lanes[i];
		l->tail = l->head; /* the parent writes what is not written yet */
		l->ooms_written = l->nooms;
		l->waited = l->waited_ns = 0;
		l->layout = 0;
	}
	sem_init(&s->wake, 0, 0);
	if (!s->failed && s->has_thread)
		start_thread(s);
}
