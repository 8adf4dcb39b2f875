/* The interned columns of a snapshot and its arena. Owned by the snapshot; see snapshot.h for the
 * calls. */
#ifndef GS_ANALYZER_MODEL_INTERN_H
#define GS_ANALYZER_MODEL_INTERN_H

#include "analyzer/model/snapshot.h"

/* Frees the arena, the interned columns and their indexes. */
void gs_intern_release(gs_snapshot *s);

/* 32-bit hash of n bytes. */
uint32_t gs_hash_bytes(const void *data, size_t n);

#endif
