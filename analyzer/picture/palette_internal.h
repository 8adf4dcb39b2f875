/* What the files of a palette share: palette.c finds a block's class, palette_places.c ranks
 * holders and tags, palette_swatches.c has the paints. */
#ifndef GS_ANALYZER_PICTURE_PALETTE_INTERNAL_H
#define GS_ANALYZER_PICTURE_PALETTE_INTERNAL_H

#include "analyzer/picture/palette.h"

/* Puts a class into use; its name is the caller's to write. */
gs_swatch *gs_palette_set(gs_palette *p, int class, gs_paint paint);
/* The same for one of the GS_CLASS_NAMED that have a colour of their own. */
gs_swatch *gs_palette_set_named(gs_palette *p, int slot);
/* All that have none. */
void gs_palette_set_others(gs_palette *p, const char *name);
/* What a block says of itself; only a name that is short enough. */
void gs_palette_label(gs_swatch *c, const char *name);

/* By which of the two a class is found. */
static inline gs_id gs_palette_id(gs_color color, gs_id stack, gs_id tag)
{
	return color == GS_COLOR_HOLDER ? stack : tag;
}

/* Classes of holders or tags, as p->color says; whole as of gs_palette_init. GS_NO_MEMORY. */
gs_status gs_palette_make_places(
	gs_palette *p, const gs_palette_moment *moments, size_t n, bool whole, gs_error *err);

#endif
