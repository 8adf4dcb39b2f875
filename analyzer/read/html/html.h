/* Parts of the HTML reader. */
#ifndef GS_ANALYZER_READ_HTML_HTML_H
#define GS_ANALYZER_READ_HTML_HTML_H

#include "analyzer/read/open/reader.h"
#include "analyzer/model/snapshot.h"

enum { GS_HTML_PARTS = 256 }; /* each is looked for from the page's beginning */

/* How many snapshots the page holds, GS_HTML_PARTS + 1 where there are more. */
unsigned gs_html_parts(gs_source *source);

/* The source stands at the `{` of `let trace_data = {` (events, segments and live blocks as
 * columns) or of `let alloc_data = {` (the events alone). */
gs_status gs_html_columns(gs_source *source, unsigned want, gs_snapshot *s, gs_error *err);

/* Moves to the snapshot embedded in a page of 2.1 or later, or in one of ours (the source's part),
 * and decodes it from there; which reader it is for (that of pickles, of JSON, of .gsnap).
 * GS_UNSUPPORTED for 2.0's pages. */
gs_status gs_html_embedded(gs_source *source, const gs_reader **reader, gs_error *err);

#endif
