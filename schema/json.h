/* JSON strings (RFC 8259). No state, thread-safe. */
#ifndef GS_SCHEMA_JSON_H
#define GS_SCHEMA_JSON_H

#include <stddef.h>

/* Writes text as a quoted JSON string; bytes that are no UTF-8 become U+FFFD, control characters
 * and others that gs_utf8_steers names \u escapes, so that the result is plain for a terminal too;
 * `</` and `<!` too, so that it may stand in a page's script. Cut to cap with the
 * closing quote kept (cap ≥ 3; 6 × n + 3 is always enough). Returns buf. */
char *gs_json_quote(char *buf, size_t cap, const char *text, size_t n);

#endif
