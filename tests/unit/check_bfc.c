/* Dumps of the BFC allocator. The tests draw them from heaps of their own, in the words of each
 * release, and compare what is read with the heap. */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/read/open/reader.h"
#include "tests/unit/bfc_writer.h"
#include "tests/unit/skip.h"

static void read_log(gs_snapshot *s, const char *what, const char *log, size_t n)
{
	gs_error err = GS_ERROR_INIT;
	ck_assert_msg(gs_read_memory(log, n, GS_WANT_ALL, s, &err) == GS_OK, "%s: %s", what, err.text);
	ck_assert_msg(s->kind == GS_KIND_BFC, "%s: kind %d", what, (int)s->kind);
}

static void check_sums(const char *what, const gs_device *d, const bfc_heap *h)
{
	gs_totals t;
	ck_assert_msg(d && d->has_layout, "%s: no layout", what);
	gs_layout_totals(&d->captured, &t);
	ck_assert_msg(t.reserved == h->total, "%s: reserved %" PRIu64 ", not %" PRIu64, what,
		t.reserved, h->total);
	ck_assert_msg(t.allocated == h->in_use, "%s: allocated %" PRIu64 ", not %" PRIu64, what,
		t.allocated, h->in_use);
	ck_assert_msg(t.free == h->free, "%s: free %" PRIu64 ", not %" PRIu64, what, t.free, h->free);
	ck_assert_msg(t.free_blocks == (size_t)h->free_chunks, "%s: %zu holes, not %d", what,
		t.free_blocks, h->free_chunks);
	ck_assert_msg(d->captured.blocks[t.largest].size == h->largest, "%s: largest %" PRIu64, what,
		d->captured.blocks[t.largest].size);
}

static void check_heap(
	const char *what, const gs_snapshot *s, const gs_device *d, const bfc_heap *h, int segments)
{
	check_sums(what, d, h);
	const gs_layout *l = &d->captured;
	ck_assert_msg(l->exact && s->complete, "%s: not exact: %s", what, l->note);
	ck_assert_msg(
		l->nsegments == (size_t)segments, "%s: %zu segments, not %d", what, l->nsegments, segments);
	ck_assert_msg(
		l->nblocks == (size_t)h->chunks, "%s: %zu blocks, not %d", what, l->nblocks, h->chunks);
	for (int i = 0; i < h->chunks; i++) {
		ck_assert_uint_eq(l->blocks[i].address, h->chunk[i].address);
		ck_assert_uint_eq(l->blocks[i].size, h->chunk[i].size);
		ck_assert_int_eq(
			l->blocks[i].state, h->chunk[i].in_use ? GS_ACTIVE_ALLOCATED : GS_INACTIVE);
		if (segments == h->regions)
			ck_assert_uint_eq(l->blocks[i].segment, h->chunk[i].region);
	}
}

static const gs_stat *stat_of(const gs_snapshot *s, const char *name, const char *pool)
{
	for (size_t i = 0; i < s->nstats; i++)
		if (!strcmp(gs_string_text(s, s->stats[i].name), name) &&
			!strcmp(gs_string_text(s, s->stats[i].pool), pool))
			return &s->stats[i];
	return NULL;
}

