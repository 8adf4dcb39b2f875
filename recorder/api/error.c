/* Statuses and words of the C API. */
#include "recorder/api/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "recorder/api/heap.h"

static _Thread_local gs_error last;
static _Thread_local gs_long_text longer;
static _Thread_local bool is_long;

gs_error *gs_api_error(void) { return &last; }
gs_long_text *gs_api_long_text(void) { return &longer; }

static gpusnap_status public_status(gs_status status)
{
	switch (status) {
	case GS_OK: return GPUSNAP_OK;
	case GS_DEVICE_MEMORY: return GPUSNAP_OUT_OF_MEMORY;
	case GS_NO_MEMORY: return GPUSNAP_NO_HOST_MEMORY;
	case GS_STATE: return GPUSNAP_STATE;
	case GS_UNSUPPORTED: return GPUSNAP_NO_DRIVER;
	case GS_NOT_FOUND: return GPUSNAP_NOT_FOUND;
	case GS_IO: return GPUSNAP_IO;
	case GS_EXISTS: return GPUSNAP_EXISTS;
	case GS_LIMIT: return GPUSNAP_LIMIT;
	case GS_DEVICE: return GPUSNAP_DEVICE;
	default: return GPUSNAP_INVALID;
	}
}

gpusnap_status gs_api_result(gs_status status)
{
	if (status && last.status != status)
		gs_fail(&last, status, "%s", gs_status_text(status));
	is_long &= !status;
	return public_status(status);
}

gpusnap_status gs_api_long_result(gs_status status)
{
	is_long = true;
	return public_status(status);
}

gpusnap_status gs_api_fail(gs_status status, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(last.text, sizeof last.text, format, args);
	va_end(args);
	last.status = status;
	is_long = false;
	return public_status(status);
}

const char *gpusnap_error(void) { return is_long ? longer.text : last.text; }

const char *gpusnap_status_text(gpusnap_status status)
{
	static const char *const texts[] = {
		[GPUSNAP_OK] = "success",
		[GPUSNAP_OUT_OF_MEMORY] = "out of device memory",
		[GPUSNAP_INVALID] = "invalid argument",
		[GPUSNAP_STATE] = "wrong state for this call",
		[GPUSNAP_NO_DRIVER] = "no CUDA driver",
		[GPUSNAP_DEVICE] = "device error",
		[GPUSNAP_NO_HOST_MEMORY] = "out of host memory",
		[GPUSNAP_NOT_FOUND] = "not found",
		[GPUSNAP_IO] = "input/output error",
		[GPUSNAP_EXISTS] = "file exists",
		[GPUSNAP_LIMIT] = "limit exceeded",
	};
	return (unsigned)status < sizeof texts / sizeof *texts ? texts[status] : "unknown status";
}
