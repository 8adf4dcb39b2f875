/* schema/FORMAT.md against the code: its tables, and the bytes of its worked file. */
#include <check.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

#include "schema/bytes.h"
#include "schema/gsnap_columns.h"
#include "tests/unit/gsnap_memory.h"

static char *page;

static void load_page(void)
{
	FILE *f = fopen("schema/FORMAT.md", "rb");
	ck_assert_msg(f, "schema/FORMAT.md cannot be opened: run from the repository's root");
	page = calloc(1, 1 << 20);
	ck_assert_uint_lt(fread(page, 1, (1 << 20) - 1, f), (1 << 20) - 1);
	fclose(f);
}

static void free_page(void) { free(page); }

/* The bytes of the fenced block that begins with this line. */
static size_t hex_block(const char *fence, unsigned char *to, size_t cap)
{
	const char *p = strstr(page, fence);
	size_t n = 0;
	ck_assert_msg(p, "no %s", fence);
	p = strchr(p, '\n') + 1;
	while (strncmp(p, "```", 3)) {
		const char *end = strchr(p, '\n'), *remark = memchr(p, '#', (size_t)(end - p)),
				   *colon = memchr(p, ':', (size_t)(end - p));
		if (colon) {
			ck_assert_msg(strtoul(p, NULL, 16) == n, "offset %.4s, expected %04zx", p, n);
			for (p = colon + 1; p < (remark ? remark : end); p++) {
				if (!isxdigit((unsigned char)*p))
					continue;
				ck_assert_uint_lt(n, cap);
				to[n++] = (unsigned char)strtoul((char[]){p[0], p[1], 0}, NULL, 16);
				p++;
			}
		}
		p = end + 1;
	}
	return n;
}

/* Offset of a section's header in a file. */
static size_t section_at(const unsigned char *file, uint32_t number)
{
	size_t at = GS_GSNAP_HEADER_SIZE;
	while (number--)
		at += GS_GSNAP_SECTION_SIZE + gs_get_le(file + at + 32, 4);
	return at;
}

static size_t unpacked(const unsigned char *file, uint32_t number, unsigned char *to, size_t cap)
{
	const unsigned char *h = file + section_at(file, number);
	size_t n = ZSTD_decompress(to, cap, h + GS_GSNAP_SECTION_SIZE, gs_get_le(h + 32, 4));
	ck_assert(!ZSTD_isError(n));
	return n;
}

START_TEST(the_writer_makes_the_worked_file)
{
	static unsigned char bytes[4096], ours[4096], theirs[4096];
	memory_file file = {0};
	size_t n = hex_block("```hex file\n", bytes, sizeof bytes);
	memory_worked_file(&file);
	ck_assert_mem_eq(file.data, bytes, GS_GSNAP_HEADER_SIZE);
	for (uint32_t i = 0; i < 9; i++) {
		const unsigned char *x = bytes + section_at(bytes, i),
							*y = file.data + section_at(file.data, i);
		ck_assert_mem_eq(
			x, y, 32); /* all of the header but the packed size, which is zstd's affair */
		size_t a = unpacked(bytes, i, theirs, sizeof theirs),
			   b = unpacked(file.data, i, ours, sizeof ours);
		ck_assert_uint_eq(a, b);
		ck_assert_mem_eq(ours, theirs, a);
	}
	if (ZSTD_versionNumber() == 10504) {
		ck_assert_uint_eq(file.n, n);
		ck_assert_mem_eq(file.data, bytes, n);
	}
	memory_release(&file);
}
END_TEST

START_TEST(the_reader_reads_the_worked_file)
{
	static unsigned char bytes[4096];
	memory_file file = {.data = bytes, .n = hex_block("```hex file\n", bytes, sizeof bytes)};
	gs_sections *r = NULL;
	gs_section s;
	ck_assert_int_eq(gs_sections_open(&r, memory_input(&file), NULL), GS_OK);
	do
		ck_assert_int_eq(gs_sections_next(r, &s, NULL), GS_OK);
	while (s.kind != GS_SECTION_BLOCK);
	gs_row_block block;
	ck_assert_int_eq(gs_sections_load(r, true, NULL), GS_OK);
	gs_sections_row(r, 0, &block);
	ck_assert_uint_eq(block.address, 0x7f0000000000);
	ck_assert_uint_eq(block.size, 512);
	ck_assert_int_eq(block.requested, 500);
	ck_assert_int_eq(block.idx, 1);
	ck_assert_uint_eq(block.stack, 1);
	gs_sections_row(r, 1, &block);
	ck_assert_uint_eq(block.address, 0x7f0000000200);
	ck_assert_uint_eq(block.size, 2096640);
	ck_assert_int_eq(block.requested, GS_NONE);
	ck_assert_int_eq(block.state, GS_INACTIVE);
	gs_sections_close(r);
	ck_assert_int_eq(memory_read_all(&file, NULL, NULL), GS_END);
}
END_TEST

