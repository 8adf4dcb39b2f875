/* Sixteen threads on two devices, their run streamed, for a number of seconds: allocate, free each other's blocks, record streams, tag, empty caches, fail,
 * dump, read statistics. Meant for ThreadSanitizer; ends with what it did. Arguments: SECONDS [FOLDER]. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "recorder/gpusnap.h"

enum { THREADS = 16, SLOTS = 64, DEVICES = 2 };

static _Atomic(void *) slots[DEVICES][SLOTS];
static _Atomic long allocations, failures, errors;
static _Atomic int stop;

__attribute__((noinline)) static int deep(unsigned n, int device, size_t bytes, gpusnap_stream stream, void **p)
{
	volatile int r = n ? deep(n - 1, device, bytes, stream, p) : (int)gpusnap_malloc(device, bytes, stream, p);
	return r;
}

static void expect(gpusnap_status status)
{
	if (status)
		atomic_fetch_add(&errors, 1);
}

static void exchange(int device, unsigned *seed)
{
	unsigned r = (unsigned)rand_r(seed);
	gpusnap_stream stream = (gpusnap_stream)(uintptr_t)(r % 3 * 0x10000);
	size_t bytes = r % 50 == 0 ? (size_t)(r % 300) << 20 : r % 7 == 0 ? (size_t)(r % 4000) << 10 : r % 8000;
	void *p = NULL;
	gpusnap_status status = (gpusnap_status)deep(r % 9, device, bytes, stream, &p);
	atomic_fetch_add(status ? &failures : &allocations, 1);
	if (status && status != GPUSNAP_OUT_OF_MEMORY)
		expect(status);
	if (!status && p && r % 5 == 0)
		expect(gpusnap_record_stream(device, p, (gpusnap_stream)(uintptr_t)0x20000));
	void *old = status ? NULL : atomic_exchange(&slots[device][r / 64 % SLOTS], p);
	expect(gpusnap_free(device, old));
}

static void *work(void *arg)
{
	unsigned seed = (unsigned)(uintptr_t)arg;
	int64_t value;
	for (long i = 0; !stop; i++) {
		int device = (int)((unsigned)rand_r(&seed) % DEVICES);
		if (i % 10 == 0)
			expect(gpusnap_push_tag(i % 20 ? "even" : "odd"));
		exchange(device, &seed);
		if (i % 10 == 9)
			expect(gpusnap_pop_tag());
		if (i % 5000 == 4999)
			expect(gpusnap_empty_cache(device));
		if (i % 1000 == 999)
			expect(gpusnap_stat(device, "allocated_bytes.all.current", &value));
		if (i % 20000 == 19999)
			expect(gpusnap_dump(device, NULL, NULL, 0));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	gpusnap_config c;
	int64_t live = -1;
	char folder[] = "/tmp/gpusnap-soak-XXXXXX", command[100], stream[200];
	gpusnap_config_init(&c);
	c.dir = argc > 2 ? argv[2] : mkdtemp(folder);
	c.log = "none";
	snprintf(stream, sizeof stream, "%s/run-%%p.gsnap", c.dir);
	c.stream = stream;
	c.simulated = DEVICES;
	c.simulated_bytes = 1ull << 30;
	if (argc < 2 || gpusnap_open(&c)) {
		fprintf(stderr, "soak: %s\n", gpusnap_error());
		return 1;
	}
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)(i + 1));
	sleep((unsigned)atoi(argv[1]));
	stop = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int d = 0; d < DEVICES; d++) {
		for (int i = 0; i < SLOTS; i++)
			expect(gpusnap_free(d, slots[d][i]));
		expect(gpusnap_empty_cache(d));
		expect(gpusnap_stat(d, "reserved_bytes.all.current", &live));
		if (live)
			atomic_fetch_add(&errors, 1);
		expect(gpusnap_self_check(d));
	}
	gpusnap_close();
	if (argc < 3) {
		snprintf(command, sizeof command, "rm -rf %s", folder);
		if (system(command))
			return 1;
	}
	printf("soak: %ld allocations, %ld failures, %ld errors\n", allocations, failures, errors);
	return errors != 0;
}
