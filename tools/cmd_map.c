/* gpusnap map: the heap as a picture. */
#include <stdio.h>

#include "analyzer/picture/map.h"
#include "analyzer/state/moments.h"
#include "tools/command.h"
#include "tools/inputs.h"
#include "tools/message.h"
#include "tools/options.h"
#include "tools/picture_file.h"

static int draw(const gs_snapshot *s, const gs_common *c, gs_map_color color)
{
	gs_error err = GS_ERROR_INIT;
	gs_moments moments;
	gs_map_panel panels[GS_MAP_PANELS_MAX];
	gs_map *map = NULL;
	size_t n;
	int exit_status;
	gs_status status = gs_moments_select(s, c->device, c->state, &moments, &err);

	n = moments.n < GS_MAP_PANELS_MAX ? moments.n : GS_MAP_PANELS_MAX;
	for (size_t i = 0; i < n; i++)
		panels[i] = (gs_map_panel){moments.at[i].device, &moments.at[i].layout,
			gs_moment_oom(s, &moments.at[i]), moments.at[i].state.name};
	if (!status)
		status = gs_map_make(&map, s, panels, n, color, &err);
	if (status)
		exit_status = gs_fail_file(s->path, &err, NULL);
	else {
		gs_picture picture = gs_map_picture(map);
		exit_status = gs_picture_file(&picture, c);
	}
	if (!status && n < moments.n)
		gs_note("%zu more devices are not in the picture: choose one with -d", moments.n - n);
	gs_map_free(map);
	gs_moments_release(&moments);
	return exit_status;
}

static int refuse_color(const char *word)
{
	static const char *const words[] = {"state", "stack", "tag", "stream", "age", "size", NULL};
	const char *near = gs_nearest_word(word, words);
	char hint[80];

	snprintf(hint, sizeof hint, "did you mean %s?",
		near ? near : "state, stack, tag, stream, age or size");
	return gs_fail_usage("map", hint, "--color does not know \"%s\"", word);
}

int gs_cmd_map(int argc, char **argv)
{
	gs_common common = GS_COMMON_INIT;
	const char *color_word = "state";
	const gs_option options[] = {
		{"color", 0, GS_OPT_TEXT, &color_word, "WHAT",
			"what decides a block's colour: state, stack, tag, stream, age or size"},
		GS_OPTIONS_SELECT(common), GS_OPTIONS_OUTPUT(common), GS_OPTIONS_QUIET(common),
		GS_OPTIONS_END};
	gs_input input = GS_INPUT_INIT;
	gs_arguments arguments;
	gs_map_color color;
	int status = gs_options_parse(options, argc, argv, 0, 1, &arguments);

	if (status >= 0)
		return status;
	gs_message_quiet(common.quiet);
	color = gs_map_color_parse(color_word);
	if (color == GS_MAP_COLORS)
		return refuse_color(color_word);
	status = gs_picture_file_check("map", &common);
	if (status >= 0)
		return status;

	status = gs_inputs_open(&arguments, &common, GS_WANT_ALL, &input);
	if (status < 0 && input.n > 1)
		status = gs_fail_usage(
			"map", "--rank chooses one", "a map shows one snapshot, and there are %zu", input.n);
	else if (status < 0)
		status = draw(&input.snapshots[0], &common, color);
	gs_input_release(&input);
	return status;
}
