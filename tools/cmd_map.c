/* gpusnap map: the heap as a picture. */
#include <stdio.h>
#include <unistd.h>

#include "analyzer/picture/scene.h"
#include "tools/command.h"
#include "tools/inputs.h"
#include "tools/message.h"
#include "tools/options.h"
#include "tools/picture_file.h"

typedef struct map_options {
	gs_common common;
	gs_color color;
	int64_t width;
	const char *before; /* a state, or a file */
} map_options;

static gs_scene_options options_of(const map_options *o, const char *state)
{
	return (gs_scene_options){
		.device = o->common.device, .state = state, .meaning = o->color == GS_COLOR_CATEGORY};
}

/* Draws and writes; returns the exit status. */
static int draw(const map_options *o, const gs_scene *now, const gs_scene *before)
{
	gs_error err = GS_ERROR_INIT;
	gs_map *map = NULL;
	int status;

	if (gs_scene_map(now, before, o->color, o->width == GS_UNSET ? 0 : (int)o->width, &map, &err))
		return gs_fail_file(now->snapshot->path, &err, NULL);
	gs_picture picture = gs_map_picture(map);
	status = gs_picture_file(&picture, &o->common);
	gs_map_free(map);
	if (now->moments.n > GS_MAP_PANELS_MAX)
		gs_note("%zu more devices are not in the picture: choose one with -d",
			now->moments.n - GS_MAP_PANELS_MAX);
	return status;
}

static int refuse(const gs_snapshot *s, gs_status status, const gs_error *err)
{
	if (status == GS_INVALID)
		return gs_fail_usage("map", "see `gpusnap help state`", "%s", err->text);
	return gs_fail_file(s->path, err, NULL);
}

static int draw_beside(
	const map_options *o, const gs_scene *now, const gs_snapshot *s, const char *state)
{
	gs_scene_options wanted = options_of(o, state);
	gs_error err = GS_ERROR_INIT;
	gs_scene before;
	gs_status status = gs_scene_open(&before, s, &wanted, &err);
	int result = status ? refuse(s, status, &err) : draw(o, now, &before);

	gs_scene_release(&before);
	return result;
}

static int draw_beside_file(const map_options *o, const gs_scene *now)
{
	char *path[] = {(char *)o->before};
	gs_arguments files = {path, 1};
	gs_common common = o->common;
	gs_input input = GS_INPUT_INIT;
	int status;

	common.rank = GS_UNSET;
	status = gs_inputs_open(&files, &common, GS_WANT_HISTORY, &input);
	if (status < 0)
		status = draw_beside(o, now, &input.snapshots[0], NULL);
	gs_input_release(&input);
	return status;
}

static int draw_snapshot(const void *context, const gs_snapshot *s)
{
	const map_options *o = context;
	gs_scene_options wanted = options_of(o, o->common.state);
	gs_error err = GS_ERROR_INIT;
	gs_scene now;
	gs_status status = gs_scene_open(&now, s, &wanted, &err);
	int result;

	if (status)
		result = refuse(s, status, &err);
	else if (!o->before)
		result = draw(o, &now, NULL);
	else if (!access(o->before, F_OK))
		result = draw_beside_file(o, &now);
	else
		result = draw_beside(o, &now, s, o->before);
	gs_scene_release(&now);
	return result;
}

static int check(const map_options *o, const char *color)
{
	char hint[100];

	if (o->color == GS_COLORS) {
		const char *near = gs_nearest_word(color, gs_color_words);
		snprintf(hint, sizeof hint, "did you mean %s?",
			near ? near : "holder, category, state, tag, stream, age or size");
		return gs_fail_usage("map", hint, "--color does not know \"%s\"", color);
	}
	if (o->width != GS_UNSET && (o->width < GS_MAP_WIDTH_MIN || o->width > GS_MAP_WIDTH_MAX))
		return gs_fail_usage(
			"map", NULL, "--width is %d to %d pixels", GS_MAP_WIDTH_MIN, GS_MAP_WIDTH_MAX);
	return gs_picture_file_check("map", &o->common);
}

int gs_cmd_map(int argc, char **argv)
{
	map_options o = {GS_COMMON_INIT, GS_COLOR_HOLDER, GS_UNSET, NULL};
	const char *color = "holder";
	const gs_option options[] = {
		{"color", 0, GS_OPT_TEXT, &color, "WHAT",
			"what decides a block's colour: holder (the default), category, state, tag, stream, age "
			"or size"},
		{"before", 0, GS_OPT_TEXT, &o.before, "STATE|FILE",
			"another moment, or another file, to draw to the left"},
		{"width", 0, GS_OPT_INT, &o.width, "PIXELS", "of the picture (default 1320)"},
		GS_OPTIONS_SELECT(o.common), GS_OPTIONS_OUTPUT(o.common), GS_OPTIONS_QUIET(o.common),
		GS_OPTIONS_END};
	gs_arguments arguments;
	int status = gs_options_parse(options, argc, argv, 0, GS_ANY_NUMBER, &arguments);

	if (status >= 0)
		return status;
	gs_message_quiet(o.common.quiet);
	o.color = gs_color_parse(color);
	status = check(&o, color);
	if (status >= 0)
		return status;
	return gs_inputs_with_first(&arguments, &o.common, GS_WANT_HISTORY, GS_INPUT_WHOLE_EVENTS,
		false, "drawn", draw_snapshot, &o);
}
