/* The ordinary main of a fuzz target: gives it every file of the named folders, each in a child of
 * its own, and fails for one that crashes, takes longer than SECONDS, or more memory than the
 * project allows a reader: 64 MiB + 4 times the size of the file (not measured under a sanitizer,
 * which takes its own). usage: TARGET NAME FOLDER|FILE… */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

enum { SECONDS = SANITIZED ? 20 : 5 };

static struct {
	const char *name;
	unsigned passed, failed;
} run;

static unsigned char *load(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	unsigned char *data = NULL;
	struct stat st;
	if (f && !fstat(fileno(f), &st) && st.st_size >= 0) {
		*size = (size_t)st.st_size;
		data = malloc(*size + 1);
		if (data && fread(data, 1, *size, f) != *size) {
			free(data);
			data = NULL;
		}
	}
	if (f)
		fclose(f);
	return data;
}

static long child(const unsigned char *data, size_t size, int *status)
{
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		alarm(SECONDS);
		if (data)
			LLVMFuzzerTestOneInput(data, size);
		exit(0);
	}
	struct rusage use = {0};
	if (pid < 0 || wait4(pid, status, 0, &use) < 0)
		*status = -1;
	return use.ru_maxrss * 1024;
}

static void replay(const char *path)
{
	size_t size = 0;
	int status = -1;
	unsigned char *data = load(path, &size);
	if (data) {
		long base = child(NULL, 0, &status);
		long used = child(data, size, &status);
		if (!SANITIZED && !status && used - base > (64l << 20) + 4 * (long)size) {
			fprintf(
				stderr, "fuzz-%s: %s: took %ld bytes for %zu\n", run.name, path, used - base, size);
			status = -1;
		}
	}
	if (WIFSIGNALED(status))
		fprintf(stderr, "fuzz-%s: %s: signal %d\n", run.name, path, WTERMSIG(status));
	else if (status)
		fprintf(stderr, "fuzz-%s: %s: failed\n", run.name, path);
	if (status)
		run.failed++;
	else
		run.passed++;
	free(data);
}

static void replay_folder(const char *path)
{
	struct dirent **names;
	int n = scandir(path, &names, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		char file[4096];
		snprintf(file, sizeof file, "%s/%s", path, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			replay(file);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	run.name = argv[1];
	for (int i = 2; i < argc; i++) {
		struct stat st;
		if (stat(argv[i], &st))
			fprintf(stderr, "fuzz-%s: no %s\n", run.name, argv[i]);
		else if (S_ISDIR(st.st_mode))
			replay_folder(argv[i]);
		else
			replay(argv[i]);
	}
	printf("fuzz-%s: %u passed, %u failed\n", run.name, run.passed, run.failed);
	return run.failed || !run.passed;
}
