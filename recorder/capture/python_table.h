/* The table of Python frames seen: (code object, place) → key → function, file, line. Bounded; one
 * mapping taken at first use.
 *
 * Writers hold the interpreter lock; readers of keys need nothing. */
#ifndef GS_RECORDER_PYTHON_TABLE_H
#define GS_RECORDER_PYTHON_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* Takes the memory; false when there is none. Further calls do nothing. */
bool gs_python_table_init(void);

/* The key of a pair, 0 when it is new. */
uint32_t gs_python_table_find(uintptr_t code, uintptr_t place);

/* Adds a pair (not there yet) and copies its strings; 0 when the table is full. */
uint32_t gs_python_table_add(
	uintptr_t code, uintptr_t place, const char *name, const char *file, int line);

#endif
