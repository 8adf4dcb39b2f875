/* Marks frames by words, and stacks by their innermost marked frame. */
#include "analyzer/meaning/phase.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/meaning/meaning.h"
#include "analyzer/meaning/category_rules.h"
#include "analyzer/model/frame_class.h"
#include "analyzer/model/frames.h"

typedef struct mark {
	uint8_t phase, trait;
	const char *name, *file;
} mark;

static const mark marks[] = {
#define GS_MARK(phase, trait, name, file) {GS_PHASE_##phase, GS_TRAIT_##trait, name, file},
#include "analyzer/meaning/category_rules.def"
#undef GS_MARK
};
enum { MARKS = sizeof marks / sizeof *marks };

/* What a frame says. */
typedef struct frame_mark {
	uint8_t phase, trait, rule;
} frame_mark;

/* "name", "name*", "*name*". */
static bool name_fits(const char *pattern, const char *name)
{
	size_t n = strlen(pattern);
	if (!n)
		return true;
	bool open = pattern[0] == '*', tail = pattern[n - 1] == '*';
	if (!open && !tail)
		return !strcmp(name, pattern);
	if (!open)
		return !strncmp(name, pattern, n - 1);
	char part[64];
	size_t length = n - 1 - tail < sizeof part - 1 ? n - 1 - tail : sizeof part - 1;
	memcpy(part, pattern + 1, length);
	part[length] = 0;
	/* the part itself may hold one more star: *Backward*::apply(* */
	char *star = strchr(part, '*');
	if (!star)
		return strstr(name, part) != NULL;
	*star = 0;
	const char *at = strstr(name, part);
	return at && strstr(at + strlen(part), star + 1);
}

/* One of several words apart by |. */
static bool file_fits(const char *words, const char *file)
{
	if (!*words)
		return true;
	char word[96];
	for (const char *p = words; *p;) {
		size_t n = strcspn(p, "|");
		if (n < sizeof word) {
			memcpy(word, p, n);
			word[n] = 0;
			if (strstr(file, word))
				return true;
		}
		p += n + (p[n] == '|');
	}
	return false;
}

/* The path with forward slashes. */
static const char *plain_slashes(const char *file, char *buf, size_t cap)
{
	if (!strchr(file, '\\'))
		return file;
	size_t i = 0;
	for (; file[i] && i + 1 < cap; i++)
		buf[i] = file[i] == '\\' ? '/' : file[i];
	buf[i] = 0;
	return buf;
}

static bool is_python(const char *file)
{
	size_t n = strlen(file);
	return (n > 3 && !strcmp(file + n - 3, ".py")) || (n && file[0] == '<');
}

static frame_mark mark_frame(
	const gs_snapshot *s, const gs_category_rules *rules, gs_id id, bool *python)
{
	char buf[1024];
	const gs_frame *f = &s->frames[id];
	const char *name = gs_string_text(s, f->name);
	const char *file = plain_slashes(gs_string_text(s, f->file), buf, sizeof buf);
	frame_mark m = {0, 0, (uint8_t)gs_category_rules_user(rules, name, file)};
	*python = f->class ? f->class & GS_FRAME_PYTHON : is_python(file);
	if (f->class) {
		m.phase = f->class >> GS_FRAME_PHASE_AT & 15;
		m.trait = f->class >> GS_FRAME_TRAIT_AT & 15;
		return m;
	}
	if (gs_frame_is_bare_node(s, id))
		return (frame_mark){GS_PHASE_BACKWARD, GS_TRAIT_NODE, m.rule};
	for (size_t i = 0; i < MARKS; i++)
		if (name_fits(marks[i].name, name) && file_fits(marks[i].file, file)) {
			m.phase = marks[i].phase;
			m.trait = marks[i].trait;
			break;
		}
	return m;
}

static bool is_engine(const gs_snapshot *s, const gs_frame *f)
{
	return f->class ? f->class & GS_FRAME_ENGINE
					: !strncmp(
						  gs_string_text(s, f->name), "torch::autograd::Engine::thread_main", 36);
}

