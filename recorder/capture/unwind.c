/* Walks of the calling thread's stack, remembered. */
#include "recorder/capture/unwind.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

/* The words read are other functions' stack slots: sanitizers must not judge them. */
#if defined(__clang__) || defined(__GNUC__)
#define GS_READS_STACK __attribute__((no_sanitize("address", "thread")))
#else
#define GS_READS_STACK
#endif

enum { SKIPPED = 16 }; /* frames of ours that backtrace() may show before the caller's */
static const uint64_t reach = 64 << 20; /* no walk leaves this distance from its start */

/* glibc's function: of several libraries that export the name (libunwind does), the C library's
 * own. Set once, before threads use it. */
static int (*glibc_backtrace)(void **frames, int max);

void gs_unwind_prepare(void)
{
	void *frames[4];
	void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
	if (!glibc_backtrace && libc) {
		void *symbol = dlsym(libc, "backtrace");
		memcpy(&glibc_backtrace, &symbol, sizeof symbol);
	}
	if (glibc_backtrace)
		glibc_backtrace(frames, 4);
}

GS_READS_STACK static inline uint64_t word_at(uint64_t address)
{
	return *(const volatile uint64_t *)(uintptr_t)address;
}

enum { HOPS = 12 }; /* look-ups that one stack may cost */

static inline uint32_t mix(uint64_t a, uint64_t b)
{
	return (uint32_t)(((a ^ (b << 7)) * 0x9e3779b97f4a7c15u) >> 32);
}

static inline bool same_start(const gs_walk *m, const gs_regs *start)
{
	return m->start.ip == start->ip && m->start.sp == start->sp &&
		(!m->uses_bp || m->start.bp == start->bp);
}

GS_READS_STACK uint32_t gs_unwind_known(gs_unwinder *u, const gs_regs *start)
{
	uint32_t slot = mix(start->ip, start->sp) % GS_UNWIND_MEMOS;
	for (int hop = 0; hop < HOPS; hop++) {
		const gs_walk *m = &u->memos[slot];
		uint32_t i = 0;
		u->vacant = slot;
		if (!same_start(m, start))
			return 0;
		while (i < m->nwords &&
			*(const uint64_t *)(uintptr_t)(start->sp + m->offsets[i]) == m->values[i])
			i++;
		if (i == m->nwords)
			return m->result;
		slot = mix(*(const uint64_t *)(uintptr_t)(start->sp + m->offsets[i]) + slot, i) %
			GS_UNWIND_MEMOS;
	}
	return 0;
}

/* Frames by glibc, from the one that returns to start->ip. */
static uint32_t walk_slowly(const gs_regs *start, uint64_t *frames, uint32_t max)
{
	void *all[GS_UNWIND_MAX + SKIPPED];
	int n = glibc_backtrace ? glibc_backtrace(all, (int)max + SKIPPED) : 0;
	int first = 0;
	uint32_t count = 0;
	while (first < n && (uint64_t)(uintptr_t)all[first] != start->ip)
		first++;
	if (first == n) { /* not seen: better the one frame that is sure */
		frames[0] = start->ip;
		return 1;
	}
	for (int i = first; i < n && count < max; i++)
		frames[count++] = (uint64_t)(uintptr_t)all[i];
	return count;
}

static const gs_cfi_rule *rule_of(gs_unwinder *u, uint64_t ip)
{
	struct gs_unwind_rule *slot = &u->rules[((ip * 0x9e3779b97f4a7c15u) >> 40) % GS_UNWIND_RULES];
	if (slot->ip != ip) {
		gs_cfi_find(ip - 1, &slot->rule);
		slot->ip = ip;
	}
	return &slot->rule;
}

/* Reads a word for the walk, and notes it. An address out of reach gives false. */
static inline bool read_word(gs_walk *w, uint64_t address, uint64_t *value)
{
	uint64_t offset = address - w->start.sp;
	if (offset >= reach || (address & 7))
		return false;
	*value = word_at(address);
	if (w->nwords < GS_UNWIND_WORDS) {
		w->offsets[w->nwords] = (uint32_t)offset;
		w->values[w->nwords++] = *value;
	} else {
		w->nwords = GS_UNWIND_WORDS + 1;
	}
	return true;
}

