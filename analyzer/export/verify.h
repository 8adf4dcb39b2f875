/* Checking a file for damage, as far as its kind allows. */
#ifndef GS_ANALYZER_EXPORT_VERIFY_H
#define GS_ANALYZER_EXPORT_VERIFY_H

#include <stdint.h>

#include "schema/status.h"

typedef struct gs_verified {
	const char *kind;  /* "gsnap", "pytorch" … */
	uint64_t bytes;    /* of a .gsnap: read to its end */
	uint64_t sections; /* of a .gsnap */
	uint64_t blocks, events;
} gs_verified;

/* A .gsnap: every checksum, limit, order and reference of schema/FORMAT.md, the columns that a
 * reader may skip too. Other kinds: whether their reader reads all of it. A file that was cut is
 * damaged here, though it may still answer. The message says what and at which byte; *v is filled
 * on success. Contradictions that are no damage of the file (blocks that do not tile a segment) are
 * handed to note (may be NULL). */
gs_status gs_verify_path(const char *path,
	void (*note)(void *context, const char *file, const char *text), void *context, gs_verified *v,
	gs_error *err);

#endif
