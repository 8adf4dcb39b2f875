/* Cards by name, for `--capacity a100-40gb`. */
#ifndef GS_ANALYZER_REPLAY_CARDS_H
#define GS_ANALYZER_REPLAY_CARDS_H

#include <stdint.h>

#include "schema/status.h"

/* The total memory of a card (names of cards.def; case, blanks, - and _ do not matter, "nvidia-"
 * and "geforce" in front neither), or a SIZE. GS_INVALID with a message that tells names. */
gs_status gs_capacity_parse(const char *text, int64_t *bytes, gs_error *err);

/* Whether a text gives its size in powers of 1000 ("40GB"), which are less than people take them
 * for. */
int gs_is_decimal_size(const char *text);

#endif
