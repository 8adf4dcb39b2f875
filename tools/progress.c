/* Work over a second is told on a terminal: a line that the timer's signal writes and that goes
 * away again. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "schema/printable.h"
#include "tools/inputs.h"

/* Read by the signal's handler: set while the timer is off. */
static struct {
	char line[200];
	size_t n;
	volatile sig_atomic_t shown;
} progress;

static void show_line(int number)
{
	(void)number;
	if (!progress.shown && write(STDERR_FILENO, progress.line, progress.n) > 0)
		progress.shown = 1;
}

static void set_timer(time_t seconds)
{
	struct itimerval t = {{0, 0}, {seconds, 0}};
	setitimer(ITIMER_REAL, &t, NULL);
}

void gs_progress_begin(const char *what) { gs_progress_begin_doing("reading", what); }

void gs_progress_begin_doing(const char *doing, const char *what)
{
	char plain[120];
	struct sigaction action = {.sa_handler = show_line, .sa_flags = SA_RESTART};
	if (!isatty(STDERR_FILENO))
		return;
	gs_progress_end();
	progress.n = (size_t)snprintf(progress.line, sizeof progress.line, "\rgpusnap: %s %s …", doing,
		gs_printable(plain, sizeof plain, what));
	sigaction(SIGALRM, &action, NULL);
	set_timer(1);
}

void gs_progress_at(const char *how_far)
{
	if (progress.shown)
		fprintf(stderr, "%.*s %s\x1b[K", (int)progress.n, progress.line, how_far);
}

void gs_progress_end(void)
{
	if (!isatty(STDERR_FILENO))
		return;
	set_timer(0);
	if (progress.shown)
		fputs("\r\x1b[K", stderr);
	progress.shown = 0;
}
