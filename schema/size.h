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

/* Writes bytes for people: "0 B", "512 B", "1.5 KiB", "384.0 MiB", "23.1 GiB" (one decimal above
 * bytes). Returns buf. */
char *gs_size_format(char *buf, size_t cap, uint64_t bytes);

#endif
