/* Python's frames on top of the C stacks of a recorder. */
#ifndef GS_RECORDER_CAPTURE_PYTHON_HOOK_H
#define GS_RECORDER_CAPTURE_PYTHON_HOOK_H

#include <stdint.h>

#include "recorder/capture/tables.h"

/* A gs_stack_hook: the calling thread's Python frames (python_stack.h), none where it runs no
 * Python. serial: the recorder's number, no two of a process the same, as a pointer. */
gs_id gs_python_stack(void *serial, gs_tables *tables, uint32_t depth, gs_id tail);

/* Looks for Python once before the first allocation, whose caller should not wait for it. */
void gs_python_hook_prepare(void);

#endif
