/* gpusnap top: the memory of a running program, from the stream that it writes. The program is not
 * stopped, not asked, and need not be on this terminal. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/open/input.h"
#include "tools/command.h"
#include "tools/message.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/terminal.h"
#include "tools/top_draw.h"
#include "tools/top_target.h"
#include "tools/voice.h"

/* Up to so many events the run is read whole; of a longer one what came since its last layout. */
enum { WHOLE_EVENTS = 1 << 18 };
/* Reading takes at most this part of the time. */
static const double busy = 0.25;

typedef struct top {
	gs_common common;
	double every;  /* seconds */
	int64_t count; /* screens or lines; GS_UNSET: no end */
	char path[PATH_MAX];
	gs_top_view view;
	struct stat seen;
	double cost; /* seconds that the last reading took */
	bool read;   /* the view shows something */
	bool grew;   /* since the look before */
} top;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int64_t now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static gs_status read_run(top *t, gs_error *err)
{
	const gs_moment_wanted last = {.what = GS_MOMENT_LAST, .whole_below = WHOLE_EVENTS};
	const gs_input_entry entry = {.path = t->path};
	gs_snapshot s;
	double begun = now();
	gs_status status = gs_input_read_moment(&entry, GS_WANT_HISTORY, &last, &s, err);
	if (!status) {
		status = gs_top_view_update(&t->view, &s, now_us(), err);
		t->read = true;
		gs_snapshot_release(&s);
	}
	t->cost = now() - begun;
	return status;
}

/* Reads what is new; where nothing is, time goes on all the same. */
static gs_status look(top *t, gs_error *err)
{
	struct stat about;
	if (stat(t->path, &about))
		return errno == ENOENT && t->read ? GS_OK : gs_fail(err, GS_IO, "%s", strerror(errno));
	bool same = t->read && about.st_size == t->seen.st_size && about.st_ino == t->seen.st_ino;
	t->grew = !same;
	t->seen = about;
	gs_status status = same ? GS_OK : gs_top_is_stream(t->path, err);
	if (!status && !same)
		status = read_run(t, err);
	if (same)
		gs_top_view_pass(&t->view, now_us());
	return status == GS_TRUNCATED ? GS_OK : status; /* nothing whole yet */
}

/* Who writes the file is not gone, whatever its number is here: a container has its own. */
static bool is_gone(const top *t)
{
	return t->read && !t->grew && gs_top_is_gone(t->view.host, t->view.pid);
}

static bool is_over(const top *t) { return t->view.ended || is_gone(t); }

static gs_top_look look_of(const top *t, char clock[16])
{
	const gs_voice voice = gs_voice_of(&t->common, false);
	time_t seconds = time(NULL);
	struct tm local;
	strftime(clock, 16, "%H:%M:%S", localtime_r(&seconds, &local));
	const char *slash = strrchr(t->path, '/');
	return (gs_top_look){.width = 80,
		.height = 24,
		.utf8 = voice.utf8,
		.bold = voice.bold,
		.device = t->common.device,
		.rows = t->common.rows,
		.title = slash ? slash + 1 : t->path,
		.time = clock};
}

static void show(const top *t)
{
	char clock[16], *text = NULL;
	size_t n = 0;
	gs_top_look look = look_of(t, clock);
	FILE *out = open_memstream(&text, &n);
	if (!out)
		return;
	gs_terminal_size(&look.width, &look.height);
	look.note = is_over(t) ? "the run has ended; q quits" : "q quits";
	gs_top_draw(&t->view, &look, out);
	if (!fclose(out))
		gs_terminal_show(text, n);
	free(text);
}

/* Until the next look is due: keys, and another size of the terminal. Returns false to quit. */
static bool wait_for_keys(const top *t, double until)
{
	for (double left; (left = until - now()) > 0;) {
		int key = gs_terminal_key(left > 60 ? 60000 : (int)(left * 1000) + 1);
		if (key == 'q' || key == 'Q' || gs_terminal_asked_to_end())
			return false;
		if (key)
			show(t);
	}
	return true;
}

static double next_look(const top *t, double begun)
{
	double pause = t->cost / busy;
	return begun + (pause > t->every ? pause : t->every);
}

static gs_status show_screens(top *t, gs_error *err)
{
	gs_status status = GS_OK;
	gs_terminal_begin();
	for (int64_t i = 0; !status && (t->count == GS_UNSET || i < t->count); i++) {
		double begun = now();
		status = look(t, err);
		if (status)
			break;
		show(t);
		if (!wait_for_keys(t, next_look(t, begun)))
			break;
	}
	gs_terminal_end();
	return status;
}

static void pause_until(double until)
{
	for (double left; (left = until - now()) > 0;) {
		struct timespec step = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
		nanosleep(&step, NULL);
	}
}

/* A line a second, until the run ends or nobody reads them any more. What is read once the process
 * is gone is the last there is. */
static gs_status write_lines(top *t, gs_error *err)
{
	gs_status status = GS_OK;
	for (int64_t i = 0; t->count == GS_UNSET || i < t->count; i++) {
		char clock[16];
		double begun = now();
		bool gone = is_gone(t);
		if ((status = look(t, err)))
			return status;
		gs_top_look form = look_of(t, clock);
		form.note = (gone && !t->grew) || t->view.ended ? "ended" : NULL;
		gs_top_write_line(&t->view, &form, stdout);
		if (fflush(stdout) || form.note)
			break;
		if (t->count == GS_UNSET || i + 1 < t->count)
			pause_until(next_look(t, begun));
	}
	return GS_OK;
}

int gs_cmd_top(int argc, char **argv)
{
	static top t = {.common = GS_COMMON_INIT, .every = 1, .count = GS_UNSET};
	const gs_option options[] = {
		{"device", 'd', GS_OPT_INT, &t.common.device, "DEVICE", "only this device"},
		{"rows", 'n', GS_OPT_INT, &t.common.rows, "ROWS", "at most so many holders a device"},
		{"every", 0, GS_OPT_REAL, &t.every, "SECONDS", "how often to look (default: 1)"},
		{"count", 0, GS_OPT_INT, &t.count, "N", "end after N screens, or lines"}, GS_OPTIONS_END};
	gs_arguments arguments;
	gs_error err = GS_ERROR_INIT;
	int status = gs_options_parse(options, argc, argv, 1, 1, &arguments);
	if (status >= 0)
		return status;
	if (!(t.every >= 0.1 && t.every <= 86400))
		return gs_fail_usage("top", NULL, "--every takes 0.1 to 86400 seconds");
	t.view = (gs_top_view)GS_TOP_VIEW_INIT;
	gs_status failed = gs_top_target(arguments.text[0], t.path, &err);
	if (!failed)
		failed = gs_output_is_terminal() && gs_terminal_has_screen() ? show_screens(&t, &err)
																	 : write_lines(&t, &err);
	gs_top_view_release(&t.view);
	if (failed)
		return gs_fail_file(arguments.text[0], &err,
			failed == GS_UNKNOWN_KIND || failed == GS_NOT_FOUND ? gs_top_how : NULL);
	return gs_finish_stdout(GS_EXIT_DONE);
}
