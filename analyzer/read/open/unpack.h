/* gzip, zstd and base64, unpacked in steps. Bounded: see gs_source_unwrap. Not thread-safe. */
#ifndef GS_ANALYZER_READ_OPEN_UNPACK_H
#define GS_ANALYZER_READ_OPEN_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include "schema/status.h"

typedef enum gs_packing {
	GS_PACKING_NONE,
	GS_PACKING_GZIP,
	GS_PACKING_ZSTD,
	GS_PACKING_BASE64
} gs_packing;

typedef struct gs_unpack gs_unpack;

/* What the first bytes say (four are enough); base64 cannot be told. */
gs_packing gs_packing_of(const unsigned char *head, size_t n);

/* file_size bounds the memory that the packed data may make us take. gs_unpack_free accepts NULL.
 */
gs_status gs_unpack_new(gs_packing packing, uint64_t file_size, gs_unpack **out, gs_error *err);
void gs_unpack_free(gs_unpack *u);

gs_packing gs_unpack_packing(const gs_unpack *u);
size_t gs_unpack_held(const gs_unpack *u); /* bytes of memory for the window of what is unpacked */

/* Unpacks from in (have bytes; 0 means that there are no more) to out (at most room); says how many
 * were used and made. at is the offset of in, for messages. GS_OK: go on; GS_END: all done; else
 * damaged, cut or beyond the bounds (what was made before is still good). */
gs_status gs_unpack_step(gs_unpack *u, const unsigned char *in, size_t have, size_t *used,
	unsigned char *out, size_t room, size_t *made, uint64_t at, gs_error *err);

#endif
