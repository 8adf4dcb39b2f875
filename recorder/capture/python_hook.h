/* Python's frames on top of the C stacks of a recorder. */
#ifndef GS_RECORDER_PYTHON_HOOK_H
#define GS_RECORDER_PYTHON_HOOK_H

struct gs_recorder;

/* From now on allocations of threads that run Python carry its frames (python_stack.h), whether
 * Python is there already or comes later. */
void gs_python_hook_install(struct gs_recorder *r);

#endif
