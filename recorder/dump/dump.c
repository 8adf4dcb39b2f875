/* One dump: name, file, message. */
#include "recorder/dump/dump.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/dump/text.h"

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
	gs_status status = tables ? gs_encoder_init(&d->encoder, tables, config->level, pages) : GS_OK;
	if (status)
		gs_dumper_release(d);
	return status;
}

void gs_dumper_release(gs_dumper *d)
{
	if (!d->pages)
		return;
	gs_encoder_release(&d->encoder);
	pthread_mutex_destroy(&d->lock);
	memset(d, 0, sizeof *d);
}

void gs_dumper_before_fork(gs_dumper *d) { pthread_mutex_lock(&d->lock); }

void gs_dumper_after_fork(gs_dumper *d, bool child)
{
	if (child) {
		d->pid = getpid();
		d->number = d->dumps = 0;
		d->bytes = 0;
		d->told_contents = false;
		d->done = false;
	}
	pthread_mutex_unlock(&d->lock);
}

/* --- messages
 * ----------------------------------------------------------------------------------------- */

/* One line, by one write, wherever messages go; a closed stderr is no matter. */
static void say(const gs_dumper *d, const gs_line *line)
{
	const char *log = d->config->log;
	if (!strcmp(log, "none"))
		return;
	if (!strcmp(log, "stderr")) {
		gs_dump_write(STDERR_FILENO, line->at, line->n);
		return;
	}
	int fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0600);
	if (fd >= 0) {
		gs_dump_write(fd, line->at, line->n);
		close(fd);
	}
}

static void say_written(gs_dumper *d, const gs_dump_request *request, int32_t device)
{
	char text[PATH_MAX + 400] = "gpusnap: ";
	gs_line line = {text, strlen(text), sizeof text};
	if (request->quiet || d->config->told_later)
		return;
	if (request->reason == GS_DUMP_OOM) {
		gs_line_text(&line, "out of memory on device ");
		gs_line_signed(&line, device);
		gs_line_text(&line, ": ");
	}
	gs_line_text(&line, "wrote ");
	gs_line_text(&line, d->file.path);
	gs_line_text(&line, " (");
	gs_line_number(&line, (d->file.bytes + 1023) / 1024, 1);
	gs_line_text(&line, " KiB)");
	if (!d->told_contents)
		gs_line_text(
			&line, "; it holds host name, arguments and paths: `gpusnap redact` removes them");
	d->told_contents = true;
	gs_line_char(&line, '\n');
	say(d, &line);
}

