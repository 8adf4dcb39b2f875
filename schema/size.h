/* Sizes as people write and read them (bytes in, text out; text in, bytes out). No state,
 * thread-safe. */
#ifndef GS_SCHEMA_SIZE_H
#define GS_SCHEMA_SIZE_H

#include <stddef.h>
#include <stdint.h>

#include "schema/status.h"

/* Parses SIZE: digits with an optional fraction and a unit B, K/KiB, M/MiB, G/GiB, T/TiB (powers of
 * 1024) or KB, MB, GB, TB (powers of 1000); no unit means bytes; letters' case and one blank before
 * the unit do not matter. A fractional number of bytes is rounded to nearest. GS_INVALID with a
 * message otherwise, also when the result does not fit 63 bits. */
gs_status gs_size_parse(const char *text, uint64_t *bytes, gs_error *err);

/* Writes bytes for people with three significant digits, in the largest unit that they reach:
 * "511 B", "1.50 KiB", "88 MiB" (whole KiB and MiB are written without decimals), "1000 MiB",
 * "1.00 GiB", "61.8 GiB". Returns buf. */
char *gs_size_format(char *buf, size_t cap, uint64_t bytes);

/* The same for a size that stands beside another: as many more digits as it takes to tell them
 * apart ("8.20 GiB" beside 8.13 GiB, "10.004 GiB" beside 10.001 GiB); equal sizes read alike.
 * Returns buf. */
char *gs_size_format_beside(char *buf, size_t cap, uint64_t bytes, uint64_t other);

#endif
