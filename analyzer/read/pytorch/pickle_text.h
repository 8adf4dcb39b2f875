/* The textual arguments of pickle protocol 0. No state. */
#ifndef GS_ANALYZER_READ_PYTORCH_PICKLE_TEXT_H
#define GS_ANALYZER_READ_PYTORCH_PICKLE_TEXT_H

#include "analyzer/read/pytorch/builder.h"

/* A memo index: decimal digits. */
bool gs_pickle_index(const char *text, size_t n, uint64_t *out);

/* INT ('I', also 00 and 01 for booleans), LONG ('L', with an L at the end), FLOAT ('F'). Integers
 * beyond 64 bits become GS_V_OPAQUE. */
bool gs_pickle_number(unsigned char op, const char *text, size_t n, gs_torch_value *out);

/* UNICODE's raw-unicode-escape (Latin-1 with escapes) to UTF-8, and STRING's quoted text with its
 * escapes. out has room for 2 n bytes; return the length. */
size_t gs_pickle_unescape_unicode(const char *text, size_t n, char *out);
size_t gs_pickle_unescape_string(const char *text, size_t n, char *out);

#endif
