/* What the memory of a device is for, when it peaked, what grew, who holds it.
 *
 * A meaning is made once for a device's history and answers for every moment of it. Its parts are
 * linear in the events. Units: bytes, event numbers as in state.h; GS_NONE where something is not
 * known. "Live" is allocated or pending. Rows come in the order that a reader wants, each order
 * total, so that the same snapshot gives the same rows from whatever file. Arrays are malloc'd and
 * the caller's to free(); *n is 0 where there is nothing. Functions return GS_OK or GS_NO_MEMORY
 * unless they say otherwise. The history and the rules must outlive the meaning; a finished meaning
 * may be read by many threads. */
#ifndef GS_ANALYZER_MEANING_MEANING_H
#define GS_ANALYZER_MEANING_MEANING_H

#include "analyzer/meaning/category.h"
#include "analyzer/meaning/growth.h"
#include "analyzer/meaning/varying_sizes.h"
#include "analyzer/model/place.h"
#include "analyzer/state/state.h"

/* What an allocation is: its category (a gs_category or a user's) and the number of the rule that
 * said so (gs_category_why), 0 where none did. */
typedef struct gs_categorization {
	uint8_t category;
	uint8_t rule;
} gs_categorization;

typedef enum gs_step_how { GS_STEP_ANNOTATION, GS_STEP_PERIOD } gs_step_how;
const char *gs_step_how_word(gs_step_how how); /* "annotation", "period" */

/* A step of the program (of training, as a rule). Steps ascend and do not overlap; events before
 * the first, between them and behind the last belong to none. */
typedef struct gs_phase_step {
	int64_t number; /* the annotation's, else counted from 0 */
	char name[64];  /* as annotated ("ProfilerStep#7"), else "step 0" */
	int64_t first_idx, last_idx;
	uint64_t start_allocated; /* before its first event */
	uint64_t peak_allocated, peak_reserved;
	int64_t peak_idx; /* the first event after which allocated was at its greatest in the step */
	uint64_t end_allocated;
	int64_t growth;   /* end − start */
	uint64_t retries; /* times that the cache was given back for a request in the step */
	gs_step_how how;
	bool whole; /* false: the recording begins or ends (or failed) inside it */
} gs_phase_step;

/* Whether an annotation or a tag names a step: a word that means one, then its number at the end:
 * "ProfilerStep#12", "train step 3", "iter=40", "step_7". */
bool gs_meaning_step_number(const char *name, int64_t *number);

/* All that the rules and the search for steps ask of a frame's words, for a copy without them
 * (model/frame_class.h). */
uint32_t gs_meaning_frame_class(const gs_snapshot *s, gs_id frame);

struct gs_meaning_internal;

typedef struct gs_meaning {
	const gs_history *history;
	const gs_category_rules *rules;
	gs_categorization *events;  /* by event: of an alloc what the block is, of an oom what it would
						  have been,  else unknown */
	gs_categorization *initial; /* by block of history->initial: likewise */
	gs_phase_step *steps;
	size_t nsteps;
	struct gs_meaning_internal *internal; /* private */
} gs_meaning;

#define GS_MEANING_INIT \
	{                   \
		0               \
	}

/* rules may be NULL. Release in any case. */
gs_status gs_meaning_init(
	gs_meaning *m, const gs_history *h, const gs_category_rules *rules, gs_error *err);
void gs_meaning_release(gs_meaning *m);

/* Of a block of a layout that gs_history_layout made (blocks carry the number of their alloc
 * event); an inactive one is unknown. */
gs_categorization gs_meaning_of(const gs_meaning *m, const gs_block *b);

/* Live bytes and blocks by category, of a layout: categories that have any, most bytes first. */
typedef struct gs_category_sum {
	uint8_t category;
	uint64_t bytes, blocks;
} gs_category_sum;
gs_status gs_meaning_categories(
	const gs_meaning *m, const gs_layout *l, gs_category_sum **rows, size_t *n);

/* The same event by event without layouts (compare gs_running_totals): start, then step for i = 0 …
 * n - 1; after step i it holds what lives after event i. */
typedef struct gs_running_categories {
	uint64_t bytes[GS_MOST_CATEGORIES], blocks[GS_MOST_CATEGORIES];
} gs_running_categories;
void gs_running_categories_start(const gs_meaning *m, gs_running_categories *g);
void gs_running_categories_step(const gs_meaning *m, size_t i, gs_running_categories *g);

/* The greatest allocated bytes of the recording up to event until (GS_NONE: all), and what was live
 * then. idx is -1 in a trace without events: then the captured figures stand; and where the peak
 * is of events that are not in memory (gs_snapshot.excerpt): then figures told it, number is known
 * and live is not (is_apart). */
typedef struct gs_peak {
	int64_t idx, time_us;
	int64_t number; /* of the event as the file counts, -1 */
	bool is_apart;
	uint64_t allocated, reserved;
	int64_t step; /* index in steps, -1 none */
	gs_running_categories live;
} gs_peak;
void gs_meaning_peak(const gs_meaning *m, int64_t until, gs_peak *peak);

/* Who holds live memory: a place in the program and its caller (model/place.h), merged where two
 * read alike. called_by of the autograd thread: the forward line, where the snapshot has it. Blocks
 * of one place in different categories are rows of their own. Memory without a frame to name is
 * "backward pass", "before the recording", "library code" or "no stack recorded". Sorted by bytes.
 */
typedef struct gs_holder_row {
	char where[GS_PLACE_TEXT], called_by[GS_PLACE_TEXT];
	uint8_t category;
	gs_id stack; /* the one of its stacks that holds most */
	uint64_t bytes, blocks;
} gs_holder_row;
gs_status gs_meaning_holders(
	const gs_meaning *m, const gs_layout *l, gs_holder_row **rows, size_t *n);
/* The same of two moments, a name that both have made once; other may be NULL. */
gs_status gs_meaning_holders_of_two(const gs_meaning *m, const gs_layout *l, const gs_layout *other,
	gs_holder_row **rows, size_t *n, gs_holder_row **other_rows, size_t *other_n);

/* Who holds a block of a layout or a life (gs_life_block), as a row of holders names it. What the
 * names depend on is its key: blocks of one key have one holder. where and called_by hold
 * GS_PLACE_TEXT bytes each. */
typedef struct gs_holder_key {
	gs_id stack, more;
	bool before; /* born before the recording */
} gs_holder_key;
gs_holder_key gs_meaning_holder_key(const gs_meaning *m, const gs_block *b);
void gs_meaning_holder_name(const gs_meaning *m, gs_holder_key key, char *where, char *called_by);

/* The step that a number names; NULL where there is none. */
const gs_phase_step *gs_meaning_step(const gs_meaning *m, int64_t number);

#endif
