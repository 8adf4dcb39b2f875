/* What somebody who mistyped a word may have meant. No state, thread-safe. */
#ifndef GS_SCHEMA_NEAREST_H
#define GS_SCHEMA_NEAREST_H

#include <stddef.h>

/* Steps by which a becomes b: a letter added, lost or changed, or two that change places. Words
 * longer than 48 bytes are 48 apart from any other. */
size_t gs_edit_distance(const char *a, const char *b);

/* Of the words (ended by NULL) the one nearest to what was typed, or NULL where none is near. */
const char *gs_nearest_word(const char *typed, const char *const *words);

#endif
