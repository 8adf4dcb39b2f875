/* Pickles beyond the reader's own entry (gs_reader_pickle). */
#ifndef GS_ANALYZER_READ_PYTORCH_PICKLE_H
#define GS_ANALYZER_READ_PYTORCH_PICKLE_H

#include "analyzer/read/open/source.h"
#include "schema/gsnap_write.h"

/* Reads a PyTorch snapshot's pickle as the reader does, keeps nothing, and hands the pickle's bytes
 * from the first opcode behind PROTO to the last before STOP to the sink: opcodes that leave one
 * value. */
gs_status gs_pickle_check(gs_source *source, gs_sink sink, void *arg, gs_error *err);

#endif
