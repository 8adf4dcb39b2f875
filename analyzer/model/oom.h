/* An out-of-memory as an event or a message tells of it. Units and unknown facts are those of
 * snapshot.h. */
#ifndef GS_ANALYZER_MODEL_OOM_H
#define GS_ANALYZER_MODEL_OOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/status.h"
#include "schema/terms.h"

/* What a message says of itself and of the failure. */
enum gs_says {
	GS_SAYS_LIMIT = 1,        /* a limit of the allocator's own refused the request */
	GS_SAYS_OWN_POOL = 2,     /* a pool of fixed size serves it; the driver is not asked */
	GS_SAYS_DISAGREES = 4,    /* its figures of allocated memory do not agree */
	GS_SAYS_CUT = 8,          /* the figures that belong to it are not all here */
	GS_SAYS_GOES_ON = 16,     /* the program goes on without that memory */
	GS_SAYS_HUGE = 32,        /* more was asked for than any device has */
	GS_SAYS_CONTRADICTS = 64, /* what is free and what is held add up to more than the device has */
	GS_SAYS_LENT = 128 /* more is allocated than the device has: memory of the system is lent */
};

/* Figures that only messages tell, in bytes; GS_NONE where they do not. */
typedef struct gs_oom_told {
	int64_t others;       /* held by other processes, or by others than the allocator in this one */
	int64_t own;          /* held by this process in all, its context included */
	int64_t counted;      /* counts against `allowed`, where that is not what is reserved */
	int64_t private_free; /* free in private pools, at most */
	int64_t pool_free,
		pool_largest; /* of the pool that had to serve it: free, in the largest piece */
	int64_t line;     /* where it stands in the text */
	uint32_t says;    /* GS_SAYS_ bits */
} gs_oom_told;

/* An OOM: an event of a trace, or a message. One row each, in order of device, then of occurrence.
 */
typedef struct gs_oom {
	int32_t device; /* -1 unknown */
	int64_t idx;    /* event index in that device's trace; GS_NONE for a message */
	int64_t number; /* of that event in the file, also where it was not read; GS_NONE unknown */
	int64_t time_us;
	int64_t requested; /* rounded request (from a text: what it prints) */
	int64_t needed;    /* the segment size asked for, as PyTorch's message prints */
	int64_t stream;    /* GS_NONE unknown */
	int8_t pool;       /* gs_pool_class */
	bool has_pool_id;
	gs_pool_id pool_id;
	int64_t device_free, capacity, allocated, reserved, allowed; /* as recorded or printed */
	const char *library; /* "pytorch", "tensorflow", "cupy" …; constant or in the arena */
	gs_id stack;
	const char *message; /* the text, or NULL: to show; its figures are in the fields above */
	gs_oom_told told;
} gs_oom;

/* A row of which nothing is known. */
void gs_oom_init(gs_oom *oom);

#endif
