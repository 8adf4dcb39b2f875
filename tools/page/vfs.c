/* SQLite's view of a system that has files to read and nothing else: databases of `gpusnap load`
 * are opened read-only, all that SQLite makes itself stays in memory (SQLITE_TEMP_STORE=3). */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct file {
	sqlite3_file base;
	FILE *stream;
} file;

static int close_file(sqlite3_file *f)
{
	fclose(((file *)f)->stream);
	return SQLITE_OK;
}

static int read_file(sqlite3_file *f, void *to, int n, sqlite3_int64 at)
{
	FILE *stream = ((file *)f)->stream;
	size_t got = fseeko(stream, at, SEEK_SET) ? 0 : fread(to, 1, (size_t)n, stream);
	if (got == (size_t)n)
		return SQLITE_OK;
	memset((char *)to + got, 0, (size_t)n - got);
	return SQLITE_IOERR_SHORT_READ;
}

static int file_size(sqlite3_file *f, sqlite3_int64 *size)
{
	FILE *stream = ((file *)f)->stream;
	return fseeko(stream, 0, SEEK_END) || (*size = ftello(stream)) < 0 ? SQLITE_IOERR_FSTAT
																	   : SQLITE_OK;
}

static int refuse_write(sqlite3_file *f, const void *data, int n, sqlite3_int64 at)
{
	(void)f, (void)data, (void)n, (void)at;
	return SQLITE_READONLY;
}

static int refuse_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	(void)f, (void)size;
	return SQLITE_READONLY;
}

static int succeed(sqlite3_file *f, int level)
{
	(void)f, (void)level;
	return SQLITE_OK;
}

static int nobody_writes(sqlite3_file *f, int *reserved)
{
	(void)f;
	*reserved = 0;
	return SQLITE_OK;
}

static int know_nothing(sqlite3_file *f, int question, void *argument)
{
	(void)f, (void)question, (void)argument;
	return SQLITE_NOTFOUND;
}

static int sector(sqlite3_file *f)
{
	(void)f;
	return 4096;
}

static int device(sqlite3_file *f)
{
	(void)f;
	return SQLITE_IOCAP_IMMUTABLE;
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *got)
{
	static const sqlite3_io_methods methods = {1, close_file, read_file, refuse_write,
		refuse_truncate, succeed, file_size, succeed, succeed, nobody_writes, know_nothing, sector,
		device, NULL, NULL, NULL, NULL, NULL, NULL};
	(void)vfs;
	f->pMethods = NULL;
	FILE *stream = name ? fopen(name, "rb") : NULL;
	if (!stream)
		return SQLITE_CANTOPEN;
	((file *)f)->stream = stream;
	f->pMethods = &methods;
	if (got)
		*got = (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY;
	return SQLITE_OK;
}

static int refuse_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
	(void)vfs, (void)name, (void)sync;
	return SQLITE_IOERR_DELETE;
}

static int can_access(sqlite3_vfs *vfs, const char *name, int flags, int *can)
{
	(void)vfs;
	*can = flags != SQLITE_ACCESS_READWRITE && !access(name, R_OK);
	return SQLITE_OK;
}

static int full_name(sqlite3_vfs *vfs, const char *name, int n, char *to)
{
	(void)vfs;
	sqlite3_snprintf(n, to, "%s", name);
	return SQLITE_OK;
}

static int randomness(sqlite3_vfs *vfs, int n, char *to)
{
	(void)vfs;
	return getentropy(to, (size_t)n) ? 0 : n;
}

static int no_sleep(sqlite3_vfs *vfs, int microseconds)
{
	(void)vfs;
	return microseconds;
}

/* Days since the Julian epoch, in milliseconds. */
static int now(sqlite3_vfs *vfs, sqlite3_int64 *julian)
{
	struct timespec t;
	(void)vfs;
	clock_gettime(CLOCK_REALTIME, &t);
	*julian = 210866760000000 + (sqlite3_int64)t.tv_sec * 1000 + t.tv_nsec / 1000000;
	return SQLITE_OK;
}

static int now_in_days(sqlite3_vfs *vfs, double *days)
{
	sqlite3_int64 julian;
	int status = now(vfs, &julian);
	*days = (double)julian / 86400000;
	return status;
}

static int last_error(sqlite3_vfs *vfs, int n, char *to)
{
	(void)vfs, (void)n, (void)to;
	return 0;
}

int sqlite3_os_init(void);
int sqlite3_os_init(void)
{
	static sqlite3_vfs vfs = {2, sizeof(file), 512, NULL, "read-only", NULL, open_file,
		refuse_delete, can_access, full_name, NULL, NULL, NULL, NULL, randomness, no_sleep,
		now_in_days, last_error, now, NULL, NULL, NULL};
	return sqlite3_vfs_register(&vfs, 1);
}

int sqlite3_os_end(void);
int sqlite3_os_end(void) { return SQLITE_OK; }
