/* Snapshots as the pickles that PyTorch's own tools open (python -m torch.cuda._memory_viz,
 * pytorch.org/memory_viz). */
#ifndef GS_ANALYZER_EXPORT_PYTORCH_H
#define GS_ANALYZER_EXPORT_PYTORCH_H

#include "analyzer/model/snapshot.h"
#include "schema/gsnap_write.h"

/* Writes the snapshot in the form of the newest release, without keys for what the snapshot does
 * not know. Events of actions that PyTorch does not have are left out and counted in *left_out (may
 * be NULL). GS_UNSUPPORTED when it has neither segments nor events. What PyTorch's own records said
 * beyond the model comes back from blocks and events (gs_event.more); not kept are unknown keys of
 * segments, frames and the whole, all but the newest entry of 2.0's history of a block, pinned host
 * memory, and sums of a segment that contradict its blocks. */
gs_status gs_export_pytorch(
	const gs_snapshot *s, gs_sink sink, void *arg, size_t *left_out, gs_error *err);

/* Writes the PyTorch snapshot in the file (of a page: that part of it, from 0) as it is (unpacked;
 * from a page or from JSON; a bare list of segments inside a dictionary), so that nothing that the
 * model does not hold is lost. It is checked on the way as a reader checks it. GS_UNSUPPORTED when
 * the file's form cannot be copied: then nothing was written; use gs_export_pytorch. */
gs_status gs_export_pytorch_copy(
	const char *path, unsigned part, gs_sink sink, void *arg, gs_error *err);

#endif
