/* gpusnap map: the heap as a picture. */
#include <stdio.h>

#include "analyzer/picture/map.h"
#include "analyzer/state/state.h"
#include "tools/command.h"
#include "tools/inputs.h"
#include "tools/message.h"
#include "tools/options.h"
#include "tools/picture_file.h"

typedef struct panels {
	gs_map_panel panel[GS_MAP_PANELS_MAX];
	gs_layout layouts[GS_MAP_PANELS_MAX];
	gs_state states[GS_MAP_PANELS_MAX];
	size_t n;
	size_t left_out; /* devices beyond the most that a picture shows */
} panels;

/* Devices that have nothing to draw are passed over unless they were asked for. */
static gs_status collect(const gs_snapshot *s, const gs_common *c, panels *p, gs_error *err)
{
	for (size_t i = 0; i < s->ndevices; i++) {
		const gs_device *d = &s->devices[i];
		if (c->device != GS_UNSET && d->device != c->device)
			continue;
		if (p->n == GS_MAP_PANELS_MAX) {
			p->left_out++;
			continue;
		}
		gs_status status = gs_state_select(
			s, d, c->state, &p->layouts[p->n], &p->states[p->n], err);
		if (status == GS_NOT_FOUND && c->device == GS_UNSET && s->ndevices > 1)
			continue;
		if (status)
			return status;
		gs_map_panel *panel = &p->panel[p->n];
		*panel = (gs_map_panel){d, &p->layouts[p->n], NULL, p->states[p->n].name};
		if (p->states[p->n].oom < s->nooms)
			panel->oom = &s->ooms[p->states[p->n].oom];
		p->n++; /* also if it is empty: to be released */
		if (!panel->layout->nsegments && c->device == GS_UNSET)
			gs_layout_release(&p->layouts[--p->n]);
	}
	if (p->n)
		return GS_OK;
	if (c->device != GS_UNSET && !gs_snapshot_find_device(s, (int32_t)c->device))
		return gs_fail(err, GS_NOT_FOUND, "there is no device %lld in it", (long long)c->device);
	return gs_fail(
		err, GS_NOT_FOUND, "no device has segments to draw%s", c->state ? " in that state" : "");
}

static int draw(const gs_snapshot *s, const gs_common *c, gs_map_color color)
{
	gs_error err = GS_ERROR_INIT;
	panels p = {.n = 0};
	gs_status status = collect(s, c, &p, &err);
	gs_map *map = NULL;
	int exit_status;

	if (!status)
		status = gs_map_make(&map, s, p.panel, p.n, color, &err);
	if (status)
		exit_status = gs_fail_file(s->path, &err, NULL);
	else {
		gs_picture picture = gs_map_picture(map);
		exit_status = gs_picture_file(&picture, c);
	}
	gs_map_free(map);
	if (!status && p.left_out)
		gs_note("%zu more devices are not in the picture: choose one with -d", p.left_out);
	for (size_t i = 0; i < p.n; i++)
		gs_layout_release(&p.layouts[i]);
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
