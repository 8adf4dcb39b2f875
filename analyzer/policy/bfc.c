/* The best-fit-with-coalescing allocator of TensorFlow and JAX: regions from the driver up to a
 * memory limit, never given back and never merged with each other; chunks are multiples of 256
 * bytes; any free chunk that is big enough serves. */
#include "analyzer/policy/policy.h"

enum { UNIT = 256 };

static uint64_t round_up(const gs_pool_settings *settings, uint64_t bytes)
{
	(void)settings;
	return bytes > UINT64_MAX - UNIT ? UINT64_MAX : (bytes + UNIT - 1) / UNIT * UNIT;
}

static uint64_t segment(const gs_pool_settings *settings, uint64_t rounded)
{
	(void)settings;
	return rounded;
}

/* A chunk is cut when its rest would be as large as the request, or 128 MiB. */
static bool splits(
	const gs_pool_settings *settings, gs_pool_class pool, uint64_t rounded, uint64_t block)
{
	(void)settings;
	(void)pool;
	return block / 2 >= rounded || block - rounded >= UINT64_C(128) << 20;
}

static bool serves(const gs_pool_settings *settings, uint64_t rounded, uint64_t block)
{
	(void)settings;
	return block >= rounded;
}

const gs_policy gs_policy_bfc = {
	.name = "bfc",
	.caches = true,
	.round = round_up,
	.segment = segment,
	.splits = splits,
	.serves = serves,
};
