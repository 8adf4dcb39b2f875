/* zstd's compressor without its slow strategies, which the page's copies (level 3: ZSTD_dfast for
 * sources of every size) never choose. Built with zstd in place of zstd_lazy.c and zstd_opt.c; what
 * is called in spite of that ends the worker. */
#include "compress/zstd_lazy.h"
#include "compress/zstd_opt.h"

#define NEVER(strategy)                                                                \
	size_t ZSTD_compressBlock_##strategy(ZSTD_matchState_t *ms, seqStore_t *sequences, \
		U32 repeated[ZSTD_REP_NUM], void const *from, size_t n)                        \
	{                                                                                  \
		(void)ms, (void)sequences, (void)repeated, (void)from, (void)n;                \
		__builtin_trap();                                                              \
	}
#define NEVER_IN_FOUR(strategy)      \
	NEVER(strategy)                  \
	NEVER(strategy##_extDict)        \
	NEVER(strategy##_dictMatchState) \
	NEVER(strategy##_dedicatedDictSearch)
#define NEVER_IN_THREE(strategy) \
	NEVER(strategy)              \
	NEVER(strategy##_extDict)    \
	NEVER(strategy##_dictMatchState)
#define NEVER_IN_ROWS(strategy)          \
	NEVER(strategy##_row)                \
	NEVER(strategy##_extDict_row)        \
	NEVER(strategy##_dictMatchState_row) \
	NEVER(strategy##_dedicatedDictSearch_row)
NEVER_IN_FOUR(greedy)
NEVER_IN_FOUR(lazy)
NEVER_IN_FOUR(lazy2)
NEVER_IN_ROWS(greedy)
NEVER_IN_ROWS(lazy)
NEVER_IN_ROWS(lazy2)
NEVER_IN_THREE(btlazy2)
NEVER_IN_THREE(btopt)
NEVER_IN_THREE(btultra)
NEVER(btultra2)

U32 ZSTD_insertAndFindFirstIndex(ZSTD_matchState_t *ms, const BYTE *at)
{
	(void)ms, (void)at;
	__builtin_trap();
}

void ZSTD_row_update(ZSTD_matchState_t *const ms, const BYTE *at)
{
	(void)ms, (void)at;
	__builtin_trap();
}

void ZSTD_dedicatedDictSearch_lazy_loadDictionary(ZSTD_matchState_t *ms, const BYTE *const at)
{
	(void)ms, (void)at;
	__builtin_trap();
}

void ZSTD_updateTree(ZSTD_matchState_t *ms, const BYTE *at, const BYTE *end)
{
	(void)ms, (void)at, (void)end;
	__builtin_trap();
}
