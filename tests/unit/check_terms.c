/* The lists of words that C, SQL, Python and FORMAT.md share: each is one .def, and the others
 * repeat it. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/meaning/category.h"
#include "analyzer/model/snapshot.h"
#include "analyzer/query/assertion.h"
#include "schema/sql.h"

static char *text_of(const char *path)
{
	FILE *f = fopen(path, "r");
	ck_assert_msg(f != NULL, "%s", path);
	char *text = calloc(1, 1 << 20);
	ck_assert_ptr_nonnull(text);
	ck_assert_uint_lt(fread(text, 1, (1 << 20) - 1, f), (1 << 20) - 1);
	fclose(f);
	return text;
}

/* The text between two marks, terminated; the mark must be there. */
static char *between(char *text, const char *from, const char *to)
{
	char *at = strstr(text, from);
	ck_assert_msg(at != NULL, "no \"%s\"", from);
	at += strlen(from);
	char *end = strstr(at, to);
	ck_assert_msg(end != NULL, "no \"%s\"", to);
	*end = 0;
	return at;
}

START_TEST(sql_gives_each_action_its_word)
{
	const char *sql = gs_sql_text("view/event.sql");
	char row[64];
	ck_assert_ptr_nonnull(sql);
	for (int i = 0; i < GS_ACTION_COUNT; i++) {
		if (i == GS_ACTION_UNKNOWN)
			continue;
		snprintf(row, sizeof row, "WHEN %d THEN '%s'", i, gs_action_text((gs_action)i));
		ck_assert_msg(strstr(sql, row) != NULL, "%s", row);
	}
	snprintf(row, sizeof row, "WHEN %d THEN", GS_ACTION_UNKNOWN);
	ck_assert_msg(!strstr(sql, row), "more actions than there are");
	ck_assert_ptr_nonnull(strstr(sql, "ELSE 'unknown'"));
}
END_TEST

START_TEST(python_has_the_same_actions_in_the_same_order)
{
	char *text = text_of("tools/python/gpusnap/native.py"), *state = NULL;
	char *list = between(text, "ACTIONS = ", ".split()");
	int i = 0;
	for (char *word = strtok_r(strchr(list, '('), " '(\n", &state); word;
		 word = strtok_r(NULL, " '(\n", &state), i++)
		ck_assert_msg(!strcmp(word, gs_action_text((gs_action)i)), "%d: %s", i, word);
	ck_assert_int_eq(
		i, GS_ACTION_COUNT > GS_ACTION_UNKNOWN + 1 ? GS_ACTION_COUNT : GS_ACTION_UNKNOWN);
	free(text);
}
END_TEST

START_TEST(python_has_the_same_states_and_classes)
{
	char *text = text_of("tools/python/gpusnap/native.py"), row[64];
	for (int i = 0; i < GS_BLOCK_STATES; i++) {
		snprintf(row, sizeof row, "'%s': %d", gs_block_state_text((gs_block_state)i), i);
		ck_assert_msg(strstr(text, row) != NULL, "%s", row);
	}
	for (int i = 0; i < GS_CLASS_UNKNOWN; i++) {
		snprintf(row, sizeof row, "'%s': %d", gs_class_text(i), i);
		ck_assert_msg(strstr(text, row) != NULL, "%s", row);
	}
	free(text);
}
END_TEST

START_TEST(the_page_of_the_format_has_the_same_actions_and_states)
{
	char *text = text_of("schema/FORMAT.md"), row[64];
	char *states = strstr(text, "| state | u8 | ");
	char *actions = between(text, "\nActions: ", "\n");
	for (int i = 0; i < GS_ACTION_COUNT; i++) {
		snprintf(row, sizeof row, "%d %s", i, gs_action_text((gs_action)i));
		ck_assert_msg(strstr(actions, row) != NULL, "%s", row);
	}
	for (int i = 0; i < GS_BLOCK_STATES; i++) {
		snprintf(row, sizeof row, "%d %s", i, gs_block_state_text((gs_block_state)i));
		ck_assert_msg(states && strstr(states, row) != NULL, "%s", row);
	}
	free(text);
}
END_TEST

START_TEST(a_word_is_read_back_as_its_number)
{
	for (int i = 0; i < GS_BLOCK_STATES; i++)
		ck_assert_int_eq(gs_block_state_parse(gs_block_state_text((gs_block_state)i)), i);
	for (int i = 0; i < GS_CLASS_UNKNOWN; i++)
		ck_assert_int_eq(gs_class_parse(gs_class_text(i)), i);
	for (int i = 0; i < GS_ACTION_COUNT; i++) {
		const char *word = gs_action_text((gs_action)i);
		ck_assert_int_eq(gs_action_parse(word, strlen(word)), i);
	}
	ck_assert_int_eq(gs_class_parse("middling"), GS_CLASS_UNKNOWN);
	ck_assert_int_eq(gs_class_parse(NULL), GS_CLASS_UNKNOWN);
	ck_assert_int_eq(gs_block_state_parse("active"), GS_BLOCK_STATES);
}
END_TEST

