/* Parts of a stream: what its indexes and section headers tell is followed to the moment asked for,
 * and the moment is found; and the whole of it, replayed a few events at a time. The input is a
 * program for the writer, so that checksums hold; then bytes of the file are changed, and it is
 * cut.
 *
 * Input: what (1), number (2), reach (2), cut (2), changes (1) of place (2) and value (1); then
 * operations of a kind (1) and four bytes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyzer/meaning/course.h"
#include "analyzer/read/open/reader.h"
#include "analyzer/read/run.h"
#include "analyzer/replay/whatif.h"
#include "analyzer/state/state.h"
#include "schema/bytes.h"
#include "schema/gsnap_write.h"
#include "tests/fuzz/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROOM = 1 << 20, MOST_OPERATIONS = 2000 };

static struct {
	unsigned char data[ROOM];
	size_t n;
} file;

static gs_status take(void *arg, const void *data, size_t n)
{
	(void)arg;
	if (n > ROOM - file.n)
		return GS_LIMIT;
	memcpy(file.data + file.n, data, n);
	file.n += n;
	return GS_OK;
}

static void put_events(gs_writer *w, const uint8_t *op)
{
	for (unsigned i = 0; i <= op[2]; i++) {
		gs_row_event row = {.device = op[1] % 3,
			.address = 4096u * (1 + (op[3] + i) % 16u),
			.size = op[4] * 512u,
			.time_us = i,
			.action = (uint8_t)((op[3] >> 4) + i % 3),
			.device_free = GS_NONE};
		gs_writer_event(w, &row);
	}
}

static void put_figures(gs_writer *w, const uint8_t *op)
{
	const gs_row_figures row = {.device = op[1] % 3,
		.first = op[2],
		.events = op[3],
		.until_us = op[4],
		.most_allocated = op[4],
		.allocated_idx = op[2] + op[3] / 2u,
		.reserved_idx = op[4]};
	gs_writer_figures(w, &row);
}

static void put_layout(gs_writer *w, const uint8_t *op)
{
	const gs_row_device device = {.device = op[1] % 3,
		.capacity = GS_NONE,
		.device_free = op[2],
		.allowed = GS_NONE,
		.reserved = GS_NONE,
		.allocated = GS_NONE,
		.others = GS_NONE,
		.idx = (int8_t)op[2] * (op[4] & 2 ? 40 : 1),
		.complete = 1,
		.no_layout = op[4] & 1};
	const gs_row_segment segment = {.device = op[1] % 3, .address = 4096, .size = 1 << 20};
	gs_writer_device(w, &device);
	if (op[4] & 1)
		return;
	if (op[3] & 1)
		gs_writer_segment(w, &segment);
	const gs_row_block block = {.device = op[1] % 3,
		.segment = gs_writer_rows(w, GS_SECTION_SEGMENT),
		.address = 4096,
		.size = 1 << 20,
		.requested = op[3],
		.idx = GS_NONE,
		.state = op[3] >> 1 & 1};
	if (op[3] & 1)
		gs_writer_block(w, &block);
	if (!(op[4] & 4))
		gs_writer_end_layout(w);
}

static void put_oom(gs_writer *w, const uint8_t *op)
{
	gs_row_oom row = {GS_ROW_OOM_UNTOLD, .device = op[1] % 3, .idx = op[2], .requested = op[3]};
	gs_writer_oom(w, &row);
}

static void write_stream(const uint8_t *data, size_t size)
{
	static void *workspace;
	gs_writer *w;
	size_t bytes = gs_writer_workspace(1);
	if (!workspace)
		workspace = aligned_alloc(64, (bytes + 63) / 64 * 64);
	file.n = 0;
	if (!workspace || gs_writer_init_stream(workspace, bytes, 1, take, NULL, &w))
		return;
	gs_writer_process(w, &(gs_row_process){.pid = 1, .rank = GS_NONE, .time_us = GS_NONE});
	put_layout(w, (const uint8_t[]){0, 0, 255, 0, 0}); /* no event stands without a device */
	for (int n = 0; size >= 5 && n < MOST_OPERATIONS; n++, data += 5, size -= 5)
		switch (data[0] % 8) {
		case 0: put_layout(w, data); break;
		case 1:
		case 2: put_events(w, data); break;
		case 3: put_figures(w, data); break;
		case 4: put_oom(w, data); break;
		case 5: gs_writer_index(w); break;
		case 6: gs_writer_flush(w); break;
		default: gs_writer_string(w, gs_span_of("text")); break;
		}
	gs_writer_finish(w);
}

static void look_at(gs_snapshot *s)
{
	gs_error err = GS_ERROR_INIT;
	for (size_t i = 0; i < s->ndevices; i++) {
		gs_device *d = &s->devices[i];
		gs_layout l;
		gs_layout_init(&l);
		if (gs_course_is_told(d) && !gs_course_complete(s, d, &err))
			gs_course_peak(d, true);
		gs_state_select(s, d, "captured", &l, NULL, &err);
		gs_layout_release(&l);
	}
}

static void replay_part(const gs_snapshot *part, const char *path, int32_t device)
{
	static const char *const confs[] = {"", "expandable_segments:True"};
	gs_whatif_options options = GS_WHATIF_OPTIONS_INIT;
	gs_error err = GS_ERROR_INIT;
	gs_run *run = NULL;
	gs_whatif w;
	if (gs_run_open(path, device, &run, &err))
		return;
	gs_event_source source = gs_run_events(run);
	source.window = 40;
	options.device = device;
	options.source = &source;
	if (!gs_whatif_open(&w, part, &options, &err))
		gs_whatif_try(&w, confs, 2, &err);
	gs_whatif_release(&w);
	gs_run_close(run);
}

static void read_it(const gs_moment_wanted *moment)
{
	char path[40];
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	int fd = memfd_create("stream", MFD_CLOEXEC);
	if (fd < 0 || write(fd, file.data, file.n) != (ssize_t)file.n)
		abort();
	snprintf(path, sizeof path, "/dev/fd/%d", fd);
	gs_fuzz_memory_begin(file.n);
	gs_status status = gs_read_moment(path, GS_WANT_ALL, moment, &s, &err);
	gs_fuzz_memory_end();
	if (!status) {
		look_at(&s);
		for (size_t i = 0; i < s.ndevices; i++)
			replay_part(&s, path, s.devices[i].device);
		gs_snapshot_release(&s);
	}
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { HEAD = 8 };
	if (size < HEAD || size - HEAD < data[7] * 3u)
		return 0;
	const uint8_t *changes = data + HEAD;
	write_stream(changes + data[7] * 3, size - HEAD - data[7] * 3u);
	for (unsigned i = 0; file.n && i < data[7]; i++, changes += 3)
		file.data[gs_get_le(changes, 2) % file.n] = changes[2];
	size_t cut = gs_get_le(data + 5, 2);
	file.n -= cut < file.n ? cut : 0;
	const struct gs_device_event events[] = {{1, gs_get_le(data + 1, 2)}};
	const gs_moment_wanted moment = {.what = data[0] % 4,
		.number = gs_get_le(data + 1, 2),
		.reach = gs_get_le(data + 3, 2),
		.events = events,
		.nevents = 1};
	read_it(&moment);
	return 0;
}
