/* One page over HTTP, for a browser on another machine that comes through a tunnel. */
#ifndef GS_TOOLS_SERVE_H
#define GS_TOOLS_SERVE_H

#include <stddef.h>
#include <stdint.h>

#include "schema/status.h"

/* Loads what serving needs, so that whoever lacks it need not wait for a page first.
 * GS_UNSUPPORTED: without libmicrohttpd, at build or here. gs_serve does it by itself. */
gs_status gs_serve_load(gs_error *err);

/* Serves page (n bytes) on the loopback interface alone, at /TOKEN/, TOKEN being random: whoever
 * does not know it, and any name of a host but the machine's own, gets 404. port 0: any that is
 * free. ready is called with the address once it listens. Returns when the program is interrupted
 * or ended by a signal. Errors as of gs_serve_load, and GS_IO: the port is taken. */
gs_status gs_serve(
	const char *page, size_t n, uint16_t port, void (*ready)(const char *address), gs_error *err);

#endif
