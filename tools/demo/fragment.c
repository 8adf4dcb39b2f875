/* How memory becomes useless without being full: a program for the demo, on a simulated GPU of 5 GiB. */
#include <stdio.h>

#include "recorder/gpusnap.h"

#define MIB ((size_t)1 << 20)
enum { PAIRS = 4 };

static void *activations[PAIRS], *caches[PAIRS];

/* Warming up: one buffer of 4 GiB, freed again. The caching allocator keeps its segment. */
static void warm_up(void)
{
	void *buffer;
	if (!gpusnap_malloc(0, 4096 * MIB, NULL, &buffer))
		gpusnap_free(0, buffer);
}

static void run_layer(int i)
{
	gpusnap_push_tag("activations");
	gpusnap_malloc(0, 512 * MIB, NULL, &activations[i]);
	gpusnap_pop_tag();
}

static void extend_cache(int i)
{
	gpusnap_push_tag("kv-cache");
	gpusnap_malloc(0, 512 * MIB, NULL, &caches[i]);
	gpusnap_pop_tag();
}

static gpusnap_status load_batch(void)
{
	void *batch;
	return gpusnap_malloc(0, 2048 * MIB, NULL, &batch);
}

int main(void)
{
	gpusnap_config config;
	gpusnap_config_init(&config);
	config.simulated = 1;
	config.simulated_bytes = 5120 * MIB;
	if (gpusnap_open(&config)) {
		fprintf(stderr, "fragment: %s\n", gpusnap_error());
		return 1;
	}
	warm_up();
	for (int i = 0; i < PAIRS; i++) { /* eight blocks of 512 MiB, carved out of the cached segment */
		run_layer(i);
		extend_cache(i);
	}
	for (int i = 0; i < PAIRS; i++) /* every second one is freed: 2 GiB, in four holes */
		gpusnap_free(0, activations[i]);

	gpusnap_status status = load_batch();
	if (status)
		fprintf(stderr, "fragment: %s\n", gpusnap_error());
	gpusnap_close();
	return status == GPUSNAP_OUT_OF_MEMORY ? 0 : 1;
}
