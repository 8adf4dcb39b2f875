/* .gsnap files in memory. */
#include "tests/unit/gsnap_memory.h"

#include <check.h>
#include <stdlib.h>
#include <zstd.h>

#include "schema/bytes.h"
#include "schema/crc32.h"

gs_status memory_sink(void *arg, const void *data, size_t n)
{
	memory_file *file = arg;
	if (file->fail_at && file->n + n > file->fail_at)
		return GS_IO;
	if (file->n + n > file->cap) {
		file->cap = 2 * (file->n + n);
		file->data = realloc(file->data, file->cap);
		ck_assert_ptr_nonnull(file->data);
	}
	memcpy(file->data + file->n, data, n);
	file->n += n;
	return GS_OK;
}

static gs_status read_memory(void *arg, void *buf, size_t n, size_t *got, gs_error *err)
{
	memory_file *file = arg;
	(void)err;
	*got = n < file->n - file->at ? n : file->n - file->at;
	if (buf)
		memcpy(buf, file->data + file->at, *got);
	file->at += *got;
	return GS_OK;
}

gs_section_input memory_input(memory_file *file)
{
	file->at = 0;
	return (gs_section_input){read_memory, file};
}

void memory_release(memory_file *file)
{
	free(file->data);
	memset(file, 0, sizeof *file);
}

gs_writer *memory_writer(memory_file *file, void **workspace)
{
	gs_writer *w = NULL;
	size_t size = gs_writer_workspace(3);
	*workspace = malloc(size);
	ck_assert_ptr_nonnull(*workspace);
	ck_assert_int_eq(gs_writer_init(*workspace, size, 3, memory_sink, file, &w), GS_OK);
	return w;
}

gs_status memory_read_all(memory_file *file, uint64_t rows[GS_SECTION_KINDS], gs_error *err)
{
	gs_sections *r = NULL;
	gs_section section;
	gs_status status = gs_sections_open(&r, memory_input(file), err);
	while (!status && !(status = gs_sections_next(r, &section, err)))
		status = gs_sections_load(r, true, err);
	for (unsigned k = 0; r && rows && k < GS_SECTION_KINDS; k++)
		rows[k] = gs_sections_rows(r, k);
	gs_sections_close(r);
	return status;
}

void memory_put_section(memory_file *file, gs_section *s, const void *raw, size_t n)
{
	unsigned char h[GS_GSNAP_SECTION_SIZE];
	size_t cap = ZSTD_compressBound(n);
	unsigned char *packed = malloc(cap);
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
	s->raw = (uint32_t)n;
	s->packed = (uint32_t)ZSTD_compress2(zstd, packed, cap, raw, n);
	gs_put_le(h, GS_GSNAP_SKIPPABLE, 4);
	gs_put_le(h + 4, sizeof h - 8, 4);
	gs_put_le(h + 8, s->kind, 2);
	gs_put_le(h + 10, s->flags, 2);
	gs_put_le(h + 12, s->sequence, 4);
	gs_put_le(h + 16, (uint32_t)s->device, 4);
	gs_put_le(h + 20, s->rows, 4);
	gs_put_le(h + 24, s->first, 8);
	gs_put_le(h + 32, s->packed, 4);
	gs_put_le(h + 36, s->raw, 4);
	gs_put_le(h + 40, gs_crc32(0, h, 40), 4);
	memory_sink(file, h, sizeof h);
	memory_sink(file, packed, s->packed);
	ZSTD_freeCCtx(zstd);
	free(packed);
}

