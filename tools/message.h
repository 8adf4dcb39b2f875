/* What the command says on stderr: notes, warnings, errors. Bytes that would steer a terminal are
 * shown as \xNN. With --json errors are one JSON object. Not thread-safe: one static setting. */
#ifndef GS_TOOLS_MESSAGE_H
#define GS_TOOLS_MESSAGE_H

#include <stdbool.h>

#include "schema/nearest.h"
#include "schema/status.h"

enum { GS_EXIT_DONE = 0, GS_EXIT_FAILED = 1, GS_EXIT_USAGE = 2 };

/* Errors as {"error":{"code","message","hint"}} from now on, and nothing else on stderr where there
 * is one: notes and warnings are held back until gs_message_release. */
void gs_message_json(bool on);
void gs_message_release(void);
/* Notes and warnings are left out from now on. */
void gs_message_quiet(bool on);

/* `gpusnap: TEXT`. */
void gs_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* `gpusnap: FILE: warning: TEXT`; file may be NULL. */
void gs_warn(const char *file, const char *text);

/* `gpusnap: FILE: TEXT` and the hint on a line of its own (file and hint may be NULL). Returns
 * GS_EXIT_FAILED, so that commands write `return gs_fail_file(path, &err, NULL)`. An empty err text
 * is replaced by the status's. */
int gs_fail_file(const char *file, const gs_error *err, const char *hint);

/* The same for an input that others answer beside: whatever the command's status, the program then
 * ends with GS_EXIT_FAILED (gs_message_exit). */
void gs_fail_after(const char *file, const gs_error *err);
int gs_message_exit(int status);

/* The same for a usage error; returns GS_EXIT_USAGE. command (may be NULL) names the subcommand
 * whose help is pointed at. */
int gs_fail_usage(const char *command, const char *hint, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Flushes stdout; if anything could not be written (a full disk), says so and returns
 * GS_EXIT_FAILED, else status. */
int gs_finish_stdout(int status);

#endif
