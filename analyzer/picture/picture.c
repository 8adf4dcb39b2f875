#include "analyzer/picture/picture.h"

#include <string.h>
#include <strings.h>

#include "analyzer/draw/canvas.h"
#include "analyzer/draw/svg.h"

gs_picture_form gs_picture_form_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');

	if (!dot || !strcasecmp(dot, ".png"))
		return GS_PICTURE_PNG;
	return strcasecmp(dot, ".svg") ? GS_PICTURE_FORMS : GS_PICTURE_SVG;
}

static gs_status write_png(const gs_picture *p, FILE *out, gs_error *err)
{
	gs_canvas canvas;
	gs_status status = gs_canvas_init(&canvas, p->width, p->height, err);

	if (status)
		return status;
	p->draw(p->subject, &canvas.draw);
	status = gs_canvas_write_png(&canvas, out, err);
	gs_canvas_release(&canvas);
	return status;
}

static gs_status write_svg(const gs_picture *p, const char *id, FILE *out, gs_error *err)
{
	gs_svg svg;
	gs_status status = gs_svg_init(&svg, out, p->width, p->height, id, p->title, err);

	if (!status)
		p->draw(p->subject, &svg.draw);
	gs_svg_finish(&svg);
	return status;
}

gs_status gs_picture_write(
	const gs_picture *p, gs_picture_form form, const char *id, FILE *out, gs_error *err)
{
	return form == GS_PICTURE_SVG ? write_svg(p, id, out, err) : write_png(p, out, err);
}
