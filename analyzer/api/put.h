/* JSON of the interface's own answers, member by member. */
#ifndef GS_ANALYZER_API_PUT_H
#define GS_ANALYZER_API_PUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A text as a JSON string, null for NULL; what does not fit in memory becomes null. */
void gs_put_text(FILE *out, const char *text);

/* `"key":` and a value, after a comma unless first. Numbers: null for GS_NONE. */
void gs_put_key(FILE *out, const char *key, bool first);
void gs_put_text_member(FILE *out, const char *key, const char *text);
void gs_put_number_member(FILE *out, const char *key, int64_t number);
void gs_put_address_member(FILE *out, const char *key, uint64_t number);
void gs_put_flag_member(FILE *out, const char *key, bool value);

#endif
