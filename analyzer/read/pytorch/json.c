/* A snapshot as JSON (json.dump of the same dictionary or list): drives the same builder as pickles
 * do. */
#include <ctype.h>
#include <string.h>

#include "analyzer/read/pytorch/json_stream.h"
#include "analyzer/read/pytorch/pickle_text.h"
#include "analyzer/read/open/reader.h"
#include "analyzer/read/pytorch/builder.h"

static int on_null(void *t) { return !gs_torch_push(t, (gs_torch_value){.type = GS_V_NONE}); }
static int on_boolean(void *t, int value)
{
	return !gs_torch_push(t, (gs_torch_value){.type = GS_V_BOOL, .u = value != 0});
}

static int on_number(void *t, const char *text, size_t n)
{
	gs_torch_value v;
	bool real = memchr(text, '.', n) || memchr(text, 'e', n) || memchr(text, 'E', n);
	if (!gs_pickle_number(real ? 'F' : 'L', text, n, &v))
		v = (gs_torch_value){.type = GS_V_OPAQUE};
	return !gs_torch_push(t, v);
}

static int on_string(void *t, const unsigned char *text, size_t n)
{
	return !gs_torch_push_string(t, (const char *)text, n);
}
static int on_start_map(void *t) { return !gs_torch_push_dict(t) && !gs_torch_mark(t); }
static int on_end_map(void *t) { return !gs_torch_setitems(t); }
static int on_start_array(void *t) { return !gs_torch_push_list(t) && !gs_torch_mark(t); }
static int on_end_array(void *t) { return !gs_torch_appends(t); }

static const yajl_callbacks callbacks = {
	.yajl_null = on_null,
	.yajl_boolean = on_boolean,
	.yajl_number = on_number,
	.yajl_string = on_string,
	.yajl_start_map = on_start_map,
	.yajl_map_key = on_string,
	.yajl_end_map = on_end_map,
	.yajl_start_array = on_start_array,
	.yajl_end_array = on_end_array,
};

static gs_status read_json(gs_source *source, unsigned want, gs_snapshot *s, gs_error *err)
{
	gs_torch t;
	const unsigned char *head;
	gs_status status = gs_torch_init(&t, s, want);
	if (gs_source_peek(source, 3, &head) >= 3 && !memcmp(head, "\xef\xbb\xbf", 3))
		gs_source_skip(source, 3);
	if (!status)
		status = gs_json_stream(source, &callbacks, &t, true, &t.error, err);
	if (status == GS_TRUNCATED && gs_torch_keep_whole(&t, gs_source_offset(source)))
		status = GS_OK;
	else if (!status && gs_torch_finish(&t))
		status = gs_fail(err, t.error.status, "%s", t.error.text);
	gs_torch_release(&t);
	return status;
}

static size_t skip_blanks(const unsigned char *head, size_t n, size_t i)
{
	while (i < n && isspace(head[i]))
		i++;
	return i;
}

/* JSON by its first two characters; surely ours if it has a snapshot's words. */
static int probe_json(const unsigned char *head, size_t n)
{
	static const char *const words[] = {"\"segments\"", "\"device_traces\"", "\"traces\"",
		"\"blocks\"", "\"total_size\"", "\"segment_type\"", "\"addr\"", "\"allocator_settings\"",
		"\"external_annotations\"", "\"host_segments\""};
	size_t i = skip_blanks(head, n, n >= 3 && !memcmp(head, "\xef\xbb\xbf", 3) ? 3 : 0),
		   k = skip_blanks(head, n, i + 1);
	if (i >= n || (head[i] != '{' && head[i] != '[') || k >= n || !strchr("\"{[]}", head[k]) ||
		!head[k])
		return 0;
	for (size_t w = 0; w < sizeof words / sizeof *words; w++)
		if (memmem(head, n, words[w], strlen(words[w])))
			return 90;
	return head[i] == '[' && head[k] == ']' ? 90 : 5;
}

const gs_reader gs_reader_json = {"json", probe_json, read_json};
