/* The rank that the name of a file tells. No state, thread-safe. */
#ifndef GS_ANALYZER_OPEN_RANK_H
#define GS_ANALYZER_OPEN_RANK_H

#include <stdint.h>

/* From path's last component, else from the folder that it lies in; GS_NONE where they tell none.
 * In this order:
 *     …-r3-d0-…                   what the recorder writes
 *     rank3 rank_3 rank-0003 Rank=3 rank.3
 *                                 a word of its own, also localRank3 and global_rank3; one that is
 *                                 not local goes first
 *     r3                          alone between other characters than letters and digits
 *     rank3/…                     the folder's name, by the word only
 *     attempt_0/3/stderr.log      torchrun's logs
 * At most seven digits. */
int64_t gs_rank_of_path(const char *path);

#endif
