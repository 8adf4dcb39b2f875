/* What is free for a request: one count for the verdict, the picture and SQL, on failures of a real
 * PyTorch and, by brute force, on random heaps. */
#include <check.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/picture/scene.h"
#include "analyzer/policy/policy.h"
#include "analyzer/query/query.h"
#include "analyzer/query/session.h"
#include "analyzer/read/open/reader.h"
#include "schema/size.h"

/* --- what is drawn ---------------------------------------------------------------------------- */

typedef struct words {
	gs_draw draw; /* first: it is handed in */
	char text[64 * 1024];
	size_t n;
} words;

static void no_rect(gs_draw *d, int x, int y, int w, int h, const gs_paint *paint)
{
	(void)d, (void)x, (void)y, (void)w, (void)h, (void)paint;
}
static void no_area(
	gs_draw *d, int x, int n, const int *top, const int *bottom, const gs_paint *paint)
{
	(void)d, (void)x, (void)n, (void)top, (void)bottom, (void)paint;
}
static int measure(gs_draw *d, int px, const char *text)
{
	(void)d;
	return (int)strlen(text) * px / 2;
}
static void keep_text(gs_draw *d, int x, int y, int px, uint32_t rgb, const char *text)
{
	words *w = (words *)d;
	(void)x, (void)y, (void)px, (void)rgb;
	w->n += (size_t)snprintf(w->text + w->n, sizeof w->text - w->n, "%s\n", text);
	ck_assert_uint_lt(w->n, sizeof w->text);
}

static void check_map(const gs_scene *scene, const char *path)
{
	static const gs_draw_ops ops = {no_rect, no_area, keep_text, measure};
	const gs_diagnosis *d = &scene->diagnosis;
	gs_map_panel panel = {.snapshot = scene->snapshot,
		.device = d->device,
		.layout = &scene->moments.at[0].layout,
		.oom = &scene->snapshot->ooms[d->oom],
		.state = "oom",
		.diagnosis = d};
	gs_map_options options = {.panels = &panel, .n = 1, .color = GS_COLOR_STATE};
	words *drawn = calloc(1, sizeof *drawn);
	gs_map *map = NULL;
	gs_error err = GS_ERROR_INIT;
	uint64_t bytes;
	size_t blocks;
	char size[32], caption[80];
	ck_assert_ptr_nonnull(drawn);
	ck_assert_msg(!gs_map_make(&map, &options, &err), "%s: %s", path, err.text);
	gs_map_class_sums(map, GS_CLASS_FREE, false, &bytes, &blocks);
	ck_assert_msg(bytes == (uint64_t)d->free && blocks == (size_t)d->free_blocks,
		"%s: the map has %llu bytes in %zu holes, the verdict %lld in %lld", path,
		(unsigned long long)bytes, blocks, (long long)d->free, (long long)d->free_blocks);
	drawn->draw.ops = &ops;
	gs_map_draw(map, &drawn->draw);
	snprintf(caption, sizeof caption, "largest hole that it could have used: %s",
		gs_size_format(size, sizeof size, (uint64_t)d->largest_free));
	if (d->free_blocks)
		ck_assert_msg(strstr(drawn->text, caption) != NULL, "%s: no \"%s\"", path, caption);
	else
		ck_assert_msg(strstr(drawn->text, "there is no hole at all") != NULL, "%s", path);
	gs_map_free(map);
	free(drawn);
}

/* --- what SQL counts -------------------------------------------------------------------------- */

static void check_sql(const gs_snapshot *s, const gs_diagnosis *d, const char *path)
{
	gs_session_options from = {.device = GS_NONE, .rank = GS_NONE, .given = s};
	gs_query_options question = {.format = GS_FORMAT_TSV, .seconds = 30};
	gs_session *session = NULL;
	gs_error err = GS_ERROR_INIT;
	char sql[500], *text = NULL;
	size_t n = 0;
	uint64_t left;
	long long bytes, holes, largest;
	snprintf(sql, sizeof sql,
		"SELECT coalesce(sum(size), 0), count(*), coalesce(max(size), 0) FROM block "
		"WHERE state = 'inactive' AND device = %d AND pool_id = '%llu,%llu' AND stream = %lld "
		"AND pool = '%s'",
		d->device->device, (unsigned long long)d->pool_id.a, (unsigned long long)d->pool_id.b,
		(long long)d->stream, d->pool == GS_SMALL ? "small" : "large");
	question.sql = sql;
	FILE *out = open_memstream(&text, &n);
	ck_assert_ptr_nonnull(out);
	ck_assert_msg(!gs_session_open(&from, &session, &err), "%s: %s", path, err.text);
	ck_assert_msg(
		!gs_query_answer(session, &question, out, &left, NULL, &err), "%s: %s", path, err.text);
	gs_session_close(session);
	fclose(out);
	const char *row = strchr(text, '\n');
	ck_assert_ptr_nonnull(row);
	ck_assert_int_eq(sscanf(row, "%lld %lld %lld", &bytes, &holes, &largest), 3);
	ck_assert_msg(bytes == d->free && holes == d->free_blocks && largest == d->largest_free,
		"%s: SQL has %lld bytes in %lld holes of at most %lld, the verdict %lld in %lld of %lld",
		path, bytes, holes, largest, (long long)d->free, (long long)d->free_blocks,
		(long long)d->largest_free);
	free(text);
}

