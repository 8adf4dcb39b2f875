/* Pages that PyTorch's memory_viz writes: 2.1 and later embed snapshots as base64 (`local_files =
 * [{"name": …, "base64": "…"}]`), 2.0 has the data as columns in JSON. Pages that were minified or
 * saved anew by a browser name and quote these things in other ways. And our own: the page and
 * reports hold each recording as base64 of a .gsnap in a script element of its own. */
#include "analyzer/read/html/html.h"

#include <string.h>
#include <strings.h>

#include "analyzer/read/open/reader.h"

enum { WINDOW = 64 * 1024, ROOM = 2048 }; /* a name of 255 bytes, each written as an entity */

typedef enum place { NOTHING = -1, EMBEDDED, TRACE_DATA, ALLOC_DATA, RECORDING, PLACES } place;

static const char *const words[PLACES] = {
	"base64", "trace_data", "alloc_data", "gpusnap-recording"};

/* What the head of our own pages and reports says (analyzer/picture/page.c). */
static const char ours[] = "<meta name=\"generator\" content=\"gpusnap\">";

static size_t skip_blanks(const unsigned char *at, size_t n, size_t i)
{
	while (i < n && at[i] && strchr(" \t\r\n", at[i]))
		i++;
	return i;
}

static bool is_quote(unsigned char c) { return c == '"' || c == '\'' || c == '`'; }

/* The same for the element of a recording: behind its tag. The word alone stands in scripts too. */
static size_t leads_to_recording(const unsigned char *at, size_t n)
{
	static const char name[] = "\" data-name=\"";
	size_t i = strlen(words[RECORDING]);
	if (n - i < sizeof name - 1 || memcmp(at + i, name, sizeof name - 1))
		return 0;
	const unsigned char *end = memmem(at + i + sizeof name - 1, n - i - sizeof name + 1, "\">", 2);
	return end ? (size_t)(end - at) + 2 : 0;
}

/* How many of the n bytes at the place's word lead to its data (behind the quotation mark of
 * base64, before the brace of columns); 0 when the word does not stand for data there. */
static size_t leads_to_data(place which, const unsigned char *at, size_t n)
{
	size_t i = strlen(words[which]);
	if (which == RECORDING)
		return leads_to_recording(at, n);
	if (which == EMBEDDED) {
		i += i < n && is_quote(at[i]);
		i = skip_blanks(at, n, i);
		if (i >= n || at[i] != ':')
			return 0;
		i = skip_blanks(at, n, i + 1);
		return i < n && is_quote(at[i]) ? i + 1 : 0;
	}
	i = skip_blanks(at, n, i);
	if (i >= n || at[i] != '=')
		return 0;
	i = skip_blanks(at, n, i + 1);
	return i < n && at[i] == '{' ? i : 0;
}

/* The first of the words among n bytes; returns where, n if none. It looks no further than that: a
 * page may repeat a word that leads nowhere. */
static size_t find_word(const unsigned char *at, size_t n, place *which)
{
	enum { LEAST = 6 };       /* bytes that each word has */
	unsigned char steps[256]; /* by the last of six bytes: how far on a word can end with it */
	memset(steps, LEAST, sizeof steps);
	for (int w = 0; w < PLACES; w++)
		for (unsigned char k = 0; k < LEAST; k++) {
			unsigned char *step = &steps[(unsigned char)words[w][k]],
						  least = (unsigned char)(LEAST - 1 - k);
			*step = least < *step ? least : *step;
		}
	for (size_t i = 0, step; i + LEAST <= n; i += step ? step : 1) {
		step = steps[at[i + LEAST - 1]];
		for (int w = 0; !step && w < PLACES; w++)
			if (n - i >= strlen(words[w]) && !memcmp(at + i, words[w], strlen(words[w]))) {
				*which = (place)w;
				return i;
			}
	}
	return n;
}

/* Moves to the next data; what it is. */
static place next_place(gs_source *source)
{
	const unsigned char *at;
	size_t n;
	while ((n = gs_source_peek(source, WINDOW, &at))) {
		place which = NOTHING;
		size_t found = find_word(at, n, &which);
		if (which == NOTHING) {
			gs_source_skip(source, n < WINDOW ? n : n - ROOM);
			continue;
		}
		gs_source_skip(source, found);
		n = gs_source_peek(source, ROOM, &at);
		size_t to = leads_to_data(which, at, n < ROOM ? n : ROOM);
		gs_source_skip(source, to ? to : 1);
		if (to)
			return which;
	}
	return NOTHING;
}

