/* All rows of a snapshot as text, for comparing two readings: the form of
 * tests/independent/summary.py --rows. */
#ifndef GS_TESTS_UNIT_SNAPSHOT_ROWS_H
#define GS_TESTS_UNIT_SNAPSHOT_ROWS_H

#include "analyzer/model/snapshot.h"

/* To be freed. */
char *gs_snapshot_rows(const gs_snapshot *s);

#endif
