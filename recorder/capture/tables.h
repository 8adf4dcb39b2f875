/* The recorder's interned tables: texts, frames, stacks. Fixed memory, taken at init; append-only,
 * so that what an id means never changes and a dump may read while threads add.
 *
 * A frame is either named (function, file, line: Python's, a script's) or a code address with the
 * module it was in. A stack is a list of frames, innermost first, and may end in another stack (a
 * Python stack on top of the C stack it runs in). Ids start at 1; 0 is none. What does not fit is
 * counted and gets id 0. Thread-safe: finding takes no lock, adding takes one, and a new address
 * may make the table of modules read the loader's list. */
#ifndef GS_RECORDER_CAPTURE_TABLES_H
#define GS_RECORDER_CAPTURE_TABLES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "recorder/capture/modules.h"
#include "recorder/capture/pages.h"
#include "schema/status.h"
#include "schema/terms.h"

typedef struct gs_tables_limits {
	uint32_t text_bytes, texts, frames, stacks, stack_frames,
		tags; /* powers of two; tags at most 65536 */
} gs_tables_limits;

extern const gs_tables_limits gs_tables_default;

typedef struct gs_table_text {
	uint32_t at, n, hash;
} gs_table_text;

typedef struct gs_table_frame {
	uint64_t address; /* 0: named */
	gs_id name, file; /* texts */
	int32_t line;     /* −1 unknown */
	uint32_t module;  /* of an address; 0: in none */
} gs_table_frame;

typedef struct gs_table_stack {
	uint32_t first, n; /* its own frames in stack_frames */
	gs_id tail;        /* the stack it goes on with, or 0 */
	uint32_t hash;
} gs_table_stack;

typedef struct gs_tables {
	gs_tables_limits max;
	gs_pages *pages;
	pthread_mutex_t lock;
	char *text_bytes;
	gs_table_text *texts;
	gs_table_frame *frames;
	gs_table_stack *stacks;
	gs_id *stack_frames;
	gs_id *tags; /* the text of a tag */
	_Atomic uint16_t *tag_of_text;
	_Atomic uint32_t *text_slots, *frame_slots,
		*stack_slots;   /* hash tables of ids, twice as long as what they index */
	uint32_t text_used; /* bytes; guarded by lock */
	_Atomic uint32_t ntexts, nframes, nstacks, nstack_frames,
		ntags;                /* entries below are whole; entry 0 is unused */
	_Atomic uint64_t dropped; /* texts, frames, stacks or tags that did not fit */
	gs_modules modules;       /* guarded by lock */
} gs_tables;

/* GS_NO_MEMORY when the pages cannot be had; nothing is then held. */
gs_status gs_tables_init(gs_tables *t, const gs_tables_limits *limits, gs_pages *pages);
void gs_tables_release(gs_tables *t);

/* Intern: the same content gives the same id. 0: the table is full, which t->dropped counts.
 * Threads may call them at once. */
gs_id gs_tables_text(gs_tables *t, const char *text, size_t n);
/* A tag is a text with a small number. */
uint16_t gs_tables_tag(gs_tables *t, const char *name, size_t n);
gs_id gs_tables_frame(gs_tables *t, gs_id name, gs_id file, int32_t line);

/* A stack of n named frames, then the code addresses, then the stack tail (0: nothing). No frames:
 * the tail. */
gs_id gs_tables_stack(gs_tables *t, const gs_id *named, uint32_t n, const uint64_t *addresses,
	uint32_t naddresses, gs_id tail);

/* The frames of a stack, and of those that it goes on with, followed by the stack tail. */
gs_id gs_tables_onto(gs_tables *t, gs_id stack, gs_id tail);

/* Reads the loader's list of modules again if it changed. Called at open, when loads change, and
 * before a dump. */
void gs_tables_refresh_modules(gs_tables *t);

/* Whether the address is code of our own: in a library called libgpusnap…, such as the glue that is
 * made for a user's PyTorch. */
bool gs_tables_is_ours(gs_tables *t, uint64_t address);

/* The stack of the calling thread's named frames (gs_tables_frame), innermost first, until depth of
 * them are the user's, at most GS_STACK_HOOK_MAX, put on the stack tail; tail where there are none.
 * Called with no lock held, before the allocation. It may block (for an interpreter's lock). */
enum { GS_STACK_HOOK_MAX = 128 };
typedef gs_id gs_stack_hook(void *arg, gs_tables *tables, uint32_t depth, gs_id tail);

#endif
