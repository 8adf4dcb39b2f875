/* Files that a signal must not leave behind. */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "schema/outfile.h"

enum { WATCHED = 64 };

/* Read by a signal handler: only whole, terminated texts are ever put here. */
static _Atomic(const char *) watched[WATCHED];
static atomic_bool wanted, armed;

void gs_outfile_remove(const char *path)
{
	static const char *const ends[] = {"-journal", "-wal", "-shm"};
	char name[GS_OUTFILE_PATH + 16];
	size_t n = strlen(path);
	unlink(path);
	if (n >= GS_OUTFILE_PATH)
		return;
	memcpy(name, path, n);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		memcpy(name + n, ends[i], strlen(ends[i]) + 1);
		unlink(name);
	}
}

void gs_outfile_remove_watched(void)
{
	for (int i = 0; i < WATCHED; i++) {
		const char *path = atomic_exchange(&watched[i], NULL);
		if (path)
			gs_outfile_remove(path);
	}
}

/* Removes, then lets the signal do what it would have done: SA_RESETHAND has restored that. */
static void on_end(int number)
{
	int error = errno;
	gs_outfile_remove_watched();
	errno = error;
	raise(number);
}

/* A write beyond the file-size limit then fails with EFBIG, like one to a full disk. A handler, not
 * SIG_IGN: programs that are started do not inherit it. */
static void on_size(int number) { (void)number; }

static void arm(void)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGALRM};
	struct sigaction action = {.sa_handler = on_end, .sa_flags = (int)SA_RESETHAND}, before;
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (!sigaction(ends[i], NULL, &before) && before.sa_handler == SIG_DFL)
			sigaction(ends[i], &action, NULL);
	action.sa_handler = on_size;
	action.sa_flags = SA_RESTART;
	if (!sigaction(SIGXFSZ, NULL, &before) && before.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &action, NULL);
}

void gs_outfile_clean_on_signals(void) { atomic_store(&wanted, true); }

bool gs_outfile_watch(const char *path)
{
	if (atomic_load(&wanted) && !atomic_exchange(&armed, true))
		arm();
	for (int i = 0; i < WATCHED; i++) {
		const char *none = NULL;
		if (atomic_compare_exchange_strong(&watched[i], &none, path))
			return true;
	}
	return false;
}

void gs_outfile_unwatch(const char *path)
{
	for (int i = 0; i < WATCHED; i++) {
		const char *ours = path;
		if (atomic_compare_exchange_strong(&watched[i], &ours, NULL))
			return;
	}
}
