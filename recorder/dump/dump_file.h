/* The file of a dump: nameless or hidden until it is whole, then put in place without replacing
 * another. Plain system calls only. Not thread-safe. */
#ifndef GS_RECORDER_DUMP_DUMP_FILE_H
#define GS_RECORDER_DUMP_DUMP_FILE_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recorder/dump/config.h"
#include "schema/status.h"

typedef struct gs_dump_file {
	int fd, dir;
	int failed;  /* errno of the first write that failed */
	bool synced; /* its bytes were to be on the disk before it has its name */
	bool full;   /* a write was not made: more than most bytes */
	uint64_t bytes, most;
	char folder[PATH_MAX], name[NAME_MAX + 1]; /* name: of the file asked for, or empty */
	char temp[64]; /* name it has meanwhile; empty where the system can do without */
	char path[PATH_MAX + NAME_MAX + 2]; /* once in place */
} gs_dump_file;

#define GS_DUMP_FILE_INIT   \
	{                       \
		.fd = -1, .dir = -1 \
	}

/* Opens a new file of at most most bytes for PATH, or somewhere in the folder PATH (made where it
 * is missing). GS_IO and why. */
gs_status gs_dump_file_begin(
	gs_dump_file *f, const char *path, bool is_folder, uint64_t most, gs_error *err);

/* A gs_sink; arg is the gs_dump_file. */
gs_status gs_dump_file_sink(void *arg, const void *data, size_t n);

/* The message for a failed write. */
void gs_dump_file_explain(const gs_dump_file *f, gs_status status, gs_error *err);

/* Makes sure the bytes are on the disk (if sync). */
gs_status gs_dump_file_sync(gs_dump_file *f, bool sync, gs_error *err);

/* Gives it its name (NULL: the one it was begun with). GS_EXISTS where that is taken and may not be
 * replaced. */
gs_status gs_dump_file_place(gs_dump_file *f, const char *name, bool overwrite, gs_error *err);

/* Closes; a file without a name is gone. */
void gs_dump_file_end(gs_dump_file *f, bool sync);

/* One line, by one write, wherever messages go; a closed stderr is no matter. */
void gs_dump_say(const gs_config *config, const char *text, size_t n);

/* Makes the folders that a path lies in. */
void gs_dump_make_folders(const char *path);

/* Writes all bytes, or gives an errno. */
int gs_dump_write(int fd, const void *data, size_t n);

/* SIGPIPE and SIGXFSZ, held back while a dump is written: a write that fails is enough. */
typedef struct gs_dump_signals {
	sigset_t before;
	bool pipe, size; /* were pending already */
} gs_dump_signals;
void gs_dump_hold_signals(gs_dump_signals *s);
void gs_dump_release_signals(gs_dump_signals *s);

#endif
