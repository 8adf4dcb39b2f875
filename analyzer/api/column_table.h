/* Answers in columns: a struct of the interface holds pointers, each to as many values as one of
 * its members counts. A table lists them once, for taking them, for giving them back, and for those
 * that the option `columns` names. */
#ifndef GS_ANALYZER_API_COLUMN_TABLE_H
#define GS_ANALYZER_API_COLUMN_TABLE_H

#include <stddef.h>

#include "analyzer/api/options.h"

typedef struct gs_api_column {
	size_t at;    /* of its pointer in the struct */
	size_t width; /* of a value */
	size_t count; /* of the size_t in the struct that counts its values */
	const char *name;
} gs_api_column;

#define GS_API_COLUMN(type, member, count)                                                     \
	{                                                                                          \
		offsetof(type, member), sizeof *((type *)NULL)->member, offsetof(type, count), #member \
	}
#define GS_API_TABLE(table) table, sizeof table / sizeof *(table)

/* Takes an array for each column of a struct in which the counts are set and all else is zero; an
 * array of none is still one. GS_NO_MEMORY, with some taken: gs_api_free_columns. */
gs_status gs_api_take_columns(
	void *columns, const gs_api_column *table, size_t ntable, gs_error *err);

/* The same, but for columns that the option leaves out: their pointers stay NULL. GS_INVALID where
 * it names one that is not there. */
gs_status gs_api_take_wanted(const gs_api_options *o, void *columns, const gs_api_column *table,
	size_t ntable, gs_error *err);

/* Gives the arrays back and zeroes the struct of that size. */
void gs_api_free_columns(void *columns, size_t size, const gs_api_column *table, size_t ntable);

/* Writes a value of a column, if it is wanted. */
#define GS_API_PUT(c, member, i, value) \
	do {                                \
		if ((c)->member)                \
			(c)->member[i] = (value);   \
	} while (0)

#endif
