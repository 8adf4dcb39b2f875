/* Reading of .eh_frame_hdr and .eh_frame: finds the FDE of an address and runs its program. */
#include "recorder/capture/cfi.h"

#if defined(__x86_64__)

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

enum { REG_RBP = 6, REG_RSP = 7, REG_RA = 16, DEPTH = 4 };

/* A run of bytes inside a loaded module. bad is set by the first read past the end; later reads
 * give 0. */
typedef struct cursor {
	const uint8_t *at, *end;
	bool bad;
} cursor;

/* One row of the unwind table while the program runs. */
typedef struct row {
	uint64_t cfa_reg;
	int64_t cfa_off;
	bool cfa_word;   /* CFA is the word at reg + off */
	bool cfa_other;  /* an expression that is not understood */
	uint8_t rbp_how; /* gs_cfi_saved, or 255: other */
	int64_t rbp_off;
	uint8_t ra_how; /* 0 at CFA + ra_off, 1 undefined, 2 other */
	int64_t ra_off;
} row;

typedef struct cie {
	uint64_t code_align;
	int64_t data_align;
	uint8_t fde_encoding;
	bool has_augmentation, bad;
	cursor program;
} cie;

static uint64_t get_bytes(cursor *c, unsigned bytes)
{
	uint64_t v = 0;
	if (c->bad || (size_t)(c->end - c->at) < bytes) {
		c->bad = true;
		return 0;
	}
	memcpy(&v, c->at, bytes); /* little-endian, as all of x86-64 */
	c->at += bytes;
	return v;
}

static uint64_t get_uleb(cursor *c)
{
	uint64_t v = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t byte = (uint8_t)get_bytes(c, 1);
		v |= (uint64_t)(byte & 127) << shift;
		if (!(byte & 128))
			return v;
	}
	c->bad = true;
	return 0;
}

static int64_t get_sleb(cursor *c)
{
	uint64_t v = 0;
	for (unsigned shift = 0; shift < 64;) {
		uint8_t byte = (uint8_t)get_bytes(c, 1);
		v |= (uint64_t)(byte & 127) << shift;
		shift += 7;
		if (!(byte & 128)) {
			if ((byte & 64) && shift < 64)
				v |= ~(uint64_t)0 << shift;
			return (int64_t)v;
		}
	}
	c->bad = true;
	return 0;
}

static void skip(cursor *c, uint64_t bytes)
{
	if (c->bad || (uint64_t)(c->end - c->at) < bytes)
		c->bad = true;
	else
		c->at += bytes;
}

/* A pointer in a DW_EH_PE encoding; base is what datarel means. Only the encodings that linkers
 * make. */
static uint64_t get_encoded(cursor *c, uint8_t encoding, uint64_t base)
{
	uint64_t here = (uint64_t)(uintptr_t)c->at, v;
	switch (encoding & 15) {
	case 0x0:
	case 0x4:
	case 0xc: v = get_bytes(c, 8); break;
	case 0x3: v = get_bytes(c, 4); break;
	case 0xb: v = (uint64_t)(int64_t)(int32_t)get_bytes(c, 4); break;
	case 0x2: v = get_bytes(c, 2); break;
	case 0xa: v = (uint64_t)(int64_t)(int16_t)get_bytes(c, 2); break;
	case 0x1: v = get_uleb(c); break;
	case 0x9: v = (uint64_t)get_sleb(c); break;
	default: c->bad = true; return 0;
	}
	switch (encoding & 0x70) {
	case 0x00: return v;
	case 0x10: return v + here;
	case 0x30: return v + base;
	default: c->bad = true; return 0;
	}
}

