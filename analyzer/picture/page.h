/* A document written once and read two ways: one HTML file that needs nothing else, or Markdown
 * with its pictures as files beside it. Text from files is escaped here and nowhere else (HTML by
 * markup.h). Errors of writing are the stream's (ferror). Not thread-safe. */
#ifndef GS_ANALYZER_PICTURE_PAGE_H
#define GS_ANALYZER_PICTURE_PAGE_H

#include "analyzer/draw/markup.h"
#include "analyzer/picture/picture.h"

typedef enum gs_page_form { GS_PAGE_HTML, GS_PAGE_MARKDOWN } gs_page_form;

/* Puts a picture beside the document: name ("map") is part of the file's name; *path gets what the
 * document refers to it by, malloc'd. NULL where there is no place beside (standard output). */
typedef gs_status gs_page_beside(
	void *context, const char *name, const gs_picture *picture, char **path, gs_error *err);

typedef struct gs_page {
	gs_page_form form;
	FILE *out;
	gs_markup m; /* HTML */
	gs_page_beside *beside;
	void *context;
	int pictures; /* so far: their ids */
	/* of the table that is open */
	int columns, column;
	const bool *numbers;
} gs_page;

/* Begins a document. script: which scripts the page's policy allows ("'sha256-…'
 * 'wasm-unsafe-eval'"), NULL none. */
void gs_page_open(gs_page *p, FILE *out, gs_page_form form, const char *title, const char *script);
void gs_page_close(gs_page *p);

/* A heading of level 1 to 3; id (HTML) may be NULL. Sections of HTML are opened and closed by
 * headings of level 2. */
void gs_page_heading(gs_page *p, int level, const char *id, const char *text);
void gs_page_paragraph(gs_page *p, const char *text);
/* The same, set back (a source, a remark). */
void gs_page_remark(gs_page *p, const char *text);

/* An ordered list: what is done, and why (may be "") in a lighter voice. */
void gs_page_list(gs_page *p);
void gs_page_item(gs_page *p, const char *text, const char *remark);
void gs_page_end_list(gs_page *p);

/* A table: names of columns, which of them hold numbers; then cells, row by row. */
void gs_page_table(gs_page *p, int columns, const char *const *names, const bool *numbers);
void gs_page_cell(gs_page *p, const char *text);
void gs_page_cell_link(gs_page *p, const char *id, const char *text); /* to a heading's id */
void gs_page_number(gs_page *p, uint64_t n);
void gs_page_size(gs_page *p, uint64_t bytes);
void gs_page_end_table(gs_page *p);

/* A picture as PNG, at two widths (the narrow one for small screens; may be NULL), described by its
 * title. HTML holds them inside. */
gs_status gs_page_picture(
	gs_page *p, const char *name, const gs_picture *wide, const gs_picture *narrow, gs_error *err);

/* The parts of a whole as one bar with their names; parts of no bytes are left out. */
typedef struct gs_page_part {
	const char *name;
	uint64_t bytes;
	const char *class; /* of its colour: "use", "cache", "outside", "free" */
} gs_page_part;
void gs_page_bar(gs_page *p, const gs_page_part *parts, size_t n);

#endif