/* State of the walk at one frame. rbp is read from where it was saved only when a rule needs it. */
typedef struct place {
	uint64_t ip, sp, bp;
	uint64_t bp_at; /* address that holds rbp, or 0: bp is known */
	bool bp_read;   /* bp was read from the stack: it is no longer the start's */
} place;

static inline bool load_bp(gs_walk *w, place *p)
{
	if (!p->bp_at) {
		w->uses_bp |= !p->bp_read;
		return true;
	}
	if (!read_word(w, p->bp_at, &p->bp))
		return false;
	p->bp_at = 0;
	return p->bp_read = true;
}

/* To the caller; false where the rule leads astray. */
static inline bool step_frame(gs_walk *w, place *p, const gs_cfi_rule *r)
{
	uint64_t cfa = p->sp + (uint64_t)(int64_t)r->cfa;
	if (r->kind != GS_CFI_RSP) {
		if (!load_bp(w, p))
			return false;
		cfa = p->bp + (uint64_t)(int64_t)r->cfa;
		if (r->kind == GS_CFI_RBP_WORD && !read_word(w, cfa, &cfa))
			return false;
	}
	if (r->saved == GS_CFI_AT_CFA) {
		p->bp_at = cfa + (uint64_t)(int64_t)r->rbp;
	} else if (r->saved == GS_CFI_AT_RBP) {
		if (!load_bp(w, p))
			return false;
		p->bp_at = p->bp + (uint64_t)(int64_t)r->rbp;
	}
	if (cfa <= p->sp || !read_word(w, cfa + (uint64_t)(int64_t)r->ra, &p->ip))
		return false;
	p->sp = cfa;
	return true;
}

uint32_t gs_unwind(gs_unwinder *u, const gs_regs *start, uint64_t *frames, uint32_t max)
{
	place p = {start->ip, start->sp, start->bp, 0, false};
	uint32_t n = 0;
	u->last.start = *start;
	u->last.nwords = 0;
	u->last.uses_bp = false;
	if (max > GS_UNWIND_MAX)
		max = GS_UNWIND_MAX;
	while (n < max && p.ip) {
		frames[n++] = p.ip;
		const gs_cfi_rule *r = rule_of(u, p.ip);
		if (r->kind == GS_CFI_END || n == max)
			break;
		if (r->kind == GS_CFI_SLOW || !step_frame(&u->last, &p, r)) {
			u->last.nwords = GS_UNWIND_WORDS + 1;
			return walk_slowly(start, frames, max);
		}
	}
	return n;
}

void gs_unwind_remember(gs_unwinder *u, uint32_t result)
{
	const gs_walk *w = &u->last;
	if (w->nwords > GS_UNWIND_WORDS)
		return;
	gs_walk *m = &u->memos[u->vacant];
	m->start = w->start;
	m->result = result;
	m->nwords = w->nwords;
	m->uses_bp = w->uses_bp;
	memcpy(m->offsets, w->offsets, w->nwords * sizeof *w->offsets);
	memcpy(m->values, w->values, w->nwords * sizeof *w->values);
}

static int add_counts(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	*(unsigned long long *)arg = info->dlpi_adds + info->dlpi_subs;
	return 1;
}

unsigned long long gs_unwind_loads(void)
{
	unsigned long long loads = 0;
	dl_iterate_phdr(add_counts, &loads);
	return loads;
}

void gs_unwind_check(gs_unwinder *u, uint32_t owner, uint64_t now, uint64_t millisecond)
{
	if (u->owner == owner && now - u->checked < millisecond)
		return;
	unsigned long long loads = gs_unwind_loads();
	u->checked = now;
	if (u->owner == owner && u->loads == loads)
		return;
	u->owner = owner;
	u->loads = loads;
	memset(u->rules, 0, sizeof u->rules);
	for (size_t i = 0; i < GS_UNWIND_MEMOS; i++)
		u->memos[i].start.ip = 0;
}