static cie read_cie(const uint8_t *at)
{
	cie k = {.fde_encoding = 0, .bad = true};
	uint32_t length;
	memcpy(&length, at, 4);
	if (!length || length == UINT32_MAX)
		return k;
	cursor c = {at + 4, at + 4 + length, false};
	bool id_is_zero = get_bytes(&c, 4) == 0;
	uint8_t version = (uint8_t)get_bytes(&c, 1);
	const char *augmentation = (const char *)c.at;
	const uint8_t *nul = memchr(c.at, 0, (size_t)(c.end - c.at));
	if (!id_is_zero || (version != 1 && version != 3) || !nul)
		return k;
	c.at = nul + 1;
	k.code_align = get_uleb(&c);
	k.data_align = get_sleb(&c);
	uint64_t ra = version == 1 ? get_bytes(&c, 1) : get_uleb(&c);
	const uint8_t *program = c.at;
	if (*augmentation == 'z') {
		uint64_t n = get_uleb(&c);
		program = c.at + n;
		k.has_augmentation = true;
		augmentation++;
	}
	for (; *augmentation; augmentation++) {
		if (*augmentation == 'R')
			k.fde_encoding = (uint8_t)get_bytes(&c, 1);
		else if (*augmentation == 'L')
			skip(&c, 1);
		else if (*augmentation == 'P')
			get_encoded(&c, get_bytes(&c, 1) & 0x7f, 0);
		else
			return k; /* 'S', a signal frame, among others */
	}
	k.program = (cursor){program, c.end, program > c.end};
	k.bad = c.bad || k.program.bad || ra != REG_RA;
	return k;
}

/* The expressions that realigning functions use: "rbp + n" and "the word at rbp + n". */
static bool read_expression(cursor *c, int64_t *offset, bool *word)
{
	uint64_t n = get_uleb(c);
	if (c->bad || n > (uint64_t)(c->end - c->at))
		return !(c->bad = true);
	cursor e = {c->at, c->at + n, false};
	c->at += n;
	bool rbp = get_bytes(&e, 1) == 0x70 + REG_RBP;
	*offset = get_sleb(&e);
	*word = e.at < e.end && get_bytes(&e, 1) == 0x06;
	return rbp && !e.bad && e.at == e.end;
}

static void set_register(row *r, uint64_t reg, uint8_t how, int64_t offset)
{
	if (reg == REG_RBP) {
		r->rbp_how = how;
		r->rbp_off = offset;
	} else if (reg == REG_RA) {
		r->ra_how = how == GS_CFI_AT_CFA ? 0 : 2;
		r->ra_off = offset;
	}
}

static void restore_register(row *r, const row *initial, uint64_t reg)
{
	if (reg == REG_RBP) {
		r->rbp_how = initial->rbp_how;
		r->rbp_off = initial->rbp_off;
	} else if (reg == REG_RA) {
		r->ra_how = initial->ra_how;
		r->ra_off = initial->ra_off;
	}
}

static void set_cfa(row *r, uint64_t reg, int64_t offset)
{
	r->cfa_reg = reg;
	r->cfa_off = offset;
	r->cfa_word = r->cfa_other = false;
}

/* An instruction whose first operand is a register. */
static void run_register(cursor *c, const cie *k, row *r, const row *initial, uint8_t op)
{
	uint64_t reg = get_uleb(c);
	int64_t offset = 0;
	bool word;
	switch (op) {
	case 0x05: set_register(r, reg, GS_CFI_AT_CFA, (int64_t)get_uleb(c) * k->data_align); break;
	case 0x11: set_register(r, reg, GS_CFI_AT_CFA, get_sleb(c) * k->data_align); break;
	case 0x2f: set_register(r, reg, GS_CFI_AT_CFA, -(int64_t)get_uleb(c) * k->data_align); break;
	case 0x06: restore_register(r, initial, reg); break;
	case 0x07:
		set_register(r, reg, GS_CFI_KEPT, 0);
		if (reg == REG_RA)
			r->ra_how = 1;
		break;
	case 0x08: set_register(r, reg, reg == REG_RBP ? GS_CFI_KEPT : 255, 0); break;
	case 0x09:
		get_uleb(c);
		set_register(r, reg, 255, 0);
		break;
	case 0x0c: set_cfa(r, reg, (int64_t)get_uleb(c)); break;
	case 0x12: set_cfa(r, reg, get_sleb(c) * k->data_align); break;
	case 0x0d:
		r->cfa_reg = reg;
		r->cfa_other |= r->cfa_word;
		break;
	case 0x10: { /* the register is saved where the expression says */
		bool known = read_expression(c, &offset, &word) && !word;
		set_register(r, reg, known && reg == REG_RBP ? GS_CFI_AT_RBP : 255, offset);
		break;
	}
	case 0x14:
		get_uleb(c);
		set_register(r, reg, 255, 0);
		break;
	case 0x15:
		get_sleb(c);
		set_register(r, reg, 255, 0);
		break;
	case 0x16:
		read_expression(c, &offset, &word);
		set_register(r, reg, 255, 0);
		break;
	default: c->bad = true;
	}
}

