/* One dump: name, file, message. */
#include "recorder/dump/dump.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/dump/asked.h"
#include "recorder/dump/file_name.h"
#include "recorder/dump/text.h"

/* What a dump is made of. */
typedef struct making {
	gs_dump_encode *encode;
	void *arg;
	int32_t device;
	const gs_dump_request *request;
	gs_dump_place place; /* filled when the file is there */
	gs_dump_place gone;  /* whose place it took; no name: nobody's */
} making;

/* --- messages --- */

static void say(const gs_dumper *d, const gs_line *line)
{
	gs_dump_say(d->config, line->at, line->n);
}

/* At the end: which dumps stand for more failures than one. */
static void say_counts(gs_dumper *d)
{
	for (uint32_t i = 0; i < d->places.n; i++) {
		const gs_dump_place *p = &d->places.at[i];
		char text[NAME_MAX + 200] = "gpusnap: ";
		gs_line line = {text, strlen(text), sizeof text};
		if (p->count < 2)
			continue;
		gs_line_text(&line, p->name);
		gs_line_text(&line, " stands for ");
		gs_line_number(&line, p->count, 1);
		gs_line_text(&line, " failures alike\n");
		say(d, &line);
	}
}

/* --- life --- */

gs_status gs_dumper_init(
	gs_dumper *d, const gs_config *config, gs_tables *tables, gs_clock *clock, gs_pages *pages)
{
	memset(d, 0, sizeof *d);
	d->config = config;
	d->tables = tables;
	d->clock = clock;
	d->pages = pages;
	d->pid = getpid();
	pthread_mutex_init(&d->lock, NULL);
	gs_status status = gs_dump_places_init(&d->places, config->max_dumps, config->max_bytes, pages);
	if (!status && tables)
		status = gs_encoder_init(&d->encoder, tables, config->level, pages);
	if (!status && tables)
		status = gs_marks_init(&d->marks, pages);
	if (status)
		gs_dumper_release(d);
	return status;
}

void gs_dumper_release(gs_dumper *d)
{
	if (!d->pages)
		return;
	say_counts(d);
	gs_encoder_release(&d->encoder);
	gs_marks_release(&d->marks);
	gs_dump_places_release(&d->places);
	pthread_mutex_destroy(&d->lock);
	memset(d, 0, sizeof *d);
}

void gs_dumper_before_fork(gs_dumper *d)
{
	pthread_mutex_lock(&d->lock);
	if (d->marks.ring)
		pthread_mutex_lock(&d->marks.lock);
}

void gs_dumper_after_fork(gs_dumper *d, bool child)
{
	if (child) {
		d->pid = getpid();
		d->number = 0;
		d->told_contents = false;
		gs_dump_places_after_fork(&d->places);
	}
	if (d->marks.ring)
		pthread_mutex_unlock(&d->marks.lock);
	pthread_mutex_unlock(&d->lock);
}

const char *gs_dump_reason_text(gs_dump_reason reason)
{
	static const char *const texts[] = {"out of memory", "refused", "signal", "demand"};
	return texts[reason];
}

/* "out of memory on device 0: " and the like. */
static void put_reason(
	gs_line *line, const gs_dumper *d, const gs_dump_request *request, int32_t device)
{
	switch (request->reason) {
	case GS_DUMP_OOM:
		gs_line_text(line, "out of memory on device ");
		gs_line_signed(line, device);
		break;
	case GS_DUMP_REFUSED:
		gs_line_text(line, "the driver refused memory on device ");
		gs_line_signed(line, device);
		break;
	case GS_DUMP_SIGNAL:
		gs_line_text(line, "signal ");
		gs_line_text(line, d->config->signal_name);
		break;
	case GS_DUMP_DEMAND: gs_line_text(line, "asked for"); break;
	}
	gs_line_text(line, ": ");
}