static bool is_called_back(const gs_snapshot *s, const gs_frame *f)
{
	char buf[1024];
	if (f->class)
		return f->class & GS_FRAME_CALLED_BACK;
	const char *file = plain_slashes(gs_string_text(s, f->file), buf, sizeof buf),
			   *name = gs_string_text(s, f->name);
	return (!strcmp(name, "apply") && strstr(file, "torch/autograd/function.py")) ||
		strstr(file, "torch/_native/") || /* kernels in Python, called by the dispatcher (2.15) */
		(!strcmp(name, "unpack_hook") && strstr(file, "torch/utils/checkpoint.py"));
}

/* A stack whose Python part begins in the call that the autograd engine makes, or that has the
 * engine's own frames. n: without those that ordered the work. */
static bool from_autograd(const gs_snapshot *s, const gs_id *frames, uint32_t n, const bool *python)
{
	gs_id outermost = 0;
	for (uint32_t i = n; i-- && !outermost;) {
		if (is_engine(s, &s->frames[frames[i]]))
			return true;
		outermost = python[frames[i]] ? frames[i] : 0;
	}
	return outermost && is_called_back(s, &s->frames[outermost]);
}

static bool is_constructor(const gs_snapshot *s, gs_id frame)
{
	const gs_frame *f = &s->frames[frame];
	return f->class ? f->class & GS_FRAME_CONSTRUCTOR
					: !strcmp(gs_string_text(s, f->name), "__init__");
}

/* One of PyTorch's own layers, which have their weights beside what they are given. */
static bool is_layer(const gs_snapshot *s, gs_id frame)
{
	char buf[1024];
	const char *file = gs_string_text(s, s->frames[frame].file);
	file = plain_slashes(file, buf, sizeof buf);
	return strstr(file, "torch/nn/modules/") || strstr(file, "torch/nn/functional.py");
}

static gs_stack_phase look_at_stack(
	const gs_snapshot *s, gs_id stack, const frame_mark *of, const bool *python)
{
	const gs_id *frames = s->stack_frames + s->stacks[stack].first;
	uint32_t own = gs_stack_own(s, stack), n = s->stacks[stack].n;
	bool node = own < n, marked = false, seen = false;
	gs_stack_phase p = {.phase = n ? GS_PHASE_USER : GS_PHASE_NONE};
	n = node ? own + 1 : n; /* behind a node comes who ordered it */
	for (uint32_t i = 0; i < n; i++) {
		gs_id f = frames[i];
		if (!p.rule)
			p.rule = of[f].rule;
		if (!marked && of[f].phase) {
			p.phase = of[f].phase;
			p.trait = of[f].trait;
			marked = true;
		}
		if (python[f] && !seen) {
			seen = p.python = true;
			p.constructor = is_constructor(s, f);
			p.layer = is_layer(s, f);
		}
	}
	p.autograd = node || (n && from_autograd(s, frames, n, python));
	if (p.autograd && p.phase == GS_PHASE_FORWARD)
		p.phase = GS_PHASE_RECOMPUTE;
	else if (p.autograd && p.phase == GS_PHASE_USER)
		p.phase = GS_PHASE_BACKWARD;
	return p;
}

/* --- buffers of modules --------------------------------------------------------------------------
 */

/* Module._apply moves parameters on an earlier line than buffers: 61 and 70 lines apart in 2.6 and
 * 2.15, gradients between them at 37 and 44. */
enum { BUFFER_LINES = 50 };

static bool moves_tensors(const gs_snapshot *s, const gs_frame *f)
{
	return f->class ? f->class & GS_FRAME_MOVES : !strcmp(gs_string_text(s, f->name), "_apply");
}

static gs_id applying_frame(const gs_snapshot *s, gs_id stack)
{
	const gs_id *frames = s->stack_frames + s->stacks[stack].first;
	for (uint32_t i = 0; i < s->stacks[stack].n; i++)
		if (moves_tensors(s, &s->frames[frames[i]]))
			return frames[i];
	return 0;
}

