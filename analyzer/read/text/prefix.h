/* The beginnings of log lines: what a logger, a launcher or a mail program put before the text.
 * Pure, thread-safe. */
#ifndef GS_ANALYZER_READ_TEXT_PREFIX_H
#define GS_ANALYZER_READ_TEXT_PREFIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the prefix of a line of n bytes: blanks, quote marks ('>'), time stamps, levels,
 * `[rank0]:`, `(Worker pid=7)`, `file.cc:12]`. *stamped: it holds a time stamp or a level, so the
 * line is a record of its own and not the rest of a wrapped one. */
size_t gs_text_prefix(const char *line, size_t n, bool *stamped);

/* The time that a line begins with, in microseconds since 1970: a date and a time of day (without a
 * zone: taken as UTC, *zone false), or the seconds that newer TensorFlow and JAX print. INT64_MIN
 * where there is none. */
int64_t gs_text_time(const char *line, size_t n, bool *zone);

#endif
