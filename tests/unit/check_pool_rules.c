/* Rules of rounding, segments and splitting; the settings text. Figures are PyTorch's own (golden
 * transcripts, or asked of 2.6.0 and 2.15.0). */
#include <check.h>

#include "recorder/pool/rule_sets.h"

#define MIB (UINT64_C(1) << 20)

static gs_pool_settings parsed(const gs_rules *rules, const char *text)
{
	gs_pool_settings s;
	gs_pool_settings_init(&s);
	ck_assert_int_eq(gs_pool_settings_parse(&s, rules, text, NULL), GS_OK);
	return s;
}

static const struct {
	const char *release, *rules;
} releases[] = {
	{"2.6", "2.6"},
	{"2.3.1", "2.6"},
	{"1.13", "2.6"},
	{"2.9.1", "2.6"},
	{"2.10.0", "2.10"},
	{"2.11", "2.10"},
	{"2.12.1", "2.12"},
	{"2.13.0", "2.13"},
	{"2.15.0+cu128", "2.13"},
	{"v2.14.1", "2.13"},
	{"3.0", "2.13"},
	{"newest", "2.13"},
	{"2.6.0a0+git12", "2.6"},
};

START_TEST(a_release_has_the_rules_of_the_last_set_not_newer_than_it)
{
	const gs_rules *rules = gs_rules_find(releases[_i].release);
	ck_assert_ptr_nonnull(rules);
	ck_assert_str_eq(rules->name, releases[_i].rules);
}
END_TEST

START_TEST(what_is_no_release_has_no_rules)
{
	static const char *const no[] = {"", "2", "2.", "x", "2.6;", "99999.1", "-2.6", "2.x"};
	ck_assert_ptr_null(gs_rules_find(no[_i]));
}
END_TEST

static const struct {
	const char *conf;
	uint64_t bytes, rounded;
} roundings[] = {
	{"", 1, 512},
	{"", 512, 512},
	{"", 513, 1024},
	{"", 1048577, 1049088},
	{"", (UINT64_C(1) << 60) - 1, UINT64_C(1) << 60},
	{"roundup_power2_divisions:4", 1200, 1536},
	{"roundup_power2_divisions:4", 2049, 2560},
	{"roundup_power2_divisions:4", 3000000, 3145728},
	{"roundup_power2_divisions:4", 12 * MIB, 12 * MIB},
	{"roundup_power2_divisions:1", 3000000, 3000320},
	{"roundup_power2_divisions:[256:1,512:2,1024:4,>:8]", 257 * MIB, 257 * MIB},
	{"roundup_power2_divisions:[256:1,512:2,1024:4,>:8]", 600 * MIB, 768 * MIB},
};

START_TEST(a_request_is_rounded_as_pytorch_does)
{
	gs_pool_settings s = parsed(&gs_rules_2_6, roundings[_i].conf);
	ck_assert_uint_eq(gs_rules_round(&s, roundings[_i].bytes), roundings[_i].rounded);
}
END_TEST

START_TEST(a_segment_is_two_or_twenty_mib_or_the_request_in_steps_of_two)
{
	static const struct {
		uint64_t rounded, segment;
	} rows[] = {
		{512, 2 * MIB},
		{MIB, 2 * MIB},
		{MIB + 512, 20 * MIB},
		{10 * MIB - 512, 20 * MIB},
		{10 * MIB, 10 * MIB},
		{10 * MIB + 512, 12 * MIB},
	};
	gs_pool_settings s = parsed(&gs_rules_2_6, "");
	ck_assert_uint_eq(gs_rules_segment_size(&s, rows[_i].rounded), rows[_i].segment);
}
END_TEST

START_TEST(a_reservation_is_nine_eighths_of_memory_in_whole_pages)
{
	gs_pool_settings s = parsed(&gs_rules_2_6, "");
	ck_assert_uint_eq(gs_rules_reservation(&s, GS_LARGE, 1024 * MIB), 1216348160);
	ck_assert_uint_eq(gs_rules_reservation(&s, GS_SMALL, 1024 * MIB), 1207959552);
}
END_TEST