START_TEST(a_whole_dump_gives_the_heap)
{
	enum bfc_style style = (enum bfc_style)_i;
	for (unsigned k = 1; k <= 12; k++) {
		bfc_heap h;
		bfc_text t = {0};
		gs_snapshot s;
		char what[64];
		bool regions_told = style >= TF_1_15;
		snprintf(what, sizeof what, "%s, seed %u", bfc_style_names[style], k);
		bfc_make_heap(&h, k, 1 + (int)k % REGIONS, k % 2);
		bfc_dump(&t, style, &h, 123456 * 256, 2);
		read_log(&s, what, t.s, t.n);

		const gs_device *d = gs_snapshot_find_device(&s, style == TF_0_8 ? 0 : 2);
		check_heap(what, &s, d, &h, regions_told || k % 2 ? h.regions : 1);
		if (style != JAX_NOW) {
			ck_assert_int_eq(d->allowed, (int64_t)h.limit);
			ck_assert_int_eq(stat_of(&s, "in_use", "all")->current, (int64_t)h.in_use);
			ck_assert_int_eq(stat_of(&s, "num_allocs", "all")->current, 4321);
		}
		ck_assert_ptr_null(stat_of(&s, "largest_free_block", "all"));
		ck_assert_uint_eq(s.nooms, 1);
		ck_assert_int_eq(s.ooms[0].device, d->device);
		ck_assert_int_eq(
			s.ooms[0].allocated, (int64_t)h.in_use); /* also where the statistics are rounded */
		ck_assert_str_eq(s.ooms[0].library, style == JAX_NOW ? s.ooms[0].library : "tensorflow");
		if (style >= TF_1_15)
			ck_assert_int_eq(s.ooms[0].requested, 123456 * 256);
		else /* shown with two decimals */
			ck_assert_int_lt(llabs(s.ooms[0].requested - 123456 * 256), 5244);
		ck_assert_int_eq(s.ooms[0].needed, GS_NONE);
		ck_assert(d->layout_at_oom);
		free(t.s);
		gs_snapshot_release(&s);
	}
}
END_TEST

START_TEST(a_dump_wrapped_by_a_terminal_gives_the_heap)
{
	enum bfc_style style = (enum bfc_style)_i;
	for (size_t width = 80; width < 140; width += 9) {
		bfc_heap h;
		bfc_text t = {0}, w = {0};
		gs_snapshot s;
		size_t column = 0;
		bfc_make_heap(&h, (unsigned)width, 3, true);
		bfc_dump(&t, style, &h, 99 * 256, 0);
		for (size_t i = 0; i < t.n; i++) {
			bfc_add(&w, "%c", t.s[i]);
			column = t.s[i] == '\n' ? 0 : column + 1;
			if (column == width && t.s[i + 1] != '\n') {
				bfc_add(&w, "\n");
				column = 0;
			}
		}
		read_log(&s, bfc_style_names[style], w.s, w.n);
		check_heap(bfc_style_names[style], &s, gs_snapshot_find_device(&s, 0), &h, 3);
		free(t.s);
		free(w.s);
		gs_snapshot_release(&s);
	}
}
END_TEST

/* What launchers, containers and pagers put before every line; %d is the line's number. */
static const char *const margins[] = {
	"worker-1  | ",
	"%d: ",
	"   %d  ",
	"[1,0]<stderr>:",
	"2024-05-06T07:08:09.123456789Z stderr F ",
	"Jun  7 08:09:10 node7 train[4242]: ",
	"[pod/train-0/main] ",
	"INFO:root:",
	"2024-05-06 07:08:09,%03d - train - INFO - ",
	"# ",
	"#033[34m",
	"{\"log\": \"",
	"rank %d| ",
	"> ",
};

START_TEST(a_margin_before_every_line_does_not_matter)
{
	enum bfc_style style = (enum bfc_style)_i;
	for (size_t m = 0; m < sizeof margins / sizeof *margins; m++) {
		bfc_heap h;
		bfc_text t = {0}, w = {0};
		gs_snapshot s;
		int number = 7;
		char what[96];
		snprintf(what, sizeof what, "%s behind '%s'", bfc_style_names[style], margins[m]);
		bfc_make_heap(&h, 900 + (unsigned)m, 3, true);
		bfc_dump(&t, style, &h, 99 * 256, 0);
		for (const char *line = t.s, *next; (next = strchr(line, '\n')); line = next + 1) {
			number = number * 3 % 997;
			const char *digits = strstr(margins[m], "%");
			if (digits)
				bfc_add(&w, digits[1] == '0' ? "%.*s%03d%s" : "%.*s%d%s",
					(int)(digits - margins[m]), margins[m], number, strchr(digits, 'd') + 1);
			else
				bfc_add(&w, "%s", margins[m]);
			bfc_add(&w, "%.*s\n", (int)(next - line), line);
		}
		read_log(&s, what, w.s, w.n);
		const gs_device *d = gs_snapshot_find_device(&s, 0);
		check_heap(what, &s, d, &h, 3);
		if (style != JAX_NOW)
			ck_assert_msg(d->allowed == (int64_t)h.limit, "%s: allowed %" PRId64, what, d->allowed);
		ck_assert_msg(s.nooms == 1, "%s: %zu rows", what, s.nooms);
		if (style != TF_0_8 && !strstr(margins[m], "07 "))
			ck_assert_msg(s.ooms[0].time_us != GS_NONE, "%s: no time", what);
		free(t.s);
		free(w.s);
		gs_snapshot_release(&s);
	}
}
END_TEST

