/* A run of more events than are read into memory at once, streamed: two streams of work, caches emptied, one request that fails in the end.
 * Arguments: FILE EVENTS. */
#include <stdio.h>
#include <stdlib.h>

#include "recorder/gpusnap.h"

enum { SLOTS = 1000 };

static void *live[SLOTS];

static int one_step(unsigned long long seed)
{
	unsigned long long r = seed >> 24;
	size_t bytes = r % 20 < 15 ? 512 + r % 200000 : r % 20 < 19 ? (1u << 20) + r % (8u << 20) : (10u << 20) + r % (60u << 20);
	void **slot = &live[seed % SLOTS];
	int events = *slot ? 3 : 1;
	gpusnap_free(0, *slot);
	*slot = NULL;
	if (gpusnap_malloc(0, bytes, r % 7 ? NULL : (gpusnap_stream)0x1000, slot))
		*slot = NULL;
	return events;
}

int main(int argc, char **argv)
{
	unsigned long long seed = 88172645463325252u;
	long events = argc > 2 ? atol(argv[2]) : 0;
	void *last;
	gpusnap_config c;
	gpusnap_config_init(&c);
	c.simulated = 1;
	c.simulated_bytes = 20ull << 30;
	c.stacks = "none";
	c.max_dumps = 0;
	c.stream = argc > 1 ? argv[1] : NULL;
	if (gpusnap_open(&c)) {
		fprintf(stderr, "long: %s\n", gpusnap_error());
		return 1;
	}
	for (long n = 0, i = 0; n < events; i++) {
		seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
		n += one_step(seed);
		if (i % 50000 == 49999)
			gpusnap_empty_cache(0);
	}
	int failed = gpusnap_malloc(0, 19ull << 30, NULL, &last) == GPUSNAP_OUT_OF_MEMORY;
	gpusnap_close();
	return !failed;
}
