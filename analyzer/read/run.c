#include "analyzer/read/run.h"

#include <stdlib.h>

#include "analyzer/read/gsnap/passes.h"
#include "analyzer/read/open/reader.h"
#include "schema/gsnap_read.h"

struct gs_run {
	gs_source *source;
	gs_snapshot snapshot; /* around its first event */
	int32_t device;
	gs_gsnap_passes *passes;
};

/* The first layout and the first events; where the run is short, all of them. */
static gs_status read_beginning(gs_run *run, gs_error *err)
{
	const struct gs_device_event first = {run->device, 0};
	const gs_moment_wanted moment = {
		.what = GS_MOMENT_EVENTS, .events = &first, .nevents = 1, .reach = 1};
	const gs_reader *reader = NULL;
	gs_source_choose_moment(run->source, &moment);
	gs_status status = gs_reader_pick(run->source, &reader, err);
	if (!status && (reader != &gs_reader_gsnap || !gs_source_rewind(run->source)))
		return gs_fail(err, GS_INVALID, "it is no stream that can be read twice");
	if (!status)
		status = gs_reader_run(reader, run->source, GS_WANT_HISTORY, &run->snapshot, err);
	gs_source_choose_moment(run->source, NULL);
	if (!status)
		status = gs_snapshot_finish(&run->snapshot, err);
	if (status)
		return status;
	if (!run->snapshot.stream)
		return gs_fail(err, GS_INVALID, "it is no stream");
	return gs_snapshot_find_device(&run->snapshot, run->device)
		? GS_OK
		: gs_fail(err, GS_NOT_FOUND, "no device %d", run->device);
}

gs_status gs_run_open(const char *path, int32_t device, gs_run **out, gs_error *err)
{
	gs_run *run = calloc(1, sizeof *run);
	if (!run)
		return gs_no_memory(err);
	gs_snapshot_init(&run->snapshot);
	run->device = device;
	gs_status status = gs_source_open(path, &run->source, err);
	if (!status)
		status = read_beginning(run, err);
	if (!status)
		status = gs_gsnap_passes_open(&run->passes, run->source, &run->snapshot, device, err);
	if (status)
		gs_run_close(run);
	else
		*out = run;
	return status;
}

void gs_run_close(gs_run *run)
{
	if (!run)
		return;
	gs_gsnap_passes_close(run->passes);
	gs_snapshot_release(&run->snapshot);
	gs_source_close(run->source);
	free(run);
}

static gs_status pass(void *context, gs_event_visit *visit, void *visitor, gs_error *err)
{
	return gs_gsnap_pass(context, visit, visitor, err);
}

gs_event_source gs_run_events(gs_run *run)
{
	return (gs_event_source){
		.snapshot = &run->snapshot, .device = run->device, .pass = pass, .context = run->passes};
}

static gs_status open_of_file(
	const gs_snapshot *part, int32_t device, void **run, gs_event_source *events, gs_error *err)
{
	gs_run *opened;
	gs_status status = gs_run_open(part->path, device, &opened, err);
	if (status)
		return status;
	*run = opened;
	*events = gs_run_events(opened);
	return GS_OK;
}

static void close_of_file(void *run) { gs_run_close(run); }

const gs_run_way gs_run_of_file = {open_of_file, close_of_file};
