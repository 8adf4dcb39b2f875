/* Snapshots of a report: their names, their order, their scenes. */
#include "analyzer/picture/report_overview.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash && slash[1] ? slash + 1 : path ? path : "a snapshot";
}

void gs_report_name_snapshot(const gs_snapshot *s, char *buf, size_t cap)
{
	if (s->rank != GS_NONE)
		snprintf(buf, cap, "rank %" PRId64 " (%.200s)", s->rank, base_name(s->path));
	else
		snprintf(buf, cap, "%.200s", base_name(s->path));
}

/* Time of a snapshot's first failure; INT64_MAX where it has none or no time. */
static int64_t failed_at(const gs_snapshot *s)
{
	int64_t at = INT64_MAX;

	for (size_t i = 0; i < s->nooms; i++)
		if (s->ooms[i].time_us != GS_NONE && s->ooms[i].time_us < at)
			at = s->ooms[i].time_us;
	return at;
}

size_t gs_report_first_failed(const gs_snapshot *all, size_t n)
{
	size_t best = 0;

	for (size_t i = 1; i < n; i++) {
		int64_t a = failed_at(&all[best]), b = failed_at(&all[i]);
		if (b < a || (!all[best].nooms && all[i].nooms))
			best = i;
	}
	return best;
}

bool gs_report_tells_at_length(size_t i, size_t first)
{
	return i == first || (i < first ? i + 1 : i) < GS_REPORT_WHOLE;
}

gs_status gs_report_open_scene(const gs_report_options *options, size_t i, bool whole,
	gs_scene *scene, const char **path, gs_error *err)
{
	gs_scene_options wanted = {.device = options->device,
		.state = options->state,
		.meaning = whole,
		.advice = whole,
		.heapless = true,
		.bare = options->form == GS_PAGE_HTML};

	if (path)
		*path = options->snapshots[i].path;
	return gs_scene_open(scene, &options->snapshots[i], &wanted, err);
}
