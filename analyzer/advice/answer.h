/* A diagnosis for people (plain lines or Markdown) and for programs (one JSON object). Text from a
 * file is made harmless for a terminal and for a page. */
#ifndef GS_ANALYZER_ADVICE_ANSWER_H
#define GS_ANALYZER_ADVICE_ANSWER_H

#include <stdio.h>

#include "analyzer/model/prose.h"
#include "analyzer/diagnose/diagnose.h"

/* The first line without its newline: the verdict's name ("no failure" where nothing failed), a
 * colon, one sentence. Cut to cap. Returns buf. */
char *gs_diagnosis_line(const gs_diagnosis *d, char *buf, size_t cap);

/* Appends that sentence alone. */
void gs_diagnosis_sentence(const gs_diagnosis *d, gs_prose *p);

/* What kept the verdict from being exact, "" if it is. Cut to cap. Returns buf. */
char *gs_diagnosis_doubts(const gs_diagnosis *d, char *buf, size_t cap);

/* A step of the ladder as a cause, in words: "pending frees". */
const char *gs_step_noun(gs_step step);

/* The whole answer; at most 24 lines of a terminal unless verbose. */
void gs_diagnosis_print(const gs_diagnosis *d, FILE *out, const gs_voice *voice);

/* Its rows one by one, for a page: whose memory the failure turns on, the request, the device, what
 * it was not. label is "" for a row that continues the one above; remark may be "". */
typedef void gs_answer_row(void *context, const char *label, const char *text, const char *remark);
void gs_diagnosis_rows(
	const gs_diagnosis *d, const gs_voice *voice, gs_answer_row *row, void *context);

/* The object that schema/json/ has, and a newline. */
void gs_diagnosis_print_json(const gs_diagnosis *d, FILE *out);

/* Appends where memory is asked for: "train.py:33 step", and who called it there: "← train.py:58
 * main". where and called_by as gs_stack_place writes them; called_by may be "". */
void gs_say_where(gs_prose *p, const gs_voice *voice, const char *where, const char *called_by);

/* Whether a stack names a place in the program. */
bool gs_names_somebody(const gs_diagnosis *d, gs_id stack);

/* The same of a stack; one that names nothing is described ("memory allocated before the recording
 * began"). */
void gs_say_place(gs_prose *p, const gs_voice *voice, const gs_diagnosis *d, gs_id stack);

/* The place of the failed request after a word that leads to it (" for "); nothing, not even that
 * word, where no stack was recorded. */
void gs_say_request_place(
	gs_prose *p, const gs_voice *voice, const gs_diagnosis *d, const char *before);

/* A stack as text in malloc'd memory, frames joined by newlines; NULL when memory is short. */
char *gs_diagnosis_stack(const gs_snapshot *s, gs_id stack);

#endif
