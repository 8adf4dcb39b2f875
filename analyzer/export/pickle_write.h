/* Writing pickles (protocol 4, plain data only) opcode by opcode to a sink. Errors stick;
 * gs_pickler_finish tells. */
#ifndef GS_ANALYZER_EXPORT_PICKLE_WRITE_H
#define GS_ANALYZER_EXPORT_PICKLE_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/gsnap_write.h"
#include "schema/status.h"

typedef struct gs_pickler {
	gs_sink sink;
	void *arg;
	gs_status status;
	int reason;    /* errno where the sink failed, else 0 */
	uint32_t memo; /* entries put so far */
	size_t n;
	unsigned char buf[16384];
} gs_pickler;

/* Begins a pickle. */
void gs_pickler_init(gs_pickler *p, gs_sink sink, void *arg);

/* A value each. Text of n bytes is UTF-8, bytes that are not become U+FFFD; a pair is a tuple. */
void gs_pickler_integer(gs_pickler *p, int64_t i);
void gs_pickler_unsigned(gs_pickler *p, uint64_t u);
void gs_pickler_real(gs_pickler *p, double f);
void gs_pickler_boolean(gs_pickler *p, bool b);
void gs_pickler_none(gs_pickler *p);
void gs_pickler_text(gs_pickler *p, const char *text, size_t n);
void gs_pickler_pair(gs_pickler *p, uint64_t a, uint64_t b);

/* A dictionary: begin, then key, value, key, value …, end. A list likewise. */
void gs_pickler_dict(gs_pickler *p);
void gs_pickler_dict_end(gs_pickler *p);
void gs_pickler_list(gs_pickler *p);
void gs_pickler_list_end(gs_pickler *p);

/* Remembers the value just written (returns its number, from 1), and writes one that was
 * remembered. */
uint32_t gs_pickler_put(gs_pickler *p);
void gs_pickler_get(gs_pickler *p, uint32_t number);

/* Bytes of another pickle: opcodes that leave one value. */
void gs_pickler_raw(gs_pickler *p, const void *data, size_t n);

/* Ends the pickle and sends what is left; what failed at any time since the beginning. */
gs_status gs_pickler_finish(gs_pickler *p, gs_error *err);

#endif
