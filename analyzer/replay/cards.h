/* Cards by name, wherever the capacity of a device is given. */
#ifndef GS_ANALYZER_REPLAY_CARDS_H
#define GS_ANALYZER_REPLAY_CARDS_H

#include <stdint.h>

#include "schema/status.h"

/* The total memory of a card (names of cards.def; case, blanks, - and _ do not matter, "nvidia-"
 * and "geforce" in front neither), or a SIZE. GS_INVALID with a message that lists the cards. */
gs_status gs_capacity_parse(const char *text, int64_t *bytes, gs_error *err);

/* Whether what a capacity comes to is not plain to see: a card's name, or a size in powers of 1000
 * ("40GB"), which is less than people take it for. */
int gs_capacity_is_worth_telling(const char *text);

#endif
