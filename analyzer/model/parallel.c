#include "analyzer/model/parallel.h"

#if defined(__wasm__)

void gs_parallel(size_t n, void (*work)(void *context, size_t i), void *context)
{
	for (size_t i = 0; i < n; i++)
		work(context, i);
}

void gs_parallel_beside(void (*beside)(void *context), void (*own)(void *context), void *context)
{
	beside(context);
	own(context);
}

#else

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

/* The stack is the main thread's usual one: musl's own for threads is too small for a reader. */
enum { MOST_THREADS = 64, STACK = 8 << 20 };

typedef struct shared {
	atomic_size_t next;
	size_t n;
	void (*work)(void *context, size_t i);
	void *context;
} shared;

static void *take_turns(void *argument)
{
	shared *s = argument;
	for (size_t i; (i = atomic_fetch_add(&s->next, 1)) < s->n;)
		s->work(s->context, i);
	return NULL;
}

static size_t cores(void)
{
	cpu_set_t set;
	return sched_getaffinity(0, sizeof set, &set) ? 1 : (size_t)CPU_COUNT(&set);
}

/* Signals are the caller's: the program's handlers run on the thread that knows of them. */
static size_t start_threads(pthread_t *threads, size_t wanted, shared *s)
{
	sigset_t all, before;
	pthread_attr_t attributes;
	size_t n = 0;
	if (pthread_attr_init(&attributes))
		return 0;
	pthread_attr_setstacksize(&attributes, STACK);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	while (n < wanted && !pthread_create(&threads[n], &attributes, take_turns, s))
		n++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return n;
}

void gs_parallel(size_t n, void (*work)(void *context, size_t i), void *context)
{
	shared s = {.n = n, .work = work, .context = context};
	pthread_t threads[MOST_THREADS];
	size_t wanted = cores() - 1;
	wanted = wanted < n ? wanted : n ? n - 1 : 0;
	atomic_init(&s.next, 0);
	size_t started = start_threads(threads, wanted < MOST_THREADS ? wanted : MOST_THREADS, &s);
	take_turns(&s);
	while (started)
		pthread_join(threads[--started], NULL);
}

typedef struct side {
	void (*work)(void *context);
	void *context;
} side;

static void do_side(void *context, size_t i)
{
	const side *x = context;
	(void)i;
	x->work(x->context);
}

void gs_parallel_beside(void (*beside)(void *context), void (*own)(void *context), void *context)
{
	side x = {beside, context};
	shared s = {.n = 1, .work = do_side, .context = &x};
	pthread_t thread;
	atomic_init(&s.next, 0);
	bool started = cores() > 1 && start_threads(&thread, 1, &s);
	if (!started)
		beside(context);
	own(context);
	if (started)
		pthread_join(thread, NULL);
}

#endif
