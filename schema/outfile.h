/* Where every result goes: the one routine that writes outputs.
 *
 * A result file appears whole or not at all: it is written beside its place under a name of its
 * own, synced and then moved there. Symbolic links are followed (the link stays). What is no
 * regular file is never replaced: a character device, a pipe or a socket is written through, which
 * needs no force; so is a descriptor of our own (`/dev/stdout`, `/dev/fd/3`), and `-` is standard
 * output. A block device is refused, since writing through would destroy what it holds.
 *
 * It stands in schema/ because every room above writes outputs and it knows nothing but gs_status.
 * One gs_outfile is used by one thread; any number may be open at once. */
#ifndef GS_SCHEMA_OUTFILE_H
#define GS_SCHEMA_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "schema/status.h"

enum gs_outfile_flag {
	GS_OUTFILE_FORCE = 1,   /* a regular file that is there is replaced, and keeps its mode */
	GS_OUTFILE_BY_NAME = 2, /* filled through its temporary name (a database), so it must become a
							   regular file: anything else is refused */
	GS_OUTFILE_STAGED = 4,  /* filled through its temporary name, then copied where the place is no
							   regular file */
	GS_OUTFILE_BINARY = 8   /* no text: refused on a terminal */
};

enum { GS_OUTFILE_PATH = 4096 };

typedef struct gs_outfile {
	char path[GS_OUTFILE_PATH];      /* the place, links followed; empty: written through */
	char temporary[GS_OUTFILE_PATH]; /* the name it has until then; empty: none */
	FILE *stream;                    /* to write to; NULL: not open */
	FILE *through;                   /* staged, for a device or pipe: where it is copied to */
	unsigned flags;
	int mode; /* of the file that is replaced, or -1 */
} gs_outfile;
#define GS_OUTFILE_INIT             \
	{                               \
		{0}, {0}, NULL, NULL, 0, -1 \
	}

/* Opens an output (flags: gs_outfile_flag). GS_EXISTS when a file is there and may not be replaced,
 * GS_IO, GS_UNSUPPORTED for a place that this kind of output cannot have. */
gs_status gs_outfile_open(gs_outfile *f, const char *path, unsigned flags, gs_error *err);

/* Closes it, and gives it its place; without GS_OUTFILE_FORCE never over another file. After a
 * failure nothing is left. */
gs_status gs_outfile_commit(gs_outfile *f, gs_error *err);

/* Gives it up: nothing is left. Does nothing after a commit or a failed open. */
void gs_outfile_drop(gs_outfile *f);

/* A gs_sink that writes to a gs_outfile (arg). GS_IO; errno tells why. */
gs_status gs_outfile_sink(void *arg, const void *data, size_t n);

/* Registers a file (and its SQLite journal) to be removed if a signal ends the program; false when
 * too many are. The text must stay until gs_outfile_unwatch. gs_outfile does this itself. */
bool gs_outfile_watch(const char *path);
void gs_outfile_unwatch(const char *path);

/* Removes a file and what SQLite puts beside it. Async-signal-safe. */
void gs_outfile_remove(const char *path);

/* Removes all that is watched, for a program that ends at once. Async-signal-safe. */
void gs_outfile_remove_watched(void);

/* From now on, signals that would end the program (Ctrl-C, a closed pipe, a file-size limit) remove
 * what is watched first. For programs, not libraries: it changes how the process handles
 * signals, at the first output. */
void gs_outfile_clean_on_signals(void);

#endif
