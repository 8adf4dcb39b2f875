/* gpusnap dump: asks a recorded process for a dump, and prints where it is. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "recorder/dump/asked.h"
#include "tools/command.h"
#include "tools/message.h"
#include "tools/options.h"

enum { PAGES_MAX = 8, WAIT_MS = 60000, STEP_MS = 5 };

/* What a process tells of itself (asked.h): a page for each copy of the recorder in it. */
typedef struct pages {
	const gs_asked *at[PAGES_MAX];
	uint32_t ended[PAGES_MAX]; /* before it was asked */
	unsigned n;
	int number;     /* the signal; 0: it has none of our handlers */
	bool listening; /* someone would dump */
} pages;

static int fail(const char *pid, const char *text)
{
	gs_error err = GS_ERROR_INIT;
	gs_fail(&err, GS_IO, "%s", text);
	return gs_fail_file(pid, &err, NULL);
}

/* A line "NAME:\tVALUE" of /proc/PID/status; false: none. */
static bool status_line(long pid, const char *name, char *value, size_t cap)
{
	char path[64], line[512];
	size_t n = strlen(name);
	bool found = false;
	snprintf(path, sizeof path, "/proc/%ld/status", pid);
	FILE *f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof line, f))
		if ((found = !strncmp(line, name, n) && line[n] == ':'))
			snprintf(value, cap, "%s", line + n + 1);
	if (f)
		fclose(f);
	return found;
}

/* Whether the process catches the signal at all: it would end it otherwise. */
static bool catches(long pid, int number)
{
	char mask[512];
	return number > 0 && number <= 64 && status_line(pid, "SigCgt", mask, sizeof mask) &&
		strtoull(mask, NULL, 16) >> (number - 1) & 1;
}

/* Whether the process knows itself by that number, here or in a name space of its own. A forked
 * child has its parent's pages open, too. */
static bool is_called(long pid, int32_t own)
{
	char line[512];
	if (own == pid)
		return true;
	if (!status_line(pid, "NSpid", line, sizeof line))
		return false;
	const char *last = strrchr(line, '\t');
	return last && strtol(last, NULL, 10) == own;
}

static void look_at(pages *p, long pid, const char *path)
{
	struct stat about;
	char target[64];
	ssize_t n = readlink(path, target, sizeof target - 1);
	if (n < 0 || p->n == PAGES_MAX)
		return;
	target[n] = '\0';
	if (strncmp(target, "/memfd:" GS_ASKED_NAME, 7 + strlen(GS_ASKED_NAME)))
		return;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *at = MAP_FAILED;
	if (fd >= 0 && !fstat(fd, &about) && about.st_size >= (off_t)sizeof(gs_asked))
		at = mmap(NULL, sizeof(gs_asked), PROT_READ, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	if (at == MAP_FAILED)
		return;
	const gs_asked *page = at;
	if (page->magic != GS_ASKED_MAGIC || !is_called(pid, page->pid) || !page->number) {
		munmap(at, sizeof(gs_asked));
		return;
	}
	p->number = page->number;
	p->listening |= page->listeners > 0;
	p->ended[p->n] = page->ended;
	p->at[p->n++] = page;
}

static bool find_pages(pages *p, long pid)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%ld/fd", pid);
	DIR *folder = opendir(path);
	if (!folder)
		return false;
	for (struct dirent *e; (e = readdir(folder));) {
		char name[400];
		snprintf(name, sizeof name, "%s/%s", path, e->d_name);
		if (*e->d_name != '.')
			look_at(p, pid, name);
	}
	closedir(folder);
	return true;
}

static bool is_answered(const pages *p)
{
	for (unsigned i = 0; i < p->n; i++)
		if (p->at[i]->listeners && p->at[i]->ended == p->ended[i])
			return false;
	return true;
}

/* Waits for all answers; false: the process ended, or too long. */
static bool wait_for_answer(const pages *p, long pid)
{
	const struct timespec step = {0, STEP_MS * 1000000L};
	for (int waited = 0; waited < WAIT_MS; waited += STEP_MS) {
		if (is_answered(p))
			return true;
		if (kill((pid_t)pid, 0) && errno == ESRCH)
			return is_answered(p);
		nanosleep(&step, NULL);
	}
	return false;
}

static unsigned print_paths(const pages *p)
{
	unsigned printed = 0;
	for (unsigned i = 0; i < p->n; i++) {
		uint32_t at = 0, length = p->at[i]->length;
		for (uint32_t k = 0; k < p->at[i]->npaths && length <= sizeof p->at[i]->text; k++) {
			const char *text = p->at[i]->text + at;
			size_t n = at < length ? strnlen(text, length - at) : 0;
			if (!n || p->at[i]->ended == p->ended[i])
				break;
			printf("%.*s\n", (int)n, text);
			at += (uint32_t)n + 1;
			printed++;
		}
	}
	return printed;
}

int gs_cmd_dump(int argc, char **argv)
{
	const gs_option options[] = {GS_OPTIONS_END};
	gs_arguments arguments;
	pages found = {.n = 0};
	char *end;
	int status = gs_options_parse(options, argc, argv, 1, 1, &arguments);
	if (status >= 0)
		return status;
	const char *text = arguments.text[0];
	long pid = strtol(text, &end, 10);
	if (*text < '1' || *text > '9' || *end || pid > INT32_MAX)
		return gs_fail_usage("dump", NULL, "`%s` is no process id", text);
	if (!find_pages(&found, pid))
		return fail(text, errno == ENOENT ? "there is no such process" : strerror(errno));
	if (!found.n || !catches(pid, found.number))
		return fail(text,
			"this process cannot be asked: it was not started with GPUSNAP_SIGNAL (a signal, as in "
			"`GPUSNAP_SIGNAL=USR2 gpusnap run …`)");
	if (!found.listening)
		return fail(text, "nothing is recorded yet");
	if (kill((pid_t)pid, found.number))
		return fail(text, strerror(errno));
	if (!wait_for_answer(&found, pid))
		return fail(text, "it did not answer");
	return print_paths(&found) ? GS_EXIT_DONE
							   : fail(text, "it wrote no dump (its messages tell why)");
}
