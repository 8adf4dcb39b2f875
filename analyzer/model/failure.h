/* Which failure is meant where nobody named one: the one home of that rule, in the model since
 * replay needs it too. Thread-safe. */
#ifndef GS_ANALYZER_MODEL_FAILURE_H
#define GS_ANALYZER_MODEL_FAILURE_H

#include "analyzer/model/snapshot.h"

/* The failure of one snapshot, as an index of its ooms, SIZE_MAX where it has none. Of a recording
 * the last in time (a program may catch failures and go on; the last is what ended it, and what the
 * layout shows). Of a text with several messages the first in time (others follow from it), a whole
 * one before a cut one; where times are not known, the line counts, else the order of the rows.
 * device: only of that one, unless any_device. */
size_t gs_failure_of(const gs_snapshot *s, bool any_device, int32_t device);

/* Whether the message of a failure was cut: such a one is told after whole ones. */
bool gs_failure_is_cut(const gs_oom *o);

/* One of several failures. */
typedef struct gs_failure {
	const gs_snapshot *snapshot;
	size_t oom; /* index of its ooms */
} gs_failure;

/* The failures of n snapshots, the one to tell first: whole ones before cut ones, then by time,
 * those without a time as they were given after the others. Of a recording gs_failure_of, of a text
 * each message. all is malloc'd (NULL for none). GS_NO_MEMORY. */
gs_status gs_failures_of(const gs_snapshot *snapshots, size_t n, bool any_device, int32_t device,
	gs_failure **all, size_t *nall);

#endif