/* Whether the file tells of a failure in a heap. */
static bool check_file(const char *path)
{
	gs_snapshot s;
	gs_scene scene;
	gs_scene_options options = {.device = GS_NONE};
	gs_error err = GS_ERROR_INIT;
	gs_snapshot_init(&s);
	ck_assert_msg(!gs_read_path(path, GS_WANT_ALL, &s, &err), "%s: %s", path, err.text);
	gs_status status = gs_scene_open(&scene, &s, &options, &err);
	bool failed = !status && scene.diagnosis.oom != SIZE_MAX && scene.diagnosis.has_layout;
	if (failed) {
		check_map(&scene, path);
		check_sql(&s, &scene.diagnosis, path);
	}
	gs_scene_release(&scene);
	gs_snapshot_release(&s);
	return failed;
}

START_TEST(verdict_picture_and_sql_count_the_same_holes)
{
	static const char *const patterns[] = {
		"tests/data/faults/*.pickle", "tests/data/diagnose/*.pickle.zst"};
	static const size_t failures[] = {6, 26};
	glob_t files;
	size_t n = 0;
	ck_assert_int_eq(glob(patterns[_i], 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++)
		n += check_file(files.gl_pathv[i]);
	globfree(&files);
	ck_assert_uint_ge(n, failures[_i]);
}
END_TEST

/* --- by brute force --------------------------------------------------------------------------- */

enum { HEAPS = 300, SEGMENTS = 12, BLOCKS = 6 };

static uint32_t chance(uint32_t n)
{
	static uint32_t seed = 1;
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

static void random_heap(gs_layout *l, gs_segment *segments, gs_block *blocks)
{
	gs_layout_init(l);
	l->segments = segments;
	l->blocks = blocks;
	l->nsegments = chance(SEGMENTS + 1);
	for (size_t k = 0; k < l->nsegments; k++) {
		gs_segment *g = &segments[k];
		*g = (gs_segment){.first_block = l->nblocks,
			.nblocks = 1 + chance(BLOCKS),
			.stream = chance(3),
			.pool_id = {chance(4) == 0, chance(4) == 0},
			.pool = (uint8_t)(chance(5) ? chance(2) ? GS_SMALL : GS_LARGE : GS_CLASS_UNKNOWN)};
		for (size_t i = 0; i < g->nblocks; i++)
			blocks[l->nblocks++] = (gs_block){.segment = (uint32_t)k,
				.size = 512 * (1 + chance(9)),
				.state = (uint8_t)(chance(2) ? GS_INACTIVE : GS_ACTIVE_ALLOCATED)};
	}
}

static bool is_for(const gs_segment *g, const gs_oom *oom, bool classes)
{
	uint64_t a = oom->has_pool_id ? oom->pool_id.a : 0, b = oom->has_pool_id ? oom->pool_id.b : 0,
			 stream = oom->stream < 0 ? 0 : (uint64_t)oom->stream;
	int class = oom->pool;
	if (class == GS_CLASS_UNKNOWN && oom->requested > 0)
		class = oom->requested <= 1 << 20 ? GS_SMALL : GS_LARGE;
	bool same_class = !classes || oom->requested <= 0 || g->pool == GS_CLASS_UNKNOWN ||
		g->pool == class;
	return g->pool_id.a == a && g->pool_id.b == b && g->stream == stream && same_class;
}

START_TEST(each_hole_is_counted_once_and_where_it_belongs)
{
	static gs_segment segments[SEGMENTS];
	static gs_block blocks[SEGMENTS * BLOCKS];
	const gs_policy *const policies[] = {&gs_policy_pytorch, &gs_policy_bfc};
	for (int heap = 0; heap < HEAPS; heap++) {
		const gs_policy *policy = policies[heap % 2];
		gs_layout l;
		gs_oom oom;
		gs_free_for f;
		uint64_t usable = 0, all = 0, counted = 0, largest = 0;
		random_heap(&l, segments, blocks);
		gs_oom_init(&oom);
		oom.requested = chance(6) ? 512 << chance(14) : GS_NONE;
		oom.stream = chance(3) ? (int64_t)chance(3) : GS_NONE;
		oom.has_pool_id = chance(2);
		oom.pool_id = (gs_pool_id){chance(2), 0};
		if (chance(2))
			oom.pool = (int8_t)(chance(2) ? GS_SMALL : GS_LARGE);
		for (size_t i = 0; i < l.nblocks; i++) {
			if (blocks[i].state != GS_INACTIVE)
				continue;
			all += blocks[i].size;
			if (!is_for(&segments[blocks[i].segment], &oom, policy->classes))
				continue;
			usable += blocks[i].size;
			largest = blocks[i].size > largest ? blocks[i].size : largest;
		}

		gs_policy_request r = gs_policy_request_of(policy, &oom);
		gs_free_for_request(policy, &l, &r, &f);

		for (int k = 0; k < GS_POOL_RELATIONS; k++)
			counted += f.holes[k].bytes;
		ck_assert_uint_eq(f.holes[GS_POOL_SAME].bytes, usable);
		ck_assert_uint_eq(f.holes[GS_POOL_SAME].largest, largest);
		ck_assert_uint_eq(counted, all);
		if (usable)
			ck_assert_uint_eq(blocks[f.holes[GS_POOL_SAME].largest_at].size, largest);
	}
}
END_TEST

Suite *suite_free_for_request(void);
Suite *suite_free_for_request(void)
{
	Suite *s = suite_create("free_for_request");
	TCase *t = tcase_create("free_for_request");
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, verdict_picture_and_sql_count_the_same_holes, 0, 2);
	tcase_add_test(t, each_hole_is_counted_once_and_where_it_belongs);
	suite_add_tcase(s, t);
	return s;
}
