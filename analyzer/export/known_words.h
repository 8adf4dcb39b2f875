/* The words that a redacted copy may keep: those of allocators, their settings and statistics, of
 * libraries and devices. Thread-safe. */
#ifndef GS_ANALYZER_EXPORT_KNOWN_WORDS_H
#define GS_ANALYZER_EXPORT_KNOWN_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether n bytes are one of them, whatever their case. */
bool gs_redact_knows_word(const char *word, size_t n);

/* Whether n bytes (without a dot) end the name of a file as a programming language's do. */
bool gs_redact_knows_extension(const char *extension, size_t n);

#endif
