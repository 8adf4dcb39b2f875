#include "analyzer/read/gsnap/directory.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/model/memory.h"
#include "analyzer/read/gsnap/gsnap_internal.h"

enum {
	CHUNK = 32 << 10,
	MOST_BACK = 256 << 20, /* how far from the end the last index is looked for */
	MOST_INDEXES = 1 << 20
};

void gs_gsnap_directory_release(gs_gsnap_directory *d)
{
	gs_memory_give(d->places);
	*d = (gs_gsnap_directory)GS_GSNAP_DIRECTORY_INIT;
}

gs_status gs_gsnap_directory_add(gs_gsnap_directory *d, gs_gsnap_place place, gs_error *err)
{
	if (!GS_ARRAY_RESERVE(d->places, d->cap, d->n + 1))
		return gs_no_memory(err);
	d->places[d->n++] = place;
	return GS_OK;
}

/* The last whole section of kind index among n bytes; n where there is none. */
static size_t last_index(const unsigned char *p, size_t n, uint64_t left, uint32_t *packed)
{
	for (size_t i = n; i-- > 0;)
		if (p[i] == (GS_GSNAP_SKIPPABLE & 255) &&
			gs_section_header_is(p + i, n - i, GS_SECTION_INDEX, packed) &&
			GS_GSNAP_SECTION_SIZE + *packed <= n - i + left)
			return i;
	return n;
}

/* Goes back from the end, by chunks that overlap by a header. */
static bool find_last(gs_source *source, uint64_t size, uint64_t *offset, uint32_t *packed)
{
	uint64_t end = size, least = size > MOST_BACK ? size - MOST_BACK : 0;
	while (end > least) {
		uint64_t from = end > CHUNK ? end - CHUNK : 0;
		const unsigned char *p;
		uint64_t want = end - from + GS_GSNAP_SECTION_SIZE;
		if (!gs_source_seek(source, from))
			return false;
		size_t n = gs_source_peek(source, (size_t)want, &p);
		n = n < want ? n : (size_t)want;
		uint64_t left = size > from + n ? size - from - n : 0;
		size_t at = last_index(p, n, left, packed);
		if (at < n) {
			*offset = from + at;
			return true;
		}
		end = from;
	}
	return false;
}

/* The rows of one index, and where the one before is. */
static gs_status read_index(gs_gsnap_directory *d, gs_source *source, gs_sections *sections,
	uint64_t *offset, gs_error *err)
{
	gs_section section;
	if (!gs_source_seek(source, *offset))
		return gs_fail(err, GS_IO, "it cannot be read twice");
	gs_sections_jump(sections, *offset, true);
	gs_status status = gs_sections_next(sections, &section, err);
	if (!status && section.kind != GS_SECTION_INDEX)
		return gs_fail(err, GS_FORMAT, "no index at byte %llu", (unsigned long long)*offset);
	if (!status)
		status = gs_sections_load(sections, false, err);
	uint64_t before = 0;
	for (uint32_t i = 0; !status && i < section.rows; i++) {
		gs_row_index row;
		gs_sections_row(sections, i, &row);
		before = i ? before : row.before;
		if (row.offset >= *offset || (i && row.before))
			return gs_fail(err, GS_FORMAT, "the index at byte %llu tells of what comes later",
				(unsigned long long)*offset);
		status = gs_gsnap_directory_add(
			d, (gs_gsnap_place){row.offset, row.idx, row.device, row.kind}, err);
	}
	if (!status && before >= *offset)
		return gs_fail(
			err, GS_FORMAT, "the index at byte %llu follows itself", (unsigned long long)*offset);
	*offset = before;
	return status;
}

static int by_offset(const void *a, const void *b)
{
	const gs_gsnap_place *x = a, *y = b;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

gs_status gs_gsnap_directory_read(gs_gsnap_directory *d, gs_source *source, gs_error *err)
{
	gs_sections *sections = NULL;
	gs_error why = GS_ERROR_INIT;
	uint64_t size = gs_source_file_size(source), offset;
	uint32_t packed;
	if (!gs_source_rewind(source) ||
		gs_sections_open(&sections, (gs_section_input){gs_gsnap_input, source}, &why))
		return gs_fail(err, GS_NOT_FOUND, "no index");
	bool found = gs_sections_is_stream(sections) && find_last(source, size, &offset, &packed);
	gs_status status = found ? GS_OK : GS_NOT_FOUND;
	if (found)
		d->behind = offset + GS_GSNAP_SECTION_SIZE + packed;
	for (uint32_t i = 0; !status && offset; i++)
		status = i < MOST_INDEXES ? read_index(d, source, sections, &offset, &why) : GS_LIMIT;
	gs_sections_close(sections);
	if (!status && d->n)
		qsort(d->places, d->n, sizeof *d->places, by_offset);
	if (status && status != GS_NO_MEMORY)
		return gs_fail(err, GS_NOT_FOUND, "no index");
	return status ? gs_fail(err, status, "out of memory") : GS_OK;
}
