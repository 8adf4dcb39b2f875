/* The open recorders. */
#include "recorder/api/opened.h"

#include <pthread.h>
#include <stdatomic.h>

#include "recorder/api/config_read.h"

static _Atomic(gs_recorder *) opened[GS_OPENED_COUNT];

void gs_opened_set(gs_opened which, gs_recorder *r)
{
	atomic_store_explicit(&opened[which], r, memory_order_release);
}

gs_recorder *gs_opened_get(gs_opened which)
{
	return atomic_load_explicit(&opened[which], memory_order_acquire);
}

gs_recorder *gs_opened_any(void)
{
	gs_recorder *pool = gs_opened_get(GS_OPENED_POOL);
	return pool ? pool : gs_opened_get(GS_OPENED_WATCH);
}

gs_dumper *gs_opened_dumper(gs_error *err)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct {
		bool made;
		gs_config config;
		gs_clock clock;
		gs_pages pages;
		gs_dumper dumper;
	} loose; /* for a process that opens no recorder */
	gs_recorder *r = gs_opened_any();
	gs_status status = GS_OK;
	if (r)
		return &r->dumper;
	pthread_mutex_lock(&lock);
	if (!loose.made) {
		status = gs_config_read(&loose.config, err);
		gs_clock_init(&loose.clock);
		if (!status)
			status = gs_dumper_init(&loose.dumper, &loose.config, NULL, &loose.clock, &loose.pages);
		loose.made = !status;
	}
	pthread_mutex_unlock(&lock);
	return status ? NULL : &loose.dumper;
}
