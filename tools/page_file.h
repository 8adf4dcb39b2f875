/* The page for the browser (gpusnap.html, which `make page` makes): finding it, and writing copies
 * with recordings inside. */
#ifndef GS_TOOLS_PAGE_FILE_H
#define GS_TOOLS_PAGE_FILE_H

#include <stdio.h>

#include "analyzer/draw/markup.h"
#include "analyzer/model/snapshot.h"

/* How the viewer's outermost element begins. */
#define GS_PAGE_ROOT "<div id=\"gpusnap-viewer\""

typedef struct gs_page_file {
	char *text;
	const char *head, *before, *after, *tail; /* its parts: recordings stand between before and
												 after; a report takes over these two */
	char script[160];                         /* which scripts its policy allows */
} gs_page_file;

#define GS_PAGE_FILE_INIT \
	{                     \
		.text = NULL      \
	}

/* Reads the page that came with the command, or that $GPUSNAP_PAGE names. GS_NOT_FOUND: there is
 * none; err tells how to get one. GS_INVALID: the file is no page. Release in any case. */
gs_status gs_page_file_open(gs_page_file *p, gs_error *err);
void gs_page_file_release(gs_page_file *p);

/* Recordings as elements of the page, packed as .gsnap. GS_NO_MEMORY, errors of gs_export_gsnap;
 * errors of writing are the stream's. */
gs_status gs_page_file_put(FILE *out, const gs_snapshot *snapshots, size_t n, gs_error *err);

/* The page with n recordings inside. Errors as of gs_page_file_put. */
gs_status gs_page_file_write(
	const gs_page_file *p, FILE *out, const gs_snapshot *snapshots, size_t n, gs_error *err);

#endif
