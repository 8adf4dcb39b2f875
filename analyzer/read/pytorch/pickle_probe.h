/* What a pickle's bytes are before any of them is followed. No state. */
#ifndef GS_ANALYZER_READ_PYTORCH_PICKLE_PROBE_H
#define GS_ANALYZER_READ_PYTORCH_PICKLE_PROBE_H

#include <stdbool.h>
#include <stddef.h>

/* How surely the first n bytes of an input are those of a pickle: 0 to 100 (a gs_reader's probe).
 * Protocol 0 is text, so opcodes are followed until one builds something. */
int gs_pickle_probe(const unsigned char *head, size_t n);

/* The name of an opcode that calls code or brings in what is not in the pickle, NULL for others. */
const char *gs_pickle_unsafe(unsigned char opcode);

#endif
