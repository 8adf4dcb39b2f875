/* Where in a program memory is asked for, as people write it: train.py:33 step. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/advice/answer.h"
#include "analyzer/model/frames.h"
#include "analyzer/model/place.h"

void gs_say_where(gs_prose *p, const gs_voice *voice, const char *where, const char *called_by)
{
	char text[3 * GS_PLACE_TEXT];
	snprintf(text, sizeof text, "%s%s%s", where, *called_by ? " \xe2\x86\x90 " : "", called_by);
	gs_say_code(p, voice, text);
}

bool gs_names_somebody(const gs_diagnosis *d, gs_id stack)
{
	char where[GS_PLACE_TEXT], called_by[GS_PLACE_TEXT];
	return gs_stack_place(d->snapshot, stack, where, called_by);
}

/* What stands for a stack without a frame worth naming. */
static const char *unnamed(const gs_diagnosis *d, gs_id stack)
{
	const gs_device *device = d->device;
	if (stack)
		return "library code";
	if (device && device->trace.n && device->trace.complete != 1)
		return "memory from before the recording";
	return "memory without a recorded stack";
}

void gs_say_place(gs_prose *p, const gs_voice *voice, const gs_diagnosis *d, gs_id stack)
{
	char where[GS_PLACE_TEXT], called_by[GS_PLACE_TEXT];
	if (gs_stack_place(d->snapshot, stack, where, called_by))
		gs_say_where(p, voice, where, called_by);
	else
		gs_say(p, "%s", unnamed(d, stack));
}

void gs_say_request_place(
	gs_prose *p, const gs_voice *voice, const gs_diagnosis *d, const char *before)
{
	char where[GS_PLACE_TEXT], called_by[GS_PLACE_TEXT];
	const gs_oom *oom = d->oom < d->snapshot->nooms ? &d->snapshot->ooms[d->oom] : NULL;
	bool named = oom && oom->stack == d->stack
		? gs_oom_place(d->snapshot, oom, where, called_by)
		: gs_stack_place(d->snapshot, d->stack, where, called_by);
	if (!named && !d->stack)
		return;
	gs_say(p, "%s", before);
	if (named)
		gs_say_where(p, voice, where, called_by);
	else
		gs_say(p, "%s", unnamed(d, d->stack));
}

char *gs_diagnosis_stack(const gs_snapshot *s, gs_id stack)
{
	size_t n = stack && stack < s->nstacks ? gs_stack_text(s, stack, false, NULL, 0) : 0;
	char *text = malloc(n + 1);
	if (text && n)
		gs_stack_text(s, stack, false, text, n + 1);
	if (text)
		text[n] = 0;
	return text;
}
