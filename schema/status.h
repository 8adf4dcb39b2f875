/* Status codes and the caller-owned error message: the one error convention of the project.
 *
 * A function that can fail returns gs_status (0 is success). If there is more to say than the
 * code, it takes a `gs_error *err` (NULL allowed) and fills it once, where the cause is known, with
 * the file offset or the SQL. Nothing here allocates; every function is thread-safe as long as
 * two threads do not fill the same gs_error. */
#ifndef GS_SCHEMA_STATUS_H
#define GS_SCHEMA_STATUS_H

#include <stdarg.h>

typedef enum gs_status {
#define GS_STATUS(name, text) GS_##name,
#include "schema/status.def"
#undef GS_STATUS
	GS_STATUS_COUNT
} gs_status;

enum { GS_ERROR_TEXT = 320 };

typedef struct gs_error {
	gs_status status;
	char text[GS_ERROR_TEXT]; /* always terminated; empty when nothing failed */
} gs_error;

#define GS_ERROR_INIT \
	{                 \
		GS_OK, ""     \
	}

/* The fixed text of a code ("malformed input"); never NULL, also for a value out of range. */
const char *gs_status_text(gs_status status);

/* The code's name ("FORMAT"), as JSON errors show it; never NULL. */
const char *gs_status_name(gs_status status);

/* Fills *err (unless NULL) with the status and a printf-style text, cut to fit; returns status, so
 * that callers write `return gs_fail(err, GS_FORMAT, "bad opcode 0x%02x at byte %llu", …)`. */
gs_status gs_fail(gs_error *err, gs_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* GS_NO_MEMORY with its fixed text, where there is nothing to say of what the memory was for. */
gs_status gs_no_memory(gs_error *err);

/* Puts text and ": " before the message already in *err (to name the file, say); returns err's
 * status. */
gs_status gs_fail_in(gs_error *err, const char *context);

#endif