static bool is_ours(const unsigned char *head, size_t n)
{
	return memmem(head, n < ROOM ? n : ROOM, ours, sizeof ours - 1) != NULL;
}

static gs_status missing(gs_source *source, bool own, gs_error *err)
{
	if (gs_source_status(source, err))
		return gs_source_status(source, NULL);
	if (own)
		return gs_fail(err, GS_UNKNOWN_KIND,
			"a page of gpusnap's own without a recording in it (a report is, with --static): read "
			"the file that it was made of");
	return gs_fail(err, GS_UNKNOWN_KIND,
		"a page without a memory snapshot (no local_files, trace_data or alloc_data in it)");
}

/* To the data of the part that is asked for. */
static gs_status find_part(gs_source *source, place *which, gs_error *err)
{
	unsigned part = 0;
	const unsigned char *head;
	size_t n = gs_source_peek(source, ROOM, &head);
	bool own = is_ours(head, n);
	while ((*which = next_place(source)) != NOTHING)
		if (part++ == gs_source_part(source))
			return GS_OK;
	return missing(source, own, err);
}

static gs_status unwrap(gs_source *source, const gs_reader **reader, gs_error *err)
{
	static const gs_reader *const embedded[] = {
		&gs_reader_pickle, &gs_reader_json, &gs_reader_gsnap};
	const unsigned char *head;
	gs_status status = gs_source_unwrap_base64(source, err);
	if (!status && !gs_source_peek(source, 1, &head) && !gs_source_status(source, NULL))
		return gs_fail(err, GS_UNKNOWN_KIND, "the snapshot embedded in the page is empty");
	if (!status)
		status = gs_reader_pick_of(
			embedded, sizeof embedded / sizeof *embedded, source, reader, err);
	if (status == GS_UNKNOWN_KIND)
		return gs_fail(err, GS_UNKNOWN_KIND, "what is embedded in the page is no memory snapshot");
	return status;
}

gs_status gs_html_embedded(gs_source *source, const gs_reader **reader, gs_error *err)
{
	place which;
	gs_status status = find_part(source, &which, err);
	if (!status && which != EMBEDDED && which != RECORDING)
		return gs_fail(err, GS_UNSUPPORTED, "the page has no pickle");
	return status ? status : unwrap(source, reader, err);
}

/* Of a page from a pipe, which cannot be looked through beforehand. */
static void warn_of_more(gs_source *source, gs_snapshot *s)
{
	if (gs_source_part_chosen(source))
		return;
	gs_source_unwrap_undo(source);
	if (next_place(source) != NOTHING)
		gs_snapshot_warn(s, "the page holds more than one snapshot: the first is read");
}

static gs_status read_html(gs_source *source, unsigned want, gs_snapshot *s, gs_error *err)
{
	const gs_reader *reader = NULL;
	place which;
	gs_status status = find_part(source, &which, err);
	if (!status && which != EMBEDDED && which != RECORDING)
		return gs_html_columns(source, want, s, err);
	if (!status)
		status = unwrap(source, &reader, err);
	if (!status)
		status = reader->read(source, want, s, err);
	if (!status && s->complete)
		warn_of_more(source, s);
	return status;
}

static bool is_markup(const unsigned char *head, size_t n)
{
	size_t i = n >= 3 && !memcmp(head, "\xef\xbb\xbf", 3) ? 3 : 0;
	i = skip_blanks(head, n, i);
	return i < n && head[i] == '<';
}

/* Whether some word leads to data among n bytes. */
static bool has_data(const unsigned char *head, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		place which = NOTHING;
		i += find_word(head + i, n - i, &which);
		if (which != NOTHING && leads_to_data(which, head + i, n - i))
			return true;
	}
	return false;
}

static int probe_html(const unsigned char *head, size_t n)
{
	if (!is_markup(head, n))
		return 0;
	if (has_data(head, n) || memmem(head, n, "local_files", 11) || is_ours(head, n))
		return 95;
	size_t i = n >= 3 && head[0] == 0xef ? 3 : 0;
	i = skip_blanks(head, n, i);
	return n - i >= 14 && !strncasecmp((const char *)head + i, "<!doctype html", 14)
		? 1
		: 0; /* some page: a text, if it holds one */
}

unsigned gs_html_parts(gs_source *source)
{
	unsigned parts = 0;
	while (parts <= GS_HTML_PARTS && next_place(source) != NOTHING)
		parts++;
	return parts;
}

const gs_reader gs_reader_html = {"html", probe_html, read_html};