void memory_rewrite(
	memory_file *to, memory_file *from, uint32_t sequence, memory_change change, void *arg)
{
	memory_sink(to, from->data, GS_GSNAP_HEADER_SIZE);
	for (size_t at = GS_GSNAP_HEADER_SIZE; at < from->n;) {
		const unsigned char *h = from->data + at;
		gs_section s = {.kind = (uint16_t)gs_get_le(h + 8, 2),
			.flags = (uint16_t)gs_get_le(h + 10, 2),
			.sequence = (uint32_t)gs_get_le(h + 12, 4),
			.device = (int32_t)(uint32_t)gs_get_le(h + 16, 4),
			.rows = (uint32_t)gs_get_le(h + 20, 4),
			.first = gs_get_le(h + 24, 8)};
		size_t packed = gs_get_le(h + 32, 4), n = gs_get_le(h + 36, 4);
		if (s.sequence == sequence) {
			unsigned char *raw = calloc(1, n + 4096);
			ck_assert_uint_eq(ZSTD_decompress(raw, n, h + GS_GSNAP_SECTION_SIZE, packed), n);
			change(&s, raw, &n, arg);
			memory_put_section(to, &s, raw, n);
			free(raw);
		} else {
			memory_sink(to, h, GS_GSNAP_SECTION_SIZE + packed);
		}
		at += GS_GSNAP_SECTION_SIZE + packed;
	}
}

void memory_worked_file(memory_file *file)
{
	void *workspace;
	gs_writer *w = memory_writer(file, &workspace);
	gs_writer_process(w,
		&(gs_row_process){
			.library = gs_span_of("gpusnap"), .pid = 7, .rank = GS_NONE, .time_us = GS_NONE});
	gs_writer_device(w,
		&(gs_row_device){.device = 0,
			.capacity = 1 << 30,
			.device_free = GS_NONE,
			.allowed = GS_NONE,
			.reserved = GS_NONE,
			.allocated = GS_NONE,
			.others = GS_NONE,
			.idx = GS_NONE,
			.complete = 1});
	gs_id f = gs_writer_string(w, gs_span_of("f")), g = gs_writer_string(w, gs_span_of("g"));
	gs_id frames[2] = {gs_writer_frame(w, &(gs_row_frame){.name = f, .line = 3}),
		gs_writer_frame(w, &(gs_row_frame){.name = g, .line = GS_NONE})};
	gs_id both = gs_writer_stack(w, frames, 2);
	gs_writer_stack(w, frames + 1, 1);
	gs_writer_segment(w, &(gs_row_segment){.address = 0x7f0000000000, .size = 2 << 20});
	gs_writer_block(w,
		&(gs_row_block){.segment = 1,
			.address = 0x7f0000000000,
			.size = 512,
			.requested = 500,
			.idx = 1,
			.stack = both});
	gs_writer_block(w,
		&(gs_row_block){.segment = 1,
			.address = 0x7f0000000200,
			.size = (2 << 20) - 512,
			.requested = GS_NONE,
			.idx = GS_NONE,
			.state = GS_INACTIVE});
	gs_writer_event(w,
		&(gs_row_event){.action = GS_ACTION_SEGMENT_ALLOC,
			.address = 0x7f0000000000,
			.size = 2 << 20,
			.time_us = 1700000000000000,
			.stack = both});
	gs_writer_event(w,
		&(gs_row_event){.action = GS_ACTION_ALLOC,
			.address = 0x7f0000000000,
			.size = 500,
			.time_us = 1700000000000002,
			.stack = both});
	ck_assert_int_eq(gs_writer_finish(w), GS_OK);
	free(workspace);
}

