/* What the files that write PyTorch's dictionaries share. Private to them. Errors stick in the
 * pickler; gs_export_pytorch tells. */
#ifndef GS_ANALYZER_EXPORT_PYTORCH_INTERNAL_H
#define GS_ANALYZER_EXPORT_PYTORCH_INTERNAL_H

#include "analyzer/export/pickle_write.h"
#include "analyzer/export/pytorch.h"

typedef struct gs_pytorch_writer {
	const gs_snapshot *s;
	gs_layout *built; /* by device: after its last event, where the file's is of an earlier one */
	gs_pickler p;
	uint32_t *strings, *frames, *stacks; /* memo numbers by id, 0 not yet written */
	struct {
		const char *key;
		uint32_t memo;
	} keys[64];
	struct members {
		unsigned char *at;
		size_t n;
	} * more; /* by string id, made when first needed */
	size_t left_out;
} gs_pytorch_writer;

/* A key; the same pointer is written once. A key with its number, its pool id, its frames. */
void gs_pytorch_key(gs_pytorch_writer *x, const char *name);
void gs_pytorch_unsigned(gs_pytorch_writer *x, const char *name, uint64_t u);
void gs_pytorch_pool(gs_pytorch_writer *x, const char *name, gs_pool_id id);
void gs_pytorch_frames(gs_pytorch_writer *x, gs_id stack);

/* A string of the snapshot as a value. */
void gs_pytorch_string(gs_pytorch_writer *x, gs_id id);

/* Members of the original that the model does not hold (gs_event.more). */
void gs_pytorch_more(gs_pytorch_writer *x, gs_id id);

/* All segments: of GPUs, or of pinned host memory. */
void gs_pytorch_segments(gs_pytorch_writer *x, bool host);

/* One event, counted as left out where PyTorch has no word for it; all of GPUs, a list a device,
 * also for those between that have none. */
void gs_pytorch_event(gs_pytorch_writer *x, const gs_event *e);
void gs_pytorch_traces(gs_pytorch_writer *x);

/* Settings and annotations. */
void gs_pytorch_facts(gs_pytorch_writer *x);

#endif
