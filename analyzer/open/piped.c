#include "analyzer/open/piped.h"

#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SILENCE = 1000, LITTLE = 50 }; /* ms */

/* Above 0: there is a byte, or the end. A timer of the caller's may interrupt the wait. */
static int wait_for(struct pollfd *p, int ms)
{
	int n;
	while ((n = poll(p, 1, ms)) < 0 && errno == EINTR)
		ms = ms < 0 ? ms : LITTLE;
	return n;
}

bool gs_input_piped(gs_input_note *note, void *context)
{
	struct stat st;
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
	int ready, bytes = 0;
	if (fstat(STDIN_FILENO, &st) || !S_ISFIFO(st.st_mode))
		return false;
	ready = wait_for(&p, SILENCE);
	if (!ready && note)
		note(context, NULL, "waiting for standard input");
	if (!ready)
		ready = wait_for(&p, -1);
	/* a closed pipe without a byte in it is "readable" too */
	return ready > 0 && p.revents & POLLIN && !ioctl(STDIN_FILENO, FIONREAD, &bytes) && bytes > 0;
}
