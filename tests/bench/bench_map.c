/* A map of 1,000,000 blocks, beside libpng writing the same pixels. */
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/draw/canvas.h"
#include "analyzer/picture/map.h"

enum { SEGMENTS = 2000, BLOCKS = 500, ROUNDS = 5 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* one thread: what others do on the machine stays out */
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void make_heap(gs_layout *l)
{
	l->segments = calloc(SEGMENTS, sizeof *l->segments);
	l->blocks = calloc((size_t)SEGMENTS * BLOCKS, sizeof *l->blocks);
	l->exact = true;
	l->idx = GS_NONE;
	srand(1);
	for (uint32_t k = 0; k < SEGMENTS; k++) {
		gs_segment *s = &l->segments[l->nsegments++];
		*s = (gs_segment){ .address = 0x7f0000000000 + k * (40ull << 20), .size = 40 << 20, .pool = GS_LARGE, .has_address = true,
			.first_block = l->nblocks, .nblocks = BLOCKS };
		uint64_t at = s->address;
		for (int i = 0; i < BLOCKS; i++) {
			gs_block *b = &l->blocks[l->nblocks++];
			*b = (gs_block){ .address = at, .size = 512 * (1 + (uint64_t)(rand() % 150)), .segment = k, .idx = GS_NONE,
				.state = i % 5 == 4 ? GS_INACTIVE : GS_ACTIVE_ALLOCATED };
			if (i == BLOCKS - 1)
				b->size = s->address + s->size - at;
			b->requested = (int64_t)b->size;
			at += b->size;
		}
	}
}

static double time_map(const gs_map_panel *panel, const char *path)
{
	double start = now();
	FILE *out = fopen(path, "wb");
	gs_map_options options = { .panels = panel, .n = 1 };
	gs_map *m;
	gs_picture picture;

	if (gs_map_make(&m, &options, NULL))
		exit(1);
	picture = gs_map_picture(m);
	if (gs_picture_write(&picture, GS_PICTURE_PNG, "map", out, NULL) || fclose(out))
		exit(1);
	gs_map_free(m);
	return now() - start;
}

/* libpng alone, the pixels at hand, as a plain user of it would write them. */
static double time_png(const gs_canvas *c, const char *path)
{
	png_image image = { .version = PNG_IMAGE_VERSION, .width = (png_uint_32)c->width, .height = (png_uint_32)c->height, .format = PNG_FORMAT_RGB };
	double start = now();

	if (!png_image_write_to_file(&image, path, 0, c->pixels, c->width * 3, NULL))
		exit(1);
	return now() - start;
}

int main(void)
{
	char path[] = "/tmp/gpusnap-bench-XXXXXX";
	gs_snapshot s;
	gs_device device = { .capacity = GS_NONE, .device_free = GS_NONE };
	gs_layout l = { 0 };
	gs_map_panel panel = { .snapshot = &s, .device = &device, .layout = &l, .state = "captured" };
	gs_map_options options = { .panels = &panel, .n = 1 };
	gs_map *m;
	gs_canvas c;
	double map = 1e9, png = 1e9;

	gs_snapshot_init(&s);
	make_heap(&l);
	close(mkstemp(path));
	if (gs_map_make(&m, &options, NULL) || gs_canvas_init(&c, gs_map_width(m), gs_map_height(m), NULL))
		return 1;
	gs_map_draw(m, &c.draw);
	for (int i = 0; i < ROUNDS; i++) {
		double a = time_map(&panel, path), b = time_png(&c, path);
		map = a < map ? a : map;
		png = b < png ? b : png;
	}
	printf("map of %zu blocks, %d x %d pixels: %.1f ms; libpng writing the same pixels: %.1f ms; ratio %.2f (goal: 2.5 at most)\n", l.nblocks, c.width,
	       c.height, map * 1e3, png * 1e3, map / png);
	unlink(path);
	gs_canvas_release(&c);
	gs_map_free(m);
	gs_layout_release(&l);
	gs_snapshot_release(&s);
	return 0;
}
