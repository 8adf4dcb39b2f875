/* What a command line names, as snapshots: files of any kind, folders (each file in them and in
 * their folders a snapshot), databases made by `gpusnap load` (each snapshot in them). Two steps:
 * list what there is, then read one after the other, so that the memory of one can be given back
 * before the next. Not thread-safe. */
#ifndef GS_ANALYZER_OPEN_INPUT_H
#define GS_ANALYZER_OPEN_INPUT_H

#include "analyzer/open/losses.h"
#include "analyzer/read/open/reader.h"
#include "analyzer/model/snapshot.h"

typedef struct gs_input_entry {
	char *path;
	int64_t id; /* of the snapshot in the database path; 0: path is a file of its own */
	unsigned
		part; /* of a page with several snapshots: which, from 1; 0: the file is one snapshot */
	bool in_folder; /* found in a folder: if it cannot be read it is left out and counted */
} gs_input_entry;

typedef struct gs_input_list {
	gs_input_entry *entries;
	size_t n;
	char *failed; /* path that the error is about, or NULL */
	gs_input_losses losses;
} gs_input_list;
#define GS_INPUT_LIST_INIT                  \
	{                                       \
		NULL, 0, NULL, GS_INPUT_LOSSES_INIT \
	}

/* Called with each thing worth telling on stderr: file (may be NULL) and text. */
typedef void gs_input_note(void *context, const char *file, const char *text);

/* Expands paths. n = 0: a pipe on standard input (piped.h), else the newest dump in $GPUSNAP_DIR
 * (default ./gpusnap-dumps), named by a note.
 * What cannot be looked into is among list->losses; where nothing else is named, that is the error.
 * On failure list->failed names the path. Release the list in any case. */
gs_status gs_input_expand(const char *const *paths, size_t n, gs_input_note *note, void *context,
	gs_input_list *list, gs_error *err);
void gs_input_list_release(gs_input_list *list);

/* Reads one entry into *s (made empty first). From a database want is honoured too. Warnings stay
 * in s->warnings. */
gs_status gs_input_read(const gs_input_entry *entry, unsigned want, gs_snapshot *s, gs_error *err);

/* The moment of a stream that a --state selector (state.h) is about. false: it takes the whole run
 * to find it (a peak, a step), or it is no selector. */
bool gs_input_moment(const char *selector, gs_moment_wanted *moment);

/* As gs_input_read, where that moment of a large stream is enough (moment NULL: it is not). */
gs_status gs_input_read_moment(const gs_input_entry *entry, unsigned want,
	const gs_moment_wanted *moment, gs_snapshot *s, gs_error *err);

/* Up to so many events a stream is read whole where more than one state is looked at: what memory
 * is for, and what grows, show best over the whole run. */
enum { GS_INPUT_WHOLE_EVENTS = 1 << 22 };

/* Both steps at once, for commands that look at all snapshots together or at one. */
typedef struct gs_input_options {
	unsigned want; /* gs_want */
	int64_t rank;  /* only snapshots of this rank; GS_NONE: all */
	/* how each is read; NULL: gs_input_read */
	gs_status (*read)(
		const gs_input_entry *entry, unsigned want, const void *how, gs_snapshot *s, gs_error *err);
	const void *how;
	gs_input_note *note; /* also gets each snapshot's warnings, and where a cut file was cut */
	void *context;
} gs_input_options;

typedef struct gs_input {
	gs_snapshot *snapshots;
	size_t n;
	char *failed; /* path that the error is about, or NULL */
	gs_input_losses losses;
} gs_input;
#define GS_INPUT_INIT                       \
	{                                       \
		NULL, 0, NULL, GS_INPUT_LOSSES_INIT \
	}

/* The ranks that snapshots have. */
typedef struct gs_ranks {
	int64_t least, most;
	size_t n;
} gs_ranks;
void gs_ranks_add(gs_ranks *ranks, int64_t rank);

/* The error when nothing was read: no snapshot (of that rank, unless GS_NONE; seen are the ranks
 * that there are, may be NULL). */
gs_status gs_input_none(int64_t rank, const gs_ranks *seen, gs_error *err);

/* At least one snapshot, or an error (GS_NOT_FOUND: none of that rank). What could not be read
 * beside them is among input->losses, to be told by the caller. Release in any case. */
gs_status gs_input_open(const char *const *paths, size_t n, const gs_input_options *options,
	gs_input *input, gs_error *err);
void gs_input_release(gs_input *input);

/* Tells a snapshot's warnings and, if it was cut, where. */
void gs_input_tell(const gs_snapshot *s, gs_input_note *note, void *context);

/* Whether reading it without events tells all but them: of a .gsnap and a database, whose layout,
 * facts and OOM records stand by themselves. Other kinds have to be read to the end to know what is
 * in them. */
bool gs_input_may_skip_events(const gs_input_entry *entry);

/* Whether path begins like an SQLite database. */
bool gs_input_is_database(const char *path);

/* The newest *.gsnap in $GPUSNAP_DIR (malloc'd), GS_NOT_FOUND where there is none. */
gs_status gs_input_newest(char **path, gs_error *err);

#endif