static void say_failed(const gs_dumper *d, const gs_dump_request *request, const gs_error *err)
{
	char text[PATH_MAX + 400] = "gpusnap: no dump: ";
	gs_line line = {text, strlen(text), sizeof text};
	if (request->quiet)
		return;
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

/* --- names
 * -------------------------------------------------------------------------------------------- */

static void put_host(gs_line *line, const char *host)
{
	for (; *host; host++) /* a name from outside must not leave the folder */
		gs_line_char(line, *host == '/' || (unsigned char)*host < ' ' ? '_' : *host);
}

/* The pattern with its signs filled in. */
static void put_name(
	gs_line *line, const gs_dumper *d, const gs_dump_request *request, int32_t device, int64_t now)
{
	const char *pattern = d->config->name;
	if (request->reason != GS_DUMP_OOM && !strncmp(pattern, "oom-", 4)) {
		gs_line_text(line, "dump-"); /* no failure made it */
		pattern += 4;
	}
	for (const char *p = pattern; *p; p++) {
		if (*p != '%' || !p[1]) {
			gs_line_char(line, *p == '/' ? '_' : *p);
			continue;
		}
		switch (*++p) {
		case 'h': put_host(line, d->config->host); break;
		case 'p': gs_line_signed(line, d->pid); break;
		case 'r': gs_line_signed(line, d->config->rank == GS_NONE ? 0 : d->config->rank); break;
		case 'd': gs_line_signed(line, device); break;
		case 't': gs_line_utc(line, now / 1000000000); break;
		case 'n': gs_line_number(line, d->number, 1); break;
		case '%': gs_line_char(line, '%'); break;
		default: gs_line_char(line, '%'); gs_line_char(line, *p);
		}
	}
}

/* --- the dump
 * ----------------------------------------------------------------------------------------- */

static gs_status check_limits(gs_dumper *d, const gs_dump_request *request, gs_error *err)
{
	char text[200] = "gpusnap: no more dumps: this process wrote ";
	gs_line line = {text, strlen(text), sizeof text};
	if (request->reason == GS_DUMP_DEMAND ||
		(d->dumps < d->config->max_dumps && d->bytes < d->config->max_bytes))
		return GS_OK;
	set_error(err, GS_LIMIT, "the limits on dumps of a process are reached");
	if (!d->done && d->config->max_dumps) {
		gs_line_number(&line, d->dumps, 1);
		gs_line_text(&line, " (GPUSNAP_MAX_DUMPS, GPUSNAP_MAX_MB)\n");
		say(d, &line);
	}
	d->done = true;
	return GS_LIMIT;
}

static gs_status write_file(gs_dumper *d, gs_dump_encode *encode, void *arg, int32_t device,
	const gs_dump_request *request, gs_error *err)
{
	int64_t now = gs_clock_scale_now(d->clock).real;
	uint64_t most = request->reason == GS_DUMP_DEMAND ? UINT64_MAX
													  : d->config->max_bytes - d->bytes;
	gs_dump_file *file = &d->file;
	*file = (gs_dump_file)GS_DUMP_FILE_INIT;
	gs_status status = request->path ? gs_dump_file_begin(file, request->path, false, most, err)
									 : gs_dump_file_begin(file, d->config->dir, true, most, err);
	if (status)
		return status;
	status = encode(arg, d->pid, gs_dump_file_sink, file);
	if (status) {
		gs_dump_file_explain(file, status, err);
		goto out;
	}
	status = gs_dump_file_sync(file, d->config->sync, err);
	if (status)
		goto out;
	if (request->path) {
		status = gs_dump_file_place(file, NULL, request->overwrite, err);
	} else {
		char name[NAME_MAX + 1];
		uint32_t last = d->number + 1000;
		do { /* a name taken by someone else's dump: the next number */
			gs_line line = GS_LINE(name);
			d->number++;
			put_name(&line, d, request, device, now);
			status = gs_dump_file_place(file, name, false, err);
		} while (status == GS_EXISTS && d->number < last);
	}
out:
	gs_dump_file_end(file, d->config->sync);
	return status;
}

gs_status gs_dumper_write_by(gs_dumper *d, gs_dump_encode *encode, void *arg, int32_t device,
	const gs_dump_request *request, char *written, size_t cap, gs_error *err)
{
	gs_error own = GS_ERROR_INIT;
	gs_dump_signals signals;
	pthread_mutex_lock(&d->lock);
	gs_dump_hold_signals(&signals);
	gs_status status = check_limits(d, request, &own);
	if (!status) {
		status = write_file(d, encode, arg, device, request, &own);
		if (status)
			say_failed(d, request, &own);
		else
			say_written(d, request, device);
		if (!status && request->reason != GS_DUMP_DEMAND) {
			d->dumps++;
			d->bytes += d->file.bytes;
		}
		if (!status && written && cap) {
			gs_line line = {written, 0, cap};
			gs_line_text(&line, d->file.path);
		}
	}
	gs_dump_release_signals(&signals);
	pthread_mutex_unlock(&d->lock);
	if (status && err)
		*err = own;
	return status;
}

void gs_dumper_forget(gs_dumper *d, const char *path)
{
	struct stat about;
	pthread_mutex_lock(&d->lock);
	if (!stat(path, &about) && !unlink(path) && d->dumps) {
		uint64_t bytes = (uint64_t)about.st_size;
		d->dumps--;
		d->bytes -= bytes < d->bytes ? bytes : d->bytes;
	}
	pthread_mutex_unlock(&d->lock);
}

typedef struct staged {
	gs_dumper *d;
	const gs_stage *stage;
	const gs_dump_device *device;
} staged;

static gs_status encode_stage(void *arg, int64_t pid, gs_sink sink, void *sink_arg)
{
	const staged *s = arg;
	gs_clock_scale scale = gs_clock_scale_now(s->d->clock);
	gs_encode_source source = {s->stage, s->device, s->d->config, &scale, pid, s->d->pages->bytes};
	return gs_encode(&s->d->encoder, &source, sink, sink_arg);
}

gs_status gs_dumper_write(gs_dumper *d, const gs_stage *stage, const gs_dump_device *device,
	const gs_dump_request *request, char *written, size_t cap, gs_error *err)
{
	staged s = {d, stage, device};
	gs_tables_refresh_modules(d->tables);
	return gs_dumper_write_by(d, encode_stage, &s, device->number, request, written, cap, err);
}
