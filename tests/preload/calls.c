/* A program that allocates in every way the preload hooks. usage: calls MODE; exit 0 when CUDA behaved as the stub does.
 * Modes: each (one call of each kind, kept, then a request too large), free (each kind freed again), dlopen (driver found by
 * dlsym and cuGetProcAddress), retry N (N refusals, each followed by success), fork, exec SELF, threads, pooled (needs --pool), again, sleep,
 * physical (with STUB_VMM), signal NUMBER, wait (20 s, after one allocation). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stub_cuda.h"

enum { KIB = 1024, MIB = 1024 * KIB, OUT_OF_MEMORY = 2 };
static int failures;
#define EXPECT(what, wanted)                                                             \
	do {                                                                             \
		int got = (what);                                                        \
		if (got != (wanted)) {                                                   \
			fprintf(stderr, "%s gave %d, not %d\n", #what, got, (wanted));   \
			failures++;                                                      \
		}                                                                        \
	} while (0)

/* The sizes differ, so that each is recognised in the dump: kind number n asks for 64 KiB + n × 1 KiB (a power of two wide). */
static size_t size_of(int n) { return 64 * KIB + (size_t)n * KIB; }

static __attribute__((noinline)) void each(int release)
{
	void *p[16], *stream = (void *)0x77, *pool = (void *)0x88;
	devptr d[16];
	unsigned long long handle;
	size_t pitch;
	pitched volume;
	channels byte = { 8, 0, 0, 0, 1 };
	struct { size_t w, h; unsigned format, n; } flat = { size_of(20), 1, 1, 1 };
	struct { size_t w, h, d; unsigned format, n, flags; } deep = { size_of(21), 1, 1, 1, 1, 0 };

	EXPECT(cudaMalloc(&p[1], size_of(1)), 0);
	EXPECT(cudaMallocAsync(&p[2], size_of(2), stream), 0);
	EXPECT(cudaMallocFromPoolAsync(&p[3], size_of(3), pool, stream), 0);
	EXPECT(cudaMallocManaged(&p[4], size_of(4), 1), 0);
	EXPECT(cudaMallocPitch(&p[5], &pitch, size_of(5), 1), 0);
	EXPECT(cudaMalloc3D(&volume, (extent){ size_of(6), 1, 1 }), 0);
	EXPECT(cudaMallocArray(&p[7], &byte, size_of(7), 1, 0), 0);
	EXPECT(cudaMalloc3DArray(&p[8], &byte, (extent){ size_of(8), 1, 1 }, 0), 0);
	EXPECT(cudaMallocMipmappedArray(&p[9], &byte, (extent){ size_of(9), 1, 1 }, 3, 0), 0);
	EXPECT(cuMemAlloc_v2(&d[0], size_of(10)), 0);
	EXPECT(cuMemAllocPitch_v2(&d[1], &pitch, size_of(11), 1, 4), 0);
	EXPECT(cuMemAllocManaged(&d[2], size_of(12), 1), 0);
	EXPECT(cuMemAllocAsync(&d[3], size_of(13), stream), 0);
	EXPECT(cuMemAllocAsync_ptsz(&d[4], size_of(14), stream), 0);
	EXPECT(cuMemAllocFromPoolAsync(&d[5], size_of(15), pool, stream), 0);
	EXPECT(cuMemCreate(&handle, size_of(16), NULL, 0), 0);
	EXPECT(cuArrayCreate_v2(&p[10], &flat), 0);
	EXPECT(cuArray3DCreate_v2(&p[11], &deep), 0);
	deep.w = size_of(22);
	EXPECT(cuMipmappedArrayCreate(&p[12], &deep, 2), 0);
	if (!release)
		return;
	EXPECT(cudaFree(p[1]), 0);
	EXPECT(cudaFreeAsync(p[2], stream), 0);
	EXPECT(cudaFreeAsync(p[3], stream), 0);
	EXPECT(cudaFree(p[4]), 0);
	EXPECT(cudaFree(p[5]), 0);
	EXPECT(cudaFree(volume.address), 0);
	EXPECT(cudaFreeArray(p[7]), 0);
	EXPECT(cudaFreeArray(p[8]), 0);
	EXPECT(cudaFreeMipmappedArray(p[9]), 0);
	for (int i = 0; i < 3; i++)
		EXPECT(cuMemFree_v2(d[i]), 0);
	EXPECT(cuMemFreeAsync(d[3], stream), 0);
	EXPECT(cuMemFreeAsync_ptsz(d[4], stream), 0);
	EXPECT(cuMemFreeAsync(d[5], stream), 0);
	EXPECT(cuMemRelease(handle), 0);
	EXPECT(cuArrayDestroy(p[10]), 0);
	EXPECT(cuArrayDestroy(p[11]), 0);
	EXPECT(cuMipmappedArrayDestroy(p[12]), 0);
}

