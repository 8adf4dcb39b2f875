/* Between the project's statuses and those of the C API, and the statistics by name. Thread-safe.
 */
#ifndef GS_RECORDER_API_ERROR_H
#define GS_RECORDER_API_ERROR_H

#include "recorder/gpusnap.h"
#include "recorder/pool/pool.h"
#include "schema/status.h"

struct gs_dumper;
struct gs_long_text;

/* The calling thread's error, whose text gpusnap_error gives; and room for a longer one, given
 * instead after gs_api_long_result. */
gs_error *gs_api_error(void);
struct gs_long_text *gs_api_long_text(void);
gpusnap_status gs_api_long_result(gs_status status);

/* The public status; where the thread's error has no words of its own for it, the status's fixed
 * text becomes them. */
gpusnap_status gs_api_result(gs_status status);

/* Fills the thread's error and gives the public status. */
gpusnap_status gs_api_fail(gs_status status, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* "allocated_bytes.all.current" and so on; GS_NOT_FOUND. */
gs_status gs_api_stat_value(const gs_pool_stats *stats, const char *name, int64_t *value);

#endif
