/* The CUDA device, on whatever libcuda.so.1 is found. Arguments: folder for dumps; expected number of devices (0: no driver). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/gpusnap.h"

#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "cuda: line %d: %s (%s)\n", __LINE__, #condition, gpusnap_error()); \
			exit(1); \
		} \
	} while (0)

static const size_t mib = 1 << 20;

/* The pretend CUDA gives back to the byte what it gave, and takes any stream handle. A real driver keeps a little for itself, and wants
 * streams that it made. */
static int pretend(void) { return dlsym(RTLD_DEFAULT, "fake_all_ready") || dlsym(dlopen("libcuda.so.1", RTLD_LAZY), "fake_all_ready"); }

static int about(uint64_t a, uint64_t b)
{
	uint64_t slack = pretend() ? 0 : 64 * mib;
	return a <= b + slack && b <= a + slack;
}

static gpusnap_stream other_stream(int device)
{
	void *driver = dlopen("libcuda.so.1", RTLD_LAZY), *context = NULL, *stream = NULL;
	if (pretend())
		return (gpusnap_stream)0x10000;
	int (*retain)(void **, int) = (int (*)(void **, int))dlsym(driver, "cuDevicePrimaryCtxRetain");
	int (*push)(void *) = (int (*)(void *))dlsym(driver, "cuCtxPushCurrent_v2");
	int (*create)(void **, unsigned) = (int (*)(void **, unsigned))dlsym(driver, "cuStreamCreate");
	CHECK(!retain(&context, device) && !push(context) && !create(&stream, 1));
	return stream;
}

static void on_device(int device)
{
	uint64_t free_bytes, total, before;
	void *a, *b, *c = NULL;
	gpusnap_stream stream = other_stream(device);
	int64_t value;
	size_t bytes;
	CHECK(!gpusnap_memory_info(device, &before, &total));
	CHECK(before <= total && total >= 512 * mib);
	CHECK(!gpusnap_malloc(device, 100 * mib, NULL, &a));
	CHECK(!gpusnap_memory_info(device, &free_bytes, &total) && about(free_bytes, before - 100 * mib));
	CHECK(!gpusnap_block_size(device, a, &bytes) && bytes == 100 * mib);
	CHECK(!gpusnap_free(device, a));
	CHECK(!gpusnap_malloc(device, 100 * mib, NULL, &b) && b == a);
	CHECK(!gpusnap_record_stream(device, b, stream));
	CHECK(!gpusnap_free(device, b)); /* waits for the other stream's event */
	CHECK(!gpusnap_empty_cache(device));
	CHECK(!gpusnap_memory_info(device, &free_bytes, &total) && about(free_bytes, before));
	CHECK(gpusnap_malloc(device, 2 * total, NULL, &c) == GPUSNAP_OUT_OF_MEMORY && !c);
	CHECK(strstr(gpusnap_error(), "CUDA out of memory. Tried to allocate"));
	CHECK(!gpusnap_stat(device, "num_ooms", &value) && value == 1);
}

static void expandable(int device)
{
	void *p[8], *big;
	uint64_t before, free_bytes, total;
	CHECK(!gpusnap_configure(device, "expandable_segments:True"));
	CHECK(!gpusnap_memory_info(device, &before, &total));
	for (int i = 0; i < 8; i++)
		CHECK(!gpusnap_malloc(device, 20 * mib, NULL, &p[i]));
	for (int i = 1; i < 8; i++)
		CHECK(p[i] == (char *)p[i - 1] + 20 * mib); /* one growing segment */
	for (int i = 0; i < 8; i++)
		CHECK(!gpusnap_free(device, p[i]));
	CHECK(!gpusnap_malloc(device, 160 * mib, NULL, &big) && big == p[0]);
	CHECK(!gpusnap_free(device, big));
	CHECK(!gpusnap_empty_cache(device));
	CHECK(!gpusnap_memory_info(device, &free_bytes, &total) && about(free_bytes, before));
	CHECK(!gpusnap_configure(device, "expandable_segments:False"));
}

int main(int argc, char **argv)
{
	gpusnap_config c;
	uint64_t free_bytes, total;
	char path[4096];
	if (argc != 3)
		return 2;
	int expected = atoi(argv[2]);
	gpusnap_config_init(&c);
	c.dir = argv[1];
	if (!expected) {
		CHECK(gpusnap_open(&c) == GPUSNAP_NO_DRIVER);
		CHECK(strstr(gpusnap_error(), "no CUDA d"));
		printf("%s\n", gpusnap_error());
		return 0;
	}
	CHECK(!gpusnap_open(&c));
	CHECK(gpusnap_open(&c) == GPUSNAP_STATE);
	CHECK(gpusnap_devices() == expected);
	CHECK(gpusnap_memory_info(expected, &free_bytes, &total) == GPUSNAP_NOT_FOUND);
	for (int i = 0; i < expected; i++) {
		on_device(i);
		expandable(i);
	}
	CHECK(!gpusnap_dump(0, NULL, path, sizeof path));
	gpusnap_close();
	CHECK(gpusnap_malloc(0, 1, NULL, (void **)&total) == GPUSNAP_STATE);
	return 0;
}