static void say_written(gs_dumper *d, const making *m)
{
	const gs_dump_request *request = m->request;
	char text[PATH_MAX + NAME_MAX + 500] = "gpusnap: ";
	gs_line line = {text, strlen(text), sizeof text};
	d->complaint.text[0] = 0;
	if (request->quiet)
		return;
	put_reason(&line, d, request, m->device);
	gs_line_text(&line, "wrote ");
	gs_line_text(&line, d->file.path);
	gs_line_text(&line, " (");
	gs_line_number(&line, (d->file.bytes + 1023) / 1024, 1);
	gs_line_text(&line, " KiB)");
	if (m->gone.name[0]) {
		gs_line_text(&line, " in place of ");
		gs_line_text(&line, m->gone.name);
		gs_line_text(&line, " (GPUSNAP_MAX_DUMPS, GPUSNAP_MAX_MB)");
	}
	if (!d->told_contents && !request->path && strchr(d->config->name, '/'))
		gs_line_text(&line,
			"; a name has no folders, so \"/\" in GPUSNAP_NAME became \"_\" (GPUSNAP_DIR is the "
			"folder)");
	if (!d->told_contents)
		gs_line_text(
			&line, "; it holds host name, arguments and paths: `gpusnap redact` removes them");
	d->told_contents = true;
	gs_line_text(&line, "; next: `gpusnap diagnose`\n");
	say(d, &line);
}

static void say_failed(gs_dumper *d, const gs_dump_request *request, const gs_error *err)
{
	char text[PATH_MAX + 400] = "gpusnap: no dump: ";
	gs_line line = {text, strlen(text), sizeof text};
	if (request->quiet || !strcmp(d->complaint.text, err->text))
		return;
	d->complaint = *err;
	gs_line_text(&line, err->text[0] ? err->text : gs_status_text(err->status));
	gs_line_char(&line, '\n');
	say(d, &line);
}

static gs_status set_error(gs_error *err, gs_status status, const char *text)
{
	gs_line line = GS_LINE(err->text);
	err->status = status;
	gs_line_text(&line, text);
	return status;
}

/* --- names --- */

static bool is_failure(const gs_dump_request *request)
{
	return request->reason == GS_DUMP_OOM || request->reason == GS_DUMP_REFUSED;
}

/* Readers that look for dumps know them by it. A name that is too long is cut before it. */
static void end_name(gs_line *line)
{
	static const char ending[] = ".gsnap";
	const size_t n = sizeof ending - 1;
	if (line->n >= n && !memcmp(line->at + line->n - n, ending, n))
		return;
	if (line->n > line->cap - 1 - n)
		line->n = line->cap - 1 - n;
	gs_line_text(line, ending);
}

/* A dump that no failure made is not called oom. */
static void name_dump(
	gs_line *line, const gs_dumper *d, const gs_dump_request *request, int32_t device, int64_t now)
{
	const char *pattern = d->config->name;
	const gs_name_facts facts = {
		d->config->host, d->pid, d->config->rank, device, now, d->number, false};
	if (!is_failure(request) && !strncmp(pattern, "oom-", 4)) {
		gs_line_text(line, "dump-");
		pattern += 4;
	}
	gs_name_put(line, pattern, &facts);
	end_name(line);
}

/* --- the dump --- */

/* Gives the whole file its name: the one asked for, or the next of the pattern that is free. */
static gs_status place_file(gs_dumper *d, const gs_dump_request *request, int32_t device,
	char name[static NAME_MAX + 1], gs_error *err)
{
	int64_t now = gs_clock_scale_now(d->clock).real;
	uint32_t last = d->number + 1000;
	gs_status status;
	if (request->path)
		return gs_dump_file_place(&d->file, NULL, request->overwrite, err);
	do {
		gs_line line = {name, 0, NAME_MAX + 1};
		d->number++;
		name_dump(&line, d, request, device, now);
		status = gs_dump_file_place(&d->file, name, false, err);
	} while (status == GS_EXISTS && d->number < last);
	return status;
}

static void fill_place(making *m, const gs_dump_file *file)
{
	struct stat about = {0};
	fstat(file->fd, &about);
	m->place.disk = about.st_dev;
	m->place.file = about.st_ino;
	m->place.written = about.st_mtim;
	m->place.bytes = file->bytes;
	m->place.count = 1;
	m->place.merges = m->request->failure != NULL;
	if (m->request->failure)
		m->place.failure = *m->request->failure;
}

static gs_status write_file(gs_dumper *d, making *m, uint64_t most, gs_error *err)
{
	gs_dump_file *file = &d->file;
	const char *path = m->request->path;
	*file = (gs_dump_file)GS_DUMP_FILE_INIT;
	gs_status status = gs_dump_file_begin(file, path ? path : d->config->dir, !path, most, err);
	if (status)
		goto out;
	status = m->encode(m->arg, d->pid, gs_dump_file_sink, file);
	if (status) {
		gs_dump_file_explain(file, status, err);
		goto out;
	}
	status = gs_dump_file_sync(file, d->config->sync, err);
	if (!status)
		status = place_file(d, m->request, m->device, m->place.name, err);
	if (!status)
		fill_place(m, file);
out:
	gs_dump_file_end(file, d->config->sync);
	return status;
}

