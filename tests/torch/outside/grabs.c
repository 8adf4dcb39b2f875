// A library that asks CUDA for memory of its own, as NCCL does.
int cudaMalloc(void **, unsigned long);
int grabs_take(unsigned long bytes)
{
	void *at;
	int result = cudaMalloc(&at, bytes);
	__asm__ volatile("" ::: "memory"); // no tail call: the frame stays
	return result;
}
