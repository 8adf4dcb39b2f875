#include "tools/terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static struct {
	struct termios before;
	bool has_keys;  /* standard input is a terminal, whose settings are changed */
	bool listening; /* … and somebody is there */
	volatile sig_atomic_t stopped, end;
} terminal;

static const char enter[] = "\x1b[?1049h\x1b[?25l\x1b[2J", leave[] = "\x1b[?25h\x1b[?1049l";

static void write_all(const char *text, size_t n)
{
	while (n) {
		ssize_t written = write(STDOUT_FILENO, text, n);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return;
		text += written;
		n -= (size_t)written;
	}
}

static void take(void)
{
	struct termios raw = terminal.before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	if (terminal.has_keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	write_all(enter, sizeof enter - 1);
}

static void give(void)
{
	write_all(leave, sizeof leave - 1);
	if (terminal.has_keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before);
}

static void note_end(int number) { terminal.end = number; }
static void note_stop(int number)
{
	(void)number;
	terminal.stopped = 1;
}
static void note_size(int number) { (void)number; }

static void on(int number, void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler}, old; /* no SA_RESTART: poll ends */
	if (!sigaction(number, NULL, &old) && old.sa_handler != SIG_IGN)
		sigaction(number, &action, NULL);
}

bool gs_terminal_has_screen(void)
{
	const char *kind = getenv("TERM");
	return kind && *kind && strcmp(kind, "dumb");
}

void gs_terminal_begin(void)
{
	terminal.has_keys = terminal.listening = !tcgetattr(STDIN_FILENO, &terminal.before);
	on(SIGINT, note_end);
	on(SIGTERM, note_end);
	on(SIGHUP, note_end);
	on(SIGTSTP, note_stop);
	on(SIGWINCH, note_size);
	take();
}

void gs_terminal_end(void) { give(); }

void gs_terminal_size(int *columns, int *lines)
{
	struct winsize w = {0};
	ioctl(STDOUT_FILENO, TIOCGWINSZ, &w);
	*columns = w.ws_col ? w.ws_col : 80;
	*lines = w.ws_row ? w.ws_row : 24;
}

/* Line by line from the top left; what a line leaves of the one before it is cleared, and so is the
 * rest. The last line has no newline: the screen would move. */
void gs_terminal_show(const char *text, size_t n)
{
	write_all("\x1b[H", 3);
	while (n) {
		const char *end = memchr(text, '\n', n);
		size_t length = end ? (size_t)(end - text) : n;
		write_all(text, length);
		write_all("\x1b[K", 3);
		length += end ? 1 : 0;
		text += length;
		n -= length;
		if (n)
			write_all("\r\n", 2);
	}
	write_all("\x1b[J", 3);
}

/* Ctrl-Z: the shell gets its screen, and we stop in earnest. */
static void stop(void)
{
	terminal.stopped = 0;
	give();
	raise(SIGSTOP);
	take();
}

int gs_terminal_asked_to_end(void) { return terminal.end; }

int gs_terminal_key(int ms)
{
	struct pollfd keys = {.fd = terminal.listening ? STDIN_FILENO : -1, .events = POLLIN};
	unsigned char key;
	int n = poll(&keys, 1, ms);
	if (terminal.stopped)
		stop();
	if (n < 0 || terminal.end)
		return -1;
	if (!n)
		return 0;
	ssize_t got = read(STDIN_FILENO, &key, 1);
	if (got == 1)
		return key;
	if (got == 0 || (errno != EINTR && errno != EAGAIN))
		terminal.listening = false;
	return -1;
}