/* One line of a column, as the schema writes it. */
static bool has_column(const char *sql, const char *name)
{
	char row[80];
	snprintf(row, sizeof row, "\t%s INTEGER", name);
	return strstr(sql, row) != NULL;
}

START_TEST(sql_and_assertions_have_a_figure_for_each_category)
{
	const char *table = gs_sql_text("table/peak.sql"), *peak = gs_sql_text("query/peak.sql"),
			   *figures = gs_sql_text("query/figures.sql");
	char row[80];
	int others = 0;
	for (unsigned i = 0; i < GS_CATEGORIES; i++) {
		const char *word = gs_category_word(NULL, i);
		bool asserted = false;
		ck_assert_msg(has_column(table, word), "table peak: %s", word);
		ck_assert_msg(strstr(peak, word) != NULL, "query peak: %s", word);
		snprintf(row, sizeof row, "WHERE category = '%s'), 0) AS %s", word, word);
		ck_assert_msg(strstr(figures, row) != NULL, "figures: %s", row);
		for (size_t k = 0; k < gs_nfigures; k++)
			asserted |= !strcmp(gs_figures[k].name, word);
		ck_assert_msg(asserted, "assert: %s", word);
	}
	for (const char *at = figures; (at = strstr(at, "WHERE category = '")); at++)
		others++;
	ck_assert_int_eq(others, GS_CATEGORIES);
}
END_TEST

START_TEST(sql_and_the_page_of_the_format_name_the_kinds_of_input)
{
	char *page = text_of("schema/FORMAT.md"), row[80];
	const char *sql = strstr(gs_sql_text("table/snapshot.sql"), "kind TEXT, -- ");
	char *origin = between(page, "| origin | text | ", "\n");
	for (unsigned i = 0; i < GS_KINDS; i++) {
		if (i == GS_KIND_UNKNOWN)
			continue;
		const char *word = gs_kind_text((gs_kind)i), *at = strstr(sql, word);
		ck_assert_msg(at && at < strchr(sql, '\n'), "snapshot.kind: %s", word);
		snprintf(row, sizeof row, "`%s`", word);
		ck_assert_msg(i == GS_KIND_GSNAP || strstr(origin, row) != NULL, "origin: %s", row);
	}
	free(page);
}
END_TEST

START_TEST(each_reader_is_tested_by_mutations)
{
	static const char *const readers[] = {
#define GS_READER(name) #name,
#include "analyzer/read/open/readers.def"
#undef GS_READER
	};
	char path[80];
	for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
		snprintf(path, sizeof path, "tests/fuzz/fuzz_%s.c", readers[i]);
		free(text_of(path));
	}
}
END_TEST

START_TEST(the_page_of_the_format_has_the_same_classes)
{
	char *text = text_of("schema/FORMAT.md"), row[64];
	const char *classes = strstr(text, "| pool | u8 | 0");
	ck_assert_ptr_nonnull(classes);
	for (int i = 0; i < GS_CLASS_UNKNOWN; i++) {
		snprintf(row, sizeof row, "%d %s", i, gs_class_text(i));
		const char *at = strstr(classes, row);
		ck_assert_msg(at && at < strchr(classes, '\n'), "%s", row);
	}
	free(text);
}
END_TEST

Suite *suite_terms(void);
Suite *suite_terms(void)
{
	Suite *s = suite_create("terms");
	TCase *t = tcase_create("lists");
	tcase_add_test(t, sql_gives_each_action_its_word);
	tcase_add_test(t, python_has_the_same_actions_in_the_same_order);
	tcase_add_test(t, python_has_the_same_states_and_classes);
	tcase_add_test(t, the_page_of_the_format_has_the_same_actions_and_states);
	tcase_add_test(t, the_page_of_the_format_has_the_same_classes);
	tcase_add_test(t, sql_and_assertions_have_a_figure_for_each_category);
	tcase_add_test(t, sql_and_the_page_of_the_format_name_the_kinds_of_input);
	tcase_add_test(t, each_reader_is_tested_by_mutations);
	tcase_add_test(t, a_word_is_read_back_as_its_number);
	suite_add_tcase(s, t);
	return s;
}
