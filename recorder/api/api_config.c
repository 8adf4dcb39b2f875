/* A caller's configuration. */
#include "recorder/api/api_config.h"

#include <string.h>

#include "recorder/api/config_read.h"
#include "recorder/api/env.h"
#include "recorder/dump/text.h"

void gpusnap_config_init_sized(gpusnap_config *config, size_t size)
{
	gpusnap_config all;
	memset(&all, 0, sizeof all);
	all.events = all.depth = all.level = all.max_dumps = all.max_mb = all.disable = all.rank = -1;
	all.stream_mb = -1;
	all.memory_fraction = -1;
	all.size = size < sizeof all ? size : sizeof all;
	memcpy(config, &all, all.size);
}

/* Programs built against the first release: their config is no larger. */
void(gpusnap_config_init)(gpusnap_config *config)
{
	gpusnap_config_init_sized(config, offsetof(gpusnap_config, stream));
}

static gs_status set_text(gs_config *c, gs_env variable, const char *value, gs_error *err)
{
	return value ? gs_config_set(c, variable, value, err) : GS_OK;
}

static gs_status set_number(gs_config *c, gs_env variable, int64_t value, gs_error *err)
{
	char text[24];
	gs_line line = GS_LINE(text);
	if (value < 0)
		return GS_OK;
	gs_line_number(&line, (uint64_t)value, 1);
	return gs_config_set(c, variable, text, err);
}

gs_status gs_api_apply(gs_config *c, const gpusnap_config *config, gs_error *err)
{
	gs_status status = set_text(c, GS_ENV_DIR, config->dir, err);
	const struct {
		gs_env variable;
		const char *text;
		int64_t number;
	} all[] = {
		{GS_ENV_NAME, config->name, -1},
		{GS_ENV_STACKS, config->stacks, -1},
		{GS_ENV_CONF, config->conf, -1},
		{GS_ENV_SIGNAL, config->signal, -1},
		{GS_ENV_LOG, config->log, -1},
		{GS_ENV_EVENTS, NULL, config->events},
		{GS_ENV_DEPTH, NULL, config->depth},
		{GS_ENV_LEVEL, NULL, config->level},
		{GS_ENV_MAX_DUMPS, NULL, config->max_dumps},
		{GS_ENV_MAX_MB, NULL, config->max_mb},
		{GS_ENV_DISABLE, NULL, config->disable},
		{GS_ENV_STREAM, config->stream, -1},
		{GS_ENV_STREAM_MB, NULL, config->stream_mb},
	};
	for (size_t i = 0; i < sizeof all / sizeof *all && !status; i++) {
		status = set_text(c, all[i].variable, all[i].text, err);
		if (!status)
			status = set_number(c, all[i].variable, all[i].number, err);
	}
	if (config->rank >= 0)
		c->rank = config->rank;
	return status;
}

gs_status gs_api_whole_config(gpusnap_config *full, const gpusnap_config *config, gs_error *err)
{
	gpusnap_config_init(full);
	if (config && config->size > sizeof *full)
		return gs_fail(
			err, GS_INVALID, "gpusnap_config of %zu bytes: made for a later gpusnap", config->size);
	if (config)
		memcpy(full, config, config->size);
	return GS_OK;
}
