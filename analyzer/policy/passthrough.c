/* Allocators that ask the driver for each block and keep nothing: plain cudaMalloc, and an RMM log,
 * which tells of blocks and not of what the resource behind them keeps. */
#include "analyzer/policy/policy.h"

static uint64_t as_asked(const gs_pool_settings *settings, uint64_t bytes)
{
	(void)settings;
	return bytes;
}

static bool never_splits(
	const gs_pool_settings *settings, gs_pool_class pool, uint64_t rounded, uint64_t block)
{
	(void)settings;
	(void)pool;
	(void)rounded;
	(void)block;
	return false;
}

static bool never_serves(const gs_pool_settings *settings, uint64_t rounded, uint64_t block)
{
	(void)settings;
	(void)rounded;
	(void)block;
	return false;
}

const gs_policy gs_policy_passthrough = {
	.name = "passthrough",
	.limit_step = true,
	.round = as_asked,
	.segment = as_asked,
	.splits = never_splits,
	.serves = never_serves,
};

const gs_policy gs_policy_rmm = {
	.name = "rmm",
	.limit_step = true,
	.round = as_asked,
	.segment = as_asked,
	.splits = never_splits,
	.serves = never_serves,
};
