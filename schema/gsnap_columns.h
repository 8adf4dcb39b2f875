/* Which columns each kind of section has: the tables of FORMAT.md as data, for the writer, the
 * reader and the tests alike. */
#ifndef GS_SCHEMA_GSNAP_COLUMNS_H
#define GS_SCHEMA_GSNAP_COLUMNS_H

#include "schema/gsnap_rows.h"

typedef enum gs_cell {
	GS_CELL_U64,
	GS_CELL_U32,
	GS_CELL_U8,
	GS_CELL_BOOL,
	GS_CELL_I32, /* zigzag */
	GS_CELL_OPT, /* int64_t: 0 is GS_NONE, else zigzag + 1 */
	GS_CELL_TEXT,
	GS_CELL_IDS
} gs_cell;

typedef struct gs_file_column {
	uint8_t id;     /* in the file */
	uint8_t cell;   /* gs_cell */
	uint8_t refers; /* the kind whose rows its value numbers (0 none, 1 the first row); GS_CELL_IDS:
					   its members */
	uint8_t needed; /* 1: 0 is not allowed */
	uint8_t max;    /* GS_CELL_U8: largest value */
	uint8_t aside;  /* 1: only for those who ask for all columns */
	uint16_t offset; /* of the field in the row's struct */
	const char *name;
} gs_file_column;

typedef struct gs_section_form {
	const char *name;
	const gs_file_column *columns;
	uint8_t ncolumns;
	uint8_t flags;  /* GS_SECTION_MAY_SKIP */
	bool by_device; /* all rows of a section are of the device in its header (the row's field
					   device) */
	bool always;    /* written even without rows */
	bool once;      /* has exactly one row */
	uint16_t row_size;
	uint16_t row_cost; /* bytes that a row takes in a reader's memory, roughly */
} gs_section_form;

enum { GS_COLUMNS_MAX = 32 };

/* By kind; entry 0 is empty. */
extern const gs_section_form gs_section_forms[GS_SECTION_KINDS];

/* A field as the number that the file holds, and back; for GS_CELL_TEXT and GS_CELL_IDS the length
 * + 1, or 0 for none. */
uint64_t gs_column_get(const gs_file_column *column, const void *row);
void gs_column_set(const gs_file_column *column, void *row, uint64_t cell);

/* The largest number that a column may hold when the kinds have so many rows (by kind). */
uint64_t gs_column_most(const gs_file_column *column, const uint64_t *rows);

#endif
