/* The signal handler and its thread. */
#include "recorder/api/signal.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "recorder/dump/asked.h"

enum { LISTENERS_MAX = 8 };

typedef struct listener {
	gs_signal_listener *call;
	void *arg;
} listener;

/* A handler has no argument to carry it. It is never given back: a handler may be under way on any
 * thread. */
static struct {
	pthread_mutex_t lock; /* not held while listeners are called: they take locks of their own */
	pthread_cond_t idle;
	sem_t wake;
	bool made;  /* wake is */
	int number; /* 0: nothing is caught */
	bool stays; /* caught for the whole process */
	struct sigaction before;
	pthread_t thread;
	bool has_thread;
	_Atomic bool stop;
	listener all[LISTENERS_MAX], called; /* called: the one that runs; no call: none */
	unsigned n;
} own = {.lock = PTHREAD_MUTEX_INITIALIZER, .idle = PTHREAD_COND_INITIALIZER};

static void on_signal(int number, siginfo_t *info, void *context)
{
	int error = errno;
	sem_post(&own.wake);
	if (own.before.sa_flags & SA_SIGINFO)
		own.before.sa_sigaction(number, info, context);
	else if (own.before.sa_handler != SIG_DFL && own.before.sa_handler != SIG_IGN)
		own.before.sa_handler(number);
	errno = error;
}

/* Calls each listener; the list may change meanwhile. */
static void call_all(void)
{
	pthread_mutex_lock(&own.lock);
	for (unsigned i = 0; i < own.n; i++) {
		own.called = own.all[i];
		pthread_mutex_unlock(&own.lock);
		own.called.call(own.called.arg);
		pthread_mutex_lock(&own.lock);
		own.called = (listener){0};
		pthread_cond_broadcast(&own.idle);
	}
	pthread_mutex_unlock(&own.lock);
}

static void *wait_for_signals(void *arg)
{
	(void)arg;
	for (;;) {
		while (sem_wait(&own.wake) && errno == EINTR)
			;
		if (own.stop)
			return NULL;
		while (!sem_trywait(&own.wake)) /* several at once are one */
			;
		gs_asked_begin();
		call_all();
		gs_asked_end();
	}
}

/* Our thread takes no signals: those of the program belong to its own. */
static gs_status start_thread(void)
{
	sigset_t all, before;
	own.stop = false;
	while (!sem_trywait(&own.wake)) /* what came while nobody listened is past */
		;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	own.has_thread = !pthread_create(&own.thread, NULL, wait_for_signals, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return own.has_thread ? GS_OK : GS_NO_MEMORY;
}

static gs_status catch_locked(int number, gs_error *err)
{
	struct sigaction action;
	if (own.number)
		return own.number == number
			? GS_OK
			: gs_fail(err, GS_STATE, "this process waits for signal %d already", own.number);
	if (!own.made)
		sem_init(&own.wake, 0, 0);
	own.made = true;
	memset(&action, 0, sizeof action);
	action.sa_sigaction = on_signal;
	action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
	sigemptyset(&action.sa_mask);
	sigaction(number, NULL, &own.before); /* known before the handler can need it */
	if (sigaction(number, &action, NULL))
		return gs_fail(err, GS_INVALID, "signal %d cannot be caught", number);
	own.number = number;
	gs_asked_open(number);
	return GS_OK;
}

gs_status gs_signal_catch(int number)
{
	pthread_mutex_lock(&own.lock);
	gs_status status = catch_locked(number, NULL);
	own.stays |= !status;
	pthread_mutex_unlock(&own.lock);
	return status;
}

gs_status gs_signal_add(int number, gs_signal_listener *call, void *arg, gs_error *err)
{
	pthread_mutex_lock(&own.lock);
	gs_status status = own.n == LISTENERS_MAX
		? gs_fail(err, GS_LIMIT, "too many recorders wait for a signal")
		: catch_locked(number, err);
	if (!status && !own.has_thread && start_thread())
		status = gs_fail(err, GS_NO_MEMORY, "no thread for GPUSNAP_SIGNAL");
	if (!status)
		own.all[own.n++] = (listener){call, arg};
	gs_asked_listeners(own.n);
	pthread_mutex_unlock(&own.lock);
	return status;
}

static bool is(const listener *l, gs_signal_listener *call, void *arg)
{
	return l->call == call && l->arg == arg;
}

/* The handler goes with the last listener. The thread is ended and joined without the lock. */
static void let_go(void)
{
	struct sigaction now;
	if (!own.stays) {
		if (!sigaction(own.number, NULL, &now) && (now.sa_flags & SA_SIGINFO) &&
			now.sa_sigaction == on_signal)
			sigaction(own.number, &own.before, NULL);
		own.number = 0;
		gs_asked_close();
	}
	pthread_t thread = own.thread;
	own.has_thread = false;
	own.stop = true;
	sem_post(&own.wake);
	if (!pthread_equal(thread, pthread_self()))
		pthread_join(thread, NULL); /* it is idle: nobody is called */
}

void gs_signal_remove(gs_signal_listener *call, void *arg)
{
	bool found = false;
	pthread_mutex_lock(&own.lock);
	for (unsigned i = 0; i < own.n && !found; i++)
		if ((found = is(&own.all[i], call, arg)))
			memmove(own.all + i, own.all + i + 1, (--own.n - i) * sizeof *own.all);
	while (is(&own.called, call, arg) && !pthread_equal(own.thread, pthread_self()))
		pthread_cond_wait(&own.idle, &own.lock);
	bool last = found && !own.n && own.has_thread;
	gs_asked_listeners(own.n);
	pthread_mutex_unlock(&own.lock);
	if (last)
		let_go();
}

void gs_signal_before_fork(void) { pthread_mutex_lock(&own.lock); }

void gs_signal_after_fork(int child)
{
	if (child) {
		pthread_cond_init(&own.idle, NULL);
		own.called = (listener){0};
		if (own.number)
			gs_asked_open(own.number);
		gs_asked_listeners(own.n);
		if (own.has_thread) {
			sem_init(&own.wake, 0, 0);
			start_thread();
		}
	}
	pthread_mutex_unlock(&own.lock);
}
