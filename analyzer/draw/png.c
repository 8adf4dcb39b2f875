/* A canvas as PNG. libpng's simplified interface keeps its jumps to itself: no setjmp here. */
#include <errno.h>
#include <png.h>
#include <string.h>

#include "analyzer/draw/canvas.h"

gs_status gs_canvas_write_png(const gs_canvas *c, FILE *out, gs_error *err)
{
	png_image image;

	memset(&image, 0, sizeof image);
	image.version = PNG_IMAGE_VERSION;
	image.width = (png_uint_32)c->width;
	image.height = (png_uint_32)c->height;
	image.format = PNG_FORMAT_RGB;
	image.flags = PNG_IMAGE_FLAG_FAST; /* flat colours: filters cost time and gain nothing */
	errno = 0;
	if (!png_image_write_to_stdio(&image, out, 0, c->pixels, c->width * 3, NULL))
		return gs_fail(
			err, GS_IO, "writing the picture: %s", errno ? strerror(errno) : image.message);
	return GS_OK;
}
