/* What a recorder is told when it is opened: numbers and texts, read once, so that the dump path
 * reads neither environment nor clock settings. */
#ifndef GS_RECORDER_DUMP_CONFIG_H
#define GS_RECORDER_DUMP_CONFIG_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "schema/status.h"

enum {
	GS_STACKS_C = 1,
	GS_STACKS_PYTHON = 2,
	GS_CONF_MAX = 2048,
	GS_ARGV_MAX = 4096,
	GS_EVENTS_MAX = 1 << 26
};

typedef struct gs_config {
	char dir[PATH_MAX]; /* absolute */
	char name[256];     /* pattern of a dump's name */
	char log[PATH_MAX]; /* "stderr", "none" or an absolute path */
	char conf[GS_CONF_MAX];
	char host[256];
	char argv[GS_ARGV_MAX]; /* arguments joined by NUL bytes */
	uint32_t argv_length;
	int64_t rank; /* GS_NONE unknown */
	uint32_t events, depth;
	unsigned stacks; /* GS_STACKS_… */
	int level;
	uint32_t max_dumps;
	uint64_t max_bytes;
	int signal;            /* 0 none */
	char signal_name[16];  /* "USR2" */
	char stream[PATH_MAX]; /* pattern of a stream's path, absolute; empty: none */
	uint64_t stream_bytes; /* that it may have; 0: any */
	uint64_t stream_epoch; /* events between two layouts, at least; only tests change it */
	bool places;           /* of who ordered work that is done later (gpusnap_place) */
	bool disable;
	bool sync;      /* fsync dumps; only benches and tests switch it off */
	bool every_oom; /* dump each out-of-memory, though nothing changed since the last */
} gs_config;

#endif