enum { RANKS = 3 };

/* The lines of several logs, each behind its margin, as processes that write at once mix them. */
static void mix(bfc_text *w, const bfc_text *logs, const char *margin)
{
	const char *line[RANKS];
	int left = RANKS;
	for (int r = 0; r < RANKS; r++)
		line[r] = logs[r].s;
	while (left) {
		int r = (int)bfc_chance(RANKS);
		for (unsigned k = bfc_chance(6); k-- && *line[r];) {
			const char *next = strchr(line[r], '\n');
			bfc_add(w, margin, r);
			bfc_add(w, "%.*s\n", (int)(next - line[r]), line[r]);
			line[r] = next + 1;
			left -= !*line[r];
		}
	}
}

/* Up to TensorFlow 1.0 the message, which names the device, stood behind its dump. */
START_TEST(dumps_that_ranks_print_at_once_are_kept_apart)
{
	static const char *const of_rank[] = {
		"%d: ", "[rank%d]: ", "(Worker pid=70%d) ", "worker-%d  | ", "[1,%d]<stderr>:"};
	enum bfc_style style = (enum bfc_style)_i;
	for (size_t m = 0; m < sizeof of_rank / sizeof *of_rank; m++) {
		bfc_heap h[RANKS];
		bfc_text logs[RANKS] = {0}, w = {0};
		gs_snapshot s;
		char what[96];
		for (int r = 0; r < RANKS; r++) {
			bfc_make_heap(&h[r], 40 + (unsigned)r, r + 1, true);
			bfc_dump(&logs[r], style, &h[r], (uint64_t)(7000 + r) * 256, r);
		}
		mix(&w, logs, of_rank[m]);
		read_log(&s, of_rank[m], w.s, w.n);
		ck_assert_msg(s.nooms == RANKS, "%s behind '%s': %zu rows", bfc_style_names[style],
			of_rank[m], s.nooms);
		for (int r = 0; r < RANKS; r++) {
			snprintf(what, sizeof what, "%s, rank %d behind '%s'", bfc_style_names[style], r,
				of_rank[m]);
			const gs_device *d = gs_snapshot_find_device(&s, r);
			check_heap(what, &s, d, &h[r], r + 1);
			free(logs[r].s);
		}
		free(w.s);
		gs_snapshot_release(&s);
	}
}
END_TEST

/* A progress bar, a line of another process and a short one may follow a number at the end of a
 * long line. */
START_TEST(lines_of_others_in_between_do_not_matter)
{
	static const char *const others[] = {"  5%|#         | 10/200 [00:36<29:33, 2.21it/s]",
		"100%|##########| 200/200 [01:00<00:00, 3.33it/s]", "7it [00:01, 7.00it/s]",
		"12/99 [==>.....] - loss: 0.25", "42", "step 17 loss 0.5", "", "0.731 accuracy"};
	enum bfc_style style = (enum bfc_style)_i;
	for (unsigned k = 1; k <= 8; k++) {
		bfc_heap h;
		bfc_text t = {0}, w = {0};
		gs_snapshot s;
		bfc_make_heap(&h, 70 + k, 3, true);
		bfc_dump(&t, style, &h, 99 * 256, 0);
		for (const char *line = t.s, *next; (next = strchr(line, '\n')); line = next + 1) {
			bfc_add(&w, "%.*s\n", (int)(next - line), line);
			if (strstr(line, "of size") && strstr(line, "of size") < next && !bfc_chance(4))
				bfc_add(&w, "%s\n", others[bfc_chance(8)]);
		}
		read_log(&s, bfc_style_names[style], w.s, w.n);
		check_heap(bfc_style_names[style], &s, gs_snapshot_find_device(&s, 0), &h, 3);
		free(t.s);
		free(w.s);
		gs_snapshot_release(&s);
	}
}
END_TEST

