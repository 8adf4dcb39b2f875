/* A snapshot of any kind as a .gsnap file. */
#ifndef GS_ANALYZER_EXPORT_GSNAP_H
#define GS_ANALYZER_EXPORT_GSNAP_H

#include <stdbool.h>

#include "analyzer/model/snapshot.h"
#include "schema/gsnap_write.h"

/* Sends the finished snapshot's file to the sink: everything that snapshot.h holds but path, sha256
 * and what was skipped. Reading it back gives the same snapshot. level: of zstd. Texts are cut at
 * GS_GSNAP_TEXT_MAX. */
gs_status gs_export_gsnap(const gs_snapshot *s, int level, gs_sink sink, void *arg, gs_error *err);

/* The same into a file: written beside path and renamed, so that there is never half a file.
 * replace false: GS_EXISTS when path is there already. */
gs_status gs_export_gsnap_file(const gs_snapshot *s, const char *path, bool replace, gs_error *err);

#endif
