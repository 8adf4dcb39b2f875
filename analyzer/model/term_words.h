/* The words of actions, states and classes (schema/actions.def, block_states.def,
 * pool_classes.def). Pure. */
#ifndef GS_ANALYZER_MODEL_TERM_WORDS_H
#define GS_ANALYZER_MODEL_TERM_WORDS_H

#include <stddef.h>

#include "schema/terms.h"

/* Word of an action ("alloc"); and the action of a word of n bytes (GS_ACTION_UNKNOWN for others).
 */
const char *gs_action_text(gs_action action);
gs_action gs_action_parse(const char *word, size_t n);
/* Word of a block's state and its number (GS_BLOCK_STATES for other words); of a pool's class (NULL
 * and GS_CLASS_UNKNOWN where it is not known). */
const char *gs_block_state_text(gs_block_state state);
gs_block_state gs_block_state_parse(const char *word);
const char *gs_class_text(int pool);
gs_pool_class gs_class_parse(const char *word);

#endif