/* Runs instructions as long as they describe addresses up to pc. loc is the address they begin at.
 */
static bool run_instructions(
	cursor c, const cie *k, row *r, const row *initial, uint64_t loc, uint64_t pc)
{
	row saved[DEPTH];
	unsigned nsaved = 0;
	int64_t offset;
	bool word;
	while (c.at < c.end && !c.bad && loc <= pc) {
		uint8_t op = (uint8_t)get_bytes(&c, 1);
		switch (op & 0xc0) {
		case 0x40: loc += (op & 63) * k->code_align; continue;
		case 0x80:
			set_register(r, op & 63, GS_CFI_AT_CFA, (int64_t)get_uleb(&c) * k->data_align);
			continue;
		case 0xc0: restore_register(r, initial, op & 63); continue;
		}
		switch (op) {
		case 0x00: break;
		case 0x02: loc += get_bytes(&c, 1) * k->code_align; break;
		case 0x03: loc += get_bytes(&c, 2) * k->code_align; break;
		case 0x04: loc += get_bytes(&c, 4) * k->code_align; break;
		case 0x0a:
			if (nsaved == DEPTH)
				return false;
			saved[nsaved++] = *r;
			break;
		case 0x0b:
			if (!nsaved)
				return false;
			*r = saved[--nsaved];
			break;
		case 0x0e:
			r->cfa_off = (int64_t)get_uleb(&c);
			r->cfa_other |= r->cfa_word;
			break;
		case 0x13:
			r->cfa_off = get_sleb(&c) * k->data_align;
			r->cfa_other |= r->cfa_word;
			break;
		case 0x0f:
			r->cfa_other = !(read_expression(&c, &offset, &word) && word);
			r->cfa_reg = REG_RBP;
			r->cfa_off = offset;
			r->cfa_word = true;
			break;
		case 0x2e: get_uleb(&c); break;
		default: run_register(&c, k, r, initial, op);
		}
	}
	return !c.bad;
}

static bool fits(int64_t v) { return v > -(1 << 24) && v < 1 << 24; }

static void rule_of_row(const row *r, gs_cfi_rule *rule)
{
	rule->kind = GS_CFI_SLOW;
	if (r->ra_how == 1) {
		rule->kind = GS_CFI_END;
		return;
	}
	if (r->cfa_other || r->ra_how || r->rbp_how == 255 || !fits(r->cfa_off) || !fits(r->rbp_off) ||
		!fits(r->ra_off))
		return;
	rule->cfa = (int32_t)r->cfa_off;
	rule->rbp = (int32_t)r->rbp_off;
	rule->ra = (int32_t)r->ra_off;
	rule->saved = r->rbp_how;
	if (r->cfa_reg == REG_RSP && !r->cfa_word)
		rule->kind = GS_CFI_RSP;
	else if (r->cfa_reg == REG_RBP)
		rule->kind = r->cfa_word ? GS_CFI_RBP_WORD : GS_CFI_RBP;
}

