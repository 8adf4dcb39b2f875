/* Tables of memory_summary() in logs. The tables here are drawn by the test itself, in the layout
 * of the releases. */
#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/read/open/reader.h"
#include "tests/unit/skip.h"

#define MIB ((int64_t)1 << 20)

typedef struct sketch {
	char text[16384];
	size_t n;
} sketch;

static void add(sketch *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(sketch *d, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	d->n += (size_t)vsnprintf(d->text + d->n, sizeof d->text - d->n, format, ap);
	va_end(ap);
	ck_assert_uint_lt(d->n, sizeof d->text);
}

static void ruler(sketch *d, char c)
{
	char line[76];
	memset(line, c, 75);
	line[75] = 0;
	add(d, "|%s|\n", line);
}

static void sizes(sketch *d, const char *name, const int v[4], const char *unit)
{
	add(d, "| %-21s | %6d %-3s | %6d %-3s | %6d %-3s | %6d %-3s |\n", name, v[0], unit, v[1], unit,
		v[2], unit, v[3], unit);
}

static void counts(sketch *d, const char *name, const int v[4], const char *unit)
{
	add(d, "| %-21s | %7d %1s  | %7d %1s  | %7d %1s  | %7d %1s  |\n", name, v[0], unit, v[1], unit,
		v[2], unit, v[3], unit);
}

/* Metric k of device d has the cells base, base + 1, …; its pools those plus 10 and plus 20. */
static void metric(sketch *d, const char *name, int base, const char *unit, bool count, bool pools)
{
	const char *const names[] = {name, "      from large pool", "      from small pool"};
	ruler(d, '-');
	for (int p = 0; p < (pools ? 3 : 1); p++) {
		int v[4] = {base + 10 * p, base + 10 * p + 1, base + 10 * p + 2, base + 10 * p + 3};
		if (count)
			counts(d, names[p], v, unit);
		else
			sizes(d, names[p], v, unit);
	}
}

static void table(sketch *d, int device, int base, const char *unit)
{
	ruler(d, '=');
	add(d, "|                  PyTorch CUDA memory summary, device ID %-17d |\n", device);
	ruler(d, '-');
	add(d, "|            CUDA OOMs: %-12d |        cudaMalloc retries: %-8d  |\n", base % 10 + 3,
		base % 10 + 7);
	ruler(d, '=');
	add(d, "|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |\n");
	metric(d, "Allocated memory", base, unit, false, true);
	metric(d, "Active memory", base + 100, unit, false, true);
	metric(d, "Requested memory", base + 200, unit, false, true);
	metric(d, "GPU reserved memory", base + 300, unit, false, true);
	metric(d, "Non-releasable memory", base + 400, unit, false, true);
	metric(d, "Allocations", base + 500, "", true, true);
	metric(d, "Active allocs", base + 600, "K", true, true);
	metric(d, "GPU reserved segments", base + 700, "", true, true);
	metric(d, "Non-releasable allocs", base + 800, "", true, true);
	metric(d, "Oversize allocations", base + 900, "", true, false);
	metric(d, "Oversize GPU segments", base + 950, "", true, false);
	ruler(d, '=');
}

static void read_text(gs_snapshot *s, const char *text, size_t n)
{
	gs_error err = GS_ERROR_INIT;
	ck_assert_msg(gs_read_memory(text, n, GS_WANT_ALL, s, &err) == GS_OK, "%s", err.text);
	ck_assert_int_eq(s->kind, GS_KIND_TEXT);
}

static const gs_stat *stat_of(const gs_snapshot *s, int device, const char *name, const char *pool)
{
	const gs_stat *found = NULL;
	for (size_t i = 0; i < s->nstats; i++)
		if (s->stats[i].device == device && !strcmp(gs_string_text(s, s->stats[i].name), name) &&
			!strcmp(gs_string_text(s, s->stats[i].pool), pool)) {
			ck_assert_msg(!found, "%s %s of device %d twice", name, pool, device);
			found = &s->stats[i];
		}
	return found;
}

static void check_stat(
	const gs_snapshot *s, int device, const char *name, const char *pool, int base, int64_t unit)
{
	const gs_stat *x = stat_of(s, device, name, pool);
	ck_assert_msg(x, "no %s %s of device %d", name, pool, device);
	ck_assert_int_eq(x->current, base * unit);
	ck_assert_int_eq(x->peak, (base + 1) * unit);
	ck_assert_int_eq(x->allocated, (base + 2) * unit);
	ck_assert_int_eq(x->freed, (base + 3) * unit);
}

static void check_table(const gs_snapshot *s, int device, int base, int64_t unit)
{
	static const char *const names[] = {"allocated_bytes", "active_bytes", "requested_bytes",
		"reserved_bytes", "inactive_split_bytes", "allocation", "active", "segment",
		"inactive_split"};
	static const char *const pools[] = {"all", "large", "small"};
	for (int k = 0; k < 9; k++)
		for (int p = 0; p < 3; p++)
			check_stat(s, device, names[k], pools[p], base + 100 * k + 10 * p,
				k < 5        ? unit
					: k == 6 ? 1000
							 : 1);
	check_stat(s, device, "oversize_allocations", "all", base + 900, 1);
	check_stat(s, device, "oversize_segments", "all", base + 950, 1);
	ck_assert_int_eq(stat_of(s, device, "num_ooms", "all")->current, base % 10 + 3);
	ck_assert_int_eq(stat_of(s, device, "num_alloc_retries", "all")->current, base % 10 + 7);
	const gs_device *d = gs_snapshot_find_device(s, device);
	ck_assert_ptr_nonnull(d);
	ck_assert_int_eq(d->allocated, base * unit);
	ck_assert_int_eq(d->reserved, (base + 300) * unit);
	ck_assert(!d->has_layout);
}

static const struct {
	const char *unit;
	int64_t bytes;
} units[] = {
	{"B", 1},
	{"KB", 1024},
	{"KiB", 1024},
	{"MB", 1048576},
	{"MiB", 1048576},
	{"GB", 1073741824},
	{"GiB", 1073741824},
	{"TiB", (int64_t)1 << 40},
	{"PiB", (int64_t)1 << 50},
};

START_TEST(a_table_gives_every_cell)
{
	sketch d = {.n = 0};
	gs_snapshot s;
	table(&d, 3, 1234, units[_i].unit);
	read_text(&s, d.text, d.n);

	check_table(&s, 3, 1234, units[_i].bytes);
	ck_assert(s.complete);
	ck_assert_uint_eq(s.nstats, 31);
	ck_assert_uint_eq(s.nooms, 0);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_table_wrapped_by_a_terminal_gives_every_cell)
{
	for (size_t width = 60; width < 120; width += 7) {
		sketch d = {.n = 0}, w = {.n = 0};
		gs_snapshot s;
		size_t column = 0;
		add(&d, "2023-03-03 03:03:03 | WARNING | trainer | ");
		table(&d, 0, 2345, "MiB");
		for (size_t i = 0; i < d.n; i++) {
			add(&w, "%c", d.text[i]);
			column = d.text[i] == '\n' ? 0 : column + 1;
			if (column == width && d.text[i + 1] != '\n') {
				add(&w, "\n");
				column = 0;
			}
		}
		read_text(&s, w.text, w.n);
		check_table(&s, 0, 2345, MIB);
		gs_snapshot_release(&s);
	}
}
END_TEST

START_TEST(tables_of_several_devices_are_kept_apart)
{
	sketch d = {.n = 0};
	gs_snapshot s;
	table(&d, 1, 1000, "MiB");
	add(&d, "some other line\n");
	table(&d, 0, 3000, "KiB");
	read_text(&s, d.text, d.n);
	check_table(&s, 1, 1000, MIB);
	check_table(&s, 0, 3000, 1024);
	ck_assert_int_eq(s.devices[0].device, 0);
	gs_snapshot_release(&s);
}
END_TEST

/* Other accelerators write their own word for the device. */
START_TEST(tables_of_any_accelerator_are_read)
{
	static const struct {
		const char *device, *malloc, *memory;
	} words[] = {
		{"XPU", "xpuMalloc", "GPU"},
		{"XPU", "xpuMalloc", "XPU"},
		{"MLU", "cnrtMalloc", "MLU"},
		{"NPU", "npuMalloc", "NPU"},
		{"HIP", "hipMalloc", "GPU"},
		{"MUSA", "musaMalloc", "GPU"},
		{"dipu", "dipuMalloc", "dipu"},
	};
	for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
		sketch d = {.n = 0}, w = {.n = 0};
		gs_snapshot s;
		table(&d, 2, 4321, "MiB");
		for (const char *p = d.text; *p;)
			if (!strncmp(p, "CUDA", 4))
				add(&w, "%s", words[k].device), p += 4;
			else if (!strncmp(p, "cudaMalloc", 10))
				add(&w, "%s", words[k].malloc), p += 10;
			else if (!strncmp(p, "GPU", 3))
				add(&w, "%s", words[k].memory), p += 3;
			else
				add(&w, "%c", *p++);
		read_text(&s, w.text, w.n);
		check_table(&s, 2, 4321, MIB);
		ck_assert(s.complete);
		gs_snapshot_release(&s);
	}
}
END_TEST

