/* Where a stream has what: by its indexes, each of which names the one before, and by the section
 * headers behind the last of them. What is read of a run then does not depend on its length. */
#ifndef GS_ANALYZER_READ_GSNAP_DIRECTORY_H
#define GS_ANALYZER_READ_GSNAP_DIRECTORY_H

#include "analyzer/read/open/source.h"
#include "schema/gsnap_read.h"

typedef struct gs_gsnap_place {
	uint64_t offset; /* of a section */
	int64_t idx;     /* device: its layout holds after this event, GS_NONE: it begins none; event:
						events of the device by then */
	int32_t device;
	uint32_t kind;
} gs_gsnap_place;

typedef struct gs_gsnap_directory {
	gs_gsnap_place *places; /* by offset */
	size_t n, cap;
	uint64_t behind; /* offset of the first section that no index tells of */
} gs_gsnap_directory;
#define GS_GSNAP_DIRECTORY_INIT \
	{                           \
		NULL, 0, 0, 0           \
	}

/* Reads the indexes of a stream. GS_NOT_FOUND where there is none (none was written yet, or long
 * ago), or it cannot be believed: then the headers of all sections tell. The source is left
 * anywhere. Release in any case. */
gs_status gs_gsnap_directory_read(gs_gsnap_directory *d, gs_source *source, gs_error *err);
void gs_gsnap_directory_release(gs_gsnap_directory *d);

/* GS_NO_MEMORY. */
gs_status gs_gsnap_directory_add(gs_gsnap_directory *d, gs_gsnap_place place, gs_error *err);

#endif
