/* Frames and stacks as text, and the order of stacks. */
#include <stdio.h>
#include <string.h>

#include "analyzer/model/frames.h"

size_t gs_frame_text(const gs_snapshot *s, gs_id frame, char *buf, size_t cap)
{
	const gs_frame *f = frame && frame < s->nframes ? &s->frames[frame] : NULL;
	const char *name = f ? gs_string_text(s, f->name) : "",
			   *file = f ? gs_string_text(s, f->file) : "";
	int n;
	if (f && f->line != GS_NONE)
		n = snprintf(buf, cap, "%s (%s:%lld)", name, file, (long long)f->line);
	else if (*file)
		n = snprintf(buf, cap, "%s (%s)", name, file);
	else
		n = snprintf(buf, cap, "%s", name);
	return n < 0 ? 0 : (size_t)n;
}

size_t gs_stack_text(const gs_snapshot *s, gs_id stack, bool all_frames, char *buf, size_t cap)
{
	if (cap)
		buf[0] = 0;
	if (!stack || stack >= s->nstacks)
		return 0;
	const gs_id *frames = s->stack_frames + s->stacks[stack].first;
	uint32_t n = s->stacks[stack].n, shown = 0;
	for (uint32_t i = 0; i < n && !all_frames; i++)
		shown += !gs_frame_is_plumbing(s, frames[i]);
	all_frames = all_frames || !shown;
	size_t length = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (!all_frames && gs_frame_is_plumbing(s, frames[i]))
			continue;
		if (length) {
			if (length + 1 < cap)
				memcpy(buf + length, "\n", 2);
			length++;
		}
		length += gs_frame_text(
			s, frames[i], length < cap ? buf + length : NULL, length < cap ? cap - length : 0);
	}
	return length;
}

static int string_order(const gs_snapshot *s, gs_id a, gs_id b)
{
	return a == b ? 0 : strcmp(gs_string_text(s, a), gs_string_text(s, b));
}

static int frame_order(const gs_snapshot *s, gs_id a, gs_id b)
{
	const gs_frame *x = &s->frames[a], *y = &s->frames[b];
	int order = a == b ? 0 : string_order(s, x->name, y->name);
	if (!order && a != b)
		order = string_order(s, x->file, y->file);
	return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* The frames of a stack that its text shows, one after the other. */
typedef struct shown_frames {
	const gs_id *frames;
	uint32_t n, at;
	bool all;
} shown_frames;

static gs_id next_shown(const gs_snapshot *s, shown_frames *f)
{
	while (f->at < f->n && !f->all && gs_frame_is_plumbing(s, f->frames[f->at]))
		f->at++;
	return f->at < f->n ? f->frames[f->at++] : 0;
}

static shown_frames shown_of(const gs_snapshot *s, gs_stack stack)
{
	shown_frames f = {s->stack_frames + stack.first, stack.n, 0, false}, look = f;
	f.all = !next_shown(s, &look);
	return f;
}

/* The order of two texts by the first frames that differ, without the texts; 0: it takes the texts
 * to tell, for one frame's text begins with the other's. */
static int order_of_first(const gs_snapshot *s, gs_stack a, gs_stack b)
{
	shown_frames x = shown_of(s, a), y = shown_of(s, b);
	gs_id first, second;
	while ((first = next_shown(s, &x)) == (second = next_shown(s, &y)) && first)
		;
	char one[512], other[512];
	if (!first || !second || gs_frame_text(s, first, one, sizeof one) >= sizeof one ||
		gs_frame_text(s, second, other, sizeof other) >= sizeof other)
		return 0;
	size_t same = 0;
	while (one[same] && one[same] == other[same])
		same++;
	return one[same] && other[same] ? strcmp(one + same, other + same) : 0;
}

int gs_stack_order(const gs_snapshot *s, gs_id a, gs_id b)
{
	if (a == b || a >= s->nstacks || b >= s->nstacks)
		return (a > b) - (a < b);
	gs_stack x = s->stacks[a], y = s->stacks[b];
	int soon = order_of_first(s, x, y);
	if (soon)
		return soon;
	char first[2048], second[2048];
	gs_stack_text(s, a, false, first, sizeof first);
	gs_stack_text(s, b, false, second, sizeof second);
	int texts = strcmp(first, second);
	if (texts)
		return texts;
	for (uint32_t i = 0; i < x.n && i < y.n; i++) {
		int order = frame_order(s, s->stack_frames[x.first + i], s->stack_frames[y.first + i]);
		if (order)
			return order;
	}
	return (x.n > y.n) - (x.n < y.n);
}
