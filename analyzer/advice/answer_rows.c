/* Rows and stacks of an answer, as a terminal, Markdown or a page takes them. */
#include "analyzer/advice/answer_internal.h"

#include "analyzer/model/frames.h"
#include "schema/printable.h"

enum { MANY = 8, MOST_FRAMES = 10 };

void gs_answer_put_row(gs_answer *a, const char *label, const gs_prose *text, const char *remark)
{
	if (a->row)
		a->row(a->context, label, text->text, remark ? remark : "");
	else
		a->lines += gs_prose_row(a->out, a->voice, label, text, remark);
}

void gs_answer_heading(gs_answer *a, const char *text)
{
	fprintf(a->out, a->voice->markdown ? "\n### %s\n\n" : "\n%s\n", text);
	a->lines += 2;
}

size_t gs_answer_some(gs_answer *a, size_t n, size_t few)
{
	size_t spared = a->lean > 0 && few > 1 ? (size_t)a->lean : 0;
	few = a->voice->verbose && few > 1 ? MANY : few > spared + 1 ? few - spared : 1;
	return n < few ? n : few;
}

void gs_answer_left(gs_answer *a, size_t n, const char *query)
{
	gs_prose p;
	if (!a->voice->verbose || n <= MANY)
		return;
	gs_prose_clear(&p);
	gs_say(&p, "%zu more (gpusnap query \"%s\")", n - MANY, query);
	gs_answer_put_row(a, "", &p, NULL);
}

static void write_frame(gs_answer *a, const char *frame)
{
	char plain[1024];
	gs_printable(plain, sizeof plain, frame);
	if (a->voice->markdown)
		fprintf(a->out, "  - `%s`\n", plain);
	else
		gs_prose_one_line(a->out, a->voice, GS_ROW_MARGIN + GS_ROW_LABEL + 2, plain);
}

static void write_folded(gs_answer *a, size_t n, const char *what)
{
	char text[64];
	snprintf(text, sizeof text, "%s %zu %s", gs_voice_ellipsis(a->voice), n, what);
	write_frame(a, text);
}

/* A frame that tells where in the program: of the user's code, or of a library beside PyTorch. */
static bool tells(const gs_snapshot *s, gs_id frame)
{
	return gs_frame_is_user(s, frame) || gs_frame_is_library(s, frame);
}

static bool was_shown(gs_answer *a, gs_id stack)
{
	for (size_t i = 0; i < a->nshown; i++)
		if (a->shown[i] == stack)
			return true;
	if (a->nshown < MOST_SHOWN)
		a->shown[a->nshown++] = stack;
	return false;
}

void gs_answer_stack(gs_answer *a, gs_id stack)
{
	enum { FEW = 2 };
	const gs_snapshot *s = a->d->snapshot;
	if (!a->voice->verbose || !stack || was_shown(a, stack))
		return;
	gs_stack range = s->stacks[stack];
	const gs_id *frames = s->stack_frames + range.first;
	bool any = false;
	for (uint32_t i = 0; i < range.n; i++)
		any |= tells(s, frames[i]);
	size_t written = 0, folded = 0;
	for (uint32_t i = 0; i < range.n; i++) {
		char text[1024];
		if (any && !tells(s, frames[i])) {
			folded++;
			continue;
		}
		if (written++ == MOST_FRAMES) {
			write_folded(a, range.n - i, "more frames");
			return;
		}
		if (folded > FEW)
			write_folded(a, folded, "frames of PyTorch and C++");
		folded = 0;
		gs_frame_text(s, frames[i], text, sizeof text);
		write_frame(a, text);
	}
}
