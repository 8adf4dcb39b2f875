/* Allocator settings: PYTORCH_ALLOC_CONF text in PyTorch's grammar, parsed to numbers. No state,
 * thread-safe. */
#ifndef GS_RECORDER_POOL_SETTINGS_H
#define GS_RECORDER_POOL_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/status.h"

struct gs_rules;

enum { GS_ROUNDUP_INTERVALS = 16 };

typedef struct gs_pool_settings {
	uint64_t max_split;                     /* bytes; UINT64_MAX unlimited */
	uint64_t max_non_split_rounding;        /* bytes */
	uint64_t large_segment;                 /* bytes */
	uint32_t roundup[GS_ROUNDUP_INTERVALS]; /* divisions: [0] below 2 MiB, [i] 2^i to 2^(i+1) MiB,
											   [15] from 32 GiB on; 0 off */
	double gc_threshold;                    /* 0 off */
	double memory_fraction;                 /* per_process_memory_fraction; 1 unless set */
	bool expandable;
	bool throw_on_oom;       /* throw_on_cudamalloc_oom */
	bool release_lock;       /* release_lock_on_cudamalloc: of no consequence to decisions */
	double reserve_fraction; /* expandable_segments_reserve as a fraction of memory; 0: default */
	uint64_t reserve_bytes;  /* … as a size; 0: default */
} gs_pool_settings;

/* PyTorch's defaults (those of an empty text). */
void gs_pool_settings_init(gs_pool_settings *s);

/* Parses text into *s as that release does on `_set_allocator_settings`: some settings are reset
 * first (a text is not a change to the last one), others persist. On GS_INVALID err has PyTorch's
 * message; keys before the bad one are then in force, as there. */
gs_status gs_pool_settings_parse(
	gs_pool_settings *s, const struct gs_rules *rules, const char *text, gs_error *err);

#endif
