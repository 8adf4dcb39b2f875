/* The figures of `gpusnap top` as lines: a screen of a given size, or one plain line a device. */
#ifndef GS_TOOLS_TOP_DRAW_H
#define GS_TOOLS_TOP_DRAW_H

#include <stdio.h>

#include "tools/top_view.h"

typedef struct gs_top_look {
	int width, height; /* of the screen */
	bool utf8;         /* blocks and arrows; else ASCII */
	bool bold;         /* escape sequences for bold and dim may be written */
	int64_t device;    /* only this one; GS_NONE all */
	int64_t rows;      /* holders a device at most; GS_NONE as many as there is room for */
	const char *title; /* the file's name */
	const char *time;  /* "12:03:41" */
	const char *note;  /* at the end of the screen, or of a line ("q quits"), NULL none */
} gs_top_look;

/* A screen: at most height lines of at most width columns, each ended by a newline. Where the
 * devices have not room to be told whole, each is told in a line or two. */
void gs_top_draw(const gs_top_view *view, const gs_top_look *look, FILE *out);

/* One line a device, fields in a fixed order with two blanks between them; without a device a line
 * that says so. */
void gs_top_write_line(const gs_top_view *view, const gs_top_look *look, FILE *out);

#endif
