/* Pointers of several types are read and written as bytes. */
#include "analyzer/api/column_table.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 32 };

/* The columns that the option names, a bit each in their order; all where it names none. */
static gs_status read_wanted(const gs_api_options *o, const gs_api_column *table, size_t ntable,
	uint32_t *wanted, gs_error *err)
{
	const char *names[MOST_COLUMNS];
	size_t n = 0, k;
	gs_status status = gs_api_option_texts(o, "columns", names, MOST_COLUMNS, &n, err);
	*wanted = n ? 0 : UINT32_MAX;
	for (size_t i = 0; i < n && !status; i++) {
		for (k = 0; k < ntable && strcmp(table[k].name, names[i]); k++)
			;
		if (k == ntable)
			status = gs_fail(err, GS_INVALID, "no column is called \"%.40s\"", names[i]);
		*wanted |= UINT32_C(1) << (k % MOST_COLUMNS);
	}
	return status;
}

static gs_status take_column(void *columns, const gs_api_column *column, gs_error *err)
{
	size_t n;
	memcpy(&n, (char *)columns + column->count, sizeof n);
	void *values = calloc(n + 1, column->width);
	if (!values)
		return gs_fail(err, GS_NO_MEMORY, "no memory for a column of %zu values", n);
	memcpy((char *)columns + column->at, &values, sizeof values);
	return GS_OK;
}

gs_status gs_api_take_columns(
	void *columns, const gs_api_column *table, size_t ntable, gs_error *err)
{
	gs_status status = GS_OK;
	for (size_t i = 0; i < ntable && !status; i++)
		status = take_column(columns, &table[i], err);
	return status;
}

gs_status gs_api_take_wanted(const gs_api_options *o, void *columns, const gs_api_column *table,
	size_t ntable, gs_error *err)
{
	uint32_t wanted;
	gs_status status = read_wanted(o, table, ntable, &wanted, err);
	for (size_t i = 0; i < ntable && !status; i++)
		if (wanted >> i & 1)
			status = take_column(columns, &table[i], err);
	return status;
}

void gs_api_free_columns(void *columns, size_t size, const gs_api_column *table, size_t ntable)
{
	for (size_t i = 0; i < ntable; i++) {
		void *values;
		memcpy(&values, (char *)columns + table[i].at, sizeof values);
		free(values);
	}
	memset(columns, 0, size);
}
