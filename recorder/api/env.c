/* The table of environment variables. */
#include "recorder/api/env.h"

#include <stdlib.h>

const gs_env_variable gs_env_variables[] = {
#define GS_ENV(name, fallback, meaning) {"GPUSNAP_" #name, fallback, meaning},
#include "recorder/api/env.def"
#undef GS_ENV
	{0, 0, 0},
};

const char *gs_env_get(gs_env variable)
{
	const char *value = secure_getenv(gs_env_variables[variable].name);
	return value ? value : gs_env_variables[variable].fallback;
}