/* Removes the file of a dump that gives its place away, unless it is not the one we wrote. */
static void remove_file(const gs_dumper *d, const gs_dump_place *gone)
{
	char path[PATH_MAX + NAME_MAX + 2];
	struct stat about;
	gs_line line = GS_LINE(path);
	gs_line_text(&line, d->config->dir);
	gs_line_char(&line, '/');
	gs_line_text(&line, gone->name);
	if (!lstat(path, &about) && about.st_dev == gone->disk && about.st_ino == gone->file &&
		about.st_mtim.tv_sec == gone->written.tv_sec &&
		about.st_mtim.tv_nsec == gone->written.tv_nsec)
		unlink(path);
}

/* A dump that has a place: with more and more of the newest ones going until it fits. */
static gs_status write_kept(gs_dumper *d, making *m, gs_error *err)
{
	uint32_t going = gs_dump_places_going(&d->places), kept = gs_dump_places_kept(&d->places);
	gs_status status = gs_dump_places_admit(
		&d->places, m->request->failure ? m->request->failure : &(gs_dump_failure){0});
	if (status && (status == GS_LIMIT || m->request->failure))
		return set_error(err, status,
			status == GS_LIMIT ? "GPUSNAP_MAX_DUMPS is 0" : "a dump of this failure is there");
	do
		status = write_file(d, m, gs_dump_places_room(&d->places, going), err);
	while (status == GS_LIMIT && d->file.full && going++ < kept);
	if (status)
		return status;
	while (going-- && gs_dump_places_drop(&d->places, &m->gone))
		remove_file(d, &m->gone);
	gs_dump_places_add(&d->places, &m->place);
	return GS_OK;
}

gs_status gs_dumper_write_by(gs_dumper *d, gs_dump_encode *encode, void *arg, int32_t device,
	const gs_dump_request *request, char *written, size_t cap, gs_error *err)
{
	gs_error own = GS_ERROR_INIT;
	gs_dump_signals signals;
	pthread_mutex_lock(&d->lock);
	making m = {.encode = encode, .arg = arg, .device = device, .request = request};
	gs_dump_hold_signals(&signals);
	bool kept = is_failure(request) && !request->path;
	gs_status status = kept ? write_kept(d, &m, &own) : write_file(d, &m, UINT64_MAX, &own);
	if (!status && request->reason == GS_DUMP_SIGNAL)
		gs_asked_path(d->file.path);
	if (!status)
		say_written(d, &m);
	else if (!kept || (status != GS_EXISTS && d->places.most))
		say_failed(d, request, &own);
	if (!status && written && cap) {
		gs_line line = {written, 0, cap};
		gs_line_text(&line, d->file.path);
	}
	gs_dump_release_signals(&signals);
	pthread_mutex_unlock(&d->lock);
	if (status && err)
		*err = own;
	return status;
}

void gs_dumper_forget(gs_dumper *d, const char *path)
{
	const char *slash = strrchr(path, '/');
	gs_dump_place gone;
	pthread_mutex_lock(&d->lock);
	if (!gs_dump_places_forget(&d->places, slash ? slash + 1 : path, &gone))
		remove_file(d, &gone);
	pthread_mutex_unlock(&d->lock);
}

typedef struct staged {
	gs_dumper *d;
	const gs_staging *staging;
	const gs_dump_device *device;
	gs_dump_reason reason;
} staged;

static gs_status encode_stage(void *arg, int64_t pid, gs_sink sink, void *sink_arg)
{
	const staged *s = arg;
	gs_clock_scale scale = gs_clock_scale_now(s->d->clock);
	gs_encode_source source = {.staging = s->staging,
		.device = s->device,
		.config = s->d->config,
		.scale = &scale,
		.pid = pid,
		.reason = gs_dump_reason_text(s->reason),
		.recorder_bytes = s->d->pages->bytes,
		.marks = s->d->marks.copy,
		.nmarks = gs_marks_take(&s->d->marks)};
	return gs_encode(&s->d->encoder, &source, sink, sink_arg);
}

gs_status gs_dumper_write(gs_dumper *d, const gs_staging *staging, const gs_dump_device *device,
	const gs_dump_request *request, char *written, size_t cap, gs_error *err)
{
	staged s = {d, staging, device, request->reason};
	gs_tables_refresh_modules(d->tables);
	return gs_dumper_write_by(d, encode_stage, &s, device->number, request, written, cap, err);
}
