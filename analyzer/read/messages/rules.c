/* Tries the rules at the places of their anchors, in the order of the text. */
#include "analyzer/read/messages/rules.h"

#include <string.h>

#include "analyzer/read/messages/labels.h"
#include "analyzer/read/text/figure.h"

static const gs_oom_rule *const tables[] = {gs_oom_rules_torch, gs_oom_rules_xla,
	gs_oom_rules_paddle, gs_oom_rules_ggml, gs_oom_rules_others, gs_oom_rules_apps};

bool gs_oom_states(const gs_text *t, size_t i)
{
	if (i == 0 || t->gap[i] >= GS_GAP_WRAP)
		return true;
	return memchr(":\"'([`>|=-*!#", t->s[i - 1], 13) != NULL;
}

bool gs_oom_listed(const gs_text *t, size_t i, size_t end)
{
	static const char *const calls[] = {
		"startswith(", "contains(", "find(", "search(", "match=", "==", NULL};
	char quote = end < t->n ? t->s[end] : 0;
	size_t least = gs_oom_back(i, 24);
	while (i > least && t->s[i - 1] != quote) /* the string may begin before the phrase */
		i--;
	if ((quote != '\'' && quote != '"') || !i || t->s[i - 1] != quote)
		return false;
	for (size_t k = 0; calls[k]; k++)
		if (gs_text_ends(t, i - 1, calls[k]))
			return true;
	return gs_text_is(t, end + 1, "in") || gs_text_is(t, end + 1, "notin");
}

bool gs_oom_any(const gs_text *t, size_t from, size_t to, const char *const *phrases)
{
	for (; *phrases; phrases++)
		if (gs_text_find(t, from, to, *phrases) != SIZE_MAX)
			return true;
	return false;
}

bool gs_oom_near(const gs_text *t, size_t i, size_t n, const char *const *phrases)
{
	return gs_oom_any(t, i > n ? i - n : 0, i + n, phrases);
}

const char *gs_oom_library(const gs_text *t, size_t i, const char *what)
{
	static const struct {
		const char *word, *library;
	} known[] = {
		{"mallocmc", "mallocmc"},
		{"rmm::", "rmm"},
		{"rmm/", "rmm"},
		{"rmm_", "rmm"},
		{"cupy", "cupy"},
		{"chainer", "cupy"},
		{"numba", "numba"},
		{"pycuda", "pycuda"},
		{"mxnet", "mxnet"},
		{"pooled_storage_manager", "mxnet"},
		{"paddle", "paddle"},
		{"onnxruntime", "onnxruntime"},
		{"tensorrt", "tensorrt"},
		{"[trt]", "tensorrt"},
		{"nvinfer", "tensorrt"},
		{"ggml", "ggml"},
		{"llama_", "ggml"},
		{"llama.cpp", "ggml"},
		{"llamarunner", "ggml"},
		{"ollama", "ggml"},
		{"xgboost", "xgboost"},
		{"lightgbm", "lightgbm"},
		{"kokkos", "kokkos"},
		{"cuda.jl", "julia"},
		{"cudadrv/", "julia"},
		{"cuarrays", "julia"},
		{"gpucompiler", "julia"},
		{"amdgpu.jl", "julia"},
		{"jaxlib", "jax"},
		{"tensorflow", "tensorflow"},
		{"torch", "pytorch"},
		{"caffe2", "caffe2"},
		{"caffe", "caffe"},
		{"julia/packages", "julia"},
		{"cntk", "cntk"},
		{"catboost", "catboost"},
		{"faiss", "faiss"},
		{"opencv", "opencv"},
		{"gromacs", "gromacs"},
		{"theano", "theano"},
		{"pygpu", "theano"},
		{"gpuarrayexception", "theano"},
		{"thrust::", "thrust"},
		{"thrust/", "thrust"},
		{"parallel_forfailed", "thrust"},
		{"amrex", "amrex"},
		{"blender", "blender"},
		{"cycles", "blender"},
	};
	size_t best = 400;
	const char *library = what, *logged = gs_oom_log_library(t, i);
	if (logged)
		return logged;
	for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
		size_t nearer = best / 3 + 1 + strlen(known[k].word),
			   to = i + (nearer < 300 ? nearer : 300);
		size_t left = gs_text_find_last(t, gs_oom_back(i, best), i, known[k].word),
			   right = gs_text_find(t, i, to, known[k].word);
		size_t d = left != SIZE_MAX ? i - left : SIZE_MAX;
		if (right != SIZE_MAX && (right - i) * 3 < d) /* what comes before says more */
			d = (right - i) * 3;
		if (d < best) {
			best = d;
			library = known[k].library;
		}
	}
	return library;
}

