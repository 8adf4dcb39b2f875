/* Tables of nvidia-smi in a text: how much memory each GPU has, and which processes hold some of
 * it.
 *
 * A table is of its own moment, so it proves nothing about a failure beside it: it gives a device
 * its capacity where nothing else does, and names holders of its memory (gs_outsider). Of several
 * tables the last line on a GPU or a process counts. Only devices that failures are of, or the one
 * GPU of the table where a failure names none, get anything. */
#ifndef GS_ANALYZER_READ_LOGS_NVIDIA_SMI_H
#define GS_ANALYZER_READ_LOGS_NVIDIA_SMI_H

#include "analyzer/model/snapshot.h"
#include "analyzer/read/text/window.h"

enum { GS_SMI_DEVICES = 16, GS_SMI_PROCESSES = 64, GS_SMI_NAME = 64 };

typedef struct gs_smi {
	int64_t capacity[GS_SMI_DEVICES]; /* 0: not told */
	struct {
		int32_t device;
		int64_t pid, bytes;
		char name[GS_SMI_NAME];
	} processes[GS_SMI_PROCESSES];
	size_t nprocesses;
	int32_t device; /* the GPU that a line has begun, -1 */
	uint64_t done;
} gs_smi;

#define GS_SMI_INIT  \
	{                \
		.device = -1 \
	}

/* Looks at [from, to) of a window. */
void gs_smi_scan(gs_smi *smi, const gs_text *t, size_t from, size_t to);

/* Puts what was found into the snapshot's devices. GS_NO_MEMORY. */
gs_status gs_smi_finish(const gs_smi *smi, gs_snapshot *s, gs_error *err);

#endif
