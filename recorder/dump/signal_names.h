/* The signals by their names, as kill(1) and users write them. Own words because glibc has a
 * function for it only since 2.32, and other C libraries have none. */
#ifndef GS_RECORDER_DUMP_SIGNAL_NAMES_H
#define GS_RECORDER_DUMP_SIGNAL_NAMES_H

/* The number of a signal by its name without SIG, in any case ("usr1"); 0 where none is called so.
 * Real-time signals have no names here. */
int gs_signal_number(const char *name);

/* "USR1"; NULL where the number has no name. A constant text, also in signal handlers. */
const char *gs_signal_name(int number);

#endif
