/* The signal handler and its thread. */
#include "recorder/api/signal.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#include "recorder/api/recorder.h"

typedef struct gs_signal {
	sem_t wake;
	struct sigaction before;
	pthread_t thread;
	gs_recorder *recorder;
	int number;
	_Atomic int stop; /* 1: end; 2: the recorder is gone, do nothing */
} gs_signal;

/* A handler has no argument to carry it. It stays allocated for ever: a handler may be under way on
 * any thread. */
static gs_signal only;
static _Atomic int taken;

static void on_signal(int number, siginfo_t *info, void *context)
{
	int error = errno;
	sem_post(&only.wake);
	if (only.before.sa_flags & SA_SIGINFO)
		only.before.sa_sigaction(number, info, context);
	else if (only.before.sa_handler != SIG_DFL && only.before.sa_handler != SIG_IGN)
		only.before.sa_handler(number);
	errno = error;
}

static void *run(void *arg)
{
	gs_signal *s = arg;
	for (;;) {
		while (sem_wait(&s->wake) && errno == EINTR)
			;
		if (s->stop)
			return NULL;
		gs_recorder_dump_all(s->recorder, GS_DUMP_SIGNAL, NULL);
	}
}

/* Our thread takes no signals: those of the program belong to its own. */
static gs_status start_thread(gs_signal *s)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	int failed = pthread_create(&s->thread, NULL, run, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return failed ? GS_NO_MEMORY : GS_OK;
}

gs_status gs_signal_start(gs_recorder *r, gs_error *err)
{
	struct sigaction action;
	if (!r->config.signal)
		return GS_OK;
	if (atomic_exchange(&taken, 1))
		return gs_fail(err, GS_STATE, "another recorder of this process waits for a signal");
	memset(&only, 0, sizeof only);
	sem_init(&only.wake, 0, 0);
	only.recorder = r;
	only.number = r->config.signal;
	if (start_thread(&only)) {
		taken = 0;
		return gs_fail(err, GS_NO_MEMORY, "no thread for GPUSNAP_SIGNAL");
	}
	r->signal = &only;
	memset(&action, 0, sizeof action);
	action.sa_sigaction = on_signal;
	action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
	sigemptyset(&action.sa_mask);
	sigaction(only.number, NULL, &only.before); /* known before the handler can need it */
	if (sigaction(only.number, &action, NULL))
		return gs_fail(err, GS_INVALID, "signal %d cannot be caught", only.number);
	return GS_OK;
}

void gs_signal_stop(gs_recorder *r)
{
	struct sigaction now;
	if (!r->signal)
		return;
	if (!sigaction(only.number, NULL, &now) && (now.sa_flags & SA_SIGINFO) &&
		now.sa_sigaction == on_signal)
		sigaction(only.number, &only.before, NULL);
	only.stop = 1;
	sem_post(&only.wake);
	pthread_join(only.thread, NULL);
	r->signal = NULL;
	taken = 0;
}

void gs_signal_after_fork(gs_recorder *r)
{
	if (!r->signal)
		return;
	sem_init(&only.wake, 0, 0);
	start_thread(&only);
}
