/* What the files that read PyTorch 2.0's pages share: the page as columns of numbers, and what is
 * made of them. Private to them. Where memory is short or a bound is passed, page.error says so. */
#ifndef GS_ANALYZER_READ_HTML_HTML_COLUMNS_INTERNAL_H
#define GS_ANALYZER_READ_HTML_HTML_COLUMNS_INTERNAL_H

#include "analyzer/model/snapshot.h"
#include "analyzer/read/open/source.h"

enum {
#define GS_HTML_COLUMN(id, member, submember) GS_HTML_##id,
#include "analyzer/read/html/html_columns.def"
#undef GS_HTML_COLUMN
	GS_HTML_COLUMNS
};

/* Counted memory; what is no integer is GS_NONE. */
typedef struct gs_html_column {
	int64_t *v;
	size_t n, cap;
} gs_html_column;

typedef struct gs_html_page {
	gs_snapshot *s;
	unsigned want; /* GS_WANT_ bits */
	gs_html_column columns[GS_HTML_COLUMNS];
	int depth;                 /* of the JSON being read */
	int at;                    /* the column being filled */
	char top[32];              /* the member of the page's object that is being read */
	uint32_t *stack_of_suffix; /* + 1; 0 not yet made */
	uint32_t *frame_of_suffix; /* likewise */
	size_t steps;              /* taken along chains, which may be made to run in circles */
	bool finished;
	gs_error error;
} gs_html_page;

/* Fills the columns of *p, in which s and want are set; the source stands at the opening brace.
 * They are the caller's to give back, also after a failure. GS_FORMAT, GS_NO_MEMORY, those of the
 * source. */
gs_status gs_html_page_parse(gs_html_page *p, gs_source *source, gs_error *err);

/* The number in a row of a column, GS_NONE behind its end. */
int64_t gs_html_cell(const gs_html_page *p, int column, size_t row);

/* The i-th text of the page's table of strings, "" where there is none. */
const char *gs_html_string(const gs_html_page *p, int64_t i);

/* The stack whose chain begins at that suffix, interned; 0 none, or stacks are not wanted. */
gs_id gs_html_stack(gs_html_page *p, int64_t suffix);

/* The events of `trace_data`; of `alloc_data`, whose `actions` name an element twice: when it comes
 * and when it goes. */
gs_status gs_html_add_events(gs_html_page *p, gs_trace *t);
gs_status gs_html_add_actions(gs_html_page *p, gs_trace *t);

/* Segments with their live blocks and what is free between them. */
gs_status gs_html_add_layout(gs_html_page *p, gs_layout *l);

#endif
