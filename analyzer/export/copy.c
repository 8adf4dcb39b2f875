/* Copying a PyTorch snapshot into a pickle without going through the model: pickles byte for byte
 * up to their end, pages' pickles likewise, JSON value by value. */
#include <string.h>

#include "analyzer/export/pytorch.h"
#include "analyzer/export/pickle_json.h"
#include "analyzer/read/html/html.h"
#include "analyzer/read/pytorch/json_stream.h"
#include "analyzer/read/pytorch/pickle.h"
#include "analyzer/read/open/reader.h"

typedef struct copy {
	gs_pickler p;
	gs_error error; /* for the JSON stream */
} copy;

static gs_status tee(void *arg, const void *data, size_t n)
{
	copy *c = arg;
	gs_pickler_raw(&c->p, data, n);
	return c->p.status;
}

/* A bare list of segments goes into a dictionary. */
static void open_root(copy *c, bool list)
{
	if (!list)
		return;
	gs_pickler_dict(&c->p);
	gs_pickler_text(&c->p, "device_traces", 13);
	gs_pickler_raw(&c->p, "]", 1);
	gs_pickler_text(&c->p, "segments", 8);
}

static void close_root(copy *c, bool list)
{
	if (list)
		gs_pickler_dict_end(&c->p);
}

static gs_status copy_pickle(copy *c, gs_source *source, gs_error *err)
{
	const unsigned char *head;
	size_t n = gs_source_peek(source, 16, &head), i = n >= 2 && head[0] == 0x80 ? 2 : 0;
	if (i + 9 < n && head[i] == 0x95)
		i += 9;
	bool list = i + 1 < n && (head[i] == ']' || (head[i] == '(' && head[i + 1] == 'l'));
	open_root(c, list);
	gs_status status = gs_pickle_check(source, tee, c, err);
	close_root(c, list);
	return status;
}

static gs_status copy_json(copy *c, gs_source *source, gs_error *err)
{
	const unsigned char *head;
	size_t n = gs_source_peek(source, 64, &head),
		   i = n >= 3 && !memcmp(head, "\xef\xbb\xbf", 3) ? 3 : 0;
	gs_source_skip(source, i);
	while (i < n && strchr(" \t\r\n", head[i]) && head[i])
		i++;
	bool list = i < n && head[i] == '[';
	open_root(c, list);
	gs_status status = gs_json_stream(source, &gs_pickle_json, &c->p, true, &c->error, err);
	close_root(c, list);
	return status;
}

static gs_status copy_source(copy *c, gs_source *source, gs_error *err)
{
	const gs_reader *reader = NULL;
	gs_status status = gs_reader_pick(source, &reader, err);
	if (!status && reader == &gs_reader_html) {
		status = gs_html_embedded(source, &reader, err);
	}
	if (status)
		return status;
	if (reader == &gs_reader_pickle)
		return copy_pickle(c, source, err);
	if (reader == &gs_reader_json)
		return copy_json(c, source, err);
	return gs_fail(err, GS_UNSUPPORTED, "not a snapshot's own form");
}

gs_status gs_export_pytorch_copy(
	const char *path, unsigned part, gs_sink sink, void *arg, gs_error *err)
{
	gs_source *source = NULL;
	copy c = {.error = GS_ERROR_INIT};
	gs_status status = gs_source_open(path, &source, err);
	if (status)
		return status;
	gs_source_choose_part(source, part);
	gs_pickler_init(&c.p, sink, arg);
	status = copy_source(&c, source, err);
	gs_source_close(source);
	return status ? status : gs_pickler_finish(&c.p, err);
}
