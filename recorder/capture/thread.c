/* Thread-local state behind one pointer. */
#include "recorder/capture/thread.h"

#include <pthread.h>

#include "recorder/capture/pages.h"

static struct {
	gs_pages pages;
	pthread_once_t once;
	pthread_key_t key; /* only for its destructor */
	bool has_key;
} all = {.once = PTHREAD_ONCE_INIT};

/* initial-exec: one word, found without a call, also in a library loaded late */
static _Thread_local gs_thread *self __attribute__((tls_model("initial-exec")));

static void give_back(void *thread)
{
	self = NULL;
	gs_pages_give(&all.pages, thread, sizeof(gs_thread));
}

static void make_key(void) { all.has_key = !pthread_key_create(&all.key, give_back); }

static gs_thread *make_thread(void)
{
	pthread_once(&all.once, make_key);
	gs_thread *t = gs_pages_take(&all.pages, sizeof *t);
	if (t && all.has_key)
		pthread_setspecific(all.key, t);
	return self = t;
}

gs_thread *gs_thread_self(void) { return __builtin_expect(self != NULL, 1) ? self : make_thread(); }

uint64_t gs_thread_bytes(void) { return all.pages.bytes; }

void gs_thread_push_tag(gs_thread *t, uint32_t owner, uint16_t tag)
{
	if (t->owner != owner)
		t->ntags = 0;
	t->owner = owner;
	if (t->ntags < GS_TAGS_DEEP)
		t->tags[t->ntags] = tag;
	t->ntags++;
}

bool gs_thread_pop_tag(gs_thread *t, uint32_t owner)
{
	if (t->owner != owner || !t->ntags)
		return false;
	t->ntags--;
	return true;
}