/* The lines of two ranks that print at once; each has its mark in front. */
START_TEST(tables_whose_lines_are_mixed_are_kept_apart)
{
	static const char *const marks[][2] = {{"[rank0]: ", "[rank1]: "},
		{"worker-0  | ", "worker-1  | "}, {"(pid=77) ", "(pid=78) "},
		{"2024-05-06T07:08:09.123Z a1: ", "2024-05-06T07:08:10.456Z b2: "}};
	unsigned seed = 20240506;
	for (size_t k = 0; k < 40; k++) {
		sketch a = {.n = 0}, b = {.n = 0}, w = {.n = 0};
		gs_snapshot s;
		table(&a, 0, 1000, "MiB");
		table(&b, 1, 3000, "KiB");
		for (const char *p = a.text, *q = b.text; *p || *q;) {
			const char **from = !*q || (*p && (seed = seed * 1103515245 + 12345) >> 30 < 2) ? &p
																							: &q,
					   *end = strchr(*from, '\n');
			add(&w, "%s%.*s\n", marks[k % 4][from == &q], (int)(end - *from), *from);
			*from = end + 1;
		}
		read_text(&s, w.text, w.n);
		check_table(&s, 0, 1000, MIB);
		check_table(&s, 1, 3000, 1024);
		ck_assert_msg(s.complete, "mix %zu", k);
		gs_snapshot_release(&s);
	}
}
END_TEST

