/* A device whose calls pass through, shared by the files of this module: passthrough_devices.c
 * opens the recorder and finds the device, passthrough_refusals.c has what was refused and its
 * dump, passthrough.c the calls, passthrough_handles.c those for memory that has a handle. */
#ifndef GS_RECORDER_PRELOAD_PASSTHROUGH_INTERNAL_H
#define GS_RECORDER_PRELOAD_PASSTHROUGH_INTERNAL_H

#include <limits.h>
#include <pthread.h>

#include "recorder/api/recorder.h"
#include "recorder/dump/live_allocations.h"
#include "recorder/preload/driver_query.h"
#include "recorder/preload/mappings.h"

enum { GS_PASSTHROUGH_DEVICES = 16 };

/* What is known of one device. All of it is guarded by the lock. */
typedef struct gs_passthrough_device {
	gs_recorder *recorder;
	int number;
	pthread_mutex_t lock;
	gs_ring ring;
	gs_staging staging;
	gs_live live;
	gs_lane *lane; /* of the stream; NULL: none */
	gs_mappings mappings;
	const char *above; /* the last caching allocator that asked */
	bool ready;
	gs_driver_device facts; /* name, capacity, driver */
	gs_stage_oom refusals[GS_OOMS_KEPT];
	uint64_t nrefusals, pending; /* pending: of them, that the program has not got over */
	uint32_t false_alarms;
	bool flagged;          /* refused, not dumped */
	uint64_t refused_size; /* of the flag, or of the provisional dump */
	gs_id refused_stack;
	bool provisional;                   /* dump is there */
	char dump[PATH_MAX + NAME_MAX + 2]; /* its path */
} gs_passthrough_device;

/* What a dump says of the device. */
static inline gs_dump_device gs_passthrough_facts(const gs_passthrough_device *d)
{
	return (gs_dump_device){d->number, d->facts.name, d->facts.driver, d->facts.capacity};
}

/* --- passthrough_devices.c */

/* Opens the recorder at the first call. on_signal runs on a thread of ours when GPUSNAP_SIGNAL
 * comes. False where nothing is to be recorded. */
bool gs_passthrough_open(void (*on_signal)(void *));
/* Whether it is open by now. */
bool gs_passthrough_is_open(void);
/* Of the process; open. */
gs_recorder *gs_passthrough_recorder(void);
/* The record of a device, below GS_PASSTHROUGH_DEVICES; its lock is there once we are open. */
gs_passthrough_device *gs_passthrough_device_at(int number);
/* It with its lock held, made ready at first use; NULL where there is none, or no memory. */
gs_passthrough_device *gs_passthrough_lock(int number);
/* An event of the device, for the ring and the stream. */
void gs_passthrough_push(
	gs_passthrough_device *d, gs_action action, const gs_live_block *b, uint64_t ticks);

/* --- passthrough_refusals.c; the device's lock is held */

/* Tells s of the other processes on the device. Asked of NVML, as the free bytes are of the driver;
 * what it calls itself is not the program's. */
void gs_passthrough_name_outsiders(gs_passthrough_device *d, gs_staging *s);
/* The call failed for want of memory. b: what it asked for; its address is of no account. */
void gs_passthrough_refused(gs_passthrough_device *d, gs_live_block *b, uint64_t ticks);
/* A call of size bytes succeeded: an earlier refusal of no more was a false alarm. */
void gs_passthrough_got_over(gs_passthrough_device *d, uint64_t size);
/* Dumps what the device holds now, asked for by the signal. */
void gs_passthrough_dump(gs_passthrough_device *d);
/* Nothing comes any more: a refusal that was only flagged becomes a dump. */
void gs_passthrough_end(gs_passthrough_device *d);

/* --- passthrough.c */

/* The blocks are freed. The device's lock is held. */
void gs_passthrough_push_free(gs_passthrough_device *d, const gs_live_block *b, uint64_t ticks);

#endif
