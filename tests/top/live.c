/* A program that records its whole run until its standard input ends: parameters, a cache that comes and goes, a leak. usage: live FILE */
#include <poll.h>
#include <stdio.h>
#include <time.h>

#include "recorder/gpusnap.h"

__attribute__((noinline)) static void *keep_activations(size_t bytes)
{
	void *at = NULL;
	gpusnap_malloc(0, bytes, NULL, &at);
	return at;
}

__attribute__((noinline)) static void *load_the_parameters_of_a_model_whose_name_is_long(size_t bytes)
{
	void *at = NULL;
	gpusnap_malloc(0, bytes, NULL, &at);
	return at;
}

static void one_step(int number)
{
	static void *kept[10];
	gpusnap_step(number);
	for (int i = 0; i < 10; i++) {
		gpusnap_free(0, kept[i]);
		kept[i] = keep_activations((size_t)(1 + i % 7) << 20);
	}
	if (number % 5 == 0)
		keep_activations(4 << 20);
}

int main(int argc, char **argv)
{
	struct pollfd end = { .fd = 0, .events = POLLIN };
	gpusnap_config c;
	gpusnap_config_init(&c);
	c.simulated = 1;
	c.simulated_bytes = 8ull << 30;
	c.stacks = "c";
	c.max_dumps = 0;
	c.stream = argc > 1 ? argv[1] : NULL;
	if (gpusnap_open(&c)) {
		fprintf(stderr, "live: %s\n", gpusnap_error());
		return 1;
	}
	for (int i = 0; i < 30; i++)
		load_the_parameters_of_a_model_whose_name_is_long((size_t)(i + 1) << 20);
	for (int i = 0; !poll(&end, 1, 20); i++)
		one_step(i);
	gpusnap_close();
	return 0;
}