static void rule_of_fde(const uint8_t *at, uint64_t pc, gs_cfi_rule *rule)
{
	uint32_t length, back;
	memcpy(&length, at, 4);
	if (!length || length == UINT32_MAX)
		return;
	memcpy(&back, at + 4, 4);
	if (!back)
		return;
	cie k = read_cie(at + 4 - back);
	if (k.bad)
		return;
	cursor c = {at + 8, at + 4 + length, false};
	uint64_t begin = get_encoded(&c, k.fde_encoding, 0);
	uint64_t range = get_encoded(&c, k.fde_encoding & 15, 0);
	if (k.has_augmentation)
		skip(&c, get_uleb(&c));
	if (c.bad || pc < begin)
		return;
	if (pc - begin >= range) { /* a gap between functions: no frame information */
		rule->kind = GS_CFI_END;
		return;
	}
	row initial = {.ra_how = 2, .rbp_how = GS_CFI_KEPT}, r;
	if (!run_instructions(k.program, &k, &initial, &initial, 0, UINT64_MAX))
		return;
	r = initial;
	if (run_instructions(c, &k, &r, &initial, begin, pc))
		rule_of_row(&r, rule);
}

/* Binary search in the sorted table of .eh_frame_hdr. */
static void rule_of_module(const uint8_t *hdr, uint64_t pc, gs_cfi_rule *rule)
{
	uint64_t base = (uint64_t)(uintptr_t)hdr;
	if (hdr[0] != 1 || hdr[3] != 0x3b || hdr[2] == 0xff)
		return;
	cursor c = {hdr + 4, hdr + 24, false};
	get_encoded(&c, hdr[1], base);
	uint64_t n = get_encoded(&c, hdr[2], base), low = 0, high = n;
	if (c.bad || !n)
		return;
	const uint8_t *table = c.at;
	int64_t want = (int64_t)(pc - base);
	while (low < high) { /* the last entry that begins at or before pc */
		uint64_t middle = low + (high - low) / 2;
		int32_t begin;
		memcpy(&begin, table + 8 * middle, 4);
		if (begin <= want)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low) {
		rule->kind = GS_CFI_END;
		return;
	}
	int32_t fde;
	memcpy(&fde, table + 8 * (low - 1) + 4, 4);
	rule_of_fde(hdr + fde, pc, rule);
}

typedef struct search {
	uint64_t pc;
	const uint8_t *hdr;
} search;

static int find_header(struct dl_phdr_info *info, size_t size, void *arg)
{
	search *s = arg;
	const uint8_t *hdr = NULL;
	bool here = false;
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type == PT_LOAD && s->pc - (info->dlpi_addr + p->p_vaddr) < p->p_memsz)
			here = true;
		else if (p->p_type == PT_GNU_EH_FRAME)
			hdr = (const uint8_t *)(uintptr_t)(info->dlpi_addr + p->p_vaddr); /* NOLINT */
	}
	if (here)
		s->hdr = hdr;
	return here;
}

#if defined(DLFO_STRUCT_HAS_EH_DBASE)
/* glibc has it since 2.35; a program built where the headers know it still runs where it is not. */
#pragma weak _dl_find_object

static bool ask_loader(uint64_t pc, const uint8_t **hdr)
{
	struct dl_find_object found;
	if (!_dl_find_object)
		return false;
	if (!_dl_find_object((void *)(uintptr_t)pc, &found)) /* NOLINT */
		*hdr = found.dlfo_eh_frame;
	return true;
}
#else
static bool ask_loader(uint64_t pc, const uint8_t **hdr)
{
	(void)pc, (void)hdr;
	return false;
}
#endif

void gs_cfi_find(uint64_t pc, gs_cfi_rule *rule)
{
	search s = {pc, NULL};
	memset(rule, 0, sizeof *rule);
	if (!ask_loader(pc, &s.hdr))
		dl_iterate_phdr(find_header, &s);
	/* no module: perhaps code made at run time, whose frames only libgcc may know */
	if (s.hdr)
		rule_of_module(s.hdr, pc, rule);
}

#else

#include <string.h>

void gs_cfi_find(uint64_t pc, gs_cfi_rule *rule)
{
	(void)pc;
	memset(rule, 0, sizeof *rule);
}

#endif