START_TEST(a_reservation_may_be_capped_by_a_fraction_or_a_size)
{
	static const struct {
		const char *conf;
		uint64_t bytes;
	} rows[] = {
		{"expandable_segments_reserve:0.5", 410 * 20 * MIB},
		{"expandable_segments_reserve:3G", 154 * 20 * MIB},
		{"expandable_segments_reserve:2.0", 922 * 20 * MIB},
		{"expandable_segments_reserve:100M", 922 * 20 * MIB},
	};
	gs_pool_settings s = parsed(&gs_rules_2_13, rows[_i].conf);
	ck_assert_uint_eq(gs_rules_reservation(&s, GS_LARGE, 16384 * MIB), rows[_i].bytes);
}
END_TEST

static const struct {
	const char *conf;
	uint64_t rounded, block;
	bool serves;
} candidates[] = {
	{"", 8 * MIB, 8 * MIB, true},
	{"", 8 * MIB, 8 * MIB - 512, false},
	{"", 8 * MIB, UINT64_C(1) << 40, true},
	{"max_split_size_mb:64", 63 * MIB, 64 * MIB - 512, true},
	{"max_split_size_mb:64", 63 * MIB, 64 * MIB, false},
	{"max_split_size_mb:64", 64 * MIB, 84 * MIB - 512, true},
	{"max_split_size_mb:64", 64 * MIB, 84 * MIB, false},
	{"max_split_size_mb:64,max_non_split_rounding_mb:200", 64 * MIB, 264 * MIB - 512, true},
};

START_TEST(a_block_serves_within_the_bounds_of_max_split)
{
	gs_pool_settings s = parsed(&gs_rules_2_6, candidates[_i].conf);
	ck_assert_int_eq(gs_rules_may_serve(&s, candidates[_i].rounded, candidates[_i].block),
		candidates[_i].serves);
}
END_TEST

START_TEST(a_large_block_is_split_when_more_than_a_mib_is_left)
{
	gs_pool_settings s = parsed(&gs_rules_2_6, "");
	ck_assert(!gs_rules_should_split(&s, GS_LARGE, false, 11 * MIB, 12 * MIB));
	ck_assert(gs_rules_should_split(&s, GS_LARGE, false, 11 * MIB - 512, 12 * MIB));
	ck_assert(gs_rules_should_split(&s, GS_LARGE, true, 11 * MIB, 11 * MIB + 512));
	ck_assert(gs_rules_should_split(&s, GS_SMALL, false, 512, 1024));
	ck_assert(!gs_rules_should_split(&s, GS_SMALL, false, 512, 512));
}
END_TEST

