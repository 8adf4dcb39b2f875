/* The recorder's environment variables, for help and for reading. Constant data, thread-safe. */
#ifndef GS_RECORDER_API_ENV_H
#define GS_RECORDER_API_ENV_H

typedef struct gs_env_variable {
	const char *name;     /* "GPUSNAP_DIR"; NULL ends the list */
	const char *fallback; /* value where it is not set; "" is none */
	const char *meaning;
} gs_env_variable;

extern const gs_env_variable gs_env_variables[];

typedef enum gs_env {
#define GS_ENV(name, fallback, meaning) GS_ENV_##name,
#include "recorder/api/env.def"
#undef GS_ENV
	GS_ENV_COUNT
} gs_env;

/* Its value, the fallback where it is not set. Reads the environment: not for the dump path. */
const char *gs_env_get(gs_env variable);

#endif
