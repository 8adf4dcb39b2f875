/* Parts of the HTML reader. */
#ifndef GS_ANALYZER_READ_HTML_H
#define GS_ANALYZER_READ_HTML_H

#include "analyzer/read/source.h"
#include "analyzer/snapshot.h"

/* The source stands at the `{` of `let trace_data = {` (events, segments and live blocks as columns) or of `let alloc_data = {`
 * (the events alone). */
gs_status gs_html_columns(gs_source *source, unsigned want, gs_snapshot *s, gs_error *err);

/* Moves to the pickle embedded in a page of 2.1 or later and decodes it from there; GS_UNSUPPORTED for 2.0's pages. */
gs_status gs_html_embedded(gs_source *source, gs_error *err);

#endif
