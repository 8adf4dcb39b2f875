/* A picture that is planned and can be drawn, whatever it shows, and the forms it is written in. */
#ifndef GS_ANALYZER_PICTURE_PICTURE_H
#define GS_ANALYZER_PICTURE_PICTURE_H

#include <stdio.h>

#include "analyzer/draw/draw.h"
#include "schema/status.h"

typedef struct gs_picture {
	int width, height;
	const char *title; /* for those who hear it */
	void (*draw)(const void *subject, gs_draw *d);
	const void *subject;
} gs_picture;

typedef enum gs_picture_form { GS_PICTURE_PNG, GS_PICTURE_SVG, GS_PICTURE_FORMS } gs_picture_form;

/* The form that a file's name ends in (.png, .svg; no ending, "-": PNG); GS_PICTURE_FORMS for an
 * ending of another kind. */
gs_picture_form gs_picture_form_of(const char *path);

/* Draws it; the stream stays the caller's. id: of an SVG's own names, where several share a page.
 * GS_LIMIT, GS_NO_MEMORY, GS_IO. */
gs_status gs_picture_write(
	const gs_picture *p, gs_picture_form form, const char *id, FILE *out, gs_error *err);

#endif
