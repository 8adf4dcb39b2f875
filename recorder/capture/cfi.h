/* How to step from one C frame to its caller, read from the call frame information (.eh_frame) that
 * compilers leave in every module, also without frame pointers. x86-64 only; elsewhere every rule
 * is GS_CFI_SLOW and callers use glibc's backtrace().
 *
 * Only the shapes that compilers make for ordinary code are understood; anything else (signal
 * frames, unusual registers, code without FDE index) is GS_CFI_SLOW too. Nothing allocates;
 * thread-safe; the only lock that can be taken is the loader's, and only where glibc lacks
 * _dl_find_object. */
#ifndef GS_RECORDER_CAPTURE_CFI_H
#define GS_RECORDER_CAPTURE_CFI_H

#include <stdbool.h>
#include <stdint.h>

typedef enum gs_cfi_kind {
	GS_CFI_SLOW, /* not understood */
	GS_CFI_END, /* the outermost frame: it has no caller, or the address has no frame information */
	GS_CFI_RSP, /* CFA = rsp + cfa */
	GS_CFI_RBP, /* CFA = rbp + cfa */
	GS_CFI_RBP_WORD /* CFA = the word at rbp + cfa (functions that realign their stack) */
} gs_cfi_kind;

typedef enum gs_cfi_saved {
	GS_CFI_KEPT,   /* rbp is still the caller's */
	GS_CFI_AT_CFA, /* the caller's rbp is the word at CFA + rbp */
	GS_CFI_AT_RBP  /* the caller's rbp is the word at rbp + rbp offset */
} gs_cfi_saved;

/* CFA (canonical frame address) is the caller's rsp after the return; the return address is the
 * word at CFA + ra. */
typedef struct gs_cfi_rule {
	int32_t cfa, rbp, ra;
	uint8_t kind;  /* gs_cfi_kind */
	uint8_t saved; /* gs_cfi_saved */
} gs_cfi_rule;

/* The rule that holds at code address pc (for a return address: the address - 1). */
void gs_cfi_find(uint64_t pc, gs_cfi_rule *rule);

#endif