static void too_large(void)
{
	void *p;
	EXPECT(cudaMalloc(&p, (size_t)100000 * MIB), OUT_OF_MEMORY);
}

typedef int alloc_function(devptr *, size_t);
typedef int alloc_async_function(devptr *, size_t, void *);
typedef int look_up_function(const char *, void **, int, unsigned long long, void *);

static void by_look_up(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW), *found = NULL;
	devptr d;
	alloc_function *alloc = (alloc_function *)dlsym(library, "cuMemAlloc_v2");
	look_up_function *look_up = (look_up_function *)dlsym(library, "cuGetProcAddress_v2");
	EXPECT(alloc(&d, size_of(1)), 0);
	EXPECT(look_up("cuMemAlloc", &found, 12000, 0, NULL), 0);
	EXPECT(((alloc_function *)found)(&d, size_of(2)), 0);
	EXPECT(look_up("cuMemAllocAsync", &found, 12000, 2, NULL), 0);
	EXPECT(((alloc_async_function *)found)(&d, size_of(3), NULL), 0);
	EXPECT(look_up("cuGetProcAddress", &found, 12000, 0, NULL), 0);
	look_up = (look_up_function *)found;
	EXPECT(look_up("cuMemAllocAsync", &found, 12000, 0, NULL), 0);
	EXPECT(((alloc_async_function *)found)(&d, size_of(4), NULL), 0);
	EXPECT(look_up("cuMemNoSuch", &found, 12000, 0, NULL), 500);
	EXPECT(cudaGetDriverEntryPoint("cuMemAlloc", &found, 0, NULL), 0);
	EXPECT(((alloc_function *)found)(&d, size_of(5)), 0);
	EXPECT(dlsym(library, "cuMemNoSuch") == NULL, 1);
	EXPECT(dlsym(RTLD_DEFAULT, "malloc") != NULL, 1);
	EXPECT(((alloc_function *)dlsym(library, "cuMemAlloc_v2"))(&d, (size_t)100000 * MIB), OUT_OF_MEMORY);
}

/* What a caching allocator does: refused, it gives memory back and asks again. */
static void retry(int times)
{
	void *cached, *p;
	for (int i = 0; i < times; i++) {
		EXPECT(cudaMalloc(&cached, 40 * MIB), 0);
		EXPECT(cudaMalloc(&p, 50 * MIB), OUT_OF_MEMORY);
		EXPECT(cudaFree(cached), 0);
		EXPECT(cudaMalloc(&p, 50 * MIB), 0);
		EXPECT(cudaFree(p), 0);
	}
}

static void *worker(void *arg)
{
	void *p[8];
	for (int round = 0; round < 500; round++) {
		for (int i = 0; i < 8; i++)
			if (cudaMalloc(&p[i], 4 * KIB + (size_t)i))
				failures++;
		for (int i = 0; i < 8; i++)
			cudaFree(p[i]);
	}
	if (arg)
		too_large();
	return NULL;
}

static void threads(void)
{
	pthread_t t[16];
	for (size_t i = 0; i < 16; i++)
		pthread_create(&t[i], NULL, worker, (void *)1);
	for (size_t i = 0; i < 16; i++)
		pthread_join(t[i], NULL);
}

static void in_child(void)
{
	void *p;
	EXPECT(cudaMalloc(&p, MIB), 0);
	too_large();
	pid_t child = fork();
	if (!child) {
		EXPECT(cudaMalloc(&p, 2 * MIB), 0);
		too_large();
		exit(failures != 0);
	}
	int status = 1;
	waitpid(child, &status, 0);
	EXPECT(status, 0);
}

