#include "analyzer/meaning/step_state.h"
#include "analyzer/picture/scene.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/advice/advice.h"
#include "analyzer/advice/answer.h"

static gs_status diagnose(gs_scene *scene, const gs_scene_options *options, gs_error *err)
{
	gs_diagnose_options diagnose_options = GS_DIAGNOSE_OPTIONS_INIT;

	diagnose_options.any_device = options->device == GS_NONE;
	diagnose_options.device = diagnose_options.any_device ? 0 : (int32_t)options->device;
	diagnose_options.state = options->state;
	gs_status status = gs_diagnose(scene->snapshot, &diagnose_options, &scene->diagnosis, err);
	return status || !options->advice ? status : gs_advise(&scene->diagnosis, true, err);
}

/* The device that the headline speaks of comes first. */
static void put_first(gs_moments *m, const gs_device *device)
{
	for (size_t i = 1; i < m->n; i++) {
		gs_moment found = m->at[i];
		if (found.device != device)
			continue;
		memmove(&m->at[1], &m->at[0], i * sizeof found);
		m->at[0] = found;
	}
}

/* Whether the pictures are of a failure or of a state asked for: then what it holds has the first
 * colours, and legends of all devices tell it; else their peaks do. */
static bool one_state(const gs_scene *scene)
{
	bool failed = false;

	for (size_t i = 0; i < scene->moments.n; i++)
		failed |= scene->moments.at[i].state.oom != SIZE_MAX;
	return scene->asked || failed;
}

/* Also what ranks the holders, so that map and plot of one scene give them the same colours. */
static gs_status find_peak(gs_scene *scene, size_t i, gs_error *err)
{
	const gs_history *h = scene->histories[i];
	int64_t idx = gs_history_peak(h, false);
	gs_status status = gs_history_layout(h, idx >= 0 ? idx : h->captured_at, &scene->peaks[i], err);

	scene->ranks[2 * i] = (gs_palette_moment){
		scene->snapshot, &scene->moments.at[i].layout, scene->meanings[i], false};
	scene->ranks[2 * i + 1] = (gs_palette_moment){
		scene->snapshot, &scene->peaks[i], scene->meanings[i], one_state(scene)};
	return status;
}

/* The diagnosis has looked at one of the devices already. */
static gs_status find_meaning(gs_scene *scene, size_t i, gs_error *err)
{
	const gs_moment *m = &scene->moments.at[i];
	gs_recording *own = &scene->own[i];

	if (m->device == scene->diagnosis.device && scene->diagnosis.has_layout &&
		gs_recording_meaning(scene->diagnosis.recording)) {
		scene->histories[i] = &scene->diagnosis.recording->history;
		scene->meanings[i] = &scene->diagnosis.recording->meaning;
		return GS_OK;
	}
	scene->histories[i] = &own->history;
	scene->meanings[i] = &own->meaning;
	gs_recording_init(own, scene->snapshot, m->device, NULL);
	return gs_recording_need_meaning(own, err);
}

static gs_status find_meanings(gs_scene *scene, gs_error *err)
{
	size_t n = scene->moments.n;
	gs_status status = GS_OK;

	scene->histories = calloc(n + 1, sizeof *scene->histories);
	scene->meanings = calloc(n + 1, sizeof *scene->meanings);
	scene->own = calloc(n + 1, sizeof *scene->own);
	scene->peaks = calloc(n + 1, sizeof *scene->peaks);
	scene->ranks = calloc(2 * n + 1, sizeof *scene->ranks);
	if (!scene->histories || !scene->meanings || !scene->own || !scene->peaks || !scene->ranks)
		return gs_fail(err, GS_NO_MEMORY, "meanings of %zu devices", n);
	for (size_t i = 0; i < n && !status; i++) {
		status = find_meaning(scene, i, err);
		if (!status)
			status = find_peak(scene, i, err);
	}
	return status;
}

gs_status gs_scene_open(
	gs_scene *scene, const gs_snapshot *s, const gs_scene_options *options, gs_error *err)
{
	gs_status status;

	memset(scene, 0, sizeof *scene);
	scene->snapshot = s;
	scene->asked = options->state != NULL;
	scene->bare = options->bare;
	status = diagnose(scene, options, err);
	if (!status) {
		gs_diagnosis_line(&scene->diagnosis, scene->headline, sizeof scene->headline);
		status = gs_meaning_moments_select(
			s, options->device, options->state, &scene->moments, err);
		if (status == GS_NOT_FOUND && options->heapless && options->device == GS_NONE) {
			*err = (gs_error)GS_ERROR_INIT;
			status = GS_OK;
		}
	}
	if (!status) {
		put_first(&scene->moments, scene->diagnosis.device);
		if (options->meaning)
			status = find_meanings(scene, err);
	}
	return status;
}

