/* The rank that a file's name tells. */
#include <check.h>

#include "analyzer/open/rank.h"
#include "schema/terms.h"

Suite *suite_rank(void);

static const struct {
	const char *path;
	int64_t rank;
} names[] = {
	{"rank3.pickle", 3},
	{"snap_r3.pickle", 3},
	{"snap-r3-x.pickle", 3},
	{"rank_0003.pickle", 3},
	{"rank-12.pkl", 12},
	{"dump_rank=4.pickle", 4},
	{"mem.rank.8.pickle", 8},
	{"snapshot_rank[6].pickle", 6},
	{"rank 7.pickle", 7},
	{"Rank_ 2.txt", 2},
	{"rank:5.pickle", 5},
	{"rank#6.pickle", 6},
	{"RANK5.pickle", 5},
	{"rank3of8.pickle", 3},
	{"rank0_step100.pickle", 0},
	{"global_rank-13.pickle", 13},
	{"localRank4.log", 4},
	{"local_rank_2_rank_9.pickle", 9},
	{"node0_local_rank1.pickle", 1},
	{"x-r2-rank6.txt", 6},
	{"r2.pickle", 2},
	{"R7", 7},
	{"node0rank3.pickle", 3},
	{"/a/b/rank1", 1},
	{"/rank5/r1.txt", 1},
	{"oom-gpu-r2-node-123-r5-d0-20260101T000000Z-1.gsnap", 5},
	{"oom-rank9-123-r0-d3-20260101T000000Z-1.gsnap", 0},
	{"out/rank_12/memory.pickle", 12},
	{"1/rank.4/stdout", 4},
	{"log/none_x/attempt_0/3/stderr.log", 3},
	{"rank2//snap.pickle", 2},
};

static const char *const nameless[] = {
	"snapshot.pickle",
	"frank3.pickle",
	"peer5.pickle",
	"r3e.pickle",
	"host-r3n4.pickle",
	"0.pickle",
	"snapshot_3.pickle",
	"worker2.pickle",
	"rank_99999999999.pickle",
	"rank.pickle",
	"crank_7.log",
	"",
	"rank",
	"r",
	"/home/r2/snapshot.pickle",
	"attempt_0/3/notes.txt",
	"attempt_0/x3/stderr.log",
	"ranks3x.pickle",
	"iteration_10.pickle",
	"franks/r.pickle",
	"rank3/sub/x.pickle",
};

START_TEST(a_name_tells_its_rank)
{
	ck_assert_msg(gs_rank_of_path(names[_i].path) == names[_i].rank, "%s: %lld", names[_i].path,
		(long long)gs_rank_of_path(names[_i].path));
}
END_TEST

START_TEST(another_name_tells_none)
{
	ck_assert_msg(gs_rank_of_path(nameless[_i]) == GS_NONE, "%s: %lld", nameless[_i],
		(long long)gs_rank_of_path(nameless[_i]));
}
END_TEST

Suite *suite_rank(void)
{
	Suite *suite = suite_create("rank");
	TCase *all = tcase_create("names");
	tcase_add_loop_test(all, a_name_tells_its_rank, 0, sizeof names / sizeof *names);
	tcase_add_loop_test(all, another_name_tells_none, 0, sizeof nameless / sizeof *nameless);
	suite_add_tcase(suite, all);
	return suite;
}
