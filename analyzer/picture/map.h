/* The map: every byte of a heap as a picture. Rows of fixed bytes-a-pixel wrap like text; segments
 * are outlined, blocks coloured, the failed request is drawn to scale beside the largest hole, and
 * blocks that keep part-free segments from being given back are outlined. The picture's size is
 * bounded whatever the heap: the bytes of a pixel are chosen (a power of two, 512 at least). A
 * pixel that several blocks share shows each of them by its part of the height, one step at least,
 * so nothing that is there disappears.
 *
 * A gs_map borrows the snapshot and the layouts; its own memory is proportional to the number of
 * segments. */
#ifndef GS_ANALYZER_MAP_H
#define GS_ANALYZER_MAP_H

#include "analyzer/model/snapshot.h"
#include "analyzer/picture/picture.h"

/* What decides a block's colour. */
typedef enum gs_map_color {
	GS_MAP_STATE,
	GS_MAP_STACK,
	GS_MAP_TAG,
	GS_MAP_STREAM,
	GS_MAP_AGE,
	GS_MAP_SIZE,
	GS_MAP_COLORS
} gs_map_color;

/* One device at one moment. */
typedef struct gs_map_panel {
	const gs_device *device;
	const gs_layout *layout;
	const gs_oom *oom; /* the request that failed at this moment, or NULL */
	const char *state; /* "oom 1", "captured": for the title */
} gs_map_panel;

enum { GS_MAP_PANELS_MAX = 16 };

typedef struct gs_map gs_map;

/* The word of a colouring ("state"), and the colouring of a word; GS_MAP_COLORS for any other. */
const char *gs_map_color_text(gs_map_color color);
gs_map_color gs_map_color_parse(const char *word);

/* Plans the picture of n panels (1 to GS_MAP_PANELS_MAX) of one snapshot. GS_INVALID when a panel
 * has no segment, GS_LIMIT for heaps of 2^62 bytes or more. */
gs_status gs_map_make(gs_map **out, const gs_snapshot *snapshot, const gs_map_panel *panels,
	size_t n, gs_map_color color, gs_error *err);
void gs_map_free(gs_map *m); /* accepts NULL */

int gs_map_width(const gs_map *m);
int gs_map_height(const gs_map *m);
void gs_map_draw(const gs_map *m, gs_draw *d);

/* The planned map as a picture; it borrows the map. */
gs_picture gs_map_picture(const gs_map *m);

#endif
