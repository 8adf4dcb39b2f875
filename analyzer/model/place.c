/* A stack in few words. */
#include "analyzer/model/place.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/frames.h"

/* Behind the last slash; of a Windows path behind the last backslash. */
static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/'), *back = strrchr(path, '\\');
	if (!slash || (back && back > slash))
		slash = back;
	return slash ? slash + 1 : path;
}

/* A cell of a notebook: "<ipython-input-3-0a1b>" is number 3, "/tmp/ipykernel_12/345.py" has none
 * but a hash of what is in it, which tells cells apart. */
static bool cell_name(const char *file, char *buf, size_t cap)
{
	const char *at = strstr(file, "<ipython-input-");
	if (at) {
		snprintf(buf, cap, "cell %.*s", (int)strspn(at + 15, "0123456789"), at + 15);
		return true;
	}
	if (!strstr(file, "ipykernel_"))
		return false;
	const char *name = base_name(file);
	snprintf(buf, cap, "cell %.*s", (int)(strcspn(name, ".") > 6 ? 6 : strcspn(name, ".")), name);
	return true;
}

/* A C++ name without arguments, template arguments and return type. */
static size_t plain_name(const char *name, const char **start)
{
	static const char nameless[] = "(anonymous namespace)::";
	*start = name;
	for (const char *at; (at = strstr(*start, nameless));)
		*start = at + sizeof nameless - 1;
	if (name[0] == '<' || !strpbrk(*start, "(<"))
		return strlen(*start);
	const char *end = *start + strcspn(*start, "(<");
	for (const char *p = *start; p < end; p++)
		if (*p == ' ')
			*start = p + 1;
	return (size_t)(end - *start);
}

/* torch.profiler's "jobs/train.py(14): step" taken apart. */
static bool profiled(const char *name, char *file, size_t cap, int64_t *line, const char **function)
{
	const char *end = strstr(name, "): "), *open = end;
	while (open && open > name && *open != '(')
		open--;
	if (!open || *open != '(' || !isdigit((unsigned char)open[1]) || (size_t)(open - name) >= cap)
		return false;
	memcpy(file, name, (size_t)(open - name));
	file[open - name] = 0;
	*line = strtoll(open + 1, NULL, 10);
	*function = end + 3;
	return true;
}

/* "file:line function"; the function is shortened first, then the file's beginning. */
static void write_place(char *where, const char *file, int64_t line, const char *function, size_t n)
{
	char number[24] = "";
	enum { FILE_ROOM = 100, FUNCTION_ROOM = 60 };
	if (line != GS_NONE && *file)
		snprintf(number, sizeof number, ":%" PRId64, line);
	size_t length = strlen(file);
	bool cut_file = length > FILE_ROOM, cut_function = n > FUNCTION_ROOM;
	snprintf(where, GS_PLACE_TEXT, "%s%s%s%s%.*s%s", cut_file ? "..." : "",
		cut_file ? file + length - FILE_ROOM : file, number, *file && n ? " " : "",
		cut_function ? FUNCTION_ROOM : (int)n, function, cut_function ? "..." : "");
}

/* One frame as gs_stack_place writes it; false, "", for none. */
static bool frame_place(const gs_snapshot *s, gs_id frame, char *where)
{
	char cell[64], path[1024];
	where[0] = 0;
	if (!frame || frame >= s->nframes)
		return false;
	const gs_frame *f = &s->frames[frame];
	const char *file = gs_string_text(s, f->file), *name = gs_string_text(s, f->name), *function;
	int64_t line = f->line;
	if (!strcmp(file, "none") && profiled(name, path, sizeof path, &line, &function)) {
		file = path;
		name = function;
	}
	const char *base = cell_name(file, cell, sizeof cell) ? cell : base_name(file);
	size_t n = plain_name(name, &function);
	write_place(where, strcmp(file, "??") ? base : "", line, function, n);
	return where[0] != 0;
}

static bool is_compiled_below(const gs_snapshot *s, const gs_id *frames, uint32_t user)
{
	for (uint32_t i = 0; i < user; i++)
		if (gs_frame_is_compiled(s, frames[i]))
			return true;
	return false;
}

/* The nearest frame outside, up to end, that is worth naming and reads differently. */
static void write_caller(
	const gs_snapshot *s, gs_id stack, uint32_t user, uint32_t end, const char *where, char *by)
{
	const gs_id *frames = s->stack_frames + s->stacks[stack].first;
	bool library = gs_frame_is_library(s, frames[user]);
	by[0] = 0;
	for (uint32_t i = user + 1; i < end && !by[0]; i++) {
		if (!gs_frame_is_user(s, frames[i]) && !(library && gs_frame_is_library(s, frames[i])))
			continue;
		frame_place(s, frames[i], by);
		if (!strcmp(by, where))
			by[0] = 0;
	}
}

/* "model.py:49 attend" as "gradient of attend (model.py:49)". */
static void write_gradient(char *to, const char *place)
{
	const char *function = strrchr(place, ' ');
	char text[GS_PLACE_TEXT];
	if (function)
		snprintf(text, sizeof text, "gradient of %.*s (%.*s)", GS_PLACE_TEXT - 130, function + 1,
			(int)(function - place), place);
	else
		snprintf(text, sizeof text, "gradient of %.*s", GS_PLACE_TEXT - 16, place);
	memcpy(to, text, sizeof text);
}

