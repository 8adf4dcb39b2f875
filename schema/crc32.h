/* CRC-32 (IEEE 802.3, reflected 0xEDB88320, as zlib's crc32): here, because the recorder links no
 * zlib. */
#ifndef GS_SCHEMA_CRC32_H
#define GS_SCHEMA_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Of n bytes, after those whose CRC is crc (0 at the start). */
uint32_t gs_crc32(uint32_t crc, const void *data, size_t n);

#endif
