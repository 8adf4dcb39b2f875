/* What the files of the answer share: the rows of a diagnosis for people, each written by a
 * function that writes nothing where there is nothing to tell. Private to them. */
#ifndef GS_ANALYZER_ADVICE_ANSWER_INTERNAL_H
#define GS_ANALYZER_ADVICE_ANSWER_INTERNAL_H

#include "analyzer/advice/answer.h"

enum { MOST_SHOWN = 64, MOST_LEAN = 4 };

/* What is said of the peak beside when it was: nothing, what it was for, also who held most of it.
 */
typedef enum gs_peak_detail { GS_PEAK_BARE, GS_PEAK_CATEGORIES, GS_PEAK_HOLDERS } gs_peak_detail;

typedef struct gs_answer {
	const gs_diagnosis *d;
	FILE *out;
	const gs_voice *voice;
	bool content;        /* nothing has to be changed: said so */
	gs_peak_detail peak; /* how much is said of what the peak was made of */
	size_t advised;      /* lines of advice written so far */
	int lines;           /* written so far */
	int lean;            /* how much of what says least is left out: 0 nothing, to MOST_LEAN */
	gs_answer_row *row;  /* takes the rows instead of out; NULL: they are written */
	void *context;
	gs_id shown[MOST_SHOWN]; /* stacks written already */
	size_t nshown;
} gs_answer;

/* --- answer_rows.c */

/* One row: what it is about, the text, and a remark set off to the right (NULL: none). */
void gs_answer_put_row(gs_answer *a, const char *label, const gs_prose *text, const char *remark);
/* A line of its own behind an empty one; not where rows go to a.row. */
void gs_answer_heading(gs_answer *a, const char *text);
/* With -v more of each kind, but not hundreds: the queries have all. Fewer where the screen has no
 * room for them. */
size_t gs_answer_some(gs_answer *a, size_t n, size_t few);
/* How many are left out with -v. */
void gs_answer_left(gs_answer *a, size_t n, const char *query);
/* With -v the stack below its row, each once, what PyTorch and others do in between folded. */
void gs_answer_stack(gs_answer *a, gs_id stack);

/* --- answer_device.c */

/* What was asked for: size, place, stream, pool. */
void gs_answer_request(gs_answer *a);
/* What a message or a table says of memory in use and cached; a layout is counted. */
void gs_answer_parts_of(const gs_diagnosis *d, int64_t *in_use, int64_t *pending, int64_t *cached);
/* Bytes of the device that neither this allocator holds nor are free: those of others and what CUDA
 * itself takes; GS_NONE unknown. */
int64_t gs_answer_outside_of(const gs_diagnosis *d);
/* How the device is divided: in use, pending, cached, outside, free. */
void gs_answer_device(gs_answer *a);
/* Of whom memory outside the allocator is, as a recording tells it: what other tools show more than
 * the allocator has. Rows of one holder are summed. */
void gs_answer_outside(gs_answer *a);
/* Beside the device that is told: that there are others, in a word each; beside a failure those
 * that did not fail, many of them in one row. */
void gs_answer_other_devices(gs_answer *a);

/* --- answer_holders.c */

/* What the memory in use is for, by category. */
void gs_answer_in_use(gs_answer *a);
/* The most that was allocated, and when; in more detail what for, and who held most of it, with -v
 * more than one. Nothing where this moment is the peak. */
void gs_answer_peak(gs_answer *a, gs_peak_detail detail);
/* Stacks that keep free memory in pieces, from the one numbered so, with -v more than few. */
void gs_answer_pinning(gs_answer *a, size_t from, size_t few);
/* Holders from the one numbered so, the first of them under a label. */
void gs_answer_holders(gs_answer *a, const char *label, size_t from, size_t few);
/* What grows step after step, with -v more than few. */
void gs_answer_growth(gs_answer *a, size_t few);
/* With -v: stacks that ask for many sizes. */
void gs_answer_varying(gs_answer *a);

/* --- answer_proof.c */

/* Without a failure: the largest request of each pool that the cache serves. */
void gs_answer_fits(gs_answer *a);
/* Steps of the ladder that would not have helped. */
void gs_answer_ruled_out(gs_answer *a);
/* What kept the verdict from being exact. */
void gs_answer_doubts(gs_answer *a);
/* PyTorch's message proposes settings against fragmentation whatever happened: what they could gain
 * at most is what is cached. */
void gs_answer_hint(gs_answer *a);
/* With -v: each step with its figures. */
void gs_answer_ladder(gs_answer *a);
/* With -v: what is cheapest to give back for the request. */
void gs_answer_eviction(gs_answer *a);

/* --- answer_others.c */

/* The other failures, in a row each. */
void gs_answer_others(gs_answer *a);
/* Those that stand apart from the others: of a thousand ranks the few to look at. */
void gs_answer_unlike(gs_answer *a);

#endif
