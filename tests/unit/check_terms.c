/* The lists of words that C, SQL, Python and FORMAT.md share: each is one .def, and the others
 * repeat it. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/snapshot.h"
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

Suite *suite_terms(void);
Suite *suite_terms(void)
{
	Suite *s = suite_create("terms");
	TCase *t = tcase_create("lists");
	tcase_add_test(t, sql_gives_each_action_its_word);
	tcase_add_test(t, python_has_the_same_actions_in_the_same_order);
	tcase_add_test(t, python_has_the_same_states_and_classes);
	tcase_add_test(t, the_page_of_the_format_has_the_same_actions_and_states);
	tcase_add_test(t, a_word_is_read_back_as_its_number);
	suite_add_tcase(s, t);
	return s;
}
