/* Text made harmless in Markdown (CommonMark and GitHub's additions). No state, thread-safe. */
#ifndef GS_SCHEMA_MARKDOWN_H
#define GS_SCHEMA_MARKDOWN_H

#include <stddef.h>

/* Writes one line of text (plain already: see gs_printable) so that it shows as it is, also in a
 * table's cell: what marks up is escaped; text that would become a link or a mention (an address,
 * an
 * @name, a #number) is made code, in which nothing is looked for. Cut to cap; 2 × strlen(text) + 8
 * (strlen + 2 × its longest run of backticks + 4, if that is more) is always enough. Returns buf.
 */
char *gs_markdown_plain(char *buf, size_t cap, const char *text);

#endif
