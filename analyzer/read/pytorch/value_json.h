/* Inside of the torch builder: values as JSON text. */
#ifndef GS_ANALYZER_READ_PYTORCH_VALUE_JSON_H
#define GS_ANALYZER_READ_PYTORCH_VALUE_JSON_H

#include "analyzer/read/pytorch/builder.h"

/* A text that grows; the caller gives data back. failed: longer than most, or memory is short. */
typedef struct gs_torch_text {
	char *data;
	size_t n, cap, most; /* bytes */
	bool failed;
} gs_torch_text;

/* Appends n bytes. */
void gs_torch_text_add(gs_torch_text *x, const char *data, size_t n);

/* Appends a value: dictionaries and lists to a depth of 8; of lists what the builder keeps of them.
 */
void gs_torch_json(gs_torch *t, gs_torch_text *x, const gs_torch_value *v);

/* Appends a member to an object, which its first member opens; closing it is the caller's. */
void gs_torch_json_member(gs_torch *t, gs_torch_text *x, gs_id key, const gs_torch_value *v);

#endif
