/* GPUSNAP_SIGNAL for recordings that another part makes. */
#include "recorder/api/config_read.h"
#include "recorder/api/env.h"
#include "recorder/api/error.h"
#include "recorder/api/signal.h"
#include "recorder/gpusnap.h"

gpusnap_status gpusnap_on_signal(gpusnap_signal_dump *dump, void *arg)
{
	static gs_config config; /* large; only its signal is looked at */
	gs_error *err = gs_api_error();
	gs_status status = gs_config_set(&config, GS_ENV_SIGNAL, gs_env_get(GS_ENV_SIGNAL), err);
	if (!status && config.signal)
		status = gs_signal_add(config.signal, dump, arg, err);
	return gs_api_result(status);
}

void gpusnap_off_signal(gpusnap_signal_dump *dump, void *arg) { gs_signal_remove(dump, arg); }
