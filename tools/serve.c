/* Serving by libmicrohttpd, which parses what strangers send better than a few lines would. */
#include "tools/serve.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

/* --- the library ---------------------------------------------------------------------------------
 * Loaded when a page is served, not linked: it draws in nine others, for TLS, which is not spoken
 * here, and every command would wait for them. A library of our own that is linked with it would
 * have to be found in every layout of an installation; eight functions need no more than a table.
 */

/* The one that the header belongs to: check-layers holds it against what is installed with that. */
#define LIBRARY "libmicrohttpd.so.12"

/* clang-format off: it never settles on one layout of a list of macro calls */
#define FUNCTIONS(MHD)               \
	MHD(add_response_header)         \
	MHD(create_response_from_buffer) \
	MHD(destroy_response)            \
	MHD(get_daemon_info)             \
	MHD(lookup_connection_value)     \
	MHD(queue_response)              \
	MHD(start_daemon)                \
	MHD(stop_daemon)
/* clang-format on */

static struct {
#define POINTER(name) __typeof__(MHD_##name) *name;
	FUNCTIONS(POINTER)
#undef POINTER
} mhd;

gs_status gs_serve_load(gs_error *err)
{
	const struct {
		const char *name;
		void *slot;
	} all[] = {
#define SLOT(name) {"MHD_" #name, &mhd.name},
		FUNCTIONS(SLOT)
#undef SLOT
	};
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; library && i < sizeof all / sizeof *all; i++) {
		void *symbol = dlsym(library, all[i].name);
		if (!symbol)
			library = NULL;
		memcpy(all[i].slot, &symbol, sizeof symbol);
	}
	if (!library)
		return gs_fail(err, GS_UNSUPPORTED,
			"serving needs libmicrohttpd (Debian's package libmicrohttpd12): %s", dlerror());
	return GS_OK;
}

/* --- the page ------------------------------------------------------------------------------------
 */

typedef struct site {
	const char *page;
	size_t n;
	char path[40]; /* "/TOKEN/" */
} site;

static enum MHD_Result answer(struct MHD_Connection *c, unsigned status, const char *text, size_t n)
{
	struct MHD_Response *r = mhd.create_response_from_buffer(
		n, (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT);
	if (!r)
		return MHD_NO;
	mhd.add_response_header(
		r, "Content-Type", status == MHD_HTTP_OK ? "text/html; charset=utf-8" : "text/plain");
	mhd.add_response_header(r, "Cache-Control", "no-store");
	mhd.add_response_header(r, "Referrer-Policy", "no-referrer");
	mhd.add_response_header(r, "X-Content-Type-Options", "nosniff");
	mhd.add_response_header(r, "Cross-Origin-Resource-Policy", "same-origin");
	enum MHD_Result queued = mhd.queue_response(c, status, r);
	mhd.destroy_response(r);
	return queued;
}

/* A page of another name that resolves to this machine is not to read ours. */
static bool names_this_machine(const char *host)
{
	static const char *const names[] = {"127.0.0.1", "localhost"};
	for (size_t i = 0; host && i < sizeof names / sizeof *names; i++) {
		size_t n = strlen(names[i]);
		if (!strncmp(host, names[i], n) && (!host[n] || host[n] == ':'))
			return true;
	}
	return false;
}

/* Equal, in a time that does not tell how far. */
static bool same(const char *a, const char *b, size_t n)
{
	unsigned differs = 0;
	for (size_t i = 0; i < n; i++)
		differs |= (unsigned)(a[i] ^ b[i]);
	return !differs;
}

static enum MHD_Result handle(void *context, struct MHD_Connection *c, const char *url,
	const char *method, const char *version, const char *data, size_t *data_size, void **request)
{
	static const char missing[] = "Not found.\n";
	const site *s = context;
	const char *host = mhd.lookup_connection_value(c, MHD_HEADER_KIND, "Host");
	bool get = !strcmp(method, "GET") || !strcmp(method, "HEAD");
	size_t n = strlen(s->path);
	(void)version, (void)data, (void)data_size, (void)request;
	if (get && names_this_machine(host) && strlen(url) == n && same(url, s->path, n))
		return answer(c, MHD_HTTP_OK, s->page, s->n);
	return answer(c, MHD_HTTP_NOT_FOUND, missing, sizeof missing - 1);
}

static gs_status make_token(site *s, gs_error *err)
{
	unsigned char bytes[16];
	if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
		return gs_fail(err, GS_IO, "no random numbers");
	s->path[0] = '/';
	for (size_t i = 0; i < sizeof bytes; i++)
		snprintf(s->path + 1 + 2 * i, 3, "%02x", bytes[i]);
	strcat(s->path, "/");
	return GS_OK;
}

static void wait_for_the_end(const sigset_t *ends)
{
	int got;
	sigwait(ends, &got);
}

gs_status gs_serve(
	const char *page, size_t n, uint16_t port, void (*ready)(const char *address), gs_error *err)
{
	site s = {page, n, ""};
	struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	sigset_t ends, before;
	char address[80];
	gs_status status = gs_serve_load(err);
	if (!status)
		status = make_token(&s, err);
	if (status)
		return status;
	/* blocked before the server's thread begins, so that sigwait gets them */
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &ends, &before);
	struct MHD_Daemon *d = mhd.start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, port, NULL, NULL,
		handle, &s, MHD_OPTION_SOCK_ADDR, &at, MHD_OPTION_CONNECTION_LIMIT, 64u,
		MHD_OPTION_CONNECTION_TIMEOUT, 30u, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)65536,
		MHD_OPTION_END);
	const union MHD_DaemonInfo *bound = d ? mhd.get_daemon_info(d, MHD_DAEMON_INFO_BIND_PORT)
										  : NULL;
	if (bound) {
		snprintf(address, sizeof address, "http://127.0.0.1:%u%s", bound->port, s.path);
		ready(address);
		wait_for_the_end(&ends);
	} else {
		status = gs_fail(err, GS_IO, "port %u of this machine cannot be listened at", port);
	}
	if (d)
		mhd.stop_daemon(d);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return status;
}
