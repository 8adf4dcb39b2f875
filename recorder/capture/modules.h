/* The object files loaded in the process: which one a code address belongs to. Entries stay when a
 * module is unloaded, so that stacks recorded before keep their meaning. Not thread-safe; its owner
 * locks. Takes no memory after init. */
#ifndef GS_RECORDER_CAPTURE_MODULES_H
#define GS_RECORDER_CAPTURE_MODULES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recorder/capture/pages.h"
#include "schema/status.h"

enum { GS_MODULES_MAX = 4096, GS_MODULES_TEXT = 1 << 19, GS_BUILD_ID_MAX = 32 };

typedef struct gs_module {
	uint64_t base;              /* run-time address − address in the file */
	uint64_t start, end;        /* addresses it covers */
	uint32_t path, path_length; /* in the text */
	uint8_t build_id[GS_BUILD_ID_MAX];
	uint8_t build_id_length; /* 0: it has none */
	bool loaded, seen;
} gs_module;

typedef struct gs_modules {
	gs_pages *pages;
	gs_module *list;    /* ids from 1: list[id - 1] */
	_Atomic uint32_t n; /* read without the lock by a dump */
	char *text;
	uint32_t text_used;
	unsigned long long loads; /* the loader's counts at the last look */
	uint32_t generation;      /* steps when a module went away */
	uint32_t last;            /* found last */
} gs_modules;

/* Takes all its memory. GS_NO_MEMORY; release in any case. */
gs_status gs_modules_init(gs_modules *m, gs_pages *pages);
void gs_modules_release(gs_modules *m);

/* Looks at the loader's list if its counts changed. */
void gs_modules_refresh(gs_modules *m);

/* Id of the loaded module that holds the address; 0 where there is none. */
uint32_t gs_modules_find(gs_modules *m, uint64_t address);

#endif
