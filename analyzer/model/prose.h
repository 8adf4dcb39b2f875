/* Sentences for people: how wide, in which letters, and how lines are laid out.
 *
 * A text is put together in a gs_prose, a line of any length, and laid out when it is written:
 * wrapped at blanks to the width, continuation indented. A word that is wider than a line (a path,
 * a C++ name) loses its middle to an ellipsis, so that file and line at its end stay. No state,
 * thread-safe; nothing here allocates. */
#ifndef GS_ANALYZER_MODEL_PROSE_H
#define GS_ANALYZER_MODEL_PROSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* How an answer is written. GS_VOICE_INIT is plain: 80 columns, ASCII, no colour. */
typedef struct gs_voice {
	int width;     /* columns; taken as 60 to 100 */
	bool utf8;     /* may write arrows and ellipses; else <- and ... */
	bool bold;     /* the verdict stands out, by a terminal's escape sequence */
	bool markdown; /* for a bug report: not wrapped */
	bool verbose;  /* figures, all rows, whole stacks */
} gs_voice;
#define GS_VOICE_INIT                  \
	{                                  \
		80, false, false, false, false \
	}

enum { GS_PROSE_MOST = 4096 };

/* A text under construction; more than GS_PROSE_MOST - 1 bytes end in an ellipsis. */
typedef struct gs_prose {
	char text[GS_PROSE_MOST];
	size_t n;
} gs_prose;

/* Empties it. */
void gs_prose_clear(gs_prose *p);

/* Appends. Format and arguments as printf's. */
void gs_say(gs_prose *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends a size of bytes ("88 MiB"); below 0 "an unknown amount". */
void gs_say_size(gs_prose *p, int64_t bytes);

/* Appends a size that is compared with another one in the same sentence (gs_size_format_beside). */
void gs_say_size_beside(gs_prose *p, int64_t bytes, int64_t other);

/* Appends a count with its noun: "1 block", "3 blocks" (an s is added). */
void gs_say_count(gs_prose *p, uint64_t n, const char *noun);

/* Appends text from a file, made harmless for a terminal and, in Markdown, for a page. */
void gs_say_foreign(gs_prose *p, const gs_voice *voice, const char *text);

/* The same for a name of the program's, which Markdown shows as code (a backtick in it as '). */
void gs_say_code(gs_prose *p, const gs_voice *voice, const char *text);

/* Separators of lists: writes separator unless nothing stands in p yet. */
void gs_say_between(gs_prose *p, const char *separator);

/* "…", or what stands for it. */
const char *gs_voice_ellipsis(const gs_voice *voice);

/* Writes text wrapped: the first line begins behind `lead` (already written, of that many columns),
 * others behind indent blanks. tail (may be NULL or "") is a remark that is set off to the right on
 * the last line if it fits there, else on a line of its own. Ends with a newline. Returns the
 * number of lines. */
int gs_prose_write(
	FILE *out, const gs_voice *voice, int lead, int indent, const char *text, const char *tail);

/* Writes text in one line behind indent blanks; what is wider than the line loses its middle to an
 * ellipsis. */
void gs_prose_one_line(FILE *out, const gs_voice *voice, int indent, const char *text);

/* Writes a row: a label of up to GS_ROW_LABEL columns behind GS_ROW_MARGIN blanks ("" for one that
 * continues the row above), the text beside it. remark as gs_prose_write's tail. In Markdown an
 * item of a list. Returns the number of lines. */
enum { GS_ROW_MARGIN = 2, GS_ROW_LABEL = 11 };
int gs_prose_row(
	FILE *out, const gs_voice *voice, const char *label, const gs_prose *text, const char *remark);

#endif
