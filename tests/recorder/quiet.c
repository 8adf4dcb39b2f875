/* An out-of-memory in a process whose heap is exhausted: the dump is written without malloc, stdio, environment or local time.
 * Those functions are ours here; while `forbidden` they fail and are counted. Arguments: folder for dumps. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "recorder/gpusnap.h"

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

static volatile int forbidden, count;
static const char *volatile who = "";

static int refuse(const char *name)
{
	if (!forbidden)
		return 0;
	count++;
	who = name;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t n) { return refuse("malloc") ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t m) { return refuse("calloc") ? NULL : __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { return refuse("realloc") ? NULL : __libc_realloc(p, n); }
void free(void *p)
{
	if (forbidden)
		refuse("free");
	else
		__libc_free(p);
}

char *getenv(const char *name)
{
	extern char **environ;
	size_t n = strlen(name);
	if (refuse("getenv"))
		return NULL;
	for (char **e = environ; e && *e; e++)
		if (!strncmp(*e, name, n) && (*e)[n] == '=')
			return *e + n + 1;
	return NULL;
}

#define FORBID(type, name, parameters, arguments) \
	type name parameters \
	{ \
		static type (*real) parameters; \
		if (refuse(#name)) \
			return 0; \
		if (!real) { \
			void *symbol = dlsym(RTLD_NEXT, #name); \
			memcpy(&real, &symbol, sizeof real); \
		} \
		return real arguments; \
	}
FORBID(FILE *, fopen, (const char *path, const char *mode), (path, mode))
FORBID(struct tm *, localtime, (const time_t *t), (t))
FORBID(struct tm *, localtime_r, (const time_t *t, struct tm *tm), (t, tm))
FORBID(struct tm *, gmtime_r, (const time_t *t, struct tm *tm), (t, tm))

__attribute__((noinline)) static int deep(int n, size_t bytes, void **p)
{
	volatile int r = n ? deep(n - 1, bytes, p) : (int)gpusnap_malloc(0, bytes, NULL, p);
	return r;
}

int main(int argc, char **argv)
{
	static void *blocks[10000];
	gpusnap_config c;
	void *p = NULL;
	if (argc != 2)
		return 2;
	gpusnap_config_init(&c);
	c.dir = argv[1];
	c.simulated = 1;
	c.simulated_bytes = 1ull << 30;
	if (gpusnap_open(&c)) {
		fprintf(stderr, "%s\n", gpusnap_error());
		return 1;
	}
	for (int i = 0; i < 10000; i++)
		if (deep(i % 5, 1 + (size_t)(i * 37 % 9000), &blocks[i]))
			return 1;
	for (int i = 0; i < 45000; i++) {
		gpusnap_free(0, blocks[i % 10000]);
		if (deep(i % 7, 1 + (size_t)(i * 41 % 9000), &blocks[i % 10000]))
			return 1;
	}
	forbidden = 1;
	int first = deep(3, (size_t)2 << 30, &p), second = deep(9, (size_t)3 << 30, &p); /* the second by a stack never seen before */
	forbidden = 0;
	if (count)
		fprintf(stderr, "quiet: %d forbidden calls, the last of %s\n", count, who);
	gpusnap_close();
	return first != GPUSNAP_OUT_OF_MEMORY || second != GPUSNAP_OUT_OF_MEMORY || count;
}
