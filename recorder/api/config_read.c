/* Reading the configuration. */
#include "recorder/api/config_read.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "recorder/api/env.h"
#include "recorder/dump/signal_names.h"
#include "recorder/dump/text.h"
#include "schema/terms.h"

static gs_status read_number(
	int variable, const char *text, uint64_t least, uint64_t most, uint64_t *value, gs_error *err)
{
	char *end;
	errno = 0;
	unsigned long long v = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || v < least || v > most)
		return gs_fail(err, GS_INVALID, "%s: \"%.40s\" is not a number from %llu to %llu",
			gs_env_variables[variable].name, text, (unsigned long long)least,
			(unsigned long long)most);
	*value = v;
	return GS_OK;
}

static gs_status read_stacks(const char *text, unsigned *stacks, gs_error *err)
{
	static const struct {
		const char *word;
		unsigned stacks;
	} words[] = {
		{"none", 0},
		{"c", GS_STACKS_C},
		{"python", GS_STACKS_PYTHON},
		{"all", GS_STACKS_C | GS_STACKS_PYTHON},
	};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcasecmp(text, words[i].word)) {
			*stacks = words[i].stacks;
			return GS_OK;
		}
	return gs_fail(
		err, GS_INVALID, "GPUSNAP_STACKS: \"%.40s\" is not none, c, python or all", text);
}

/* As users write it; a real-time one by its number. */
static void name_signal(gs_config *c)
{
	const char *name = gs_signal_name(c->signal);
	gs_line line = GS_LINE(c->signal_name);
	if (name)
		gs_line_text(&line, name);
	else
		gs_line_signed(&line, c->signal);
}

static gs_status read_signal(const char *text, int *number, gs_error *err)
{
	const char *name = strncasecmp(text, "SIG", 3) ? text : text + 3;
	char *end;
	bool whole = true;
	long v = strtol(text, &end, 10);
	if (!*text || (!*end && v == 0)) {
		*number = 0;
		return GS_OK;
	}
	if (!strncasecmp(name, "RTMIN+", 6)) {
		v = SIGRTMIN + strtol(name + 6, &end, 10);
		whole = !*end;
	} else if (*end) {
		v = gs_signal_number(name);
	}
	if (!whole || v < 1 || v > SIGRTMAX || v == SIGKILL || v == SIGSTOP)
		return gs_fail(
			err, GS_INVALID, "GPUSNAP_SIGNAL: \"%.40s\" is no signal that can be caught", text);
	*number = (int)v;
	return GS_OK;
}

/* A path that stays right when the program changes its directory. */
static gs_status read_path(int variable, const char *text, char *to, size_t cap, gs_error *err)
{
	char path[PATH_MAX];
	gs_line line = GS_LINE(path);
	path[0] = 0;
	if (*text != '/') {
		if (!getcwd(path, sizeof path))
			path[0] = 0;
		line.n = strlen(path);
		gs_line_char(&line, '/');
		while (!strncmp(text, "./", 2))
			text += 2;
	}
	gs_line_text(&line, text);
	while (line.n > 1 && path[line.n - 1] == '/')
		path[--line.n] = 0;
	if (!*text || line.n + 1 >= sizeof path || line.n >= cap)
		return gs_fail(err, GS_INVALID, "%s: no usable path", gs_env_variables[variable].name);
	memcpy(to, path, line.n + 1);
	return GS_OK;
}

static gs_status read_text(int variable, const char *text, char *to, size_t cap, gs_error *err)
{
	size_t n = strlen(text);
	if (n >= cap)
		return gs_fail(
			err, GS_INVALID, "%s: longer than %zu bytes", gs_env_variables[variable].name, cap - 1);
	memcpy(to, text, n + 1);
	return GS_OK;
}

static gs_status read_log(gs_config *c, const char *text, gs_error *err)
{
	if (!*text || !strcmp(text, "stderr") || !strcmp(text, "none"))
		return read_text(GS_ENV_LOG, *text ? text : "stderr", c->log, sizeof c->log, err);
	return read_path(GS_ENV_LOG, text, c->log, sizeof c->log, err);
}