/* What a program may rely on also when a pool serves it. */
static void pooled(void)
{
	void *a, *b, *c;
	devptr base = 0;
	size_t bytes = 0;
	char handle[64];
	EXPECT(cudaMalloc(&a, 100 * KIB), 0);
	EXPECT(cudaMalloc(&b, 50 * KIB + 1), 0);
	EXPECT((uintptr_t)a % 512 == 0 && (uintptr_t)b % 512 == 0, 1);
	EXPECT(cuMemGetAddressRange_v2(&base, &bytes, (uintptr_t)b + 1000), 0);
	EXPECT(base == (uintptr_t)b && bytes == 50 * KIB + 1, 1);
	EXPECT(cudaIpcGetMemHandle(handle, a), 801);
	EXPECT(cudaFree(a), 0);
	EXPECT(cudaMalloc(&c, 80 * KIB), 0);
	EXPECT(c == a, 1); /* a cached block */
	EXPECT(cuMemFree_v2((uintptr_t)b), 0);
	EXPECT(cuMemAlloc_v2(&base, 2 * MIB), 0);
	EXPECT(cudaFree((void *)(uintptr_t)base), 0);
	EXPECT(cudaFree(c), 0);
	EXPECT(cudaFree(NULL), 0);
	EXPECT(cudaFree((void *)0x1234), 1);
	EXPECT(cudaMalloc(&a, 30 * MIB), 0);
	EXPECT(cudaMalloc(&b, 40 * MIB), OUT_OF_MEMORY);
}

/* Physical memory outlives the release of its handle while it is mapped. */
static void physical(void)
{
	devptr at[4];
	unsigned long long handle[4], again;
	for (int i = 0; i < 4; i++) {
		EXPECT(cuMemCreate(&handle[i], (size_t)(i + 4) * 2 * MIB, NULL, 0), 0);
		EXPECT(cuMemAddressReserve(&at[i], (size_t)(i + 4) * 2 * MIB, 0, 0, 0), 0);
		EXPECT(cuMemMap(at[i], (size_t)(i + 4) * 2 * MIB, 0, handle[i], 0), 0);
	}
	for (int i = 0; i < 3; i++) /* 0, 1, 2 are still mapped: 8, 10, 12 MiB */
		EXPECT(cuMemRelease(handle[i]), 0);
	EXPECT(cuMemUnmap(at[1], 10 * MIB), 0);              /* the last hold of 10 MiB */
	EXPECT(cuMemUnmap(at[3], 14 * MIB), 0);              /* its handle is still ours: 14 MiB stay */
	EXPECT(cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)at[2]), 0);
	EXPECT(cuMemUnmap(at[2], 12 * MIB), 0);              /* retained: 12 MiB stay */
	EXPECT(cuMemCreate(&handle[0], 40 * MIB, NULL, 0), OUT_OF_MEMORY); /* 34 of 64 MiB are held */
}

static void told(const char *text)
{
	puts(text);
	fflush(stdout);
}

/* Signals before, and after, the first call. */
static void signalled(int number)
{
	void *p;
	raise(number);
	told("lives");
	EXPECT(cudaMalloc(&p, MIB), 0);
	raise(number);
	usleep(300000);
	told("lives on");
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	if (!strcmp(mode, "each")) {
		each(0);
		too_large();
	} else if (!strcmp(mode, "free")) {
		each(1);
		too_large();
	} else if (!strcmp(mode, "dlopen")) {
		by_look_up();
	} else if (!strcmp(mode, "retry")) {
		retry(atoi(argv[2]));
	} else if (!strcmp(mode, "flagged")) { /* after false alarms, one that nothing puts right */
		retry(20);
		too_large();
	} else if (!strcmp(mode, "again")) { /* dump after dump, until killed */
		void *p;
		puts("ready");
		fflush(stdout);
		for (int i = 0; i < 100000; i++) {
			cudaMalloc(&p, KIB);
			cudaMalloc(&p, (size_t)100000 * MIB);
		}
	} else if (!strcmp(mode, "fork")) {
		in_child();
	} else if (!strcmp(mode, "exec")) {
		execl(argv[2], argv[2], "each", NULL);
		return 1;
	} else if (!strcmp(mode, "pooled")) {
		pooled();
	} else if (!strcmp(mode, "threads")) {
		threads();
	} else if (!strcmp(mode, "physical")) {
		physical();
	} else if (!strcmp(mode, "signal")) {
		signalled(atoi(argv[2]));
	} else if (!strcmp(mode, "wait")) {
		void *p;
		EXPECT(cudaMalloc(&p, MIB), 0);
		told("ready");
		for (int i = 0; i < 200 && getppid() != 1; i++)
			usleep(100000);
	} else if (!strcmp(mode, "sleep")) {
		puts("ready");
		fflush(stdout);
		sleep(20);
	}
	return failures ? 1 : 0;
}
