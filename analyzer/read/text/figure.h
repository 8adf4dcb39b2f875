/* Words, numbers and sizes in squeezed text (window.h). Every function takes a position and
 * answers about what begins there; positions beyond the text are allowed and match nothing. Pure,
 * thread-safe on a window at rest. */
#ifndef GS_ANALYZER_READ_TEXT_FIGURE_H
#define GS_ANALYZER_READ_TEXT_FIGURE_H

#include "analyzer/read/text/window.h"

/* Whether the squeezed phrase (lower case, no blanks) stands at i / ends just before i. */
bool gs_text_is(const gs_text *t, size_t i, const char *phrase);
bool gs_text_ends(const gs_text *t, size_t i, const char *phrase);

/* Steps over the phrase at *i: true and *i behind it, else false. */
bool gs_text_eat(const gs_text *t, size_t *i, const char *phrase);

/* First (last) place of the phrase that lies wholly in [from, to); SIZE_MAX where there is none. */
size_t gs_text_find(const gs_text *t, size_t from, size_t to, const char *phrase);
size_t gs_text_find_last(const gs_text *t, size_t from, size_t to, const char *phrase);

/* An unsigned decimal number / a hexadecimal one, with or without 0x, of at most 16 digits. *i
 * moves behind it. */
bool gs_text_number(const gs_text *t, size_t *i, uint64_t *value);
bool gs_text_hex(const gs_text *t, size_t *i, uint64_t *value);

/* A size: digits, thousands separated by commas, a fraction, a unit. Every unit counts in 1024, MB
 * as MiB: that is what the libraries whose messages are read mean. Rounded to whole bytes. *unit
 * (may be NULL): a unit was there. false when there is no number; INT64_MAX stands for more than
 * that. */
bool gs_text_size(const gs_text *t, size_t *i, int64_t *bytes, bool *unit);

/* The same in a sentence where no number stands right behind another: there a number goes on also
 * behind a fold. */
bool gs_text_size_folded(const gs_text *t, size_t *i, int64_t *bytes, bool *unit);

/* Two sizes with a stroke between them, "3.25 GiB/15.6 GiB"; in "3.25/15.6 GiB" the unit is that of
 * both. */
bool gs_text_size_of(const gs_text *t, size_t *i, int64_t *part, int64_t *all);

/* Whether a size could begin at i: a digit that does not continue a number or a word. */
bool gs_text_digit_begins(const gs_text *t, size_t i);

#endif