gs_status gs_config_set(gs_config *c, int variable, const char *value, gs_error *err)
{
	uint64_t v = 0;
	gs_status status = GS_OK;
	switch (variable) {
	case GS_ENV_DIR: return read_path(variable, value, c->dir, sizeof c->dir, err);
	case GS_ENV_NAME:
		return read_text(variable, *value ? value : gs_env_variables[variable].fallback, c->name,
			sizeof c->name, err);
	case GS_ENV_EVENTS:
		if (!(status = read_number(variable, value, 0, GS_EVENTS_MAX, &v, err)))
			c->events = v ? (uint32_t)v : 1; /* the last one: of a failure, what failed */
		break;
	case GS_ENV_STACKS: return read_stacks(value, &c->stacks, err);
	case GS_ENV_DEPTH:
		if (!(status = read_number(variable, value, 1, 64, &v, err)))
			c->depth = (uint32_t)v;
		break;
	case GS_ENV_LEVEL:
		if (!(status = read_number(variable, value, 1, 19, &v, err)))
			c->level = (int)v;
		break;
	case GS_ENV_MAX_DUMPS:
		if (!(status = read_number(variable, value, 0, UINT32_MAX, &v, err)))
			c->max_dumps = (uint32_t)v;
		break;
	case GS_ENV_MAX_MB:
		if (!(status = read_number(variable, value, 0, 1u << 30, &v, err)))
			c->max_bytes = v << 20;
		break;
	case GS_ENV_SIGNAL:
		status = read_signal(value, &c->signal, err);
		name_signal(c);
		return status;
	case GS_ENV_STREAM:
		c->stream[0] = 0;
		return *value ? read_path(variable, value, c->stream, sizeof c->stream, err) : GS_OK;
	case GS_ENV_STREAM_MB:
		if (!(status = read_number(variable, value, 0, 1u << 30, &v, err)))
			c->stream_bytes = v << 20;
		break;
	case GS_ENV_CONF: return read_text(variable, value, c->conf, sizeof c->conf, err);
	case GS_ENV_LOG: return read_log(c, value, err);
	case GS_ENV_BACKWARD: c->places = *value && strcmp(value, "0"); break;
	case GS_ENV_DISABLE: c->disable = *value && strcmp(value, "0"); break;
	default: return gs_fail(err, GS_INVALID, "no such setting");
	}
	return status;
}

static int64_t read_rank(void)
{
	static const char *const names[] = {
		"RANK", "LOCAL_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *text = secure_getenv(names[i]);
		char *end;
		if (!text || *text < '0' || *text > '9')
			continue;
		long long v = strtoll(text, &end, 10);
		if (!*end && v < INT32_MAX)
			return v;
	}
	return GS_NONE;
}

static void read_process(gs_config *c)
{
	if (gethostname(c->host, sizeof c->host - 1) || !c->host[0])
		strcpy(c->host, "localhost");
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		ssize_t n = read(fd, c->argv, sizeof c->argv - 1);
		c->argv_length = n > 0 ? (uint32_t)n : 0;
		close(fd);
	}
	if (c->argv_length && !c->argv[c->argv_length - 1])
		c->argv_length--;
	c->rank = read_rank();
}

gs_status gs_config_read(gs_config *c, gs_error *err)
{
	gs_status result = GS_OK;
	memset(c, 0, sizeof *c);
	c->sync = true;
	c->stream_epoch = 1 << 20;
	read_process(c);
	for (int i = 0; i < GS_ENV_COUNT; i++) {
		gs_config_set(c, i, gs_env_variables[i].fallback, NULL);
		const char *value = secure_getenv(gs_env_variables[i].name);
		if (value && gs_config_set(c, i, value, result ? NULL : err))
			result = GS_INVALID;
	}
	if (!secure_getenv("GPUSNAP_CONF")) {
		const char *torch = secure_getenv("PYTORCH_ALLOC_CONF");
		if (!torch)
			torch = secure_getenv("PYTORCH_CUDA_ALLOC_CONF");
		if (torch && gs_config_set(c, GS_ENV_CONF, torch, result ? NULL : err))
			result = GS_INVALID;
	}
	return result;
}
