/* Handles: making them, reading into them, how calls end. */
#include "analyzer/api/handle.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/api/timelines.h"
#include "analyzer/open/input.h"
#include "analyzer/open/rank.h"
#include "analyzer/query/part.h"
#include "schema/version.h"

unsigned gpusnap_analyzer_abi(void) { return 2; }
const char *gpusnap_analyzer_version(void) { return GS_RELEASE; }

void *gpusnap_analyzer_alloc(size_t n) { return malloc(n ? n : 1); }
void gpusnap_analyzer_free(void *memory) { free(memory); }

gpusnap_snapshot *gpusnap_snapshot_new(void)
{
	gpusnap_snapshot *s = calloc(1, sizeof *s);
	if (s)
		gs_snapshot_init(&s->snapshot);
	return s;
}

void gpusnap_snapshot_close(gpusnap_snapshot *s)
{
	if (!s)
		return;
	gs_api_timelines_release(s);
	gs_snapshot_release(&s->snapshot);
	free(s);
}

int gs_api_end(gpusnap_snapshot *s, gs_status status, const gs_error *err)
{
	memset(&s->error, 0, sizeof s->error);
	if (!status)
		return GPUSNAP_DONE;
	s->error = *err;
	if (!s->error.text[0])
		snprintf(s->error.text, sizeof s->error.text, "%s", gs_status_text(status));
	return status == GS_INVALID || status == GS_DENIED || status == GS_NOT_FOUND ? GPUSNAP_USAGE
																				 : GPUSNAP_FAILED;
}

int gs_api_begin(gpusnap_snapshot *s, char **out, size_t *n)
{
	gs_error err = GS_ERROR_INIT;
	*out = NULL;
	*n = 0;
	if (s->read)
		return GPUSNAP_DONE;
	return gs_api_end(s, gs_fail(&err, GS_INVALID, "nothing has been read yet"), &err);
}

static int begin_reading(gpusnap_snapshot *s)
{
	gs_error err = GS_ERROR_INIT;
	if (!s->read)
		return GPUSNAP_DONE;
	return gs_api_end(s, gs_fail(&err, GS_INVALID, "the handle holds a snapshot already"), &err);
}

/* Where the file was cut, that is told first. */
static void keep_cut(void *handle, const char *file, const char *text)
{
	gpusnap_snapshot *s = handle;
	(void)file;
	if (!s->cut[0])
		snprintf(s->cut, sizeof s->cut, "%s", text);
}

/* A file that cannot be read has failed, whatever the reason. */
static int end_reading(gpusnap_snapshot *s, gs_status status, const gs_error *err)
{
	s->read = !status;
	if (s->read && !s->snapshot.complete && s->snapshot.cut_at)
		gs_input_tell(&s->snapshot, keep_cut, s);
	return gs_api_end(s, status, err) ? GPUSNAP_FAILED : GPUSNAP_DONE;
}

/* A whole run of more events than fit in memory well is read around its last failure, or its end:
 * what-if takes the rest from the file again. Small files hold no such run, and are read once. */
static gs_status read_entry(const gs_input_entry *entry, gs_snapshot *s, gs_error *err)
{
	enum { WHOLE_EVENTS = 1 << 23, SMALL = 1 << 24 };
	static const gs_part_wanted part = {
		.whole_below = WHOLE_EVENTS, .reach = GS_INPUT_WHOLE_EVENTS / 4, .course = true};
	struct stat st;
	bool small = entry->id || stat(entry->path, &st) || st.st_size < SMALL;
	return small ? gs_input_read(entry, GS_WANT_ALL, s, err)
				 : gs_part_read(entry, GS_WANT_ALL, &part, s, err);
}

static gs_status read_number(
	gpusnap_snapshot *s, const gs_input_list *list, unsigned number, gs_error *err)
{
	if (number >= list->n)
		return gs_fail(
			err, GS_NOT_FOUND, "it holds %zu snapshot%s", list->n, list->n == 1 ? "" : "s");
	gs_snapshot_release(&s->snapshot);
	return read_entry(&list->entries[number], &s->snapshot, err);
}

int gpusnap_snapshot_open(gpusnap_snapshot *s, const char *path, unsigned number)
{
	gs_input_list list = GS_INPUT_LIST_INIT;
	gs_error err = GS_ERROR_INIT;
	if (begin_reading(s))
		return GPUSNAP_USAGE;
	gs_status status = gs_input_expand(&path, 1, NULL, NULL, &list, &err);
	if (!status)
		status = read_number(s, &list, number, &err);
	gs_input_list_release(&list);
	return end_reading(s, status, &err);
}

typedef struct bytes {
	const unsigned char *at;
	size_t left;
} bytes;

static size_t next_bytes(void *context, void *buf, size_t n)
{
	bytes *b = context;
	n = n < b->left ? n : b->left;
	memcpy(buf, b->at, n);
	b->at += n;
	b->left -= n;
	return n;
}

int gpusnap_snapshot_open_memory(gpusnap_snapshot *s, const void *data, size_t n, const char *name)
{
	bytes b = {data, n};
	return gpusnap_snapshot_open_stream(s, next_bytes, &b, n, name);
}

int gs_api_open_stream(gpusnap_snapshot *s, gpusnap_read *read, void *context, uint64_t size,
	const char *name, unsigned want)
{
	gs_error err = GS_ERROR_INIT;
	if (begin_reading(s))
		return GPUSNAP_USAGE;
	gs_snapshot_release(&s->snapshot);
	gs_status status = gs_read_stream(read, context, size, name, want, &s->snapshot, &err);
	if (!status && name && s->snapshot.rank == GS_NONE)
		s->snapshot.rank = gs_rank_of_path(name);
	return end_reading(s, status, &err);
}

int gpusnap_snapshot_open_stream(
	gpusnap_snapshot *s, gpusnap_read *read, void *context, uint64_t size, const char *name)
{
	return gs_api_open_stream(s, read, context, size, name, GS_WANT_ALL);
}

const char *gpusnap_snapshot_error(const gpusnap_snapshot *s) { return s->error.text; }

const char *gpusnap_snapshot_warning(const gpusnap_snapshot *s, size_t number)
{
	if (s->cut[0] && number-- == 0)
		return s->cut;
	return s->read && number < s->snapshot.nwarnings ? s->snapshot.warnings[number].text : NULL;
}

gs_status gs_api_answer_open(gs_api_answer *a, gs_error *err)
{
	memset(a, 0, sizeof *a);
	a->stream = open_memstream(&a->text, &a->n);
	return a->stream ? GS_OK : gs_fail(err, GS_NO_MEMORY, "no memory for an answer");
}

gs_status gs_api_answer_finish(
	gs_api_answer *a, gs_status status, char **out, size_t *n, gs_error *err)
{
	if (fclose(a->stream) && !status)
		status = gs_fail(err, GS_NO_MEMORY, "no memory for an answer");
	if (status) {
		free(a->text);
		return status;
	}
	*out = a->text;
	*n = a->n;
	return GS_OK;
}
