/* What an error of a system call on a file means, in words.
 *
 * strerror may allocate and translate, which a dying process must not; glibc's strerrordesc_np does
 * neither, but came with 2.32 and is nowhere else. The words are glibc's. */
#ifndef GS_RECORDER_DUMP_FILE_ERROR_H
#define GS_RECORDER_DUMP_FILE_ERROR_H

/* A constant text; "unknown error" for what does not happen to files. Safe in signal handlers. */
const char *gs_file_error(int number);

#endif
