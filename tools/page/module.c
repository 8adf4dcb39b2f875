/* The analyzer as a WebAssembly module: its interface is analyzer/api/gpusnap_analyzer.h, every
 * function of which is exported. C has no functions of JavaScript's to call, so that reading from
 * the page is added here: the page gives read, and opens by gpusnap_page_open. */
#include "analyzer/api/handle.h"
#include "analyzer/read/open/reader.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

/* Fills buf with up to n bytes of what is being opened; 0 at the end, (size_t)-1 where reading
 * failed. */
__attribute__((import_module("page"), import_name("read"))) size_t gpusnap_page_read(
	void *buf, size_t n);

static size_t read_page(void *context, void *buf, size_t n)
{
	(void)context;
	return gpusnap_page_read(buf, n);
}

/* gpusnap_snapshot_open_stream of what the page reads, without the sum of its bytes, which takes as
 * long as all else and is seldom looked at. */
int EXPORT(gpusnap_page_open)(gpusnap_snapshot *s, uint64_t size, const char *name);
int gpusnap_page_open(gpusnap_snapshot *s, uint64_t size, const char *name)
{
	return gs_api_open_stream(s, read_page, NULL, size, name, GS_WANT_ALL & ~GS_WANT_SUM);
}

/* Reads the same bytes again for their sum. What cannot be read has none. */
void EXPORT(gpusnap_page_sum)(gpusnap_snapshot *s, uint64_t size);
void gpusnap_page_sum(gpusnap_snapshot *s, uint64_t size)
{
	gs_source *source = NULL;
	gs_error err = GS_ERROR_INIT;
	if (!gs_source_stream(read_page, NULL, size, &source, &err)) {
		gs_source_hash(source);
		if (gs_source_digest(source, s->snapshot.sha256, &err))
			s->snapshot.sha256[0] = 0;
	}
	gs_source_close(source);
}
