/* SHA-256 (FIPS 180-4): no library that the project uses has it. Uses the processor's instructions
 * where there are some. */
#ifndef GS_ANALYZER_READ_OPEN_SHA256_H
#define GS_ANALYZER_READ_OPEN_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct gs_sha256 {
	uint32_t state[8];
	uint64_t bytes;
	unsigned char block[64];
} gs_sha256;

/* Begins a sum; adds bytes to it, in any pieces. */
void gs_sha256_init(gs_sha256 *h);
void gs_sha256_add(gs_sha256 *h, const void *data, size_t n);

/* Ends the sum; hex receives 64 digits and a terminator. */
void gs_sha256_finish(gs_sha256 *h, char hex[65]);

#endif
