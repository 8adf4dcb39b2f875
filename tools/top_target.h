/* What `gpusnap top` looks at: a stream, or the one that a process writes. */
#ifndef GS_TOOLS_TOP_TARGET_H
#define GS_TOOLS_TOP_TARGET_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "schema/status.h"

/* Puts the path of the stream into path: text itself where it names a file, else that of the
 * process of that number, or of one that it started. GS_NOT_FOUND, GS_IO: err tells why not. */
gs_status gs_top_target(const char *text, char path[PATH_MAX], gs_error *err);

/* Whether the file begins as a stream does. GS_UNKNOWN_KIND where it is whole and something else;
 * GS_TRUNCATED where too little of it is there yet; GS_IO. */
gs_status gs_top_is_stream(const char *path, gs_error *err);

/* Whether the process of that number on that host is known to be gone. */
bool gs_top_is_gone(const char *host, int64_t pid);

/* How a stream is recorded, for whoever has none. */
extern const char gs_top_how[];

#endif
