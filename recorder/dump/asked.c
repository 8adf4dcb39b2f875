/* The page that others read. */
#include "recorder/dump/asked.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static gs_asked *page;

/* Above the standard descriptors, which a program may have closed to open others in their place. */
static int make_memory(void)
{
	int fd = (int)syscall(SYS_memfd_create, GS_ASKED_NAME, 1u /* MFD_CLOEXEC */);
	if (fd < 0 || fd > 2)
		return fd;
	int high = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	close(fd);
	return high;
}

void gs_asked_open(int number)
{
	void *at = MAP_FAILED;
	int fd = make_memory();
	if (fd >= 0 && !ftruncate(fd, sizeof *page))
		at = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED && fd >= 0)
		close(fd);
	page = at == MAP_FAILED ? NULL : at; /* a forked child leaves its parent's as it is */
	if (!page)
		return;
	page->pid = getpid();
	page->number = number;
	page->magic = GS_ASKED_MAGIC;
}

void gs_asked_close(void)
{
	if (page)
		page->number = 0;
}

void gs_asked_listeners(uint32_t n)
{
	if (page)
		atomic_store(&page->listeners, n);
}

void gs_asked_begin(void)
{
	if (!page)
		return;
	page->npaths = page->length = 0;
	atomic_fetch_add(&page->begun, 1);
}

void gs_asked_path(const char *path)
{
	size_t n = strlen(path) + 1;
	if (!page || n > sizeof page->text - page->length)
		return;
	memcpy(page->text + page->length, path, n);
	page->length += (uint32_t)n;
	page->npaths++;
}

void gs_asked_end(void)
{
	if (page)
		atomic_store(&page->ended, page->begun);
}
