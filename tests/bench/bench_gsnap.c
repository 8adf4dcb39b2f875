/* Writing and reading .gsnap files: the dump of 100,000 events and 10,000 blocks, and a file of 1,000,000 events. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "analyzer/read/open/reader.h"
#include "schema/gsnap_read.h"
#include "schema/gsnap_write.h"

enum { LIVE = 10000, STACKS = 200, ROUNDS = 5 };

struct file { unsigned char *data; size_t n, cap, at; };

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static gs_status collect(void *arg, const void *data, size_t n)
{
	struct file *f = arg;
	if (f->n + n > f->cap) {
		f->cap = 2 * (f->n + n);
		f->data = realloc(f->data, f->cap);
		if (!f->data)
			return GS_NO_MEMORY;
	}
	memcpy(f->data + f->n, data, n);
	f->n += n;
	return GS_OK;
}

static gs_status give(void *arg, void *buf, size_t n, size_t *got, gs_error *err)
{
	struct file *f = arg;
	(void)err;
	*got = n < f->n - f->at ? n : f->n - f->at;
	if (buf)
		memcpy(buf, f->data + f->at, *got);
	f->at += *got;
	return GS_OK;
}

static uint64_t seed;
static uint64_t next_random(void) { return (seed = seed * 6364136223846793005u + 1442695040888963407u) >> 33; }

static void put_tables(gs_writer *w)
{
	char name[32];
	gs_writer_process(w, &(gs_row_process){ .host = gs_span_of("bench"), .pid = 1, .rank = 0, .time_us = 1700000000000000 });
	gs_writer_device(w, &(gs_row_device){ .capacity = 80ll << 30, .idx = GS_NONE });
	for (int i = 0; i < 400; i++)
		gs_writer_string(w, (gs_span){ name, (uint32_t)snprintf(name, sizeof name, "function_%d", i) });
	for (gs_id i = 1; i <= 400; i++)
		gs_writer_frame(w, &(gs_row_frame){ .name = i, .file = i, .line = i });
	for (gs_id i = 0; i < STACKS; i++) {
		gs_id frames[20];
		for (gs_id k = 0; k < 20; k++)
			frames[k] = 1 + (i + k * 7) % 400;
		gs_writer_stack(w, frames, 20);
	}
	for (uint64_t i = 0; i < 50; i++)
		gs_writer_segment(w, &(gs_row_segment){ .address = 0x7f0000000000 + (i << 29), .size = 512 << 20, .pool = GS_LARGE });
	for (uint64_t i = 0; i < LIVE; i++)
		gs_writer_block(w, &(gs_row_block){ .segment = 1 + i / 200, .address = 0x7f0000000000 + i * ((512 << 20) / 200), .size = (512 << 20) / 200,
			.requested = (int64_t)(next_random() % 2600000), .idx = (int64_t)(next_random() % 100000), .stack = (gs_id)(next_random() % STACKS) });
}

/* Random sizes at random addresses: no pattern for the packer but that a free has its allocation's address, size and stack. */
static void put_events(gs_writer *w, long n)
{
	static const uint64_t sizes[] = { 512, 1024, 4096, 65536, 262144, 1 << 20, 2 << 20, 4 << 20, 16 << 20, 20 << 20 };
	static struct { uint64_t address, size; gs_id stack; } live[LIVE];
	memset(live, 0, sizeof live);
	int64_t ns = 1700000000000000000;
	for (long i = 0; i < n; i++) {
		unsigned k = (unsigned)(next_random() % LIVE);
		bool born = !live[k].stack;
		if (born) {
			live[k].address = 0x7f0000000000 + next_random() % (20 << 20) * 512;
			live[k].size = sizes[next_random() % 10];
			live[k].stack = 1 + (gs_id)(next_random() % STACKS);
		}
		ns += 1000 + (int64_t)(next_random() % 8000);
		gs_writer_event(w, &(gs_row_event){ .action = born ? GS_ACTION_ALLOC : GS_ACTION_FREE_COMPLETED, .address = live[k].address, .size = live[k].size,
			.time_us = ns / 1000, .nanos = (uint64_t)(ns % 1000), .has_pool_id = true, .stack = live[k].stack });
		if (!born)
			live[k].stack = 0;
	}
}

static double dump(struct file *f, void *workspace, size_t size, long events)
{
	gs_writer *w;
	f->n = 0;
	seed = 1;
	double start = now();
	gs_writer_init(workspace, size, 3, collect, f, &w);
	put_tables(w);
	put_events(w, events);
	if (gs_writer_finish(w))
		f->n = 0;
	return now() - start;
}

static double decode(struct file *f)
{
	gs_sections *r = NULL;
	gs_section s;
	f->at = 0;
	double start = now();
	gs_status status = gs_sections_open(&r, (gs_section_input){ give, f }, NULL);
	while (!status && !(status = gs_sections_next(r, &s, NULL)))
		status = gs_sections_load(r, false, NULL);
	double took = now() - start;
	gs_sections_close(r);
	return status == GS_END ? took : 0;
}

static double read_model(const struct file *f, unsigned want)
{
	gs_snapshot s;
	double start = now();
	gs_status status = gs_read_memory(f->data, f->n, want, &s, NULL);
	double took = now() - start;
	gs_snapshot_release(&s);
	return status ? 0 : took;
}

static double least(double a, double b) { return !a || b < a ? b : a; }

int main(void)
{
	size_t size = gs_writer_workspace(3);
	void *workspace = malloc(size);
	struct file f = { 0 };
	double written = 0, decoded = 0, all = 0, blocks = 0;
	if (!workspace)
		return 1;
	memset(workspace, 1, size);
	for (int i = 0; i < ROUNDS; i++)
		written = least(written, dump(&f, workspace, size, 100000));
	printf("dump of 100,000 events and 10,000 blocks: %.1f ms (goal: 50), %zu bytes (goal: 1,000,000), workspace %zu bytes\n", written, f.n, size);
	dump(&f, workspace, size, 1000000);
	for (int i = 0; i < ROUNDS; i++) {
		decoded = least(decoded, decode(&f));
		all = least(all, read_model(&f, GS_WANT_ALL));
		blocks = least(blocks, read_model(&f, GS_WANT_LAYOUT));
	}
	printf("file of 1,000,000 events, %.1f bytes each: columns decoded in %.1f ms (%.0f million events/s), into the model in %.1f ms,\n"
	       "its blocks alone in %.1f ms (goal: 100)\n", (double)f.n / 1e6, decoded, 1e3 / decoded, all, blocks);
	free(workspace);
	free(f.data);
	return !f.n || !all || !blocks;
}
