/* Spans of time that the program calls steps: by torch.profiler's annotations (ProfilerStep#7), or
 * others with a number ("step 7", "iteration_7"). */
#include "analyzer/meaning/spans.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyzer/meaning/meaning_internal.h"

bool gs_meaning_step_number(const char *name, int64_t *number)
{
	static const char *const words[] = {"step", "iteration", "iter", "batch"};
	size_t n = strlen(name), digits = n;
	while (digits && isdigit((unsigned char)name[digits - 1]))
		digits--;
	if (digits == n || n - digits > 15)
		return false;
	size_t end = digits;
	while (end && strchr(" _#:=-.", name[end - 1]))
		end--;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t length = strlen(words[i]);
		if (end >= length && !strncasecmp(name + end - length, words[i], length)) {
			*number = strtoll(name + digits, NULL, 10);
			return true;
		}
	}
	return false;
}

static int by_time(const void *a, const void *b)
{
	const gs_step_span *x = a, *y = b;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static bool starts(const gs_snapshot *s, const gs_annotation *a)
{
	return !a->stage || strcasecmp(gs_string_text(s, a->stage), "END") != 0;
}

size_t gs_step_spans(const gs_snapshot *s, int32_t device, int attempt, gs_step_span *all)
{
	bool profiler = attempt < 2, any_device = attempt % 2;
	size_t n = 0;
	for (size_t i = 0; i < s->nannotations; i++) {
		const gs_annotation *a = &s->annotations[i];
		const char *name = gs_string_text(s, a->name);
		int64_t number;
		if (a->time_us == GS_NONE || !gs_meaning_step_number(name, &number) ||
			(profiler && strncmp(name, "ProfilerStep#", 13) != 0) ||
			(!any_device && a->device != device))
			continue;
		if (starts(s, a)) {
			all[n++] = (gs_step_span){number, a->time_us, GS_NONE, a->name};
			continue;
		}
		for (size_t k = n; k--;)
			if (all[k].number == number && all[k].name == a->name && all[k].to == GS_NONE) {
				all[k].to = a->time_us;
				break;
			}
	}
	if (n)
		qsort(all, n, sizeof *all, by_time);
	return n;
}

int64_t gs_step_span_end(const gs_step_span *all, size_t n, size_t k)
{
	int64_t next = k + 1 < n ? all[k + 1].from : INT64_MAX;
	return all[k].to == GS_NONE || all[k].to > next ? next : all[k].to + 1;
}
