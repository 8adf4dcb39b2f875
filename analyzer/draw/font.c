#include "analyzer/draw/font.h"

#include <stdlib.h>
#include <string.h>

#include <ft2build.h>
#include FT_FREETYPE_H

#include "analyzer/draw/draw.h"

extern const unsigned char gs_font_data[], gs_font_end[];

enum { SIZES = 6, KEPT = 256 };

typedef struct face_size {
	int px;
	int ascent;
	gs_glyph glyphs[KEPT];
	unsigned char state[KEPT]; /* 0 not yet, 1 there, 2 the font has none */
} face_size;

struct gs_font {
	FT_Library library;
	FT_Face face;
	int current; /* px the face is set to */
	face_size *sizes[SIZES];
	gs_glyph other; /* the last glyph that is not kept */
};

gs_status gs_font_open(gs_font **out, gs_error *err)
{
	gs_font *f = calloc(1, sizeof *f);

	*out = NULL;
	if (!f)
		return gs_fail(err, GS_NO_MEMORY, "opening the font");
	if (FT_Init_FreeType(&f->library) ||
		FT_New_Memory_Face(
			f->library, gs_font_data, (FT_Long)(gs_font_end - gs_font_data), 0, &f->face)) {
		gs_font_close(f);
		return gs_fail(err, GS_UNSUPPORTED, "FreeType cannot open the embedded font");
	}
	*out = f;
	return GS_OK;
}

void gs_font_close(gs_font *f)
{
	if (!f)
		return;
	for (int s = 0; s < SIZES; s++) {
		for (int i = 0; f->sizes[s] && i < KEPT; i++)
			free(f->sizes[s]->glyphs[i].cover);
		free(f->sizes[s]);
	}
	free(f->other.cover);
	if (f->face)
		FT_Done_Face(f->face);
	if (f->library)
		FT_Done_FreeType(f->library);
	free(f);
}

static int set_size(gs_font *f, int px)
{
	if (f->current != px && FT_Set_Pixel_Sizes(f->face, 0, (FT_UInt)px))
		return -1;
	f->current = px;
	return 0;
}

/* The slot of a size, made when new; NULL when all are taken or memory is short. */
static face_size *find_size(gs_font *f, int px)
{
	for (int i = 0; i < SIZES; i++) {
		if (f->sizes[i] && f->sizes[i]->px == px)
			return f->sizes[i];
		if (f->sizes[i])
			continue;
		if (set_size(f, px) || !(f->sizes[i] = calloc(1, sizeof **f->sizes)))
			return NULL;
		f->sizes[i]->px = px;
		f->sizes[i]->ascent = (int)(f->face->size->metrics.ascender + 63) >> 6;
		return f->sizes[i];
	}
	return NULL;
}

static int render(gs_font *f, int px, uint32_t character, gs_glyph *g)
{
	FT_GlyphSlot slot;

	if (set_size(f, px) || FT_Load_Char(f->face, character, FT_LOAD_RENDER | FT_LOAD_TARGET_LIGHT))
		return -1;
	slot = f->face->glyph;
	g->w = (int)slot->bitmap.width;
	g->h = (int)slot->bitmap.rows;
	g->left = slot->bitmap_left;
	g->top = slot->bitmap_top;
	g->advance = (int)(slot->advance.x + 32) >> 6;
	g->cover = malloc((size_t)g->w * (size_t)g->h + 1);
	if (!g->cover)
		return -1;
	for (int row = 0; row < g->h; row++)
		memcpy(g->cover + row * g->w, slot->bitmap.buffer + row * slot->bitmap.pitch, (size_t)g->w);
	return 0;
}

const gs_glyph *gs_font_glyph(gs_font *f, int px, uint32_t character)
{
	face_size *s = find_size(f, px);

	if (s && character < KEPT) {
		if (!s->state[character])
			s->state[character] = render(f, px, character, &s->glyphs[character]) ? 2 : 1;
		return s->state[character] == 1 ? &s->glyphs[character] : NULL;
	}
	free(f->other.cover);
	memset(&f->other, 0, sizeof f->other);
	return render(f, px, character, &f->other) ? NULL : &f->other;
}

int gs_font_ascent(gs_font *f, int px)
{
	face_size *s = find_size(f, px);

	return s ? s->ascent : px;
}

int gs_font_measure(gs_font *f, int px, const char *text)
{
	int w = 0;

	for (uint32_t ch = gs_draw_next_char(&text); ch; ch = gs_draw_next_char(&text)) {
		const gs_glyph *g = gs_font_glyph(f, px, ch);
		w += g ? g->advance : 0;
	}
	return w;
}