static void tell_buffers(gs_phases *p, const gs_snapshot *s)
{
	int64_t least = INT64_MAX;
	for (int pass = 0; pass < 2; pass++)
		for (gs_id k = 1; k < s->nstacks; k++) {
			gs_stack_phase *x = &p->stacks[k];
			gs_id f = x->phase == GS_PHASE_SETUP && x->trait == GS_TRAIT_MOVED
				? applying_frame(s, k)
				: 0;
			int64_t line = f ? s->frames[f].line : GS_NONE;
			if (line == GS_NONE)
				continue;
			if (!pass)
				least = line < least ? line : least;
			else if (line >= least + BUFFER_LINES)
				x->trait = GS_TRAIT_BUFFER;
		}
}

/* --- constructors of modules ---------------------------------------------------------------------
 */

/* The constructor of a module of the user's is known by the modules that it constructs: what it
 * allocates itself are parameters and buffers too. A function is its name and file. */
static bool same_function(const gs_snapshot *s, gs_id a, gs_id b)
{
	return s->frames[a].name == s->frames[b].name && s->frames[a].file == s->frames[b].file;
}

static void mark_constructors(const gs_snapshot *s, const gs_phases *p, bool *is_module)
{
	for (gs_id k = 1; k < s->nstacks; k++) {
		if (p->stacks[k].phase != GS_PHASE_SETUP || p->stacks[k].trait != GS_TRAIT_MADE)
			continue;
		const gs_id *frames = s->stack_frames + s->stacks[k].first;
		for (uint32_t i = 0; i < s->stacks[k].n; i++)
			if (is_constructor(s, frames[i]))
				is_module[frames[i]] = true;
	}
}

static void tell_constructors(gs_phases *p, const gs_snapshot *s, bool *is_module)
{
	mark_constructors(s, p, is_module);
	for (gs_id k = 1; k < s->nstacks; k++) {
		gs_stack_phase *x = &p->stacks[k];
		if (x->phase != GS_PHASE_USER || !x->constructor)
			continue;
		const gs_id *frames = s->stack_frames + s->stacks[k].first;
		uint32_t i = 0;
		while (!p->python[frames[i]])
			i++;
		for (gs_id f = 1; f < s->nframes; f++)
			if (is_module[f] && same_function(s, f, frames[i])) {
				x->phase = GS_PHASE_SETUP;
				x->trait = GS_TRAIT_MADE;
				break;
			}
	}
}

/* --- arguments of modules ------------------------------------------------------------------------
 */

/* The frame that calls a stack's outermost module, 0 none. */
static gs_id calling_frame(const gs_phases *p, const gs_snapshot *s, gs_id stack)
{
	const gs_id *frames = s->stack_frames + s->stacks[stack].first;
	gs_id outer = 0;
	for (uint32_t i = s->stacks[stack].n; i--;) {
		if (p->frames[frames[i]] == GS_PHASE_FORWARD)
			return outer;
		outer = p->python[frames[i]] ? frames[i] : outer;
	}
	return 0;
}

/* What the line of a call computes besides, is what the module is given: only the call and autograd
 * hold it. */
static void tell_arguments(gs_phases *p, const gs_snapshot *s, bool *calls)
{
	memset(calls, 0, (size_t)s->nframes + 1);
	for (gs_id k = 1; k < s->nstacks; k++)
		if (p->stacks[k].phase == GS_PHASE_FORWARD)
			calls[calling_frame(p, s, k)] = true;
	calls[0] = false;
	for (gs_id k = 1; k < s->nstacks; k++) {
		const gs_id *frames = s->stack_frames + s->stacks[k].first;
		uint32_t i = 0;
		if (p->stacks[k].phase != GS_PHASE_USER || !p->stacks[k].python)
			continue;
		while (!p->python[frames[i]])
			i++;
		p->stacks[k].argument = calls[frames[i]];
	}
}

_Static_assert(GS_PHASE_ANY < 16 && GS_TRAIT_ANY < 16, "four bits of a frame's class each");

