/* The rows of one section from its unpacked bytes: columns are decoded and every value is held
 * against its bounds. */
#ifndef GS_SCHEMA_GSNAP_UNPACK_H
#define GS_SCHEMA_GSNAP_UNPACK_H

#include "schema/gsnap_columns.h"
#include "schema/status.h"

/* A decoded column: at[i] for row i, or the same value for all rows where at is NULL (0 when the
 * file leaves the column out). */
typedef struct gs_cells {
	const uint64_t *at;
	uint64_t constant;
} gs_cells;

/* Reused from section to section; zeroed at first. Owns its arrays until gs_unpacked_release. */
typedef struct gs_unpacked {
	const gs_section_form *form;
	uint32_t rows;
	gs_cells columns[GS_COLUMNS_MAX];
	const unsigned char *raw; /* texts lie here */
	uint64_t *cells;
	size_t cells_cap;
	gs_id *ids; /* members of lists */
	size_t ids_cap, nids;
} gs_unpacked;

/* Decodes n bytes at raw (GS_COLUMN_PAD more must be readable) as rows of that form; counts are the
 * rows of each kind so far. all: also the columns set aside. raw must outlive the use of *u. The
 * message names column and row. */
gs_status gs_unpack(gs_unpacked *u, const gs_section_form *form, const uint64_t *counts,
	uint32_t rows, const unsigned char *raw, size_t n, bool all, gs_error *err);

/* Fills the row's struct (all fields but a by_device form's device). Texts and ids point into *u.
 */
void gs_unpacked_row(const gs_unpacked *u, uint32_t i, void *row);

/* Gives back what *u holds; zeroed memory holds nothing. */
void gs_unpacked_release(gs_unpacked *u);

#endif
