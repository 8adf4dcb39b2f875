/* Inside of the torch builder: allocator_settings and what the keys tell of the release. */
#ifndef GS_ANALYZER_READ_PYTORCH_ALLOCATOR_SETTINGS_H
#define GS_ANALYZER_READ_PYTORCH_ALLOCATOR_SETTINGS_H

#include "analyzer/read/pytorch/builder.h"

/* Each entry becomes a setting: text as it is, numbers in decimal, True or False, dictionaries and
 * lists as JSON
 * (`roundup_power2_divisions` is `{"1":0,"2":0,…}`). */
gs_status gs_torch_settings(gs_torch *t, const gs_torch_value *settings);

/* trace_alloc_overflowed (one value, or one a device): the traces that lost their beginning. */
void gs_torch_overflow(gs_torch *t, const gs_torch_value *settings);

/* Fills the snapshot's tool and the bounds of the release from the keys seen. */
void gs_torch_releases(gs_torch *t);

#endif
