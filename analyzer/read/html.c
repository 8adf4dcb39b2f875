/* Pages that PyTorch's memory_viz writes: 2.1 and later embed the snapshot's pickle as base64 in `const local_files`, 2.0 has
 * the data as columns in JSON. */
#include "analyzer/read/html.h"

#include <string.h>
#include <strings.h>

#include "analyzer/read/reader.h"

enum { WINDOW = 64 * 1024, OVERLAP = 64 };

static const char *const markers[] = { "const local_files", "let trace_data", "let alloc_data" };
enum { LOCAL_FILES, MARKERS = 3 };

static const unsigned char *find(const unsigned char *at, size_t n, const char *text) { return memmem(at, n, text, strlen(text)); }

/* Moves behind the first of n texts that comes; returns which, or -1. */
static int seek(gs_source *source, const char *const *texts, int n)
{
	const unsigned char *at;
	size_t have;
	while ((have = gs_source_peek(source, WINDOW, &at))) {
		const unsigned char *best = NULL;
		int which = -1;
		for (int i = 0; i < n; i++) {
			const unsigned char *found = find(at, have, texts[i]);
			if (found && (!best || found < best)) {
				best = found;
				which = i;
			}
		}
		if (best) {
			gs_source_skip(source, (size_t)(best - at) + strlen(texts[which]));
			return which;
		}
		if (have < WINDOW)
			return -1;
		gs_source_skip(source, have - OVERLAP);
	}
	return -1;
}

static gs_status missing(gs_source *source, const char *what, gs_error *err)
{
	if (gs_source_status(source, err))
		return gs_source_status(source, NULL);
	return gs_fail(err, GS_TRUNCATED, "the page has no %s", what);
}

/* After `const local_files`: to the first file's pickle. */
static gs_status unwrap_embedded(gs_source *source, gs_error *err)
{
	static const char *const key[] = { "\"base64\"" }, *const quote[] = { "\"" };
	if (seek(source, key, 1) || seek(source, quote, 1))
		return missing(source, "embedded snapshot", err);
	return gs_source_unwrap_base64(source, err);
}

/* To the page's data; which of the markers it is. */
static gs_status find_data(gs_source *source, int *which, gs_error *err)
{
	*which = seek(source, markers, MARKERS);
	if (*which >= 0)
		return GS_OK;
	if (gs_source_status(source, err))
		return gs_source_status(source, NULL);
	return gs_fail(err, GS_UNKNOWN_KIND, "a page without a memory snapshot (no local_files, trace_data or alloc_data in it)");
}

gs_status gs_html_embedded(gs_source *source, gs_error *err)
{
	int which;
	gs_status status = find_data(source, &which, err);
	if (!status && which != LOCAL_FILES)
		return gs_fail(err, GS_UNSUPPORTED, "the page has no pickle");
	return status ? status : unwrap_embedded(source, err);
}

static gs_status read_html(gs_source *source, unsigned want, gs_snapshot *s, gs_error *err)
{
	static const char *const equals[] = { "=" };
	const unsigned char *at;
	int which;
	gs_status status = find_data(source, &which, err);
	if (!status && which == LOCAL_FILES)
		status = unwrap_embedded(source, err);
	if (status)
		return status;
	if (which == LOCAL_FILES)
		return gs_reader_pickle.read(source, want, s, err);
	if (seek(source, equals, 1))
		return missing(source, "data", err);
	while (gs_source_peek(source, 1, &at) && (*at == ' ' || *at == '\n'))
		gs_source_skip(source, 1);
	return gs_html_columns(source, want, s, err);
}

static int probe_html(const unsigned char *head, size_t n)
{
	size_t i = 0;
	while (i < n && (head[i] == ' ' || head[i] == '\n' || head[i] == '\r' || head[i] == '\t'))
		i++;
	if (i >= n || head[i] != '<')
		return 0;
	for (int m = 0; m < MARKERS; m++)
		if (find(head, n, markers[m]))
			return 95;
	return n - i >= 14 && !strncasecmp((const char *)head + i, "<!doctype html", 14) ? 1 : 0; /* some page: a text, if it holds one */
}

const gs_reader gs_reader_html = { "html", probe_html, read_html };