/* message NULL: accepted */
static const struct {
	const gs_rules *rules;
	const char *text, *message;
} texts[] = {
	{&gs_rules_2_6, "max_split_size_mb:20",
		"CachingAllocator option max_split_size_mb too small, must be > 20"},
	{&gs_rules_2_6, "max_split_size_mb:-1", NULL},
	{&gs_rules_2_6, "max_split_size_mb:64abc", NULL},
	{&gs_rules_2_6, "max_split_size_mb:abc", "stoi"},
	{&gs_rules_2_6, "max_split_size_mb:99999999999", "stoi"},
	{&gs_rules_2_6, "max_split_size_mb:", "Error, expecting max_split_size_mb value"},
	{&gs_rules_2_6, "max_split_size_mb", "Error parsing CachingAllocator settings, expected :"},
	{&gs_rules_2_6, "max_split_size_mb,64", "Error parsing CachingAllocator settings, expected :"},
	{&gs_rules_2_6, "max_split_size_mb=30",
		"Unrecognized CachingAllocator option: max_split_size_mb=30"},
	{&gs_rules_2_6, "garbage_collection_threshold:0",
		"garbage_collect_threshold too small, set it 0.0~1.0"},
	{&gs_rules_2_6, "garbage_collection_threshold:nan",
		"garbage_collect_threshold too small, set it 0.0~1.0"},
	{&gs_rules_2_6, "garbage_collection_threshold:inf",
		"garbage_collect_threshold too big, set it 0.0~1.0"},
	{&gs_rules_2_6, ",", "Unrecognized CachingAllocator option: ,"},
	{&gs_rules_2_6, "max_split_size_mb:64,", NULL},
	{&gs_rules_2_6, " ", NULL},
	{&gs_rules_2_6, "max_split_size_mb:[64]", "stoi"},
	{&gs_rules_2_6, "expandable_segments:true",
		"Expected a single True/False argument for expandable_segments"},
	{&gs_rules_2_6, "roundup_power2_divisions:[256:1,512:2,]", NULL},
	{&gs_rules_2_6, "roundup_power2_divisions:3",
		"For roundups, the divisons has to be power of 2 "},
	{&gs_rules_2_6, "backend:foo",
		"Unknown allocator backend, options are native and cudaMallocAsync"},
	{&gs_rules_2_6, "pinned_num_register_threads:3",
		"Number of register threads has to be power of 2"},
	{&gs_rules_2_6, "large_segment_size_mb:30",
		"Unrecognized CachingAllocator option: large_segment_size_mb"},
	{&gs_rules_2_13, "max_split_size_mb:20", NULL},
	{&gs_rules_2_13, "max_split_size_mb:abc", "stoull"},
	{&gs_rules_2_13, "max_split_size_mb:99999999999", NULL},
	{&gs_rules_2_13, "max_split_size_mb:99999999999999999999", "stoull"},
	{&gs_rules_2_13, "max_split_size_mb:", "Index out of bounds in ConfigTokenizer"},
	{&gs_rules_2_13, "max_split_size_mb,64", NULL},
	{&gs_rules_2_13, "max_split_size_mb\t:\t64\n", NULL},
	{&gs_rules_2_13, "max_split_size_mb: 6 4", NULL},
	{&gs_rules_2_13, "max_split_size_mb:0x40",
		"CachingAllocator option max_split_size_mb too small, must be >= 20"},
	{&gs_rules_2_13, "garbage_collection_threshold:nan",
		"garbage_collect_threshold is invalid, set it in (0.0, 1.0)"},
	{&gs_rules_2_13, "expandable_segments:True:max_split_size_mb:64", NULL},
	{&gs_rules_2_13, "expandable_segments:TRUE",
		"Expected 'True' or 'False' at index 2 in ConfigTokenizer but got 'TRUE'"},
	{&gs_rules_2_13, "expandable_segments:False,foo:2",
		"Unrecognized key 'foo' in Accelerator allocator config."},
	{&gs_rules_2_13, "max_split_size_mb:64 ,,expandable_segments:False",
		"Unrecognized key ',' in Accelerator allocator config."},
	{&gs_rules_2_13, "roundup_power2_divisions:[64:8", "Index out of bounds in ConfigTokenizer"},
	{&gs_rules_2_13, "roundup_power2_divisions:[64:3]",
		"For roundups, the divisions has to be power of 2 or 0 to disable roundup "},
	{&gs_rules_2_13, "roundup_power2_divisions:[63:2]",
		"For roundups, the intervals have to be power of 2 "},
	{&gs_rules_2_13, "roundup_power2_divisions:[0:8]",
		"For roundups, the intervals have to be power of 2 "},
	{&gs_rules_2_13, "roundup_power2_divisions:[]", NULL},
	{&gs_rules_2_13, "roundup_power2_divisions:0",
		"For roundups, the divisions has to be power of 2 "},
	{&gs_rules_2_13, "roundup_power2_divisions:[64 8]", "Index out of bounds in ConfigTokenizer"},
	{&gs_rules_2_13, "large_segment_size_mb:10",
		"CachingAllocator option large_segment_size_mb must be > 10 MB"},
	{&gs_rules_2_13, "max_split_size_mb:30,large_segment_size_mb:40",
		"CachingAllocator option max_split_size_mb too small, must be >= 40"},
	{&gs_rules_2_13, "per_process_memory_fraction:1.5",
		"per_process_memory_fraction is invalid, set it in [0.0, 1.0]"},
};