void gs_scene_release(gs_scene *scene)
{
	for (size_t i = 0; i < scene->moments.n; i++) {
		if (scene->own)
			gs_recording_release(&scene->own[i]);
		if (scene->peaks)
			gs_layout_release(&scene->peaks[i]);
	}
	free(scene->meanings);
	free(scene->histories);
	free(scene->own);
	free(scene->peaks);
	free(scene->ranks);
	gs_moments_release(&scene->moments);
	gs_diagnosis_release(&scene->diagnosis);
}

/* The meaning of a device's moment, or NULL. */
static const gs_meaning *meaning_of(const gs_scene *scene, size_t moment)
{
	return scene->meanings ? scene->meanings[moment] : NULL;
}

static gs_map_panel panel_of(const gs_scene *scene, size_t i)
{
	const gs_moment *m = &scene->moments.at[i];
	const gs_diagnosis *d = &scene->diagnosis;
	bool diagnosed = d->device == m->device && d->oom != SIZE_MAX && d->oom == m->state.oom &&
		d->layout.nblocks == m->layout.nblocks;

	return (gs_map_panel){scene->snapshot, m->device, &m->layout, gs_moment_oom(scene->snapshot, m),
		m->state.name, meaning_of(scene, i), diagnosed ? d : NULL};
}

static gs_map_panel panel_before(const gs_scene *before, const gs_device *device)
{
	for (size_t i = 0; i < before->moments.n; i++)
		if (before->moments.at[i].device->device == device->device &&
			before->moments.at[i].layout.nsegments)
			return panel_of(before, i);
	return (gs_map_panel){.snapshot = before->snapshot, .device = device};
}

gs_status gs_scene_map(const gs_scene *scene, const gs_scene *before, gs_color color, int width,
	gs_map **map, gs_error *err)
{
	gs_map_panel now[GS_MAP_PANELS_MAX], then[GS_MAP_PANELS_MAX];
	gs_map_options map_options = {.panels = now,
		.before = before ? then : NULL,
		.headline = scene->bare ? NULL : scene->headline,
		.color = color,
		.width = width,
		.also = scene->ranks,
		.nalso = scene->ranks && !before ? 2 * scene->moments.n : 0};

	for (size_t i = 0; i < scene->moments.n && map_options.n < GS_MAP_PANELS_MAX; i++) {
		if (!scene->moments.at[i].layout.nsegments && scene->moments.n > 1)
			continue;
		now[map_options.n] = panel_of(scene, i);
		if (before)
			then[map_options.n] = panel_before(before, now[map_options.n].device);
		map_options.n++;
	}
	return gs_map_make(map, &map_options, err);
}

static gs_plot_panel plot_panel(const gs_scene *scene, size_t i)
{
	const gs_moment *m = &scene->moments.at[i];
	bool at_peak = !one_state(scene);

	return (gs_plot_panel){scene->snapshot, m->device, scene->histories[i], scene->meanings[i],
		at_peak ? &scene->peaks[i] : &m->layout,
		at_peak                        ? "at the peak"
			: m->state.oom != SIZE_MAX ? "at the failure"
			: scene->asked             ? "at that state"
									   : "as captured"};
}

gs_status gs_scene_plot(
	const gs_scene *scene, gs_color by, gs_plot_axis axis, int width, gs_plot **plot, gs_error *err)
{
	size_t n = scene->moments.n;
	gs_plot_panel *panels = calloc(n + 1, sizeof *panels);
	gs_plot_options plot_options = {.panels = panels,
		.n = n,
		.headline = scene->bare ? NULL : scene->headline,
		.by = by,
		.axis = axis,
		.width = width,
		.also = scene->ranks,
		.nalso = 2 * n};
	gs_status status;

	*plot = NULL;
	if (!panels)
		return gs_fail(err, GS_NO_MEMORY, "a plot of %zu devices", n);
	for (size_t i = 0; i < n; i++)
		panels[i] = plot_panel(scene, i);
	status = gs_plot_make(plot, &plot_options, err);
	free(panels);
	return status;
}
