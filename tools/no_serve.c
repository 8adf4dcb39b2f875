/* A build without libmicrohttpd. */
#include "tools/serve.h"

gs_status gs_serve_load(gs_error *err)
{
	return gs_fail(err, GS_UNSUPPORTED, "this build cannot serve (it came without libmicrohttpd)");
}

gs_status gs_serve(
	const char *page, size_t n, uint16_t port, void (*ready)(const char *address), gs_error *err)
{
	(void)page, (void)n, (void)port, (void)ready;
	return gs_serve_load(err);
}
