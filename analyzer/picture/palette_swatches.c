/* The swatches that classes are painted with. */
#include "analyzer/picture/palette_internal.h"

#include <stdio.h>
#include <string.h>

/* Found by a search over six steps of lightness for the greatest least distance (CIE 1976) in plain
 * sight and under simulated deuteranopia, protanopia and tritanopia. */
static const uint32_t six[GS_CLASS_NAMED] = {
	0xa30710, 0xe09f20, 0x2d9d7c, 0x8d4ad2, 0x24325f, 0xd0c5fd};
static const gs_paint others = {0xbdbdbd, 0x6b6b6b, GS_DOTTED};

gs_swatch *gs_palette_set(gs_palette *p, int at, gs_paint paint)
{
	p->classes[at].paint = paint;
	return &p->classes[at];
}

void gs_palette_label(gs_swatch *c, const char *name)
{
	size_t n = strlen(name);

	if (n >= sizeof c->label)
		return;
	memcpy(c->label, name, n + 1);
}

gs_swatch *gs_palette_set_named(gs_palette *p, int slot)
{
	return gs_palette_set(p, GS_CLASS_LIVE + slot, (gs_paint){.rgb = six[slot]});
}

void gs_palette_set_others(gs_palette *p, const char *name)
{
	snprintf(gs_palette_set(p, GS_CLASS_OTHERS, others)->name, sizeof p->classes->name, "%s", name);
}
