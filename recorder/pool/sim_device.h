/* A device that only keeps account: deterministic addresses, a settable capacity, no memory behind
 * them.
 *
 * mem_alloc is first-fit from 0x7f0000000000 (+ 1 TiB a device number); the next address is aligned
 * up to 2 MiB, and each allocation counts as whole 2 MiB. Reservations start at 0x600000000000 and
 * step by their size rounded up to 4 GiB. Events become ready at once, or, when lazy, by
 * gs_sim_complete or a wait (which, as it does on the pretend CUDA the transcripts come from,
 * completes only that event; a stream or device wait completes all). Owns its memory (heap) until
 * gs_sim_release. Not thread-safe. */
#ifndef GS_RECORDER_POOL_SIM_DEVICE_H
#define GS_RECORDER_POOL_SIM_DEVICE_H

#include "recorder/pool/device.h"

typedef struct gs_sim gs_sim;

typedef struct gs_sim_config {
	uint64_t capacity; /* total bytes of the device */
	uint64_t other;    /* bytes held by others */
	int32_t number;    /* device number */
	bool lazy_events;
} gs_sim_config;

#define GS_STREAM_STEP UINT64_C(0x10000)
/* Handle of stream n: stream 0 is the default stream. */
static inline uint64_t gs_sim_stream(uint64_t n) { return n * GS_STREAM_STEP; }

extern const gs_device_ops gs_sim_ops; /* its device argument is a gs_sim * */

/* GS_NO_MEMORY. */
gs_status gs_sim_init(gs_sim **sim, const gs_sim_config *config);
void gs_sim_release(gs_sim *sim); /* NULL allowed */

/* All events recorded so far become ready. */
void gs_sim_complete(gs_sim *sim);
uint64_t gs_sim_used(const gs_sim *sim); /* bytes handed out, in whole pages */
/* Makes [address, address + bytes) taken, as if mem_alloc had given it (state from before a
 * recording): GS_EXISTS when it overlaps. */
gs_status gs_sim_adopt(gs_sim *sim, uint64_t address, uint64_t bytes);
/* As if a reservation stood there, with mapped bytes of it in use; later reservations keep clear of
 * it. */
gs_status gs_sim_adopt_reservation(gs_sim *sim, uint64_t address, uint64_t bytes, uint64_t mapped);
/* The next n calls of mem_alloc and map that would succeed are refused (tests). */
void gs_sim_refuse(gs_sim *sim, uint32_t n);

#endif
