/* From a caller's gpusnap_config to what a recorder is opened with. */
#ifndef GS_RECORDER_API_API_CONFIG_H
#define GS_RECORDER_API_API_CONFIG_H

#include "recorder/dump/config.h"
#include "recorder/gpusnap.h"

/* The caller's whole struct, whatever size it has; NULL: everything from the variables.
 * GS_INVALID. */
gs_status gs_api_whole_config(gpusnap_config *full, const gpusnap_config *config, gs_error *err);

/* Puts what the caller said over what the variables say. GS_INVALID names a bad setting. */
gs_status gs_api_apply(gs_config *c, const gpusnap_config *config, gs_error *err);

#endif
