/* What the recorder keeps for each thread: its tags and what walking its stacks has taught. Made
 * at a thread's first call, from pages, freed when it ends. Only the thread itself touches it. */
#ifndef GS_RECORDER_CAPTURE_THREAD_H
#define GS_RECORDER_CAPTURE_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/capture/python_memo.h"
#include "recorder/capture/unwind.h"

enum { GS_TAGS_DEEP = 64 };

typedef struct gs_thread {
	uint32_t owner; /* serial of the recorder the tags belong to */
	uint32_t ntags; /* pushed; those beyond GS_TAGS_DEEP are counted, not kept */
	uint16_t tags[GS_TAGS_DEEP];
	struct {
		uint32_t owner; /* serial of the recorder whose stack it is */
		uint32_t stack; /* that the thread's own go on with: the work that it does; 0: none */
	} work;
	struct {
		uint32_t stack; /* of the call to the watched allocator that is under way; 0: none */
		uint16_t tag;
		uint32_t failed_stack; /* of the last failure, … */
		uint64_t failed_size;  /* its size … */
		uint64_t failure;      /* … and its event's number in its device */
	} watched;
	uint32_t places; /* asked for */
	gs_unwinder unwinder;
	gs_python_memos python;
} gs_thread;

/* The calling thread's; NULL when there is no memory for it. */
gs_thread *gs_thread_self(void);

/* Bytes held for all threads. */
uint64_t gs_thread_bytes(void);

/* The tag that allocations of this thread get now in the recorder of that serial; 0: none. */
static inline uint16_t gs_thread_tag(const gs_thread *t, uint32_t owner)
{
	uint32_t n = t->ntags < GS_TAGS_DEEP ? t->ntags : GS_TAGS_DEEP;
	return t->owner == owner && n ? t->tags[n - 1] : 0;
}

void gs_thread_push_tag(gs_thread *t, uint32_t owner, uint16_t tag);
/* False when no tag is pushed. */
bool gs_thread_pop_tag(gs_thread *t, uint32_t owner);

#endif
