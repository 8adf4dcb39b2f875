/* The little of protobuf's wire format that writing a trace takes: a message in memory, fields
 * appended in order. A failed allocation is kept in `failed`; a message that failed holds
 * nothing. Not thread-safe. */
#ifndef GS_ANALYZER_EXPORT_PROTOBUF_H
#define GS_ANALYZER_EXPORT_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gs_proto {
	unsigned char *bytes;
	size_t n, cap;
	bool failed;
} gs_proto;

/* Empties it and keeps its memory; frees it. */
void gs_proto_clear(gs_proto *p);
void gs_proto_release(gs_proto *p);

/* Fields of type uint64, int64 (not zigzag), enum, bool; of type string or bytes; a message. */
void gs_proto_number(gs_proto *p, unsigned field, uint64_t value);
void gs_proto_text(gs_proto *p, unsigned field, const char *text);
void gs_proto_message(gs_proto *p, unsigned field, const gs_proto *message);

#endif