START_TEST(lines_printed_twice_count_once)
{
	bfc_heap h;
	bfc_text t = {0}, w = {0};
	gs_snapshot s;
	bfc_make_heap(&h, 77, 2, false);
	bfc_dump(&t, TF_1_15, &h, 99 * 256, 0);
	for (char *line = strtok(t.s, "\n"); line; line = strtok(NULL, "\n"))
		if (!strstr(line, "of size") || strstr(line, "Chunks of size"))
			bfc_add(&w, "%s\n", line);
		else
			bfc_add(&w, "%s\n%s\n", line, line);
	read_log(&s, "twice", w.s, w.n);
	check_heap("twice", &s, gs_snapshot_find_device(&s, 0), &h, 2);
	free(t.s);
	free(w.s);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_dump_cut_at_its_end_says_so_and_keeps_the_sums_of_the_bins)
{
	enum bfc_style style = (enum bfc_style)_i;
	bfc_heap h;
	bfc_text t = {0};
	bfc_make_heap(&h, 5, 2, true);
	bfc_dump(&t, style, &h, 99 * 256, 0);
	size_t bins_end = (size_t)(strstr(t.s, "Bin for ") - t.s),
		   chunks_end = (size_t)(strstr(t.s, "Summary of in-use") - t.s);
	for (size_t n = bins_end; n < chunks_end; n += 1 + (chunks_end - bins_end) / 40) {
		gs_snapshot s;
		gs_totals sums;
		read_log(&s, bfc_style_names[style], t.s, n);
		const gs_device *d = gs_snapshot_find_device(&s, 0);
		ck_assert_msg(d && !s.complete && !d->captured.exact && s.cut_at == n, "%s cut at %zu",
			bfc_style_names[style], n);
		gs_layout_totals(&d->captured, &sums);
		double error = (double)sums.free / (double)h.free - 1;
		ck_assert_msg(error < 0.02 && error > -0.02, "%s cut at %zu: free %" PRIu64 " of %" PRIu64,
			bfc_style_names[style], n, sums.free, h.free);
		ck_assert_uint_eq(sums.free_blocks, h.free_chunks);
		bool named = false, cut = strstr(t.s + n, "\nFree") || strstr(t.s + n, "] Free");
		for (size_t i = 0; i < s.nwarnings; i++)
			named |= strstr(s.warnings[i].text, "bin lines") != NULL;
		ck_assert_msg(named || !cut, "%s cut at %zu", bfc_style_names[style], n);
		gs_snapshot_release(&s);
	}
	free(t.s);
}
END_TEST

START_TEST(a_dump_without_its_beginning_says_so_and_keeps_the_sums)
{
	enum bfc_style style = (enum bfc_style)_i;
	bfc_heap h;
	bfc_text t = {0};
	bfc_make_heap(&h, 6, 2, true);
	bfc_dump(&t, style, &h, 99 * 256, 0);
	const char *first = strstr(strstr(t.s, "Chunk State: "),
							style <= TF_1_4 ? "Chunk at" : "InUse at") +
		1;
	size_t from = (size_t)(first - t.s), to = (size_t)(strstr(t.s, "Summary of in-use") - t.s);
	for (size_t at = from; at < to; at += 1 + (to - from) / 20) {
		gs_snapshot s;
		gs_totals sums;
		read_log(&s, bfc_style_names[style], t.s + at, t.n - at);
		const gs_device *d = gs_snapshot_find_device(&s, 0);
		ck_assert_ptr_nonnull(d);
		gs_layout_totals(&d->captured, &sums);
		ck_assert_msg(!s.complete, "%s from %zu", bfc_style_names[style], at);
		if (style != JAX_NOW) /* which shortens its statistics */
			ck_assert_uint_eq(sums.allocated, h.in_use);
		if (style == TF_1_15 || style == TF_2_12)
			ck_assert_uint_eq(sums.reserved, h.total);
		gs_snapshot_release(&s);
	}
	free(t.s);
}
END_TEST

