/* gpusnap run: starts a program with the recorder preloaded, and tells which dumps it left. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/read/open/reader.h"
#include "schema/size.h"
#include "tools/beside.h"
#include "tools/command.h"
#include "tools/dumps.h"
#include "tools/message.h"
#include "tools/options.h"

enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127, BY_SIGNAL = 128 };

static int fail(const char *file, const char *text)
{
	gs_error err = GS_ERROR_INIT;
	gs_fail(&err, GS_IO, "%s", text);
	return gs_fail_file(file, &err, NULL);
}

/* --- the recorder -------------------------------------------------------------------------------
 */

/* As built; as make install and Debian put it; as pip does. */
static const char *const preload_places[] = {"libgpusnap-preload.so",
	"../lib/gpusnap/libgpusnap-preload.so",
	"../lib*/python3*/*-packages/gpusnap/libgpusnap-preload.so", "../gpusnap/libgpusnap-preload.so",
	NULL};

/* Puts value before what the variable holds already. */
static bool put_before(const char *variable, const char *value)
{
	const char *old = getenv(variable);
	char *text = NULL;
	if (!old || !*old)
		return !setenv(variable, value, 1);
	if (asprintf(&text, "%s:%s", value, old) < 0)
		return false;
	int failed = setenv(variable, text, 1);
	free(text);
	return !failed;
}

static int set_environment(const char *dir, const char *stacks, bool pool)
{
	char path[PATH_MAX];
	if (!gs_beside_command(preload_places, path, sizeof path))
		return fail(NULL, "libgpusnap-preload.so is not beside the command, nor in ../lib/gpusnap");
	if (strpbrk(path, ": "))
		return fail(path,
			"a library below a folder with a blank or a colon in its name cannot be preloaded");
	if (!put_before("LD_PRELOAD", path) || setenv("GPUSNAP_DIR", dir, 1) ||
		setenv("GPUSNAP_RUN", "1", 1) || (stacks && setenv("GPUSNAP_STACKS", stacks, 1)) ||
		(pool && setenv("GPUSNAP_POOL", "1", 1)))
		return fail(NULL, strerror(errno));
	return GS_EXIT_DONE;
}

/* GPUSNAP_STREAM is a pattern of an absolute path; FILE is the name of a file. */
static int set_stream(const char *file)
{
	char absolute[PATH_MAX], pattern[2 * PATH_MAX], *to = pattern;
	if (!gs_dumps_folder(file, absolute, sizeof absolute))
		return fail(file, "the name is too long");
	if (!access(absolute, F_OK))
		return fail(file, "exists already");
	for (const char *p = absolute; *p; p++) {
		*to++ = *p;
		if (*p == '%')
			*to++ = '%';
	}
	*to = '\0';
	return setenv("GPUSNAP_STREAM", pattern, 1) ? fail(NULL, strerror(errno)) : GS_EXIT_DONE;
}

/* --- the child --- */

static volatile pid_t child;

/* A signal that somebody sent to us is meant for the program; one from the terminal has reached it
 * already. */
static void pass_on(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (child > 0 && info->si_code <= 0)
		kill(child, number);
}

static void pass_signals_on(void)
{
	static const int passed[] = {
		SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGCONT, SIGWINCH};
	struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
		struct sigaction old;
		if (!sigaction(passed[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(passed[i], &action, NULL);
	}
}

static int start(char **command)
{
	sigset_t all, before;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before); /* no signal is lost between fork and the handlers */
	child = fork();
	if (child == 0) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		execvp(command[0], command);
		int why = errno;
		fprintf(stderr, "gpusnap: %s: %s\n", command[0], strerror(why));
		_exit(why == ENOENT ? NOT_FOUND : NOT_EXECUTABLE);
	}
	pass_signals_on();
	sigprocmask(SIG_SETMASK, &before, NULL);
	return child < 0 ? -1 : 0;
}

static int wait_for_child(void)
{
	int status;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return GS_EXIT_FAILED;
	return WIFSIGNALED(status) ? BY_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

/* A dump of a refused driver call is told of when the program has ended: only then it is known that
 * the program did not get over it. All others the recorder told of as it wrote them. */
static void tell(void *arg, const char *path)
{
	bool *told = arg;
	gs_snapshot s;
	if (gs_read_path(path, GS_WANT_FAILURES, &s, NULL))
		return;
	if (s.reason && !strcmp(s.reason, "refused")) {
		char size[32], request[64] = ""; /* without events it is not in the dump */
		if (s.nooms) {
			const gs_oom *oom = &s.ooms[s.nooms - 1];
			snprintf(request, sizeof request, " (%s refused on device %d)",
				gs_size_format(size, sizeof size, (uint64_t)oom->requested), (int)oom->device);
		}
		fprintf(stderr, "gpusnap: out of memory: wrote %s%s%s; next: `gpusnap diagnose`\n", path,
			request,
			*told ? ""
				  : "; it holds host name, arguments and paths: `gpusnap redact` removes them");
		*told = true;
	}
	gs_snapshot_release(&s);
}

int gs_cmd_run(int argc, char **argv)
{
	const char *dir = getenv("GPUSNAP_DIR"), *stacks = NULL, *record = NULL;
	bool pool = false, told = false;
	const gs_option options[] = {{"pool", 0, GS_OPT_FLAG, &pool, NULL,
									 "serve cudaMalloc and cuMemAlloc from the recording pool"},
		{"dir", 0, GS_OPT_TEXT, &dir, "D",
			"write dumps there (default: $GPUSNAP_DIR, else gpusnap-dumps)"},
		{"stacks", 0, GS_OPT_TEXT, &stacks, "WHICH", "none, c, python or all"},
		{"record", 0, GS_OPT_TEXT, &record, "FILE.gsnap",
			"keep every event of the run in FILE; other processes of it write FILE-PID"},
		GS_OPTIONS_END};
	gs_arguments arguments;
	int status = gs_options_parse(options, argc, argv, 1, GS_REST, &arguments);
	if (status >= 0)
		return status;
	if (stacks && strcmp(stacks, "none") && strcmp(stacks, "c") && strcmp(stacks, "python") &&
		strcmp(stacks, "all"))
		return gs_fail_usage(
			"run", "it is none, c, python or all", "--stacks %s is not known", stacks);

	if (record && (!*record || record[strlen(record) - 1] == '/'))
		return gs_fail_usage("run", NULL, "--record takes the name of a file");
	if (record && (status = set_stream(record)) != GS_EXIT_DONE)
		return status;
	gs_dumps before = GS_DUMPS_INIT;
	char absolute[PATH_MAX];
	if (!gs_dumps_folder(dir, absolute, sizeof absolute))
		return fail(dir, "the name is too long");
	gs_dumps_list(&before, absolute);
	status = set_environment(absolute, stacks, pool);
	if (status == GS_EXIT_DONE) {
		status = start(arguments.text) ? fail(arguments.text[0], strerror(errno))
									   : wait_for_child();
		gs_dumps_new_since(&before, absolute, tell, &told);
	}
	gs_dumps_release(&before);
	return status;
}
