/* What blocks are grouped and coloured by. */
#ifndef GS_ANALYZER_TIMELINE_KEYS_H
#define GS_ANALYZER_TIMELINE_KEYS_H

#include "analyzer/timeline/timeline.h"

#define GS_LIFE_KEYS(GS_LIFE_KEY)                                                          \
	GS_LIFE_KEY(BIRTH, "birth")       /* event + 1, 0 before the recording */              \
	GS_LIFE_KEY(HOLDER, "holder")     /* number in timeline.holders */                     \
	GS_LIFE_KEY(CATEGORY, "category") /* gs_category */                                    \
	GS_LIFE_KEY(STEP, "step")         /* index in meaning.steps + 1, 0 none */             \
	GS_LIFE_KEY(STREAM, "stream")     /* index + 1 in the snapshot's streams, 0 unknown */ \
	GS_LIFE_KEY(POOL, "pool")         /* index + 1 in the lives' pools, 0 unknown */       \
	GS_LIFE_KEY(TAG, "tag")           /* string id of the tag, 0 none */                   \
	GS_LIFE_KEY(SIZE, "size")         /* floor(log2) of its bytes */

typedef enum gs_life_key {
#define GS_LIFE_KEY(name, word) GS_LIFE_KEY_##name,
	GS_LIFE_KEYS(GS_LIFE_KEY)
#undef GS_LIFE_KEY
		GS_LIFE_KEY_COUNT
} gs_life_key;

/* GS_LIFE_KEY_COUNT for other words. */
gs_life_key gs_life_key_parse(const char *word);

/* The value that a life has of a key. */
uint32_t gs_life_key_of(const gs_timeline *t, uint32_t life, gs_life_key key);

/* Sorts n lives, given in order of birth, by the key and then by birth. GS_NO_MEMORY. */
gs_status gs_lives_order(
	const gs_timeline *t, gs_life_key key, uint32_t *lives, size_t n, gs_error *err);

#endif
