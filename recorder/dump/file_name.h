/* Names of files from patterns: %h host, %p process, %r rank, %d device, %t UTC time, %n number, %%
 * a percent sign. Thread-safe. */
#ifndef GS_RECORDER_DUMP_FILE_NAME_H
#define GS_RECORDER_DUMP_FILE_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/dump/text.h"

typedef struct gs_name_facts {
	const char *host;
	int64_t pid, rank; /* rank: GS_NONE is 0 */
	int32_t device;
	int64_t now; /* ns since 1970 */
	uint64_t number;
	bool is_path; /* slashes of the pattern stay; else a name must not leave its folder */
} gs_name_facts;

/* Appends the name that the pattern gives; an unknown % stands for itself. */
void gs_name_put(gs_line *line, const char *pattern, const gs_name_facts *facts);

#endif
