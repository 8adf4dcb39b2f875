/* Where the commands that draw write to. */
#ifndef GS_TOOLS_PICTURE_FILE_H
#define GS_TOOLS_PICTURE_FILE_H

#include "analyzer/picture/picture.h"
#include "tools/options.h"

/* Whether -o names a picture that can be written: -1 to go on, else the exit status after telling
 * why. */
int gs_picture_file_check(const char *command, const gs_common *common);

/* Writes it to -o (`-`: standard output); returns the exit status after telling what went wrong. */
int gs_picture_file(const gs_picture *picture, const gs_common *common);

#endif
