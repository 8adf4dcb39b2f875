/* Rows of the CSV logs of RMM (RAPIDS memory manager), in the columns of any release, with or
 * without a header. Pure, thread-safe. */
#ifndef GS_ANALYZER_READ_LOGS_RMM_ROWS_H
#define GS_ANALYZER_READ_LOGS_RMM_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gs_rmm_action { GS_RMM_ALLOC, GS_RMM_FREE, GS_RMM_FAILURE } gs_rmm_action;

enum gs_rmm_column {
	GS_RMM_ACTION,
	GS_RMM_POINTER,
	GS_RMM_SIZE,
	GS_RMM_STREAM,
	GS_RMM_DEVICE,
	GS_RMM_POOL,
	GS_RMM_FREE_MEMORY,
	GS_RMM_TOTAL_MEMORY,
	GS_RMM_LOCATION,
	GS_RMM_COLUMNS
};

/* Where the columns stand, -1 for one that is missing. */
typedef struct gs_rmm_header {
	int at[GS_RMM_COLUMNS];
	int columns;
} gs_rmm_header;

typedef struct gs_rmm_row {
	gs_rmm_action action;
	uint64_t pointer, size, stream, pool;
	uint32_t device;
	uint64_t free_memory, total_memory; /* 0: not filled in */
	const char *location;               /* in the line, not terminated */
	size_t location_length;
	int columns; /* that the line has */
} gs_rmm_row;

/* Columns of the release that writes no header: Thread,Time,Action,Pointer,Size,Stream. */
extern const gs_rmm_header gs_rmm_default;

/* Copies a line without its end, marks of comments and quotations before it, the byte order mark
 * and the zero bytes that UTF-16 has between ASCII characters; returns its length. out: n bytes. */
size_t gs_rmm_line_clean(const char *line, size_t n, char *out);

/* Whether the line names the columns; fills *h. */
bool gs_rmm_header_parse(const char *line, size_t n, gs_rmm_header *h);

/* Whether the line is a row; a number that does not fit, a missing column, an unknown action: no.
 * Columns that a logger put in front (up to GS_RMM_SHIFT) are passed over. */
enum { GS_RMM_SHIFT = 3 };
bool gs_rmm_row_parse(const gs_rmm_header *h, const char *line, size_t n, gs_rmm_row *row);

#endif