static const uint32_t shown[] = {4, 6};

START_TEST(the_unpacked_bytes_are_those_shown)
{
	static unsigned char bytes[4096], words[4096], raw[4096];
	char fence[32];
	snprintf(fence, sizeof fence, "```hex section %u\n", shown[_i]);
	hex_block("```hex file\n", bytes, sizeof bytes);
	size_t n = hex_block(fence, words, sizeof words);
	ck_assert_uint_eq(unpacked(bytes, shown[_i], raw, sizeof raw), n);
	ck_assert_mem_eq(raw, words, n);
}
END_TEST

/* The type of a column as the page writes it. */
static void type_word(const gs_file_column *c, char *word, size_t cap)
{
	static const char *const words[] = {"u64", "u32", "u8", "bool", "i32", "opt", "text", "list"};
	const char *refers = c->refers ? gs_section_text(c->refers) : NULL;
	snprintf(word, cap, "%s%s%s", refers ? refers : words[c->cell],
		c->cell == GS_CELL_IDS ? " list" : "", c->needed ? ", needed" : "");
}

START_TEST(every_column_is_in_its_table)
{
	const gs_section_form *form = &gs_section_forms[_i];
	char line[128], type[64];
	snprintf(line, sizeof line, "\n### %d %s\n", _i, form->name);
	const char *from = strstr(page, line);
	ck_assert_msg(from, "no heading \"%d %s\"", _i, form->name);
	const char *end = strstr(from + 1, "\n### ");
	end = end ? end : strstr(from, "\n## 7");
	unsigned rows = 0;
	for (const char *p = from; (p = strstr(p + 1, "\n| ")) && p < end;)
		rows += isdigit((unsigned char)p[3]) != 0;
	ck_assert_uint_eq(rows, form->ncolumns);
	for (unsigned c = 0; c < form->ncolumns; c++) {
		type_word(&form->columns[c], type, sizeof type);
		snprintf(line, sizeof line, "\n| %u | %s | %s |", form->columns[c].id,
			form->columns[c].name, type);
		const char *row = strstr(from, line);
		ck_assert_msg(row && row < end, "%s: no row \"%s\"", form->name, line + 1);
		snprintf(line, sizeof line, "largest: %u", form->columns[c].max);
		ck_assert_msg(form->columns[c].cell != GS_CELL_U8 ||
				(strstr(row + 1, line) && strstr(row + 1, line) < strchr(row + 1, '\n')),
			"%s: column %s: \"%s\" is missing", form->name, form->columns[c].name, line);
	}
}
END_TEST

START_TEST(every_kind_is_in_the_list)
{
	const gs_section_form *form = &gs_section_forms[_i];
	char line[64];
	snprintf(line, sizeof line, "\n| %d | %s |", _i, form->name);
	const char *row = strstr(page, line);
	ck_assert_msg(row, "no row \"%s\"", line + 1);
	const char *end = strchr(row + 1, '\n');
	const char *yes = strstr(row + strlen(line), " yes |"), *always = strstr(row, " yes, ");
	ck_assert_int_eq(yes && yes < end, form->by_device);
	ck_assert_int_eq(always && always < end, form->always);
}
END_TEST

START_TEST(the_actions_are_those_of_the_code)
{
	char word[64];
	int n = 0;
#define GS_ACT(name, text)                           \
	snprintf(word, sizeof word, "%d %s", n++, text); \
	ck_assert_msg(strstr(strstr(page, "\nActions: "), word), "no \"%s\"", word);
#include "schema/actions.def"
#undef GS_ACT
}
END_TEST

Suite *suite_gsnap_format(void);
Suite *suite_gsnap_format(void)
{
	Suite *s = suite_create("gsnap_format");
	TCase *t = tcase_create("the page");
	tcase_add_checked_fixture(t, load_page, free_page);
	tcase_add_test(t, the_writer_makes_the_worked_file);
	tcase_add_test(t, the_reader_reads_the_worked_file);
	tcase_add_loop_test(t, the_unpacked_bytes_are_those_shown, 0, sizeof shown / sizeof *shown);
	tcase_add_loop_test(t, every_column_is_in_its_table, 1, GS_SECTION_KINDS);
	tcase_add_loop_test(t, every_kind_is_in_the_list, 1, GS_SECTION_KINDS);
	tcase_add_test(t, the_actions_are_those_of_the_code);
	suite_add_tcase(s, t);
	return s;
}
