/* Tables of names that are filled, and what a file says of it. */
#ifndef GS_TESTS_UNIT_FULL_TABLES_H
#define GS_TESTS_UNIT_FULL_TABLES_H

#include <stdio.h>
#include <string.h>

#include "analyzer/model/snapshot.h"
#include "recorder/api/recorder.h"

/* Uses n tags, each once. The table has room for gs_tables_default.tags − 1: number 0 is none. */
static inline void gs_name_tags(gs_recorder *r, uint32_t n)
{
	char name[32];
	for (uint32_t i = 0; i < n; i++) {
		snprintf(name, sizeof name, "tag %u", i);
		gs_recorder_push_tag(r, name);
		gs_recorder_pop_tag(r);
	}
}

/* How many warnings of a file tell of full tables. */
static inline int gs_warnings_of_full_tables(const gs_snapshot *s)
{
	int n = 0;
	for (size_t i = 0; i < s->nwarnings; i++)
		n += strstr(s->warnings[i].text, "tables of names are full") != NULL;
	return n;
}

#endif
