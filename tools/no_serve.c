/* A build without libmicrohttpd. */
#include "tools/serve.h"

gs_status gs_serve(
	const char *page, size_t n, uint16_t port, void (*ready)(const char *address), gs_error *err)
{
	(void)page, (void)n, (void)port, (void)ready;
	return gs_fail(err, GS_UNSUPPORTED, "this build cannot serve (it came without libmicrohttpd)");
}