START_TEST(a_settings_text_is_taken_or_refused_as_by_that_release)
{
	gs_pool_settings s;
	gs_error err = GS_ERROR_INIT;
	gs_pool_settings_init(&s);
	gs_status status = gs_pool_settings_parse(&s, texts[_i].rules, texts[_i].text, &err);
	ck_assert_int_eq(status, texts[_i].message ? GS_INVALID : GS_OK);
	ck_assert_str_eq(err.text, texts[_i].message ? texts[_i].message : "");
}
END_TEST

START_TEST(the_rest_of_a_list_starts_at_the_last_key_up_to_2_9_and_after_it_since)
{
	static const uint32_t old[GS_ROUNDUP_INTERVALS] = {
		1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 8, 8, 8, 8, 8, 8};
	const char *text = "roundup_power2_divisions:[256:1,512:2,1024:4,>:8]";
	gs_pool_settings s = parsed(&gs_rules_2_6, text), t = parsed(&gs_rules_2_10, text);
	for (int i = 0; i < GS_ROUNDUP_INTERVALS; i++) {
		ck_assert_uint_eq(s.roundup[i], old[i]);
		ck_assert_uint_eq(t.roundup[i], i == 10 ? 4 : old[i]);
	}
}
END_TEST

START_TEST(a_text_resets_some_settings_and_an_error_leaves_earlier_keys_in_force)
{
	gs_pool_settings s = parsed(&gs_rules_2_6,
		"expandable_segments:True,max_split_size_mb:64,garbage_collection_threshold:0.5");
	ck_assert_int_eq(gs_pool_settings_parse(&s, &gs_rules_2_6,
						 "roundup_power2_divisions:4,foo:1,max_split_size_mb:99", NULL),
		GS_INVALID);
	ck_assert(s.expandable);
	ck_assert_uint_eq(s.max_split, UINT64_MAX);
	ck_assert_double_eq(s.gc_threshold, 0);
	ck_assert_uint_eq(s.roundup[3], 4);
}
END_TEST

#define ROWS(table) (sizeof table / sizeof *table)

Suite *suite_pool_rules(void);
Suite *suite_pool_rules(void)
{
	Suite *s = suite_create("pool_rules");
	TCase *t = tcase_create("rules");
	tcase_add_loop_test(
		t, a_release_has_the_rules_of_the_last_set_not_newer_than_it, 0, ROWS(releases));
	tcase_add_loop_test(t, what_is_no_release_has_no_rules, 0, 8);
	tcase_add_loop_test(t, a_request_is_rounded_as_pytorch_does, 0, ROWS(roundings));
	tcase_add_loop_test(t, a_segment_is_two_or_twenty_mib_or_the_request_in_steps_of_two, 0, 6);
	tcase_add_test(t, a_reservation_is_nine_eighths_of_memory_in_whole_pages);
	tcase_add_loop_test(t, a_reservation_may_be_capped_by_a_fraction_or_a_size, 0, 4);
	tcase_add_loop_test(t, a_block_serves_within_the_bounds_of_max_split, 0, ROWS(candidates));
	tcase_add_test(t, a_large_block_is_split_when_more_than_a_mib_is_left);
	suite_add_tcase(s, t);
	t = tcase_create("settings");
	tcase_add_loop_test(t, a_settings_text_is_taken_or_refused_as_by_that_release, 0, ROWS(texts));
	tcase_add_test(t, the_rest_of_a_list_starts_at_the_last_key_up_to_2_9_and_after_it_since);
	tcase_add_test(t, a_text_resets_some_settings_and_an_error_leaves_earlier_keys_in_force);
	suite_add_tcase(s, t);
	return s;
}
