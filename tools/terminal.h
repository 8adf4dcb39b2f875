/* A full-screen terminal for `gpusnap top`: another screen, keys one by one, the size.
 *
 * Plain ANSI sequences instead of ncurses: once a second a whole screen is written over the old
 * one, which takes five sequences that every terminal in use knows (and what ssh, tmux and screen
 * pass on), while ncurses looks for a terminfo database at run time, which the static command and
 * the wheel would have to bring along and a container often has not got.
 *
 * One terminal a process: the signals' handlers have no other place to keep it. */
#ifndef GS_TOOLS_TERMINAL_H
#define GS_TOOLS_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the terminal knows such sequences: not where TERM says `dumb`, or nothing. */
bool gs_terminal_has_screen(void);

/* Takes over the terminal on standard output (and its keys, where standard input is one): the other
 * screen, no echo, no cursor. Whatever ends the process by a signal that can be caught, stops it or
 * lets it go on gives the terminal back, or takes it again. */
void gs_terminal_begin(void);
void gs_terminal_end(void);

/* Its columns and lines, 80 and 24 where it does not tell. */
void gs_terminal_size(int *columns, int *lines);

/* Writes a text of lines over the screen. */
void gs_terminal_show(const char *text, size_t n);

/* Waits up to ms for a key: its code; 0 where none came; -1 where the wait ended early (another
 * size, the terminal is ours again) or a signal asked to end: gs_terminal_asked_to_end. */
int gs_terminal_key(int ms);
int gs_terminal_asked_to_end(void); /* the signal's number, 0 none */

#endif
