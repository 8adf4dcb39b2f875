/* Tokens of a settings text: words and the marks , : [ ], and the values that words stand for. What
 * is wrong is said as PyTorch's release says it. No memory is taken. */
#ifndef GS_RECORDER_POOL_SETTINGS_TOKEN_H
#define GS_RECORDER_POOL_SETTINGS_TOKEN_H

#include <stddef.h>

#include "recorder/pool/rule_sets.h"
#include "recorder/pool/settings.h"

enum { GS_SETTINGS_WORD = 96 };

typedef struct gs_settings_token {
	char text[GS_SETTINGS_WORD];
} gs_settings_token;

typedef struct gs_settings_parser {
	gs_pool_settings *s;
	const gs_rules *rules;
	gs_error *err;
	const char *text;
	size_t at;             /* of the text, behind the current token */
	size_t index;          /* of the current token */
	gs_settings_token now; /* the current token; "" at the end */
} gs_settings_parser;

/* The next token becomes the current one; it, without that. False at the end. */
bool gs_settings_next(gs_settings_parser *p);
bool gs_settings_peek(const gs_settings_parser *p, gs_settings_token *t);

/* GS_INVALID with this text, in which at most one %s stands for a. */
gs_status gs_settings_bad(gs_settings_parser *p, const char *format, const char *a);
gs_status gs_settings_out_of_bounds(gs_settings_parser *p);

/* The next token must be (or, lenient, may be anything for) a mark. */
gs_status gs_settings_expect(gs_settings_parser *p, const char *mark);
/* Moves to the value of the key at hand. */
gs_status gs_settings_value(gs_settings_parser *p, const char *key);

/* The current token as a value. Leading digits of a number count, the rest is ignored; a negative
 * one wraps; up to 2.9 it is an int. */
gs_status gs_settings_number(gs_settings_parser *p, const char *text, bool as_int, uint64_t *n);
gs_status gs_settings_real(gs_settings_parser *p, double *x);
gs_status gs_settings_bool(gs_settings_parser *p, const char *key, bool *b);

#endif
