/* Frames of a snapshot: what they are by their class, else by their words. */
#include "analyzer/model/frames.h"

#include <stdio.h>
#include <string.h>

#include "analyzer/model/frame_class.h"
#include "analyzer/model/frame_origin.h"

static gs_frame *frame_at(const gs_snapshot *s, gs_id frame)
{
	return frame && frame < s->nframes ? &s->frames[frame] : NULL;
}

static const char *name_of(const gs_snapshot *s, const gs_frame *f)
{
	return gs_string_text(s, f->name);
}

static const char *file_of(const gs_snapshot *s, const gs_frame *f)
{
	return gs_string_text(s, f->file);
}

static bool words_say(const gs_snapshot *s, const gs_frame *f, uint32_t bit)
{
	const char *name = name_of(s, f), *file = file_of(s, f);
	switch (bit) {
	case GS_FRAME_PLUMBING: return gs_origin_is_plumbing(name, file);
	case GS_FRAME_USER: return gs_origin_is_user(name, file);
	case GS_FRAME_COMPILED: return gs_origin_is_compiled(file);
	case GS_FRAME_LIBRARY: return gs_origin_is_library(file);
	default: return gs_origin_bare_node(name, file) > 0;
	}
}

/* One of those bits of a frame. Frames are asked for each stack that they are in: what the words
 * said stays beside them, the bit, and above it that it is known. Threads that ask at once find the
 * same. */
enum { KNOWN = 16 };

static bool is(const gs_snapshot *s, gs_id frame, uint32_t bit)
{
	gs_frame *f = frame_at(s, frame);
	if (!f || f->class)
		return f && f->class & bit;
	uint32_t judged = __atomic_load_n(&f->judged, __ATOMIC_RELAXED);
	if (!(judged & bit << KNOWN)) {
		judged = bit << KNOWN | (words_say(s, f, bit) ? bit : 0);
		__atomic_fetch_or(&f->judged, judged, __ATOMIC_RELAXED);
	}
	return judged & bit;
}

bool gs_frame_is_plumbing(const gs_snapshot *s, gs_id frame)
{
	return is(s, frame, GS_FRAME_PLUMBING);
}

bool gs_frame_is_user(const gs_snapshot *s, gs_id frame) { return is(s, frame, GS_FRAME_USER); }

bool gs_frame_is_compiled(const gs_snapshot *s, gs_id frame)
{
	return is(s, frame, GS_FRAME_COMPILED);
}

bool gs_frame_is_library(const gs_snapshot *s, gs_id frame)
{
	return is(s, frame, GS_FRAME_LIBRARY);
}

bool gs_frame_is_bare_node(const gs_snapshot *s, gs_id frame)
{
	return is(s, frame, GS_FRAME_BARE);
}

uint32_t gs_stack_own(const gs_snapshot *s, gs_id stack)
{
	const gs_id *frames = s->stack_frames + s->stacks[stack].first;
	uint32_t n = s->stacks[stack].n, i = 0;
	while (i < n && !gs_frame_is_bare_node(s, frames[i]))
		i++;
	return i;
}

/* "torch::autograd::generated::MmBackward0::apply(…)": the class before ::apply. A node that a
 * recorder names stands alone. */
size_t gs_frame_node(const gs_snapshot *s, gs_id frame, char *buf, size_t cap)
{
	const gs_frame *f = frame_at(s, frame);
	const char *name = f ? gs_string_text(s, f->name) : "",
			   *file = f ? gs_string_text(s, f->file) : "";
	const char *end = strstr(name, "::apply("), *start = name;
	if (f && f->class) {
		if (f->class & GS_FRAME_NODE && cap)
			snprintf(buf, cap, "%s", name);
		return f->class & GS_FRAME_NODE ? strlen(name) : 0;
	}
	if (!strncmp(name, "torch::autograd::", 17) && end) {
		for (const char *p = name; p < end; p++)
			if (p[0] == ':' && p[1] == ':')
				start = p + 2;
	} else if (gs_origin_bare_node(name, file)) {
		end = name + gs_origin_bare_node(name, file);
	} else {
		return 0;
	}
	size_t n = (size_t)(end - start);
	if (n == 6 &&
		!memcmp(start, "PyNode", n)) /* of a function of the user's: which, it is not told */
		return 0;
	if (cap)
		snprintf(buf, cap, "%.*s", (int)n, start);
	return n;
}

static bool is_body(const gs_snapshot *s, const gs_frame *f)
{
	return f->class ? f->class & GS_FRAME_BODY : !strcmp(gs_string_text(s, f->name), "<module>");
}

uint32_t gs_frame_class(const gs_snapshot *s, gs_id frame)
{
	const gs_frame *f = frame_at(s, frame);
	if (!f || f->class)
		return f ? f->class : GS_FRAME_CLASSED;
	uint32_t class = GS_FRAME_CLASSED;
	class |= gs_frame_is_user(s, frame) ? GS_FRAME_USER : 0;
	class |= gs_frame_is_plumbing(s, frame) ? GS_FRAME_PLUMBING : 0;
	class |= gs_frame_is_library(s, frame) ? GS_FRAME_LIBRARY : 0;
	class |= gs_frame_is_compiled(s, frame) ? GS_FRAME_COMPILED : 0;
	class |= gs_frame_node(s, frame, NULL, 0) ? GS_FRAME_NODE : 0;
	class |= gs_frame_is_bare_node(s, frame) ? GS_FRAME_BARE : 0;
	return class | (is_body(s, f) ? GS_FRAME_BODY : 0);
}

/* Index of the innermost frame that is the user's; the stack's length where none is. *launcher: all
 * that are are a script's <module>. */
static uint32_t user_frame_at(const gs_snapshot *s, const gs_id *frames, uint32_t n, bool *launcher)
{
	uint32_t found = n;
	*launcher = true;
	for (uint32_t i = 0; i < n && (found == n || *launcher); i++)
		if (gs_frame_is_user(s, frames[i])) {
			found = found == n ? i : found;
			*launcher &= is_body(s, &s->frames[frames[i]]);
		}
	return found;
}

gs_id gs_stack_user_frame(const gs_snapshot *s, gs_id stack)
{
	if (!stack || stack >= s->nstacks || !s->stacks[stack].n)
		return 0;
	const gs_id *frames = s->stack_frames + s->stacks[stack].first;
	uint32_t n = s->stacks[stack].n;
	bool launcher;
	uint32_t user = user_frame_at(s, frames, n, &launcher);
	for (uint32_t i = 0; launcher && i < user; i++)
		if (gs_frame_is_library(s, frames[i]))
			return frames[i];
	if (user < n)
		return frames[user];
	for (uint32_t i = 0; i < n; i++)
		if (gs_frame_node(s, frames[i], NULL, 0))
			return frames[i];
	return 0;
}
