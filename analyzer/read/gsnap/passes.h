/* The events of one device of a stream, section by section and as often as is wanted: what they
 * refer to is mapped once and kept. */
#ifndef GS_ANALYZER_READ_GSNAP_PASSES_H
#define GS_ANALYZER_READ_GSNAP_PASSES_H

#include "analyzer/model/event_source.h"
#include "analyzer/read/open/source.h"

typedef struct gs_gsnap_passes gs_gsnap_passes;

/* s: the snapshot that the ids of events are of, which knows the device. It and the source (of a
 * file, that can go back) are borrowed. GS_NO_MEMORY. */
gs_status gs_gsnap_passes_open(
	gs_gsnap_passes **out, gs_source *source, gs_snapshot *s, int32_t device, gs_error *err);
void gs_gsnap_passes_close(gs_gsnap_passes *p); /* accepts NULL */

/* All events from the first on; where the file has no end, those of its whole sections. GS_OK also
 * where the visitor says GS_END. */
gs_status gs_gsnap_pass(gs_gsnap_passes *p, gs_event_visit *visit, void *visitor, gs_error *err);

#endif
