/* Two snapshots that must hold the same, and one that holds everything. */
#ifndef GS_TESTS_UNIT_SNAPSHOT_SAME_H
#define GS_TESTS_UNIT_SNAPSHOT_SAME_H

#include "analyzer/model/snapshot.h"

/* Fails the test where b differs from a; name is for the message. */
void gs_same_snapshot(const char *name, const gs_snapshot *a, const gs_snapshot *b);

/* Fills an initialised snapshot by hand with every fact; to be finished. */
void gs_full_snapshot(gs_snapshot *s);

#endif