START_TEST(the_last_table_of_a_device_counts)
{
	sketch d = {.n = 0};
	gs_snapshot s;
	table(&d, 0, 1000, "MiB");
	table(&d, 0, 2000, "MiB");
	read_text(&s, d.text, d.n);
	check_table(&s, 0, 2000, MIB);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_table_cut_anywhere_says_so_and_gives_what_is_left)
{
	sketch d = {.n = 0};
	table(&d, 0, 1234, "MiB");
	size_t title = (size_t)(strstr(d.text, "device ID 0") - d.text) + 20;
	for (size_t n = title; n + 100 < d.n; n += 13) {
		gs_snapshot s;
		read_text(&s, d.text, n);
		ck_assert_msg(!s.complete, "cut at %zu", n);
		ck_assert_uint_eq(s.cut_at, n);
		const gs_device *dev = gs_snapshot_find_device(&s, 0);
		ck_assert_ptr_nonnull(dev);
		ck_assert_msg(dev->reserved == GS_NONE || dev->reserved == 1534 * MIB, "cut at %zu: %lld",
			n, (long long)dev->reserved);
		gs_snapshot_release(&s);
	}
}
END_TEST

START_TEST(a_message_beside_a_table_is_a_row)
{
	sketch d = {.n = 0};
	gs_snapshot s;
	add(&d,
		"OOM: Ran out of memory with exception: CUDA out of memory. Tried to allocate 34.00 MiB (GPU 0; 9.75 GiB total capacity; 1.16 GiB already "
		"allocated; 3.06 MiB free; 1.46 GiB reserved in total by PyTorch)\n");
	table(&d, 0, 1200, "MiB");
	read_text(&s, d.text, d.n);
	check_table(&s, 0, 1200, MIB);
	ck_assert_uint_eq(s.nooms, 1);
	ck_assert_int_eq(s.ooms[0].requested, 34 * MIB);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(the_corpus_is_read)
{
	static const struct {
		const char *file;
		int device, ooms;
		int64_t allocated, reserved;
		size_t stats;
		bool complete;
	} files[] = {
		{"asc_fairseq_58ooms_full.txt", 0, 58, 14935 * MIB, 15552 * MIB, 26, true},
		{"issue_91854_kib_excerpt.txt", 0, 0, MIB, GS_NONE, 5, false},
		{"issue_comfyui13110_cudaMallocAsync_excerpt.txt", 0, 0, 11515 * MIB, GS_NONE, 8, false},
		{"issue_fairseq4352_wrapped80_excerpt.txt", 0, 0, GS_NONE, GS_NONE, 2, false},
	};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		char path[256];
		gs_snapshot s;
		gs_error err = GS_ERROR_INIT;
		snprintf(path, sizeof path, "../shared/corpus/memory-summary/%s", files[i].file);
		FILE *f = fopen(path, "r");
		if (!f) {
			gs_skip(path);
			continue;
		}
		fclose(f);
		ck_assert_msg(gs_read_path(path, GS_WANT_ALL, &s, &err) == GS_OK, "%s: %s", path, err.text);
		const gs_device *d = gs_snapshot_find_device(&s, files[i].device);
		ck_assert_ptr_nonnull(d);
		ck_assert_int_eq(d->allocated, files[i].allocated);
		ck_assert_int_eq(d->reserved, files[i].reserved);
		ck_assert_int_eq(stat_of(&s, files[i].device, "num_ooms", "all")->current, files[i].ooms);
		ck_assert_uint_eq(s.nstats, files[i].stats);
		ck_assert_int_eq(s.complete, files[i].complete);
		gs_snapshot_release(&s);
	}
}
END_TEST

Suite *suite_memory_summary(void);
Suite *suite_memory_summary(void)
{
	Suite *s = suite_create("memory_summary");
	TCase *c = tcase_create("tables");
	tcase_add_loop_test(c, a_table_gives_every_cell, 0, (int)(sizeof units / sizeof *units));
	tcase_add_test(c, a_table_wrapped_by_a_terminal_gives_every_cell);
	tcase_add_test(c, tables_of_several_devices_are_kept_apart);
	tcase_add_test(c, tables_of_any_accelerator_are_read);
	tcase_add_test(c, tables_whose_lines_are_mixed_are_kept_apart);
	tcase_add_test(c, the_last_table_of_a_device_counts);
	tcase_add_test(c, a_table_cut_anywhere_says_so_and_gives_what_is_left);
	tcase_add_test(c, a_message_beside_a_table_is_a_row);
	tcase_add_test(c, the_corpus_is_read);
	tcase_set_timeout(c, 20);
	suite_add_tcase(s, c);
	return s;
}
