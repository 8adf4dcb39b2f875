/* The signals by their names. */
#include "recorder/dump/signal_names.h"

#include <signal.h>
#include <stddef.h>
#include <strings.h>

static const struct {
	const char *name;
	int number;
} signals[] = {{"HUP", SIGHUP}, {"INT", SIGINT}, {"QUIT", SIGQUIT}, {"ILL", SIGILL},
	{"TRAP", SIGTRAP}, {"ABRT", SIGABRT}, {"BUS", SIGBUS}, {"FPE", SIGFPE}, {"KILL", SIGKILL},
	{"USR1", SIGUSR1}, {"SEGV", SIGSEGV}, {"USR2", SIGUSR2}, {"PIPE", SIGPIPE}, {"ALRM", SIGALRM},
	{"TERM", SIGTERM}, {"STKFLT", SIGSTKFLT}, {"CHLD", SIGCHLD}, {"CONT", SIGCONT},
	{"STOP", SIGSTOP}, {"TSTP", SIGTSTP}, {"TTIN", SIGTTIN}, {"TTOU", SIGTTOU}, {"URG", SIGURG},
	{"XCPU", SIGXCPU}, {"XFSZ", SIGXFSZ}, {"VTALRM", SIGVTALRM}, {"PROF", SIGPROF},
	{"WINCH", SIGWINCH}, {"POLL", SIGPOLL}, {"IO", SIGIO}, {"PWR", SIGPWR}, {"SYS", SIGSYS}};

int gs_signal_number(const char *name)
{
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (!strcasecmp(signals[i].name, name))
			return signals[i].number;
	return 0;
}

const char *gs_signal_name(int number)
{
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (signals[i].number == number)
			return signals[i].name;
	return NULL;
}
