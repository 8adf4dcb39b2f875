/* JSON as pickles. */
#ifndef GS_ANALYZER_EXPORT_PICKLE_JSON_H
#define GS_ANALYZER_EXPORT_PICKLE_JSON_H

#include <yajl/yajl_parse.h>

#include "analyzer/export/pickle_write.h"

/* Write each value to the gs_pickler that is their context. Numbers that 64 bits do not hold become
 * None. */
extern const yajl_callbacks gs_pickle_json;

/* The members of a JSON object as the opcodes of key, value, key, value … (malloc'd; the caller
 * frees them, also on failure): they can be put into any dictionary, any number of times. None, if
 * the text is no JSON object. */
gs_status gs_pickle_json_members(const char *json, size_t n, unsigned char **at, size_t *length);

#endif
