/* All readers, and what each runs in: bounded memory, the rest of a packed file checked. */
#include "analyzer/read/open/reader.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/model/memory.h"
#include "schema/bytes.h"
#include "schema/gsnap_read.h"
#include "schema/size.h"

static const gs_reader *const readers[] = {
#define GS_READER(name) &gs_reader_##name,
#include "analyzer/read/open/readers.def"
#undef GS_READER
};

gs_status gs_reader_pick(gs_source *source, const gs_reader **out, gs_error *err)
{
	return gs_reader_pick_of(readers, sizeof readers / sizeof *readers, source, out, err);
}

/* --- memory -------------------------------------------------------------------------------------
 */

enum {
	BASE_MIB = 24,
	GSNAP_MIB = 52,
	FOR_A_BYTE = 4,
	FOR_A_PACKED_BYTE = 16,
	FOR_A_GSNAP_BYTE = 20
};

typedef struct allowance {
	const gs_source *source;
	bool gsnap;
	uint64_t asked;
} allowance;

/* A byte of an honest file becomes about half a byte here (an event is written in 100 to 190 bytes
 * and kept in 40 to 45), one of a file in zstd up to 12 (published files: 3.6 to 9 bytes an event),
 * one of a .gsnap up to 18 (2.3 to 5). */
static uint64_t limit_of(const void *of)
{
	const allowance *a = of;
	uint64_t bytes = gs_source_bytes(a->source),
			 most = ((uint64_t)(a->gsnap ? GSNAP_MIB : BASE_MIB) << 20) + FOR_A_BYTE * bytes;
	uint64_t packed = (uint64_t)(a->gsnap                   ? FOR_A_GSNAP_BYTE
							  : gs_source_packed(a->source) ? FOR_A_PACKED_BYTE
															: 0) *
		bytes;
	most = packed > most ? packed : most;
	most = a->asked > most ? a->asked : most;
	uint64_t window = gs_source_held(a->source);
	return most > window ? most - window : 0;
}

static uint64_t asked_memory(void)
{
	const char *text = getenv("GPUSNAP_READ_MEMORY");
	uint64_t size = 0;
	return text && gs_size_parse(text, &size, NULL) == GS_OK ? size : 0;
}

static gs_status too_much(const gs_source *source, uint64_t limit, gs_error *err)
{
	char text[32];
	return gs_fail(err, GS_LIMIT,
		"its content needs more than %s of memory, far more than files of this size do, at byte %llu (GPUSNAP_READ_MEMORY=SIZE allows more)",
		gs_size_format(text, sizeof text, limit), (unsigned long long)gs_source_offset(source));
}

gs_status gs_reader_run(
	const gs_reader *reader, gs_source *source, unsigned want, gs_snapshot *s, gs_error *err)
{
	allowance a = {source, reader == &gs_reader_gsnap, asked_memory()};
	gs_account account;
	gs_account_open(&account, limit_of, &a);
	gs_status status = reader->read(source, want, s, err);
	gs_account_close(&account);
	return account.exceeded ? too_much(source, limit_of(&a), err) : status;
}

/* A reader stops where its document ends; the checksum of packed data comes behind that. Of a cut
 * text the reader has told. */
static gs_status check_rest(gs_source *source, const gs_snapshot *s, gs_error *err)
{
	const unsigned char *at;
	size_t n;
	if (!gs_source_packed(source) || !s->complete)
		return GS_OK;
	while ((n = gs_source_peek(source, 1, &at)))
		gs_source_skip(source, n);
	return gs_source_status(source, err);
}

/* Only of a stream a moment is read by itself, with the rest passed over. */
static bool is_stream(gs_source *source)
{
	const unsigned char *head;
	size_t n = gs_source_peek(source, GS_GSNAP_HEADER_SIZE, &head);
	return n >= GS_GSNAP_HEADER_SIZE && gs_gsnap_probe(head, n) &&
		gs_get_le(head + 18, 2) == GS_GSNAP_STREAM;
}

static gs_status read_source(
	gs_source *source, const char *path, unsigned want, gs_snapshot *s, gs_error *err)
{
	const gs_reader *reader = NULL;
	bool sum = want & GS_WANT_SUM && path && !(gs_source_moment(source) && is_stream(source));
	if (sum)
		gs_source_hash(source);
	gs_status status = gs_reader_pick(source, &reader, err);
	if (!status)
		status = gs_reader_run(reader, source, want, s, err);
	if (!status)
		status = check_rest(source, s, err);
	if (!status && sum)
		status = gs_source_digest(source, s->sha256, err);
	if (!status && path) {
		s->path = gs_snapshot_text(s, path, strlen(path));
		status = s->path ? GS_OK : gs_no_memory(err);
	}
	return status ? status : gs_snapshot_finish(s, err);
}

static gs_status read_and_close(
	gs_source *source, const char *path, unsigned want, gs_snapshot *s, gs_error *err)
{
	gs_snapshot_init(s);
	gs_status status = read_source(source, path, want, s, err);
	if (status)
		gs_snapshot_release(s);
	gs_source_close(source);
	return status;
}

gs_status gs_read_path(const char *path, unsigned want, gs_snapshot *s, gs_error *err)
{
	gs_source *source = NULL;
	gs_snapshot_init(s);
	gs_status status = gs_source_open(path, &source, err);
	return status ? status : read_and_close(source, path, want, s, err);
}

gs_status gs_read_moment(
	const char *path, unsigned want, const gs_moment_wanted *moment, gs_snapshot *s, gs_error *err)
{
	gs_source *source = NULL;
	gs_snapshot_init(s);
	gs_status status = gs_source_open(path, &source, err);
	if (status)
		return status;
	gs_source_choose_moment(source, moment);
	return read_and_close(source, path, want, s, err);
}

gs_status gs_read_part(
	const char *path, unsigned part, unsigned want, gs_snapshot *s, gs_error *err)
{
	gs_source *source = NULL;
	gs_snapshot_init(s);
	gs_status status = gs_source_open(path, &source, err);
	if (status)
		return status;
	gs_source_choose_part(source, part);
	status = read_and_close(source, path, want, s, err);
	if (!status)
		s->part = part;
	return status;
}

gs_status gs_read_stream(gs_source_fill *fill, void *context, uint64_t size, const char *path,
	unsigned want, gs_snapshot *s, gs_error *err)
{
	gs_source *source = NULL;
	gs_snapshot_init(s);
	gs_status status = gs_source_stream(fill, context, size, &source, err);
	return status ? status : read_and_close(source, path, want, s, err);
}

gs_status gs_read_memory(const void *data, size_t n, unsigned want, gs_snapshot *s, gs_error *err)
{
	gs_source *source = NULL;
	gs_snapshot_init(s);
	gs_status status = gs_source_memory(data, n, &source, err);
	return status ? status : read_and_close(source, NULL, want, s, err);
}