#define OF_BACKWARD "backward pass"

static void write_node(char *to, const gs_snapshot *s, gs_id frame)
{
	char node[GS_PLACE_TEXT - 32] = "";
	gs_frame_node(s, frame, node, sizeof node);
	snprintf(to, GS_PLACE_TEXT, "%s (" OF_BACKWARD ")", node);
}

/* Behind the node at own stands the line that ordered its work; false where it does not. */
static bool write_order(const gs_snapshot *s, gs_id stack, uint32_t own, char *to)
{
	const gs_id *frames = s->stack_frames + s->stacks[stack].first;
	char place[GS_PLACE_TEXT];
	for (uint32_t i = own + 1; i < s->stacks[stack].n; i++)
		if (gs_frame_is_user(s, frames[i]) && frame_place(s, frames[i], place)) {
			write_gradient(to, place);
			return true;
		}
	return false;
}

static void write_own(
	const gs_snapshot *s, gs_id stack, uint32_t user, uint32_t own, char *where, char *called_by)
{
	const gs_id *frames = s->stack_frames + s->stacks[stack].first;
	char at[GS_PLACE_TEXT];
	frame_place(s, frames[user], at);
	snprintf(where, GS_PLACE_TEXT, "%.*s%s", GS_PLACE_TEXT - 16, at,
		is_compiled_below(s, frames, user) ? ", compiled" : "");
	write_caller(s, stack, user, own, at, called_by);
	if (!called_by[0])
		write_order(s, stack, own, called_by);
}

/* Inside of the user's frame a library beside PyTorch may do what matters: a model of transformers,
 * the cache of a server. The innermost such frame; UINT32_MAX none. */
static uint32_t library_below(const gs_snapshot *s, const gs_id *frames, uint32_t user)
{
	if (!gs_frame_is_user(s, frames[user]))
		return UINT32_MAX;
	for (uint32_t i = 0; i < user; i++)
		if (gs_frame_is_library(s, frames[i]))
			return i;
	return UINT32_MAX;
}

bool gs_stack_place(const gs_snapshot *s, gs_id stack, char *where, char *called_by)
{
	gs_id frame = gs_stack_user_frame(s, stack);
	where[0] = called_by[0] = 0;
	if (!frame)
		return false;
	const gs_id *frames = s->stack_frames + s->stacks[stack].first;
	uint32_t user = 0, own = gs_stack_own(s, stack);
	while (frames[user] != frame)
		user++;
	uint32_t below = user < own ? library_below(s, frames, user) : UINT32_MAX;
	if (below != UINT32_MAX && frame_place(s, frames[below], where)) {
		frame_place(s, frame, called_by);
	} else if (user > own && write_order(s, stack, own, where)) {
		gs_frame_node(s, frames[own], called_by, GS_PLACE_TEXT);
	} else if (!gs_frame_is_user(s, frame) && !gs_frame_is_library(s, frame) &&
		gs_frame_node(s, frame, NULL, 0)) {
		write_node(where, s, frame);
		write_caller(s, stack, user, s->stacks[stack].n, where, called_by);
	} else {
		write_own(s, stack, user, own, where, called_by);
	}
	return where[0] != 0;
}

/* --- forward lines -------------------------------------------------------------------------------
 */

static bool is_of_library(const char *path, size_t n)
{
	for (size_t i = 0; i + 14 <= n; i++)
		if (!memcmp(path + i, "site-packages/", 14) || !memcmp(path + i, "dist-packages/", 14))
			return true;
	return false;
}

/* In JSON a quote is \" and a backslash \\. */
static bool forward_place(const char *more, char *where)
{
	const char *at = more ? strstr(more, "\"forward_frames\"") : NULL;
	where[0] = 0;
	while (at && (at = strstr(at, "File \\\""))) {
		char file[512];
		const char *path = at + 7, *end = strstr(path, "\\\", line ");
		at = path;
		if (!end || (size_t)(end - path) >= sizeof file)
			continue;
		memcpy(file, path, (size_t)(end - path));
		file[end - path] = 0;
		const char *function = strstr(end, ", in ");
		if (!function || is_of_library(file, strlen(file)))
			continue;
		function += 5;
		write_place(where, base_name(file), strtoll(end + 9, NULL, 10), function,
			strcspn(function, "\\\"\n"));
		at = function;
	}
	return where[0] != 0;
}

void gs_forward_place(const char *more, char *where, char *called_by)
{
	char place[GS_PLACE_TEXT], *node = strstr(where, " (" OF_BACKWARD ")");
	if (!forward_place(more, place))
		return;
	if (*where && !node && strcmp(where, OF_BACKWARD) != 0) {
		write_gradient(called_by, place);
		return;
	}
	snprintf(called_by, GS_PLACE_TEXT, "%.*s", node ? (int)(node - where) : 0, where);
	write_gradient(where, place);
}

bool gs_oom_place(const gs_snapshot *s, const gs_oom *oom, char *where, char *called_by)
{
	const gs_device *d = gs_snapshot_find_device(s, oom->device);
	gs_stack_place(s, oom->stack, where, called_by);
	if (d && oom->idx >= 0 && (uint64_t)oom->idx < d->trace.n)
		gs_forward_place(gs_string_text(s, d->trace.events[oom->idx].more), where, called_by);
	return where[0] != 0;
}
