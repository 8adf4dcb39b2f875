/* A pretend BFC allocator: heaps, and their dumps in the words of each release. */
#ifndef GS_TESTS_UNIT_BFC_WRITER_H
#define GS_TESTS_UNIT_BFC_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A log; free(s). */
typedef struct bfc_text {
	char *s;
	size_t n, cap;
} bfc_text;

void bfc_add(bfc_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

enum { CHUNKS = 400, REGIONS = 5 };
typedef struct bfc_heap {
	struct {
		uint64_t address, size;
		bool in_use;
		int region;
	} chunk[CHUNKS];
	uint64_t region[REGIONS];
	int chunks, regions;
	uint64_t in_use, free, largest, total, limit;
	int free_chunks;
} bfc_heap;

/* Below n, from the seed of the heap made last. */
unsigned bfc_chance(unsigned n);

/* Regions full of chunks, by a seed; gaps: regions do not touch each other. */
void bfc_make_heap(bfc_heap *h, unsigned seed, int regions, bool gaps);

enum bfc_style { TF_0_8, TF_1_1, TF_1_4, TF_1_15, TF_2_12, JAX_NOW, STYLES };
extern const char *const bfc_style_names[STYLES];

/* A whole dump of the heap, with the message about the request; its bins, its sums by size, its
 * statistics alone. */
void bfc_dump(bfc_text *t, enum bfc_style style, const bfc_heap *h, uint64_t request, int device);
void bfc_bins(bfc_text *t, enum bfc_style style, const bfc_heap *h);
void bfc_by_size(bfc_text *t, enum bfc_style style, const bfc_heap *h);
void bfc_statistics(bfc_text *t, enum bfc_style style, const bfc_heap *h);

/* ONNX Runtime's arena, which has lines of its own for bins and sums, and no regions. */
void bfc_arena_dump(bfc_text *t, const char *allocator, const bfc_heap *h, uint64_t request);

#endif
