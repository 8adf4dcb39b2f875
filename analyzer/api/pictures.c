/* Pictures and the report of a handle. A build without drawing leaves this file out. */
#include <stdio.h>
#include <string.h>

#include "analyzer/api/call.h"
#include "analyzer/picture/report.h"
#include "analyzer/picture/scene.h"

typedef struct picture_call {
	gs_scene_options scene;
	const char *color, *form;
	int64_t width;
	bool map;
} picture_call;

static gs_status no_color(const char *color, gs_error *err)
{
	char words[200] = "";
	size_t n = 0;
	for (const char *const *w = gs_color_words; *w && n < sizeof words; w++)
		n += (size_t)snprintf(words + n, sizeof words - n, "%s%s", n ? ", " : "", *w);
	return gs_fail(err, GS_INVALID, "no color is called \"%.40s\": %s", color, words);
}

/* A plot stacks what a block keeps for life: neither its state nor its age. */
static gs_status check_color(picture_call *c, gs_error *err)
{
	gs_color color = gs_color_parse(c->color);
	if (color == GS_COLORS)
		return no_color(c->color, err);
	if (!c->map && (color == GS_COLOR_AGE || color == GS_COLOR_STATE))
		return gs_fail(err, GS_INVALID, "a plot is not stacked by %s", c->color);
	c->scene.meaning = !c->map || color == GS_COLOR_CATEGORY;
	return GS_OK;
}

static gs_status read_options(const gs_api_options *o, picture_call *c, gs_error *err)
{
	gs_status status = gs_api_option_text(o, "form", &c->form, err);
	if (!status)
		status = gs_api_option_number(o, "width", &c->width, err);
	if (!status)
		status = gs_api_option_text(o, "color", &c->color, err);
	if (!status)
		status = gs_api_option_number(o, "device", &c->scene.device, err);
	if (!status)
		status = gs_api_option_text(o, "state", &c->scene.state, err);
	if (!status && strcmp(c->form, "png") && strcmp(c->form, "svg"))
		status = gs_fail(err, GS_INVALID, "no form is called \"%.40s\"", c->form);
	if (!status)
		status = check_color(c, err);
	if (!status && (c->width < GS_MAP_WIDTH_MIN || c->width > GS_MAP_WIDTH_MAX))
		status = gs_fail(
			err, GS_INVALID, "the width is %d to %d pixels", GS_MAP_WIDTH_MIN, GS_MAP_WIDTH_MAX);
	return status;
}

static gs_picture_form form_of(const picture_call *c)
{
	return strcmp(c->form, "svg") ? GS_PICTURE_PNG : GS_PICTURE_SVG;
}

static gs_status write_map(const gs_scene *scene, const picture_call *c, FILE *out, gs_error *err)
{
	gs_map *map = NULL;
	gs_status status = gs_scene_map(
		scene, NULL, gs_color_parse(c->color), (int)c->width, &map, err);
	if (!status) {
		gs_picture p = gs_map_picture(map);
		status = gs_picture_write(&p, form_of(c), "map", out, err);
	}
	gs_map_free(map);
	return status;
}

static gs_status write_plot(const gs_scene *scene, const picture_call *c, FILE *out, gs_error *err)
{
	gs_plot *plot = NULL;
	gs_status status = gs_scene_plot(
		scene, gs_color_parse(c->color), GS_PLOT_AUTO, (int)c->width, &plot, err);
	if (!status) {
		gs_picture p = gs_plot_picture(plot);
		status = gs_picture_write(&p, form_of(c), "plot", out, err);
	}
	gs_plot_free(plot);
	return status;
}

static gs_status draw(
	const gs_snapshot *s, const picture_call *c, char **out, size_t *n, gs_error *err)
{
	gs_scene scene;
	gs_api_answer a;
	gs_status status = gs_scene_open(&scene, s, &c->scene, err);
	if (!status && !(status = gs_api_answer_open(&a, err))) {
		status = c->map ? write_map(&scene, c, a.stream, err)
						: write_plot(&scene, c, a.stream, err);
		status = gs_api_answer_finish(&a, status, out, n, err);
	}
	gs_scene_release(&scene);
	return status;
}

int gpusnap_snapshot_picture(
	gpusnap_snapshot *s, const char *kind, const char *options, char **out, size_t *n)
{
	static const char *const names[] = {"form", "width", "color", "device", "state", NULL};
	picture_call c = {.scene = {.device = GS_NONE},
		.form = "png",
		.color = "holder",
		.width = GS_MAP_WIDTH,
		.map = !strcmp(kind, "map")};
	gs_error err = GS_ERROR_INIT;
	gs_api_options o = {NULL};
	int begun = gs_api_begin(s, out, n);
	if (begun)
		return begun;
	gs_status status = c.map || !strcmp(kind, "plot")
		? gs_api_options_parse(&o, options, names, &err)
		: gs_fail(&err, GS_INVALID, "no picture is called \"%.40s\"; there are map and plot", kind);
	if (!status)
		status = read_options(&o, &c, &err);
	if (!status)
		status = draw(&s->snapshot, &c, out, n, &err);
	gs_api_options_release(&o);
	return gs_api_end(s, status, &err);
}

static gs_status answer_report(
	gpusnap_snapshot *s, const gs_api_options *o, void *context, FILE *out, gs_error *err)
{
	gs_report_options report = {
		.snapshots = &s->snapshot, .n = 1, .device = GS_NONE, .form = GS_PAGE_HTML};
	(void)context;
	gs_status status = gs_api_option_number(o, "device", &report.device, err);
	if (!status)
		status = gs_api_option_text(o, "state", &report.state, err);
	return status ? status : gs_report_write(&report, out, NULL, err);
}

int gpusnap_snapshot_report(gpusnap_snapshot *s, const char *options, char **out, size_t *n)
{
	static const char *const names[] = {"device", "state", NULL};
	return gs_api_answer_call(s, options, names, answer_report, NULL, out, n);
}