static void small_tables(gs_writer *w)
{
	gs_id name = gs_writer_string(w, gs_span_of("forward")),
		  file = gs_writer_string(w, gs_span_of("train.py"));
	gs_id tag = gs_writer_string(w, gs_span_of("optimizer")),
		  stat = gs_writer_string(w, gs_span_of("reserved_bytes"));
	gs_id module = gs_writer_module(w,
		&(gs_row_module){
			gs_span_of("/usr/lib/libdemo.so"), {"\x01\x02\x03\x04", 4}, 0x7f1200000000, 0x20000});
	gs_id frames[2] = {gs_writer_frame(w, &(gs_row_frame){.name = name, .file = file, .line = 12}),
		gs_writer_frame(
			w, &(gs_row_frame){.line = GS_NONE, .address = 0x7f1200001234, .module = module})};
	ck_assert_uint_eq(gs_writer_stack(w, frames, 2), 1);
	ck_assert_uint_eq(gs_writer_stack(w, frames + 1, 1), 2);
	ck_assert_uint_eq(gs_writer_tag(w, tag), 1);
	for (int d = 0; d < 2; d++)
		gs_writer_segment(w,
			&(gs_row_segment){.device = d,
				.address = 0x7f0000000000 + (uint64_t)d * 0x100000000,
				.size = 20 << 20,
				.pool = GS_LARGE,
				.stack = 1});
	for (int d = 0; d < 2; d++) {
		uint64_t at = 0x7f0000000000 + (uint64_t)d * 0x100000000;
		gs_writer_block(w,
			&(gs_row_block){.device = d,
				.segment = 1 + (uint64_t)d,
				.address = at,
				.size = 4 << 20,
				.requested = 4000000,
				.idx = 1,
				.stack = 2,
				.tag = 1});
		gs_writer_block(w,
			&(gs_row_block){.device = d,
				.segment = 1 + (uint64_t)d,
				.address = at + (4 << 20),
				.size = 16 << 20,
				.requested = GS_NONE,
				.idx = GS_NONE,
				.state = GS_INACTIVE});
	}
	gs_writer_stat(w, &(gs_row_stat){0, stat, 0, 20 << 20, 20 << 20, 20 << 20, 0});
}

void memory_small_file(memory_file *file)
{
	void *workspace;
	gs_writer *w = memory_writer(file, &workspace);
	gs_writer_process(w,
		&(gs_row_process){.host = gs_span_of("node7"),
			.tool = gs_span_of("gpusnap 1.0"),
			.argv = {"train\0--fast", 12},
			.rules = gs_span_of("2.13"),
			.library = gs_span_of("gpusnap"),
			.pid = 4711,
			.rank = 3,
			.time_us = 1700000000000000});
	for (int d = 0; d < 2; d++)
		gs_writer_device(w,
			&(gs_row_device){.device = d,
				.name = gs_span_of("Simulated"),
				.capacity = 64 << 20,
				.device_free = 44 << 20,
				.allowed = GS_NONE,
				.reserved = GS_NONE,
				.allocated = GS_NONE,
				.others = 0,
				.idx = GS_NONE,
				.complete = 1,
				.layout_at_oom = d == 1});
	gs_writer_setting(w, gs_span_of("max_split_size_mb"), gs_span_of("64"));
	small_tables(w);
	gs_writer_oom(w,
		&(gs_row_oom){GS_ROW_OOM_UNTOLD, .device = 1, .idx = 2, .time_us = 1700000000000100,
			.requested = 60 << 20, .needed = 60 << 20, .stream = 0, .has_pool_id = true,
			.pool = GS_LARGE, .device_free = 44 << 20, .capacity = 64 << 20, .allocated = 4 << 20,
			.reserved = 20 << 20, .allowed = GS_NONE, .library = gs_span_of("gpusnap"),
			.message = gs_span_of("CUDA out of memory."), .stack = 2});
	gs_writer_annotation(w, &(gs_row_annotation){0, 1, 3, 1700000000000050});
	gs_writer_warning(w, gs_span_of("a warning"));
	for (int d = 0; d < 2; d++) {
		uint64_t at = 0x7f0000000000 + (uint64_t)d * 0x100000000;
		gs_writer_event(w,
			&(gs_row_event){.device = d,
				.address = at,
				.size = 20 << 20,
				.time_us = 1700000000000001,
				.has_pool_id = true,
				.stack = 2,
				.action = GS_ACTION_SEGMENT_ALLOC});
		gs_writer_event(w,
			&(gs_row_event){.device = d,
				.address = at,
				.size = 4000000,
				.time_us = 1700000000000003,
				.nanos = 250,
				.has_pool_id = true,
				.stack = 2,
				.tag = 1,
				.action = GS_ACTION_ALLOC});
	}
	ck_assert_int_eq(gs_writer_event(w,
						 &(gs_row_event){.device = 1,
							 .device_free = 44 << 20,
							 .size = 60 << 20,
							 .time_us = 1700000000000100,
							 .stack = 2,
							 .action = GS_ACTION_OOM}),
		GS_OK);
	ck_assert_int_eq(gs_writer_finish(w), GS_OK);
	free(workspace);
}
