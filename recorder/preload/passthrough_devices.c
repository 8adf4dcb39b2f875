/* One recorder for the process; a lock, a ring and the live allocations a device. */
#include "recorder/preload/passthrough_internal.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/api/signal.h"
#include "recorder/dump/dump_file.h"
#include "recorder/dump/text.h"

static struct {
	pthread_mutex_t opening;
	_Atomic int state; /* 0 not opened, 1 open, −1 off */
	gs_recorder recorder;
	gs_passthrough_device devices[GS_PASSTHROUGH_DEVICES];
} recording = {.opening = PTHREAD_MUTEX_INITIALIZER};

static void before_fork(void)
{
	for (int i = 0; i < GS_PASSTHROUGH_DEVICES; i++)
		pthread_mutex_lock(&recording.devices[i].lock);
}

static void in_parent(void)
{
	for (int i = 0; i < GS_PASSTHROUGH_DEVICES; i++)
		pthread_mutex_unlock(&recording.devices[i].lock);
}

/* What the parent wrote stays the parent's. */
static void in_child(void)
{
	for (int i = 0; i < GS_PASSTHROUGH_DEVICES; i++)
		recording.devices[i].provisional = recording.devices[i].flagged = false;
	in_parent();
}

static void say_default(const gs_config *config, const gs_error *err)
{
	char text[400];
	gs_line line = GS_LINE(text);
	gs_line_text(&line, "gpusnap: ");
	gs_line_text(&line, err->text);
	gs_line_text(&line, "; its default is taken\n");
	gs_dump_say(config, text, line.n);
}

static int open_recorder(void (*on_signal)(void *))
{
	gs_config config;
	gs_error err = GS_ERROR_INIT;
	const char *pool = secure_getenv("GPUSNAP_POOL"); /* which is asked first and has told of it */
	bool told = pool && strcmp(pool, "0");
	if (gs_config_read(&config, &err) && !config.disable && !told)
		say_default(&config, &err); /* a bad variable leaves its default */
	int number = config.signal;
	config.signal = 0; /* the recorder has no heaps: devices listen for it here */
	if (config.disable || gs_recorder_init(&recording.recorder, &config, 0, &err))
		return -1;
	recording.recorder.config.signal = number;
	if (config.stacks & GS_STACKS_PYTHON)
		gs_recorder_hook_python(&recording.recorder);
	for (int i = 0; i < GS_PASSTHROUGH_DEVICES; i++)
		pthread_mutex_init(&recording.devices[i].lock, NULL);
	pthread_atfork(before_fork, in_parent, in_child);
	if (number)
		gs_signal_add(number, on_signal, NULL, &err);
	return 1;
}

bool gs_passthrough_open(void (*on_signal)(void *))
{
	int state = atomic_load_explicit(&recording.state, memory_order_acquire);
	if (state)
		return state > 0;
	pthread_mutex_lock(&recording.opening);
	state = atomic_load_explicit(&recording.state, memory_order_relaxed);
	if (!state)
		atomic_store_explicit(
			&recording.state, state = open_recorder(on_signal), memory_order_release);
	pthread_mutex_unlock(&recording.opening);
	return state > 0;
}

bool gs_passthrough_is_open(void)
{
	return atomic_load_explicit(&recording.state, memory_order_acquire) > 0;
}

gs_recorder *gs_passthrough_recorder(void) { return &recording.recorder; }

gs_passthrough_device *gs_passthrough_device_at(int number) { return &recording.devices[number]; }

/* Several devices may come at once; the recorder's stream is for one thread at a time. */
static void add_lane(gs_passthrough_device *d)
{
	const gs_dump_device device = gs_passthrough_facts(d);
	pthread_mutex_lock(&recording.opening);
	gs_stream *stream = gs_recorder_stream(&recording.recorder);
	d->lane = stream ? gs_stream_lane(stream, &device, &d->ring, "cuda", NULL) : NULL;
	pthread_mutex_unlock(&recording.opening);
}

gs_passthrough_device *gs_passthrough_lock(int number)
{
	if (number < 0 || number >= GS_PASSTHROUGH_DEVICES)
		return NULL;
	gs_passthrough_device *d = &recording.devices[number];
	pthread_mutex_lock(&d->lock);
	if (d->ready)
		return d;
	gs_pages *pages = &recording.recorder.pages;
	d->ready = !gs_ring_init(&d->ring, recording.recorder.config.events, pages) &&
		!gs_staging_init(&d->staging, recording.recorder.config.events, pages) &&
		!gs_staging_reserve(&d->staging, gs_live_staging_bytes(&d->live));
	if (d->ready) {
		d->recorder = &recording.recorder;
		d->number = number;
		gs_driver_read(&d->facts, number);
		add_lane(d);
		return d;
	}
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

void gs_passthrough_push(
	gs_passthrough_device *d, gs_action action, const gs_live_block *b, uint64_t ticks)
{
	gs_ring_event e = {{b->address}, b->size, ticks, b->stream, b->stack, b->tag,
		gs_ring_pool(&d->ring, (gs_pool_id){0, 0}), (uint8_t)action};
	gs_ring_push(&d->ring, &e);
	if (d->lane)
		gs_lane_push(d->lane, &e, b->size);
}
