/* A stream of bytes with look-ahead: a file, standard input or memory, with gzip or zstd unwrapped
 * on the fly. Offsets in messages are those of the unwrapped bytes. Not thread-safe. */
#ifndef GS_ANALYZER_READ_OPEN_SOURCE_H
#define GS_ANALYZER_READ_OPEN_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/status.h"

typedef struct gs_source gs_source;

/* Open. Directories, unreadable files: GS_IO with the reason. memory must outlive the source.
 * gs_source_close accepts NULL. */
gs_status gs_source_open(const char *path, gs_source **out, gs_error *err);
gs_status gs_source_memory(const void *data, size_t n, gs_source **out, gs_error *err);
void gs_source_close(gs_source *s);

/* Bytes from a function: it fills buf with up to n bytes and returns how many, 0 at the end,
 * (size_t)-1 where reading failed. size: of the whole, 0 where that is not known. */
typedef size_t gs_source_fill(void *context, void *buf, size_t n);
gs_status gs_source_stream(
	gs_source_fill *fill, void *context, uint64_t size, gs_source **out, gs_error *err);

/* Unwraps gzip and zstd from here on (at most three layers), if the bytes at the current position
 * say so; call it at byte 0, before reading. Files of the .gsnap kind are zstd themselves: look at
 * the head first. Bounds: 1 TiB in all, 1000 times the packed bytes beyond the first 64 MiB, a
 * window of 16 MiB + twice the file's size. */
gs_status gs_source_unwrap(gs_source *s, gs_error *err);

/* From here on the bytes are base64 (white space and backslashes allowed), up to the first
 * quotation mark or tag. */
gs_status gs_source_unwrap_base64(gs_source *s, gs_error *err);

/* Undoes the unwrapping of base64 and of what was unwrapped in it: the source stands behind the
 * quotation mark. */
void gs_source_unwrap_undo(gs_source *s);

/* Which of the snapshots that the input holds is meant (0, unless chosen). */
void gs_source_choose_part(gs_source *s, unsigned part);
unsigned gs_source_part(const gs_source *s);
bool gs_source_part_chosen(const gs_source *s);

/* Which moment of a whole run is enough (read/open/reader.h); NULL: all of it. Lives as long as the
 * source. */
struct gs_moment_wanted;
void gs_source_choose_moment(gs_source *s, const struct gs_moment_wanted *moment);
const struct gs_moment_wanted *gs_source_moment(const gs_source *s);

/* Makes sure that at least want bytes (≤ 64 KiB) from the current position are in one piece, if the
 * input has them; returns how many there are (possibly more or fewer) and points *at to them. */
size_t gs_source_peek(gs_source *s, size_t want, const unsigned char **at);

/* Moves on by n bytes that peek has shown. */
void gs_source_skip(gs_source *s, size_t n);

/* Moves on by n bytes, without reading them where the file allows that. Returns by how many: fewer
 * at the end. */
uint64_t gs_source_pass(gs_source *s, uint64_t n);

/* Goes back to byte 0; false where that cannot be (a pipe, something unwrapped). */
bool gs_source_rewind(gs_source *s);

/* Goes to a byte, back or on, at most to the end; false likewise. */
bool gs_source_seek(gs_source *s, uint64_t offset);

/* Bytes consumed so far (unwrapped). */
uint64_t gs_source_offset(const gs_source *s);

/* The error of the layer below (a read error, damaged compression, a bound exceeded), GS_OK if
 * peek's shortness was the plain end. */
gs_status gs_source_status(const gs_source *s, gs_error *err);

/* Sums the bytes of the file as they are read (call it before reading). gs_source_digest reads what
 * is left of the file and gives the sum as 64 hexadecimal digits. */
void gs_source_hash(gs_source *s);
gs_status gs_source_digest(gs_source *s, char hex[65], gs_error *err);

/* Bytes of the file itself if known (else 0): a bound for what its content may claim. */
uint64_t gs_source_file_size(const gs_source *s);

/* The same, of a pipe what was read of it so far. */
uint64_t gs_source_bytes(const gs_source *s);

/* Whether gzip or zstd was unwrapped. */
bool gs_source_packed(const gs_source *s);

/* Bytes of memory that unwrapping holds. */
size_t gs_source_held(const gs_source *s);

#endif
