/* A device's pool with what makes it a recorder: a lock, the ring of events, the copy for a dump.
 *
 * Any thread may call. One lock guards a heap, also over driver calls, so a driver call that blocks
 * holds up that device only. The first out-of-memory that is not the same failure again copies the
 * state inside the lock; the thread that met it then writes the dump without the lock, while the
 * others that fail wait for it, so that no error reaches the program before the dump is there.
 *
 * Of a heap that only refuses, the dump of a failure says nothing and goes when an allocation of at
 * least that size succeeds: there is at most one.
 *
 * Failures alike (dump_places.h) need no second dump, nor do other threads' that meet the same
 * moment: a call that began before the dump did, or nothing was allocated or freed on the device
 * since. */
#ifndef GS_RECORDER_API_HEAP_H
#define GS_RECORDER_API_HEAP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "recorder/capture/clock.h"
#include "recorder/dump/dump.h"
#include "recorder/dump/log.h"
#include "recorder/capture/pages.h"
#include "recorder/pool/pool.h"

/* What the wrapper found out before the lock. */
typedef struct gs_call {
	uint64_t ticks;
	gs_id stack;
	uint16_t tag;
} gs_call;

typedef struct gs_heap_config {
	const gs_device_ops *ops;
	void *device; /* outlives the heap */
	int32_t number;
	const char *name, *driver;   /* of the device; NULL unknown */
	const char *pci;             /* its address, by which others on it are asked for; NULL: they are
									not */
	const gs_rules *rules;       /* NULL: the newest */
	const char *settings;        /* the first ones; NULL or "": defaults */
	double fraction;             /* of the device's memory; 0 or less: no limit */
	uint32_t events;             /* size of the ring */
	bool record;                 /* false: no ring, no dumps; only allocation */
	bool every_oom;              /* each failure is a new one */
	bool refuses;                /* failures are refusals to the program, which may help itself */
	gs_pool_on_action *listener; /* told every action too, inside the lock; NULL: nobody */
	void *listener_arg;
} gs_heap_config;

typedef struct gs_heap {
	pthread_mutex_t lock;
	pthread_cond_t written; /* the log's staging became free */
	gs_pool *pool;
	gs_pages *pages;
	gs_dumper *dumper; /* NULL: no dumps */
	gs_dump_device facts;
	const char *pci; /* as in the configuration, which it outlives; "" nobody is asked for */
	const gs_device_ops *ops;
	void *device;
	gs_log log;
	bool record, every_oom;
	gs_pool_on_action *listener;
	void *listener_arg;
	size_t metadata;           /* bytes the pool has for its bookkeeping */
	_Atomic uint64_t failures; /* dumps begun */
	const gs_call *call;       /* the call inside the lock */
	uint64_t call_failures;    /* failures when it began */
	bool call_staged;          /* it copied the state: it is to write the dump */
	uint64_t activity;         /* allocations and frees that succeeded */
	gs_dump_failure failure;   /* that the staging tells of, while it is in use */
	uint64_t refusing;         /* bytes of the failure that the staging tells of */
	uint64_t refused;          /* bytes of the failure that the dump below tells of; 0 none */
	char refused_dump[PATH_MAX + NAME_MAX + 2]; /* its path */
	uint64_t last_activity;                     /* at the last dump's failure … */
	pthread_t last_thread;                      /* … and who met it */
} gs_heap;

/* GS_NO_MEMORY, or why the device gives no figures. Nothing is held after a failure. */
gs_status gs_heap_init(
	gs_heap *h, const gs_heap_config *config, gs_dumper *dumper, gs_pages *pages, gs_error *err);
/* Gives all device memory back, live blocks included. No thread may be inside. */
void gs_heap_release(gs_heap *h);

/* From now on every event goes into the stream, too, and layouts when it wants them; and no longer,
 * after a last layout. */
void gs_heap_stream(gs_heap *h, gs_stream *stream);
void gs_heap_end_stream(gs_heap *h);
/* A last layout, unless the heap is in use; for the end of a process. */
void gs_heap_last_layout(gs_heap *h);

/* A message longer than a gs_error holds. */
typedef struct gs_long_text {
	char text[1024];
} gs_long_text;

/* As gs_pool_…; a GS_DEVICE_MEMORY returns when the dump that tells of it is written, with the
 * whole message in *message (NULL allowed). */
gs_status gs_heap_malloc(gs_heap *h, const gs_call *call, uint64_t bytes, uint64_t stream,
	uint64_t *address, gs_long_text *message, gs_error *err);
gs_status gs_heap_free(gs_heap *h, const gs_call *call, uint64_t address);
gs_status gs_heap_record_stream(gs_heap *h, const gs_call *call, uint64_t address, uint64_t stream);
gs_status gs_heap_empty_cache(gs_heap *h, const gs_call *call);
gs_status gs_heap_configure(gs_heap *h, const char *conf, gs_error *err);
gs_status gs_heap_set_fraction(gs_heap *h, double fraction, gs_error *err);
/* GS_NOT_FOUND unless a live allocation begins there; bytes: its block's size. */
gs_status gs_heap_find(gs_heap *h, uint64_t address, uint64_t *bytes);
/* The live allocation that an address lies in: where it begins and the bytes asked for.
 * GS_NOT_FOUND. Looks at every block. */
gs_status gs_heap_locate(gs_heap *h, uint64_t address, uint64_t *start, uint64_t *bytes);
/* gs_pool_walk, with the lock held: the visitor calls nothing of the heap's. */
void gs_heap_walk(gs_heap *h, const gs_pool_visitor *visitor, void *user);
void gs_heap_stats(gs_heap *h, gs_pool_stats *stats);
void gs_heap_reset_stats(gs_heap *h, bool peak, bool accumulated);
gs_status gs_heap_memory(
	gs_heap *h, uint64_t *free_bytes, uint64_t *total_bytes); /* as the device tells */
gs_status gs_heap_begin_private(
	gs_heap *h, gs_pool_id id, gs_pool_filter *filter, void *user, bool capture);
gs_status gs_heap_end_private(gs_heap *h, gs_pool_id id);
gs_status gs_heap_drop_private(gs_heap *h, gs_pool_id id);

/* Who asks: from now on the state says that it was recorded below that caching allocator. above is
 * never freed. */
void gs_heap_set_above(gs_heap *h, const char *above);

gs_status gs_heap_check(gs_heap *h, gs_error *err); /* as gs_pool_check */

/* Whether anything was recorded. */
bool gs_heap_has_events(gs_heap *h);

/* Writes a dump of the state now. request->path may be NULL. */
gs_status gs_heap_dump(
	gs_heap *h, const gs_dump_request *request, char *written, size_t cap, gs_error *err);

/* Around fork: nothing is half done while the locks are held. */
void gs_heap_before_fork(gs_heap *h);
void gs_heap_after_fork(gs_heap *h, bool child);

#endif
