/* JSON by yajl, from a source, with the place of what is wrong. */
#ifndef GS_ANALYZER_READ_PYTORCH_JSON_STREAM_H
#define GS_ANALYZER_READ_PYTORCH_JSON_STREAM_H

#include <stdbool.h>
#include <yajl/yajl_parse.h>

#include "analyzer/read/open/source.h"

/* Feeds one JSON value to the callbacks; returning 0 from one stops, then *error tells why (GS_OK:
 * it has what it wants). whole: the value must be all there is. The text of *error is given the
 * place. */
gs_status gs_json_stream(gs_source *source, const yajl_callbacks *callbacks, void *context,
	bool whole, const gs_error *error, gs_error *err);

#endif
