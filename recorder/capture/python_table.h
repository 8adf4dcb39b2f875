/* The table of Python frames seen: (code object, place) → key → function, file, line. Bounded; one
 * mapping taken at first use.
 *
 * Writers hold the interpreter lock; readers need nothing. */
#ifndef GS_RECORDER_CAPTURE_PYTHON_TABLE_H
#define GS_RECORDER_CAPTURE_PYTHON_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* Takes the memory; false when there is none. Further calls do nothing. */
bool gs_python_table_init(void);

/* Whose code a frame is. */
typedef enum gs_python_kind {
	GS_PYTHON_USER,
	GS_PYTHON_LIBRARY, /* an installed package, the standard library, the interpreter */
	GS_PYTHON_OURS     /* below the folder hidden */
} gs_python_kind;

/* Frames of files below that folder are the recorder's own: never part of a stack. Copied; frames
 * seen before keep their kind. */
void gs_python_table_hide(const char *folder);
gs_python_kind gs_python_table_kind(uint32_t key);

/* The key of a pair, 0 when it is new. Needs no lock: a pair that is being added may be missed. */
uint32_t gs_python_table_find(uintptr_t code, uintptr_t place);

/* Adds a pair (not there yet) and copies its strings; 0 when the table is full. */
uint32_t gs_python_table_add(
	uintptr_t code, uintptr_t place, const char *name, const char *file, int line);

#endif
