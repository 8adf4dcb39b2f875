/* Who else holds memory of a device, as rows of a staging: what a file tells among its settings,
 * each named "outside" (FORMAT.md, setting). Takes no memory. */
#ifndef GS_RECORDER_DUMP_OUTSIDERS_H
#define GS_RECORDER_DUMP_OUTSIDERS_H

#include "recorder/dump/staging.h"

/* A row: pid 0: no process of its own; known: who says so; holder: its name. What is more than
 * there is room for is left out. */
void gs_outsiders_add(gs_staging *s, int32_t device, uint32_t pid, int64_t bytes, const char *known,
	const char *holder);

#endif
