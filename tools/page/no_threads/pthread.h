/* Threads where WASI's C library has no pthread.h (Debian's; zig's has one): none can be started,
 * and a program of one thread needs no locks. Found only where the system's own is not. */
#ifndef GS_TOOLS_PAGE_PTHREAD_H
#define GS_TOOLS_PAGE_PTHREAD_H

#include <errno.h>
#include <time.h>

typedef int pthread_t, pthread_attr_t, pthread_mutex_t, pthread_cond_t, pthread_condattr_t;
#define PTHREAD_MUTEX_INITIALIZER 0

static inline int pthread_create(
	pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *), void *argument)
{
	(void)thread, (void)attributes, (void)work, (void)argument;
	return EAGAIN;
}

static inline int pthread_join(pthread_t thread, void **result)
{
	(void)thread, (void)result;
	return ESRCH;
}

static inline int pthread_detach(pthread_t thread)
{
	(void)thread;
	return ESRCH;
}

static inline int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	(void)mutex;
	return 0;
}

static inline int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	(void)mutex;
	return 0;
}

static inline int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
	(void)mutex;
	return 0;
}

static inline int pthread_condattr_init(pthread_condattr_t *attributes)
{
	*attributes = 0;
	return 0;
}

static inline int pthread_condattr_setclock(pthread_condattr_t *attributes, clockid_t clock)
{
	(void)attributes, (void)clock;
	return 0;
}

static inline int pthread_condattr_destroy(pthread_condattr_t *attributes)
{
	(void)attributes;
	return 0;
}

static inline int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes)
{
	*condition = attributes ? *attributes : 0;
	return 0;
}

/* Nobody else could wake it. */
static inline int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
	(void)condition, (void)mutex;
	return EDEADLK;
}

static inline int pthread_cond_timedwait(
	pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until)
{
	(void)condition, (void)mutex, (void)until;
	return ETIMEDOUT;
}

static inline int pthread_cond_signal(pthread_cond_t *condition)
{
	(void)condition;
	return 0;
}

#endif
