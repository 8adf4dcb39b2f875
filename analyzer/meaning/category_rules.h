/* The rules as tables, for the files of this room. */
#ifndef GS_ANALYZER_MEANING_CATEGORY_RULES_H
#define GS_ANALYZER_MEANING_CATEGORY_RULES_H

#include "analyzer/meaning/category.h"
#include "analyzer/meaning/phase.h"

/* Lifetimes, as sets: an allocation has several at once. */
enum gs_life {
	GS_LIFE_ANY = 0,
	GS_LIFE_SHORT = 1,     /* freed in the pass that it was born in */
	GS_LIFE_BACKWARD = 2,  /* freed in a backward pass; or lives as its twin did, which was */
	GS_LIFE_STEP = 4,      /* lives, and its step is not over */
	GS_LIFE_PASS = 8,      /* lives, and its pass is not over */
	GS_LIFE_LONG = 16,     /* outlived its pass */
	GS_LIFE_NEXT = 32,     /* freed in its step or the next, or lives and the next is not over */
	GS_LIFE_PAST = 64,     /* outlived the next step too */
	GS_LIFE_KEPT = 128,    /* never freed */
	GS_LIFE_REPLACED = 256 /* freed while the model was still being built */
};

enum gs_size {
	GS_SIZE_ANY = 0,
	GS_SIZE_PARAMETER = 1, /* some parameter's */
	GS_SIZE_CUBLAS = 2,    /* of cuBLAS's workspace */
	GS_SIZE_COPIES = 4     /* its stack makes several of parameters' sizes */
};

typedef struct gs_category_rule {
	const char *id, *why;
	uint8_t category, phase, trait;
	uint16_t life, size;
} gs_category_rule;

/* Ours, numbered from 1; the user's follow. */
extern const gs_category_rule gs_own_rules[];
extern const unsigned gs_own_rules_count;

/* Number of the first of the user's rules that a frame matches, 0 none. */
unsigned gs_category_rules_user(const gs_category_rules *rules, const char *name, const char *file);
/* The category that a rule gives, by its number. */
unsigned gs_category_of_rule(const gs_category_rules *rules, unsigned rule);

#endif
