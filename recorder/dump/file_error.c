/* Errors of files in words. */
#include "recorder/dump/file_error.h"

#include <errno.h>
#include <stddef.h>

const char *gs_file_error(int number)
{
	static const struct {
		int number;
		const char *text;
	} errors[] = {{EPERM, "Operation not permitted"}, {ENOENT, "No such file or directory"},
		{EINTR, "Interrupted system call"}, {EIO, "Input/output error"},
		{ENXIO, "No such device or address"}, {EBADF, "Bad file descriptor"},
		{EAGAIN, "Resource temporarily unavailable"}, {ENOMEM, "Cannot allocate memory"},
		{EACCES, "Permission denied"}, {EFAULT, "Bad address"}, {EBUSY, "Device or resource busy"},
		{EEXIST, "File exists"}, {EXDEV, "Invalid cross-device link"}, {ENODEV, "No such device"},
		{ENOTDIR, "Not a directory"}, {EISDIR, "Is a directory"}, {EINVAL, "Invalid argument"},
		{ENFILE, "Too many open files in system"}, {EMFILE, "Too many open files"},
		{ETXTBSY, "Text file busy"}, {EFBIG, "File too large"}, {ENOSPC, "No space left on device"},
		{ESPIPE, "Illegal seek"}, {EROFS, "Read-only file system"}, {EMLINK, "Too many links"},
		{EPIPE, "Broken pipe"}, {ENAMETOOLONG, "File name too long"},
		{ENOSYS, "Function not implemented"}, {ELOOP, "Too many levels of symbolic links"},
		{EOVERFLOW, "Value too large for defined data type"},
		{EOPNOTSUPP, "Operation not supported"}, {ETIMEDOUT, "Connection timed out"},
		{ESTALE, "Stale file handle"}, {EDQUOT, "Disk quota exceeded"}};
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
		if (errors[i].number == number)
			return errors[i].text;
	return "unknown error";
}
