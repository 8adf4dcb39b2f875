/* Python's frames on top of the C stacks of a recorder. */
#ifndef GS_RECORDER_CAPTURE_PYTHON_HOOK_H
#define GS_RECORDER_CAPTURE_PYTHON_HOOK_H

#include <stdint.h>

#include "recorder/capture/tables.h"

/* A gs_frames_hook: the calling thread's Python frames (python_stack.h), none where it runs no
 * Python. serial: the recorder's number, no two of a process the same, as a pointer. */
uint32_t gs_python_frames(void *serial, gs_tables *tables, gs_id *frames, uint32_t max);

/* Looks for Python once before the first allocation, whose caller should not wait for it. */
void gs_python_hook_prepare(void);

#endif
