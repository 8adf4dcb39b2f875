// PyTorch's caching allocator over the calls of a golden script. usage: torch_alloc SCRIPT off|on|stacks   Prints nanoseconds a pair.
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <time.h>
#include <torch/csrc/profiler/combined_traceback.h>

#include "tests/bench/calls.h"

namespace allocator = c10::cuda::CUDACachingAllocator;

static int take(void *context, size_t bytes, void **p)
{
	*p = static_cast<allocator::CUDAAllocator *>(context)->raw_alloc_with_stream(bytes, nullptr);
	return 0;
}

static void give(void *context, void *p) { static_cast<allocator::CUDAAllocator *>(context)->raw_delete(p); }

static std::shared_ptr<c10::GatheredContext> gather() { return torch::CapturedTraceback::gather(false, false, true); }

static double cpu_ns()
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	calls c;
	FILE *f = argc == 3 ? fopen(argv[1], "r") : nullptr;
	if (!f || calls_read(&c, f))
		return 2;
	fclose(f);
	auto *a = allocator::get();
	a->init(1);
	c10::cuda::set_device(0);
	std::string state = argv[2];
	if (state != "off")
		a->recordHistory(true, state == "stacks" ? gather : nullptr, 100000,
				 state == "stacks" ? allocator::RecordContext::ALL : allocator::RecordContext::NEVER, true, {});
	std::vector<void *> live(c.nslots, nullptr);
	double best = 1e18;
	calls_run(&c, live.data(), a, take, give);
	for (int round = 0; round < c.repeat; round++) {
		double start = cpu_ns();
		for (int k = 0; k < CALLS_ROUND; k++)
			calls_run(&c, live.data(), a, take, give);
		double took = (cpu_ns() - start) / CALLS_ROUND / c.pairs;
		best = took < best ? took : best;
	}
	printf("%.1f\n", best);
	fflush(stdout);
	_exit(0); // no tearing down of a pretend device
}
