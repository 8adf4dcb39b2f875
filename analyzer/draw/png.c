/* A canvas as a PNG file. libpng's simplified interface keeps its jumps to itself: no setjmp here.
 */
#include <errno.h>
#include <fcntl.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/draw/canvas.h"

static gs_status write_pixels(const gs_canvas *c, FILE *file, gs_error *err)
{
	png_image image;

	memset(&image, 0, sizeof image);
	image.version = PNG_IMAGE_VERSION;
	image.width = (png_uint_32)c->width;
	image.height = (png_uint_32)c->height;
	image.format = PNG_FORMAT_RGB;
	errno = 0;
	if (!png_image_write_to_stdio(&image, file, 0, c->pixels, c->width * 3, NULL))
		return gs_fail(
			err, GS_IO, "writing the picture: %s", errno ? strerror(errno) : image.message);
	if (fflush(file))
		return gs_fail(err, GS_IO, "writing the picture: %s", strerror(errno));
	return GS_OK;
}

/* Gives the finished file its name; without replace, never over another. */
static gs_status put_in_place(const char *temporary, const char *path, bool replace, gs_error *err)
{
	struct stat there;

	if (replace)
		return rename(temporary, path) ? gs_fail(err, GS_IO, "%s", strerror(errno)) : GS_OK;
	if (!link(temporary, path)) {
		unlink(temporary);
		return GS_OK;
	}
	if (errno == EEXIST)
		return gs_fail(err, GS_EXISTS, "file exists");
	/* a file system without hard links */
	if (lstat(path, &there) == 0)
		return gs_fail(err, GS_EXISTS, "file exists");
	return rename(temporary, path) ? gs_fail(err, GS_IO, "%s", strerror(errno)) : GS_OK;
}

gs_status gs_canvas_write_png(const gs_canvas *c, const char *path, bool replace, gs_error *err)
{
	size_t n = strlen(path) + 40;
	char *temporary = malloc(n);
	gs_status status;
	struct stat there;
	FILE *file;
	int fd;

	if (!temporary)
		return gs_fail(err, GS_NO_MEMORY, "writing the picture");
	if (!replace && lstat(path, &there) == 0) {
		free(temporary);
		return gs_fail(err, GS_EXISTS, "file exists");
	}
	snprintf(temporary, n, "%s.%ld.tmp", path, (long)getpid());
	unlink(temporary);
	fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	file = fd < 0 ? NULL : fdopen(fd, "wb");
	if (!file) {
		status = gs_fail(err, GS_IO, "%s", strerror(errno));
		if (fd >= 0)
			close(fd);
		free(temporary);
		return status;
	}
	status = write_pixels(c, file, err);
	if (fclose(file) && !status)
		status = gs_fail(err, GS_IO, "%s", strerror(errno));
	if (!status)
		status = put_in_place(temporary, path, replace, err);
	if (status)
		unlink(temporary);
	free(temporary);
	return status;
}
