/* Maps and plots in a report. */
#include "analyzer/picture/report.h"
#include "analyzer/picture/report_internal.h"

gs_status gs_section_maps(
	gs_page *p, const gs_scene *scene, const gs_scene *before, const char *name, gs_error *err)
{
	gs_map *wide = NULL, *narrow = NULL;
	gs_status status = gs_scene_map(scene, before, GS_COLOR_HOLDER, 0, &wide, err);

	if (!status && p->form == GS_PAGE_HTML)
		status = gs_scene_map(scene, before, GS_COLOR_HOLDER, NARROW, &narrow, err);
	if (!status) {
		gs_picture a = gs_map_picture(wide), b = {0};
		if (narrow)
			b = gs_map_picture(narrow);
		status = gs_page_picture(p, name, &a, narrow ? &b : NULL, err);
	}
	gs_map_free(wide);
	gs_map_free(narrow);
	return status;
}

bool gs_scene_has_segments(const gs_scene *scene)
{
	for (size_t i = 0; i < scene->moments.n; i++)
		if (scene->moments.at[i].layout.nsegments)
			return true;
	return false;
}

static bool gs_scene_has_events(const gs_scene *scene)
{
	for (size_t i = 0; i < scene->moments.n; i++)
		if (scene->moments.at[i].device->trace.n)
			return true;
	return false;
}

static gs_status put_plots(
	gs_page *p, const gs_scene *scene, gs_color by, const char *name, gs_error *err)
{
	gs_plot *wide = NULL, *narrow = NULL;
	gs_status status = gs_scene_plot(scene, by, GS_PLOT_AUTO, 0, &wide, err);

	if (!status && p->form == GS_PAGE_HTML)
		status = gs_scene_plot(scene, by, GS_PLOT_AUTO, NARROW, &narrow, err);
	if (!status) {
		gs_picture a = gs_plot_picture(wide), b = {0};
		if (narrow)
			b = gs_plot_picture(narrow);
		status = gs_page_picture(p, name, &a, narrow ? &b : NULL, err);
	}
	gs_plot_free(wide);
	gs_plot_free(narrow);
	return status;
}

gs_status gs_section_heap(const gs_sections *s, gs_error *err)
{
	gs_section_heading(s, "The heap");
	if (!s->scene->moments.n)
		gs_page_remark(s->p, "The input tells nothing of segments and blocks.");
	else if (gs_scene_has_segments(s->scene))
		return gs_section_maps(s->p, s->scene, NULL, "map", err);
	else
		gs_page_remark(s->p, "In this state the allocator holds no segment.");
	return GS_OK;
}

gs_status gs_section_over_time(const gs_sections *s, gs_error *err)
{
	if (gs_scene_has_events(s->scene))
		return put_plots(s->p, s->scene, GS_COLOR_HOLDER, "plot", err);
	gs_page_remark(s->p, "No events were recorded: only this one state is known.");
	return GS_OK;
}

gs_status gs_report_stand_in(gs_page *p, const gs_scene *scene, bool alone, gs_error *err)
{
	gs_sections s = {p, scene, alone ? 2 : 3};
	if (!scene->moments.n)
		return GS_OK;
	gs_markup_open(&p->m, "div");
	gs_markup_attr(&p->m, "id", GS_REPORT_STAND_IN);
	gs_markup_open(&p->m, alone ? "h2" : "h3");
	gs_markup_text(&p->m, "Memory over time");
	gs_markup_close(&p->m);
	gs_status status = gs_section_over_time(&s, err);
	gs_markup_close(&p->m);
	return status;
}