size_t gs_oom_size_at(const gs_text *t, size_t i, int64_t *field)
{
	int64_t bytes;
	size_t end = i;
	bool unit;
	if (!gs_text_size(t, &end, &bytes, &unit))
		return i;
	if (!unit && (memchr(t->s + i, '.', end - i) || (t->end && end + 2 >= t->n && bytes < 1000)))
		return i; /* cut before its unit: no library prints a part of a byte, or so few of them */
	if (!gs_oom_sentinel(bytes) || bytes != INT64_MAX)
		*field = bytes;
	return end;
}

size_t gs_oom_size_after(
	const gs_text *t, size_t from, size_t to, const char *phrase, int64_t *field)
{
	size_t at = gs_text_find(t, from, to, phrase);
	if (at == SIZE_MAX)
		return from;
	size_t end = gs_oom_size_at(t, at + strlen(phrase), field);
	return end > at + strlen(phrase) ? end : from;
}

int gs_oom_found(
	const gs_text *t, gs_oom_match *m, const char *library, gs_oom_kind kind, size_t last)
{
	m->row.library = library;
	m->kind = kind;
	m->end = gs_oom_line_end(t, last > m->end ? last : m->end, gs_oom_ahead(t, last, 400));
	return 1;
}

int gs_oom_not_row(gs_oom_match *m, gs_oom_not reason, size_t end)
{
	m->reason = reason;
	m->end = end;
	return -1;
}

static void blank(gs_oom_match *m, size_t begin, size_t end)
{
	memset(m, 0, sizeof *m);
	gs_oom *r = &m->row;
	r->device = -1;
	r->pool = GS_CLASS_UNKNOWN;
	r->idx = r->time_us = r->requested = r->needed = r->stream = GS_NONE;
	r->device_free = r->capacity = r->allocated = r->reserved = r->allowed = GS_NONE;
	m->others = GS_NONE;
	m->begin = begin;
	m->end = end;
}

/* Moves a rule to the next place of its anchor at or after from; false when there is none. */
static bool advance(const gs_text *t, gs_oom_place *p, size_t from, size_t to)
{
	size_t length = strlen(p->rule->anchor),
		   at = gs_text_find(t, from, to + length - 1, p->rule->anchor);
	p->at = at;
	return at != SIZE_MAX && at < to;
}

static void forget(gs_oom_seeker *k, size_t i)
{
	k->n--;
	memmove(&k->places[i], &k->places[i + 1], (k->n - i) * sizeof *k->places);
}

void gs_oom_seek(const gs_text *t, size_t from, size_t to, gs_oom_seeker *k)
{
	k->n = 0;
	k->to = to < t->n ? to : t->n;
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		for (const gs_oom_rule *r = tables[i]; r->anchor && k->n < GS_OOM_RULES; r++) {
			k->places[k->n].rule = r;
			if (advance(t, &k->places[k->n], from, k->to))
				k->n++;
		}
}

int gs_oom_text_match(const gs_text *t, size_t from, gs_oom_seeker *k, gs_oom_match *m)
{
	for (size_t i = 0; i < k->n;)
		if (k->places[i].at < from && !advance(t, &k->places[i], from, k->to))
			forget(k, i);
		else
			i++;
	while (k->n) {
		size_t first = 0;
		for (size_t i = 1; i < k->n; i++)
			if (k->places[i].at < k->places[first].at)
				first = i;
		gs_oom_place p = k->places[first];
		size_t end = p.at + strlen(p.rule->anchor);
		blank(m, p.at, end);
		int is = p.rule->judge(t, p.at, m);
		if (is) {
			m->end = m->end < end ? end : m->end;
			size_t next = m->once ? gs_text_find(t, end, m->end, p.rule->anchor) : SIZE_MAX;
			if (next != SIZE_MAX)
				m->end = next;
			m->begin = m->begin < from ? from : m->begin;
			return is;
		}
		if (!advance(t, &k->places[first], p.at + 1, k->to))
			forget(k, first);
	}
	return 0;
}
