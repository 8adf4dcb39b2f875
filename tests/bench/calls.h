/* The mallocs and frees of a golden script, for C and C++ benches. What a script leaves live is freed at its end, so that it can be repeated. The
 * calls are made at the bottom of a stack of at least 16 frames that takes 16 ways, as a program's allocations come from several places. */
#ifndef TESTS_BENCH_CALLS_H
#define TESTS_BENCH_CALLS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CALLS_ROUND = 8 }; /* repetitions between two looks at the clock */

typedef struct call { /* bytes 0: a free */
	size_t bytes;
	unsigned slot;
} call;

typedef struct calls {
	call *list;
	size_t n, nslots;
	int pairs, repeat; /* repeat: rounds worth measuring */
} calls;

typedef int calls_malloc(void *context, size_t bytes, void **p);
typedef void calls_free(void *context, void *p);

/* Reads a script; 0 on success. Ids become slots. */
static inline int calls_read(calls *c, FILE *f)
{
	char line[256], id[64], unit[64];
	char(*names)[64] = (char(*)[64])calloc(8192, 64);
	memset(c, 0, sizeof *c);
	c->list = (call *)calloc(20000, sizeof *c->list);
	while (c->n < 10000 && fgets(line, sizeof line, f)) {
		unsigned long long bytes = 0;
		unit[0] = 0;
		int fields = sscanf(line, "malloc %63s %llu %63s", id, &bytes, unit);
		if (fields < 2 && sscanf(line, "free %63s", id) != 1)
			continue;
		if (fields >= 2)
			bytes *= unit[0] == 'k' ? 1024 : unit[0] == 'm' ? 1 << 20 : 1;
		size_t slot = 0;
		while (slot < c->nslots && strcmp(names[slot], id))
			slot++;
		if (slot == 8192 || (fields < 2 && slot == c->nslots))
			continue;
		if (slot == c->nslots)
			strcpy(names[c->nslots++], id);
		call made = { fields >= 2 ? (size_t)bytes : 0, (unsigned)slot };
		c->list[c->n++] = made;
		c->pairs += fields >= 2;
	}
	for (unsigned i = 0; i < c->nslots && c->n < 20000; i++) {
		call rest = { 0, i };
		c->list[c->n++] = rest;
	}
	free(names);
	c->repeat = c->pairs ? 400000 / c->pairs / CALLS_ROUND + 1 : 1;
	return c->pairs ? 0 : 1;
}

static inline void calls_release(calls *c) { free(c->list); }

/* The script of that name out of the golden transcripts, also left in a file. */
static inline int calls_open(calls *c, const char *name, char *path, size_t cap)
{
	char command[400];
	snprintf(path, cap, "/tmp/gpusnap-bench-%d-%s.in", (int)getpid(), name);
	snprintf(command, sizeof command, "xz -dc tests/golden/transcripts.tar.xz 2>/dev/null | tar -xOf - %s.in > %s 2>/dev/null", name, path);
	FILE *f = system(command) ? NULL : fopen(path, "r");
	int failed = f ? calls_read(c, f) : 1;
	if (f)
		fclose(f);
	return failed;
}

typedef struct calls_site {
	const calls *c;
	void **live, *context;
	calls_malloc *take;
	calls_free *give;
	size_t at;
} calls_site;

#define CALLS_KEPT __attribute__((noinline)) static

/* Ways down: each bit of `way` picks one of two functions. The additions keep the calls from becoming jumps. */
CALLS_KEPT int calls_left(calls_site *s, unsigned way, unsigned depth);
CALLS_KEPT int calls_right(calls_site *s, unsigned way, unsigned depth)
{
	if (!depth)
		return s->take(s->context, s->c->list[s->at].bytes, &s->live[s->c->list[s->at].slot]) + 1;
	return (way & 1 ? calls_left : calls_right)(s, way >> 1, depth - 1) + 1;
}
CALLS_KEPT int calls_left(calls_site *s, unsigned way, unsigned depth)
{
	if (!depth)
		return s->take(s->context, s->c->list[s->at].bytes, &s->live[s->c->list[s->at].slot]) + 2;
	return (way & 1 ? calls_left : calls_right)(s, way >> 1, depth - 1) + 2;
}

CALLS_KEPT int calls_loop(calls_site *s)
{
	for (s->at = 0; s->at < s->c->n; s->at++) {
		const call *k = &s->c->list[s->at];
		void **slot = &s->live[k->slot];
		if (*slot) {
			s->give(s->context, *slot);
			*slot = NULL;
		}
		if (k->bytes)
			calls_right(s, k->slot, 4);
	}
	return 1;
}

CALLS_KEPT int calls_deeper(calls_site *s, int depth) { return depth ? calls_deeper(s, depth - 1) + 1 : calls_loop(s) + 1; }

static inline void calls_run(const calls *c, void **live, void *context, calls_malloc *take, calls_free *give)
{
	calls_site s = { c, live, context, take, give, 0 };
	calls_deeper(&s, 12);
}

#endif
