/* The recorder around a run's pool. */
#include "tools/sim_record.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "recorder/dump/log.h"
#include "recorder/api/recorder.h"
#include "schema/outfile.h"
#include "tools/message.h"

struct sim_record {
	sim_record_options options;
	gs_recorder recorder; /* without devices: its tables, clock and dumps */
	gs_log log;
	gs_dump_device device;
	unsigned dumps; /* tried */
	bool failed, told;
	const char *file; /* of the last line, and its id */
	gs_id file_text;
};

/* The allocation's stack is one frame, the script's line. */
static gs_pool_ctx context(void *user, const sim_call *call, const char *tag)
{
	sim_record *r = user;
	gs_tables *t = &r->recorder.tables;
	if (r->file != call->file) {
		r->file = call->file;
		r->file_text = gs_tables_text(t, call->file, strlen(call->file));
	}
	gs_id name = gs_tables_text(t, call->text, strlen(call->text));
	gs_id frame = gs_tables_frame(t, name, r->file_text, (int32_t)call->line);
	return (gs_pool_ctx){
		gs_tables_stack(t, &frame, 1, NULL, 0, 0), tag ? gs_tables_tag(t, tag, strlen(tag)) : 0};
}

/* FILE.gsnap, FILE-2.gsnap, … */
static void output_path(const sim_record *r, char *path, size_t cap)
{
	const char *output = r->options.output, *slash = strrchr(output, '/'),
			   *dot = strrchr(output, '.');
	int stem = dot && (!slash || dot > slash) ? (int)(dot - output) : (int)strlen(output);
	if (r->dumps == 1)
		snprintf(path, cap, "%s", output);
	else
		snprintf(path, cap, "%.*s-%u%s", stem, output, r->dumps, output + stem);
}

/* Into the folder for dumps, by the pattern, or to a name; there the dumper tells of failures. */
static bool write_dump(sim_record *r, gs_dump_reason reason, const char *path)
{
	gs_error err = GS_ERROR_INIT;
	gs_dump_request request = {
		.reason = reason, .path = path, .overwrite = path != NULL, .quiet = path != NULL};
	gs_status status = gs_dumper_write(
		&r->recorder.dumper, &r->log.staging, &r->device, &request, NULL, 0, &err);
	if (status && path)
		gs_fail_file(r->options.output, &err, NULL);
	return !status;
}

/* As the dumper says it of its own files. */
static void say_written(sim_record *r, gs_dump_reason reason, const char *path, long long kib)
{
	if (!strcmp(path, "-"))
		path = "to standard output";
	gs_note("%swrote %s (%lld KiB)%s; next: `gpusnap diagnose`",
		reason == GS_DUMP_OOM ? "out of memory on device 0: " : "", path, kib,
		r->told ? "" : "; it holds host name, arguments and paths: `gpusnap redact` removes them");
	r->told = true;
}

/* The dumper makes regular files only, so one that goes elsewhere is staged. */
static bool write_output(sim_record *r, gs_dump_reason reason)
{
	char path[PATH_MAX];
	gs_outfile out = GS_OUTFILE_INIT;
	gs_error err = GS_ERROR_INIT;
	output_path(r, path, sizeof path);
	unsigned flags = GS_OUTFILE_STAGED | GS_OUTFILE_BINARY |
		(r->options.force ? GS_OUTFILE_FORCE : 0);
	gs_status status = gs_outfile_open(&out, path, flags, &err);
	if (!status && !write_dump(r, reason, out.temporary)) {
		gs_outfile_drop(&out);
		return false;
	}
	struct stat st = {0};
	if (!status) {
		stat(out.temporary, &st);
		status = gs_outfile_commit(&out, &err);
	}
	if (status)
		gs_fail_file(path, &err, NULL);
	else
		say_written(r, reason, path, (st.st_size + 1023) / 1024);
	return !status;
}

static void dump(sim_record *r, const gs_pool *pool, gs_dump_reason reason, int64_t device_free)
{
	gs_pool_counts counts;
	r->dumps++;
	gs_pool_count(pool, &counts);
	gs_log_reserve(&r->log, counts.metadata_bytes);
	gs_log_stage(&r->log, pool, device_free);
	if (!(r->options.output ? write_output(r, reason) : write_dump(r, reason, NULL)))
		r->failed = true;
}

static void action(void *user, const gs_pool *pool, const gs_pool_action *a)
{
	sim_record *r = user;
	gs_log_action(&r->log, pool, a, gs_clock_ticks(&r->recorder.clock));
	if (a->action != GS_ACTION_OOM || (r->dumps && !r->options.every_oom))
		return;
	dump(r, pool, GS_DUMP_OOM, (int64_t)a->device_free);
}

static uint64_t start_time(void)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	char *end;
	unsigned long long seconds = epoch ? strtoull(epoch, &end, 10) : 0;
	return seconds && !*end && seconds < 1ull << 33 ? seconds * 1000000000u
													: (uint64_t)gs_clock_real();
}

gs_status sim_record_init(
	sim_record **out, const sim_record_options *options, sim_hooks *hooks, gs_error *err)
{
	static gs_config config; /* large */
	sim_record *r = calloc(1, sizeof *r);
	if (!r)
		return gs_fail(err, GS_NO_MEMORY, "no memory for a recording");
	r->options = *options;
	r->device.name = "simulated device";
	r->device.capacity = (int64_t)options->capacity;
	gs_status status = gs_config_read(&config, err);
	if (!getenv("GPUSNAP_MAX_DUMPS"))
		config.max_dumps = UINT32_MAX; /* what is asked for is wanted */
	if (!status && config.disable)
		status = gs_fail(err, GS_STATE, "GPUSNAP_DISABLE is set: nothing is recorded");
	if (!status)
		status = gs_recorder_init(&r->recorder, &config, start_time(), err);
	if (!status && (status = gs_log_init(&r->log, config.events, &r->recorder.pages)))
		gs_fail(err, status, "no memory for %u events", config.events);
	if (status) {
		sim_record_release(r);
		return status;
	}
	*hooks = (sim_hooks){context, action, r};
	*out = r;
	return GS_OK;
}

gs_status sim_record_finish(sim_record *r, const gs_pool *pool, gs_error *err)
{
	(void)err;
	if (r->options.output && !r->dumps)
		dump(r, pool, GS_DUMP_DEMAND, GS_NONE);
	return r->failed ? GS_IO : GS_OK;
}

void sim_record_release(sim_record *r)
{
	if (!r)
		return;
	gs_log_release(&r->log, &r->recorder.pages);
	gs_recorder_release(&r->recorder);
	free(r);
}
