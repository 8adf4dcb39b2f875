/* Texts of the status codes, and the filling of error messages. */
#include "schema/status.h"

#include <stdio.h>
#include <string.h>

static const char *const texts[] = {
#define GS_STATUS(name, text) text,
#include "schema/status.def"
#undef GS_STATUS
};

static const char *const names[] = {
#define GS_STATUS(name, text) #name,
#include "schema/status.def"
#undef GS_STATUS
};

const char *gs_status_text(gs_status status)
{
	return (unsigned)status < GS_STATUS_COUNT ? texts[status] : "unknown status";
}

const char *gs_status_name(gs_status status)
{
	return (unsigned)status < GS_STATUS_COUNT ? names[status] : "UNKNOWN";
}

gs_status gs_fail(gs_error *err, gs_status status, const char *format, ...)
{
	if (err) {
		va_list args;
		va_start(args, format);
		vsnprintf(err->text, sizeof err->text, format, args);
		va_end(args);
		err->status = status;
	}
	return status;
}

gs_status gs_no_memory(gs_error *err)
{
	return gs_fail(err, GS_NO_MEMORY, "%s", gs_status_text(GS_NO_MEMORY));
}

gs_status gs_fail_in(gs_error *err, const char *context)
{
	if (!err)
		return GS_OK;
	char old[GS_ERROR_TEXT];
	memcpy(old, err->text, sizeof old);
	size_t n = strlen(context);
	if (n > GS_ERROR_TEXT / 2)
		n = GS_ERROR_TEXT / 2;
	snprintf(err->text, sizeof err->text, "%.*s: %.*s", (int)n, context,
		(int)(GS_ERROR_TEXT - n - 3), old);
	return err->status;
}