uint32_t gs_meaning_frame_class(const gs_snapshot *s, gs_id frame)
{
	const gs_frame *f = &s->frames[frame];
	bool python;
	if (f->class)
		return f->class;
	frame_mark m = mark_frame(s, NULL, frame, &python);
	uint32_t class = gs_frame_class(s, frame);
	class |= python ? GS_FRAME_PYTHON : 0;
	class |= is_constructor(s, frame) ? GS_FRAME_CONSTRUCTOR : 0;
	class |= moves_tensors(s, f) ? GS_FRAME_MOVES : 0;
	class |= is_engine(s, f) ? GS_FRAME_ENGINE : 0;
	class |= is_called_back(s, f) ? GS_FRAME_CALLED_BACK : 0;
	return class | (uint32_t)m.phase << GS_FRAME_PHASE_AT | (uint32_t)m.trait << GS_FRAME_TRAIT_AT;
}

/* --- all together --------------------------------------------------------------------------------
 */

gs_status gs_phases_init(gs_phases *p, const gs_snapshot *s, const gs_category_rules *rules)
{
	memset(p, 0, sizeof *p);
	p->stacks = calloc((size_t)s->nstacks + 1, sizeof *p->stacks);
	p->python = calloc((size_t)s->nframes + 1, sizeof *p->python);
	frame_mark *of = calloc((size_t)s->nframes + 1, sizeof *of);
	bool *is_module = calloc((size_t)s->nframes + 1, sizeof *is_module);
	p->frames = calloc((size_t)s->nframes + 1, 1);
	bool enough = p->stacks && p->python && p->frames && of && is_module;
	for (gs_id f = 1; enough && f < s->nframes; f++) {
		of[f] = mark_frame(s, rules, f, &p->python[f]);
		p->frames[f] = of[f].phase;
	}
	bool python = false;
	for (gs_id k = 1; enough && k < s->nstacks; k++) {
		p->stacks[k] = look_at_stack(s, k, of, p->python);
		python |= p->stacks[k].python;
	}
	if (enough) {
		tell_buffers(p, s);
		tell_constructors(p, s, is_module);
		tell_arguments(p, s, is_module);
		p->empty_is_backward = python && s->kind != GS_KIND_GSNAP;
	}
	free(of);
	free(is_module);
	return enough ? GS_OK : GS_NO_MEMORY;
}

void gs_phases_release(gs_phases *p)
{
	free(p->stacks);
	free(p->python);
	free(p->frames);
	memset(p, 0, sizeof *p);
}

uint32_t gs_phases_next_frame(const gs_phases *p, const gs_snapshot *s, gs_id stack, uint32_t i)
{
	const gs_id *frames = s->stack_frames + s->stacks[stack].first;
	while (i--)
		if (p->stacks[stack].python ? p->python[frames[i]] : s->frames[frames[i]].line > 0)
			return i;
	return UINT32_MAX;
}

bool gs_phases_part(const gs_phases *p, const gs_snapshot *s, gs_id from, gs_id to, gs_parting *out)
{
	*out = (gs_parting){0};
	if (!from || !to || p->stacks[from].python != p->stacks[to].python)
		return false;
	const gs_id *a = s->stack_frames + s->stacks[from].first,
				*b = s->stack_frames + s->stacks[to].first;
	uint32_t i = s->stacks[from].n, k = s->stacks[to].n;
	for (;;) {
		i = gs_phases_next_frame(p, s, from, i);
		k = gs_phases_next_frame(p, s, to, k);
		if (i == UINT32_MAX || k == UINT32_MAX)
			return false;
		if (a[i] != b[k])
			break;
		out->common = a[i];
		out->depth++;
	}
	out->from = a[i];
	out->to = b[k];
	return true;
}

int gs_phases_turn(const gs_phases *p, const gs_snapshot *s, gs_id from, gs_id to, uint32_t *depth)
{
	gs_parting part;
	bool differ = gs_phases_part(p, s, from, to, &part);
	*depth = part.depth;
	if (!differ)
		return 0;
	const gs_frame *x = &s->frames[part.from], *y = &s->frames[part.to];
	if (!same_function(s, part.from, part.to) || x->line == GS_NONE || y->line == GS_NONE)
		return 0;
	return y->line < x->line ? 1 : y->line > x->line ? -1 : 0;
}
