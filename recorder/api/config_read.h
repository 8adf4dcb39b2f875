/* Reading a recorder's configuration from the environment. */
#ifndef GS_RECORDER_API_CONFIG_READ_H
#define GS_RECORDER_API_CONFIG_READ_H

#include "recorder/dump/config.h"

/* Fills *c from the GPUSNAP_* variables and the process. GS_INVALID names a variable whose value
 * cannot be understood; *c then has its default for that one and is usable. */
gs_status gs_config_read(gs_config *c, gs_error *err);

/* Setting one as its variable would: used by the C API's config as well. GS_INVALID and the reason.
 */
gs_status gs_config_set(gs_config *c, int variable, const char *value, gs_error *err);

#endif
