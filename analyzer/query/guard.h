/* What a query may do, and what it reads: an authorizer and limits for one connection. */
#ifndef GS_ANALYZER_QUERY_GUARD_H
#define GS_ANALYZER_QUERY_GUARD_H

#include <sqlite3.h>
#include <stdbool.h>

#include "analyzer/model/want.h"
#include "schema/status.h"

typedef struct gs_guard {
	unsigned want;    /* of the statement, by the tables that it reads: gs_want */
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
