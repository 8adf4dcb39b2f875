#include "recorder/pool/rule_sets.h"

#include <string.h>

const gs_rules gs_rules_2_6 = {
	.name = "2.6", .level = 206, .tie = GS_TIE_ADDRESS, .private_captures = true};
const gs_rules gs_rules_2_10 = {
	.name = "2.10",
	.level = 210,
	.tie = GS_TIE_ADDRESS,
	.list_rest_after = true,
	.bound_inclusive = true,
	.lenient = true,
	.fraction_below_one = true,
	.private_captures = true,
};
const gs_rules gs_rules_2_12 = {
	.name = "2.12",
	.level = 212,
	.tie = GS_TIE_BLOCK,
	.list_rest_after = true,
	.bound_inclusive = true,
	.lenient = true,
	.fraction_below_one = true,
};
const gs_rules gs_rules_2_13 = {
	.name = "2.13",
	.level = 213,
	.tie = GS_TIE_SEGMENT,
	.list_rest_after = true,
	.bound_inclusive = true,
	.lenient = true,
	.fraction_below_one = true,
};

static const gs_rules *const all[] = {
	&gs_rules_2_6, &gs_rules_2_10, &gs_rules_2_12, &gs_rules_2_13};
const gs_rules *const gs_rules_newest = &gs_rules_2_13;

/* Reads digits into *n (at most 9999); the end of them, or NULL where there is none. */
static const char *number(const char *s, int *n)
{
	if (*s < '0' || *s > '9')
		return NULL;
	for (*n = 0; *s >= '0' && *s <= '9'; s++)
		if ((*n = *n * 10 + *s - '0') > 9999)
			return NULL;
	return s;
}

const gs_rules *gs_rules_find(const char *release)
{
	int major, minor;
	const char *s = release + (*release == 'v');
	if (!strcmp(release, "newest"))
		return gs_rules_newest;
	if (!(s = number(s, &major)) || *s++ != '.' || !(s = number(s, &minor)) ||
		(*s && !strchr(".+-abrd_", *s)))
		return NULL;
	const gs_rules *found = all[0];
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (major * 100 + (minor < 99 ? minor : 99) >= all[i]->level)
			found = all[i];
	return found;
}

static unsigned log2_floor(uint64_t n) { return 63 - (unsigned)__builtin_clzll(n); }

static uint64_t up(uint64_t n, uint64_t to) { return (n + to - 1) / to * to; }

/* The divisions in force for a size (0 and 1: none). */
static uint64_t divisions(const gs_pool_settings *s, uint64_t bytes)
{
	unsigned log = log2_floor(bytes);
	unsigned i = log > 20 ? log - 20 : 0;
	return s->roundup[i < GS_ROUNDUP_INTERVALS ? i : GS_ROUNDUP_INTERVALS - 1];
}

uint64_t gs_rules_round(const gs_pool_settings *s, uint64_t bytes)
{
	if (bytes < GS_MIN_BLOCK)
		return GS_MIN_BLOCK;
	uint64_t d = divisions(s, bytes);
	if (d <= 1 || bytes <= GS_MIN_BLOCK * d)
		return (bytes + GS_MIN_BLOCK - 1) & ~(GS_MIN_BLOCK - 1);
	if (!(bytes & (bytes - 1)))
		return bytes;
	uint64_t power = UINT64_C(1) << log2_floor(bytes), step = power >> log2_floor(d);
	return step ? (bytes + step - 1) & ~(step - 1) : power << 1;
}

gs_pool_class gs_rules_class(uint64_t rounded)
{
	return rounded <= GS_SMALL_MAX ? GS_SMALL : GS_LARGE;
}

uint64_t gs_rules_segment_size(const gs_pool_settings *s, uint64_t rounded)
{
	if (rounded <= GS_SMALL_MAX)
		return GS_SMALL_SEGMENT;
	return rounded < GS_LARGE_MIN ? s->large_segment : up(rounded, GS_LARGE_ROUND);
}

uint64_t gs_rules_page_size(const gs_pool_settings *s, gs_pool_class pool)
{
	return pool == GS_SMALL ? GS_SMALL_SEGMENT : s->large_segment;
}

uint64_t gs_rules_reservation(const gs_pool_settings *s, gs_pool_class pool, uint64_t total)
{
	uint64_t want = total + total / 8;
	uint64_t page = gs_rules_page_size(s, pool);
	if (s->reserve_bytes && s->reserve_bytes < want)
		want = s->reserve_bytes;
	else if (s->reserve_fraction > 0 && s->reserve_fraction * (double)total < (double)want)
		want = (uint64_t)(s->reserve_fraction * (double)total);
	return up(want ? want : page, page);
}

bool gs_rules_may_serve(const gs_pool_settings *s, uint64_t rounded, uint64_t block_size)
{
	if (block_size < rounded)
		return false;
	if (rounded < s->max_split)
		return block_size < s->max_split;
	/* both may be huge: compare without overflow */
	return block_size - rounded < s->max_non_split_rounding;
}

bool gs_rules_should_split(const gs_pool_settings *s, gs_pool_class pool, bool expandable,
	uint64_t rounded, uint64_t block_size)
{
	uint64_t rest = block_size - rounded;
	if (pool == GS_SMALL || expandable)
		return rest >= GS_MIN_BLOCK;
	return rounded < s->max_split && rest > GS_SMALL_MAX;
}
