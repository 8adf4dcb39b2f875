/* What a query may do, and what it reads: an authorizer and limits for one connection. */
#ifndef GS_ANALYZER_QUERY_GUARD_H
#define GS_ANALYZER_QUERY_GUARD_H

#include <sqlite3.h>
#include <stdbool.h>

#include "schema/status.h"

/* What the statement reads, by the tables that have to be filled for it. */
enum gs_reads {
	GS_READS_STATE = 1,      /* depends on the selected state */
	GS_READS_LAYOUT = 2,     /* segments or blocks of it */
	GS_READS_ALL_STATES = 4, /* state, all_segment, all_block themselves */
	GS_READS_EVENTS = 8,
	GS_READS_STACKS = 16,
	GS_READS_SERIES = 32,
	GS_READS_OOM_SUMS = 64,
	GS_READS_FIT = 128,
	GS_READS_EVICTION = 256,
	GS_READS_STACK_FRAMES = 1024,
	GS_READS_BLOCK_IDX = 2048,
	GS_READS_SHA256 = 4096,
	GS_READS_OOM = 512,        /* its rows: all of them are known when the events are */
	GS_READS_OOM_FACTS = 8192, /* more than how many there are */
	GS_READS_SETTINGS = 16384,
	GS_READS_STATS = 32768,
	GS_READS_CATEGORIES = 65536, /* of blocks */
	GS_READS_HOLDERS = 131072,
	GS_READS_STEPS = 262144, /* step, peak */
	GS_READS_TABLES = 524288 /* the list of tables and columns itself */
};

typedef struct gs_guard {
	unsigned reads;
	char denied[120]; /* why the statement was refused, or "" */
	double until;     /* time of CLOCK_MONOTONIC at which it is stopped, 0 never */
} gs_guard;

/* SQLite looks at the clock between its own steps, so one function that runs long (instr of two
 * long texts) cannot be stopped: a program that must end in time gives up as a whole. stuck is
 * called in a thread of its own when a statement runs GS_GUARD_GRACE longer than it may; seconds is
 * what it was given. For programs, not libraries: it is meant to end the process. NULL: nobody is
 * told. */
#define GS_GUARD_GRACE 0.5
void gs_guard_on_stuck(void (*stuck)(double seconds));

/* From now on db runs only what is read-only and harmless, in bounded memory. guard must outlive
 * db. */
void gs_guard_set(gs_guard *guard, sqlite3 *db);

/* Starts the clock; and stops it. */
void gs_guard_start(gs_guard *guard, double seconds);
void gs_guard_stop(gs_guard *guard);

/* Takes the guard off, for our own writes; and on again. */
void gs_guard_pause(gs_guard *guard, sqlite3 *db);
void gs_guard_resume(gs_guard *guard, sqlite3 *db);

#endif