START_TEST(a_dump_without_its_message_tells_the_request)
{
	bfc_heap h;
	bfc_text t = {0};
	gs_snapshot s;
	bfc_make_heap(&h, 8, 2, true);
	bfc_dump(&t, TF_1_15, &h, 2048 * 256, 0);
	const char *from = strstr(t.s, "Bin (256)"), *to = strstr(from, "OP_REQUIRES");
	read_log(&s, "without its message", from,
		to ? (size_t)(to - from) : (size_t)(strstr(from, "Resource exhausted") - from));
	ck_assert_uint_eq(s.nooms, 1);
	ck_assert_int_eq(s.ooms[0].requested, 2048 * 256);
	ck_assert_int_eq(s.ooms[0].allowed, (int64_t)h.limit);
	ck_assert_int_eq(s.ooms[0].device, 0);
	check_heap("without its message", &s, &s.devices[0], &h, 2);
	free(t.s);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(the_last_dump_of_a_device_is_its_layout)
{
	enum bfc_style style = (enum bfc_style)_i;
	bfc_heap a, b;
	bfc_text t = {0};
	gs_snapshot s;
	bfc_make_heap(&a, 11, 2, true);
	bfc_make_heap(&b, 12, 3, true);
	bfc_dump(&t, style, &a, 5000 * 256, 0);
	bfc_add(&t, "step 17: trying again with a smaller batch\n");
	bfc_dump(&t, style, &b, 6000 * 256, 0);
	read_log(&s, bfc_style_names[style], t.s, t.n);
	check_heap(bfc_style_names[style], &s, gs_snapshot_find_device(&s, 0), &b, 3);
	ck_assert_uint_eq(s.nooms, 2);
	if (style >= TF_1_15) {
		ck_assert_int_eq(s.ooms[0].requested, 5000 * 256);
		ck_assert_int_eq(s.ooms[1].requested, 6000 * 256);
	}
	if (style < TF_1_15)
		ck_assert_int_gt(s.ooms[1].requested, s.ooms[0].requested);
	if (style != JAX_NOW) {
		ck_assert_int_eq(s.ooms[0].allocated, (int64_t)a.in_use);
		ck_assert_int_eq(s.ooms[1].allocated, (int64_t)b.in_use);
		ck_assert_int_eq(s.ooms[0].allowed, (int64_t)a.limit);
	}
	free(t.s);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(dumps_of_two_devices_are_two_layouts)
{
	bfc_heap a, b;
	bfc_text t = {0};
	gs_snapshot s;
	bfc_make_heap(&a, 21, 2, true);
	bfc_make_heap(&b, 22, 1, true);
	bfc_dump(&t, TF_2_12, &a, 5000 * 256, 1);
	bfc_dump(&t, TF_2_12, &b, 6000 * 256, 0);
	read_log(&s, "two devices", t.s, t.n);
	check_heap("device 1", &s, gs_snapshot_find_device(&s, 1), &a, 2);
	check_heap("device 0", &s, gs_snapshot_find_device(&s, 0), &b, 1);
	ck_assert_uint_eq(s.nooms, 2);
	ck_assert_int_eq(s.ooms[0].device, 0);
	ck_assert_int_eq(s.ooms[0].requested, 6000 * 256);
	free(t.s);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(the_tail_alone_tells_what_is_in_use)
{
	bfc_heap h;
	bfc_text t = {0};
	gs_snapshot s;
	bfc_make_heap(&h, 31, 1, true);
	bfc_by_size(&t, TF_2_12, &h);
	bfc_statistics(&t, TF_2_12, &h);
	bfc_add(&t,
		"2023-08-08 08:08:09.000000: W tensorflow/core/framework/op_kernel.cc:1192] OP_REQUIRES failed at a.cc:1 : Resource exhausted: OOM when allocating "
		"tensor with shape[64,3] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc\n");
	read_log(&s, "tail", t.s, t.n);
	gs_totals sums;
	const gs_device *d = gs_snapshot_find_device(&s, 0);
	ck_assert_ptr_nonnull(d);
	gs_layout_totals(&d->captured, &sums);
	ck_assert_uint_eq(sums.allocated, h.in_use);
	ck_assert_uint_eq(sums.reserved, h.total);
	ck_assert(!s.complete && !d->captured.exact);
	ck_assert_uint_eq(s.nooms, 1);
	ck_assert_int_eq(s.ooms[0].requested, 64 * 3 * 4);
	ck_assert_int_eq(s.ooms[0].allowed, (int64_t)h.limit);
	free(t.s);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(plug_in_devices_are_known_by_their_allocators)
{
	bfc_heap h;
	bfc_text t = {0};
	gs_snapshot s;
	bfc_make_heap(&h, 42, 2, true);
	bfc_dump(&t, TF_2_12, &h, 99 * 256, 3);
	for (char *p = t.s; (p = strstr(p, "GPU_3_bfc")); p++)
		*p = 'X';
	for (char *p = t.s; (p = strstr(p, "device:GPU")); p++)
		p[7] = 'X';
	read_log(&s, "XPU", t.s, t.n);
	check_heap("XPU", &s, gs_snapshot_find_device(&s, 3), &h, 2);
	ck_assert_uint_eq(s.nooms, 1);
	ck_assert_int_eq(s.ooms[0].device, 3);
	free(t.s);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_figure_that_was_filled_in_is_believed)
{
	bfc_heap h;
	bfc_text t = {0};
	gs_snapshot s;
	bfc_make_heap(&h, 41, 1, true);
	bfc_dump(&t, TF_2_12, &h, 256, 0);
	char *at = strstr(t.s, "LargestFreeBlock:");
	memcpy(strchr(at, '\n') - 5, " 4096", 5);
	read_log(&s, "filled", t.s, t.n);
	ck_assert_ptr_nonnull(stat_of(&s, "largest_free_block", "all"));
	ck_assert_int_eq(stat_of(&s, "largest_free_block", "all")->current, 4096);
	free(t.s);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_dump_of_a_host_allocator_is_not_a_device)
{
	bfc_heap h;
	bfc_text t = {0};
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	bfc_make_heap(&h, 51, 1, true);
	bfc_dump(&t, TF_1_15, &h, 256 * 512, 0);
	for (char *p = t.s; (p = strstr(p, "GPU_0_bfc")); p++)
		memcpy(p, "cpu_bfc  ", 9);
	ck_assert_msg(
		gs_read_memory(t.s, strstr(t.s, "OOM when") - t.s, GS_WANT_ALL, &s, &err) == GS_OK, "%s",
		err.text);
	ck_assert_uint_eq(s.nooms, 0);
	ck_assert_uint_eq(s.ndevices, 0);
	free(t.s);
	gs_snapshot_release(&s);
}
END_TEST

/* Without lines of regions only the bins tell of a free chunk whose line is missing. */
START_TEST(a_missing_line_of_a_free_chunk_is_known)
{
	enum bfc_style style = (enum bfc_style)_i;
	for (unsigned k = 1; k <= 6; k++) {
		bfc_heap h;
		bfc_text t = {0};
		gs_snapshot s;
		gs_totals sums;
		bfc_make_heap(&h, 300 + k, 2, true);
		bfc_dump(&t, style, &h, 99 * 256, 0);
		char *line = strstr(t.s, "Free"), *next;
		for (unsigned skip = bfc_chance((unsigned)h.free_chunks); skip; skip--)
			line = strstr(line + 1, style == TF_0_8 || style == TF_1_1 ? "Free at" : "Free  at");
		next = strchr(line, '\n');
		while (line[-1] != '\n')
			line--;
		memmove(line, next + 1, t.n - (size_t)(next + 1 - t.s) + 1);
		t.n -= (size_t)(next + 1 - line);
		read_log(&s, bfc_style_names[style], t.s, t.n);
		const gs_device *d = gs_snapshot_find_device(&s, 0);
		gs_layout_totals(&d->captured, &sums);
		ck_assert_msg(!s.complete && !d->captured.exact, "%s, seed %u", bfc_style_names[style], k);
		ck_assert_msg(sums.free_blocks == (size_t)h.free_chunks, "%s, seed %u: %zu holes",
			bfc_style_names[style], k, sums.free_blocks);
		ck_assert_uint_eq(sums.allocated, h.in_use);
		free(t.s);
		gs_snapshot_release(&s);
	}
}
END_TEST

START_TEST(a_dump_of_onnx_runtime_gives_the_heap)
{
	for (unsigned k = 1; k <= 8; k++) {
		bfc_heap h;
		bfc_text t = {0};
		gs_snapshot s;
		bfc_make_heap(&h, 400 + k, 2, true);
		if (k == 8)
			h.limit = UINT64_MAX; /* none */
		bfc_arena_dump(&t, "Cuda", &h, 50000001);
		read_log(&s, "arena", t.s, t.n);
		check_heap("arena", &s, gs_snapshot_find_device(&s, 0), &h, 2);
		ck_assert_uint_eq(s.nooms, 1);
		ck_assert_str_eq(s.ooms[0].library, "onnxruntime");
		ck_assert_int_eq(s.ooms[0].requested, 50000001);
		ck_assert_int_eq(s.ooms[0].allowed, k == 8 ? GS_NONE : (int64_t)h.limit);
		ck_assert_int_eq(stat_of(&s, "pool", "all")->current, (int64_t)h.total);
		free(t.s);
		gs_snapshot_release(&s);
	}
}
END_TEST

START_TEST(bins_alone_are_a_dump_that_is_cut)
{
	bfc_heap h;
	bfc_text t = {0};
	gs_snapshot s;
	bfc_make_heap(&h, 61, 2, true);
	bfc_bins(&t, TF_1_4, &h);
	read_log(&s, "bins", t.s, t.n);
	gs_totals sums;
	gs_layout_totals(&gs_snapshot_find_device(&s, 0)->captured, &sums);
	ck_assert_uint_eq(sums.free_blocks, h.free_chunks);
	ck_assert(!s.complete);
	ck_assert_uint_eq(s.nooms, 0);
	const gs_stat *x = stat_of(&s, "bin_chunks", "256");
	ck_assert_ptr_nonnull(x);
	ck_assert_int_eq(x->allocated, x->current + x->freed);
	free(t.s);
	gs_snapshot_release(&s);
}
END_TEST

/* The corpus, where it is at hand: figures by file name, those of whole dumps as the logs
 * themselves print them. */
START_TEST(the_corpus_is_read)
{
	static const struct {
		const char *file;
		size_t ooms, chunks, free_chunks;
		uint64_t allocated, free, largest;
		int64_t requested, allowed;
		bool whole;
	} files[] = {
		{"excerpt-tf0.12_models848_notimestamps.log", 0, 1, 1, 0, 768, 768, GS_NONE, GS_NONE,
			false},
		{"excerpt-tf1.1_9790_wrapped80.log", 0, 1, 1, 0, 294912, 294912, GS_NONE, GS_NONE, false},
		{"tf1.1-truncated.log", 1, 39, 1, 6216448, 138579804, 138579804, 299892736, GS_NONE, false},
		{"tf1.4-free-chunks-listed-last.log", 1, 24, 4, 208404480, 77070336, 69648384, 77762396,
			285474816, true},
		{"tf1.15-k80-1037-chunks.log", 1, 1037, 4, 12085207808, 7396608, 6969600, 27878400,
			12092604416, true},
		{"tf2.1-tail-only.log", 1, 1, 0, 568350976, 0, 0, 115200, 568351129, false},
		{"tf2.12-40gb-fragmented.log", 1, 220, 20, 31785630720, 8445477888, 3255434240, 3300000000,
			40231108608, true},
	};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		char path[256];
		gs_snapshot s;
		gs_totals t;
		gs_error err = GS_ERROR_INIT;
		snprintf(path, sizeof path, "../shared/corpus/bfc/%s", files[i].file);
		FILE *f = fopen(path, "r");
		if (!f) {
			gs_skip(path);
			continue;
		}
		fclose(f);
		ck_assert_msg(gs_read_path(path, GS_WANT_ALL, &s, &err) == GS_OK, "%s: %s", path, err.text);
		const gs_device *d = gs_snapshot_find_device(&s, 0);
		ck_assert_ptr_nonnull(d);
		gs_layout_totals(&d->captured, &t);
		ck_assert_msg(s.nooms == files[i].ooms, "%s: %zu rows", path, s.nooms);
		ck_assert_msg(t.blocks == files[i].chunks && t.free_blocks == files[i].free_chunks,
			"%s: %zu blocks, %zu free", path, t.blocks, t.free_blocks);
		ck_assert_msg(t.allocated == files[i].allocated && t.free == files[i].free,
			"%s: %" PRIu64 " and %" PRIu64, path, t.allocated, t.free);
		ck_assert_uint_eq(
			t.largest == SIZE_MAX ? 0 : d->captured.blocks[t.largest].size, files[i].largest);
		ck_assert_int_eq(s.complete, files[i].whole);
		ck_assert_int_eq(d->allowed, files[i].allowed);
		if (s.nooms)
			ck_assert_int_eq(s.ooms[0].requested, files[i].requested);
		gs_snapshot_release(&s);
	}
}
END_TEST

Suite *suite_bfc(void);
Suite *suite_bfc(void)
{
	Suite *s = suite_create("bfc");
	TCase *each = tcase_create("releases"), *others = tcase_create("logs");
	tcase_add_loop_test(each, a_whole_dump_gives_the_heap, 0, STYLES);
	tcase_add_loop_test(each, a_dump_wrapped_by_a_terminal_gives_the_heap, 0, STYLES);
	tcase_add_loop_test(each, a_margin_before_every_line_does_not_matter, 0, STYLES);
	tcase_add_loop_test(each, dumps_that_ranks_print_at_once_are_kept_apart, TF_0_8 + 1, STYLES);
	tcase_add_loop_test(each, lines_of_others_in_between_do_not_matter, 0, STYLES);
	tcase_add_loop_test(
		each, a_dump_cut_at_its_end_says_so_and_keeps_the_sums_of_the_bins, 0, STYLES);
	tcase_add_loop_test(each, a_dump_without_its_beginning_says_so_and_keeps_the_sums, 0, STYLES);
	tcase_add_loop_test(each, the_last_dump_of_a_device_is_its_layout, 0, STYLES);
	tcase_add_loop_test(each, a_missing_line_of_a_free_chunk_is_known, 0, STYLES);
	tcase_add_test(others, a_dump_of_onnx_runtime_gives_the_heap);
	tcase_add_test(others, a_dump_without_its_message_tells_the_request);
	tcase_add_test(others, lines_printed_twice_count_once);
	tcase_add_test(others, dumps_of_two_devices_are_two_layouts);
	tcase_add_test(others, the_tail_alone_tells_what_is_in_use);
	tcase_add_test(others, plug_in_devices_are_known_by_their_allocators);
	tcase_add_test(others, a_figure_that_was_filled_in_is_believed);
	tcase_add_test(others, a_dump_of_a_host_allocator_is_not_a_device);
	tcase_add_test(others, bins_alone_are_a_dump_that_is_cut);
	tcase_add_test(others, the_corpus_is_read);
	tcase_set_timeout(each, 20);
	tcase_set_timeout(others, 20);
	suite_add_tcase(s, each);
	suite_add_tcase(s, others);
	return s;
}
