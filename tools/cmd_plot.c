/* gpusnap plot: memory over time as a picture. */
#include <stdio.h>
#include <string.h>

#include "analyzer/picture/scene.h"
#include "tools/command.h"
#include "tools/inputs.h"
#include "tools/message.h"
#include "tools/options.h"
#include "tools/picture_file.h"

typedef struct plot_options {
	gs_common common;
	gs_color by;
	int64_t width;
	const char *axis;
} plot_options;

static int write_plot(const plot_options *o, const gs_scene *scene)
{
	gs_error err = GS_ERROR_INIT;
	gs_plot *plot = NULL;
	int status;

	gs_plot_axis axis = !o->axis   ? GS_PLOT_AUTO
		: !strcmp(o->axis, "time") ? GS_PLOT_TIME
								   : GS_PLOT_EVENTS;

	if (gs_scene_plot(scene, o->by, axis, o->width == GS_UNSET ? 0 : (int)o->width, &plot, &err))
		return gs_fail_file(scene->snapshot->path, &err, NULL);
	gs_picture picture = gs_plot_picture(plot);
	status = gs_picture_file(&picture, &o->common);
	gs_plot_free(plot);
	return status;
}

static int plot_snapshot(const void *context, const gs_snapshot *s)
{
	const plot_options *o = context;
	gs_scene_options wanted = {
		.device = o->common.device, .state = o->common.state, .meaning = true};
	gs_error err = GS_ERROR_INIT;
	gs_scene scene;
	gs_status status = gs_scene_open(&scene, s, &wanted, &err);
	int result;

	if (status == GS_INVALID)
		result = gs_fail_usage("plot", "see `gpusnap help state`", "%s", err.text);
	else
		result = status ? gs_fail_file(s->path, &err, NULL) : write_plot(o, &scene);
	gs_scene_release(&scene);
	return result;
}

static int check(const plot_options *o, const char *by)
{
	static const char *const words[] = {"category", "holder", "tag", "stream", "size", NULL};
	const char *near = gs_nearest_word(by, words);
	char hint[100];

	if (o->by == GS_COLORS || o->by == GS_COLOR_AGE || o->by == GS_COLOR_STATE) {
		snprintf(hint, sizeof hint, "did you mean %s?",
			near ? near : "category, holder, tag, stream or size");
		return gs_fail_usage("plot", hint, "--by does not know \"%s\"", by);
	}
	if (o->axis && strcmp(o->axis, "time") && strcmp(o->axis, "events"))
		return gs_fail_usage(
			"plot", "it is time or events", "--axis does not know \"%s\"", o->axis);
	if (o->width != GS_UNSET && (o->width < GS_PLOT_WIDTH_MIN || o->width > GS_PLOT_WIDTH_MAX))
		return gs_fail_usage(
			"plot", NULL, "--width is %d to %d pixels", GS_PLOT_WIDTH_MIN, GS_PLOT_WIDTH_MAX);
	return gs_picture_file_check("plot", &o->common);
}

int gs_cmd_plot(int argc, char **argv)
{
	plot_options o = {GS_COMMON_INIT, GS_COLOR_HOLDER, GS_UNSET, NULL};
	const char *by = "holder";
	const gs_option options[] = {
		{"by", 0, GS_OPT_TEXT, &by, "WHAT",
			"what the bands are: holder (the default), category, tag, stream or size"},
		{"axis", 0, GS_OPT_TEXT, &o.axis, "WHAT",
			"time or events (default: time, unless most of it would be empty)"},
		{"width", 0, GS_OPT_INT, &o.width, "PIXELS", "of the picture (default 1320)"},
		GS_OPTIONS_SELECT(o.common), GS_OPTIONS_OUTPUT(o.common), GS_OPTIONS_QUIET(o.common),
		GS_OPTIONS_END};
	gs_arguments arguments;
	int status = gs_options_parse(options, argc, argv, 0, GS_ANY_NUMBER, &arguments);

	if (status >= 0)
		return status;
	gs_message_quiet(o.common.quiet);
	o.by = gs_color_parse(by);
	status = check(&o, by);
	if (status >= 0)
		return status;
	return gs_inputs_with_first(&arguments, &o.common, GS_WANT_HISTORY, GS_INPUT_WHOLE_EVENTS,
		false, "drawn", plot_snapshot, &o);
}
