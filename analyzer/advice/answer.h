/* A diagnosis for people (plain lines or Markdown) and for programs (one JSON object). Text from a
 * file is made harmless for a terminal. */
#ifndef GS_ANALYZER_DIAGNOSE_PRINT_H
#define GS_ANALYZER_DIAGNOSE_PRINT_H

#include <stdio.h>

#include "analyzer/diagnose/diagnose.h"

typedef enum gs_diagnose_form { GS_DIAGNOSE_PLAIN, GS_DIAGNOSE_MARKDOWN } gs_diagnose_form;

/* The first line, without its newline: "OOM: request … Verdict: …" or "No OOM recorded: …". Returns
 * buf. */
char *gs_diagnosis_line(const gs_diagnosis *d, char *buf, size_t cap);
/* Why that verdict, in a few words: what stands in the line's brackets. */
char *gs_diagnosis_reason(const gs_diagnosis *d, char *buf, size_t cap);
/* What kept it from being exact, "" if it is. */
char *gs_diagnosis_doubts(const gs_diagnosis *d, char *buf, size_t cap);

/* At most 25 lines unless verbose. */
void gs_diagnosis_print(const gs_diagnosis *d, FILE *out, gs_diagnose_form form, bool verbose);
void gs_diagnosis_print_json(const gs_diagnosis *d, FILE *out);

/* "user frame" of a stack as one harmless line, "(no stack recorded)" for 0; its whole text in
 * malloc'd memory, never NULL but when memory is short. */
char *gs_diagnosis_frame(const gs_snapshot *s, gs_id stack, char *buf, size_t cap);
char *gs_diagnosis_stack(const gs_snapshot *s, gs_id stack);

#endif
