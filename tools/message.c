/* Notes, warnings and errors on stderr. */
#include "tools/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/json.h"
#include "schema/printable.h"

enum { LINE = 1024, HELD = 64 * 1024 };

/* held: with JSON, notes and warnings until it is known whether the command fails */
static struct {
	bool json, quiet, failed;
	size_t nheld;
	char held[HELD];
} settings;

void gs_message_json(bool on) { settings.json = on; }

void gs_message_quiet(bool on) { settings.quiet = on; }

/* One write a line, so that lines of several processes do not mix. */
static void say(const char *file, const char *label, const char *text)
{
	char line[4 * LINE], plain[LINE * 2];
	size_t n = (size_t)snprintf(line, sizeof line, "gpusnap: ");
	if (file)
		n += (size_t)snprintf(line + n, sizeof line - n, "%s: ", gs_printable(plain, LINE, file));
	n += (size_t)snprintf(
		line + n, sizeof line - n, "%s%s\n", label, gs_printable(plain, sizeof plain, text));
	if (!settings.json) {
		fputs(line, stderr);
	} else if (n <= HELD - settings.nheld) {
		memcpy(settings.held + settings.nheld, line, n);
		settings.nheld += n;
	}
}

void gs_message_release(void)
{
	fwrite(settings.held, 1, settings.nheld, stderr);
	settings.nheld = 0;
}

void gs_note(const char *format, ...)
{
	char text[LINE];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (!settings.quiet)
		say(NULL, "", text);
}

void gs_warn(const char *file, const char *text)
{
	if (!settings.quiet)
		say(file, "warning: ", text);
}

static void say_json(const char *file, const char *code, const char *text, const char *hint)
{
	char message[2 * LINE], quoted[8 * LINE];
	settings.nheld = 0;
	snprintf(message, sizeof message, "%s%s%s", file ? file : "", file ? ": " : "", text);
	fprintf(stderr, "{\"error\":{\"code\":\"%s\",\"message\":%s,", code,
		gs_json_quote(quoted, sizeof quoted, message, strlen(message)));
	fprintf(stderr, "\"hint\":%s}}\n",
		hint ? gs_json_quote(quoted, sizeof quoted, hint, strlen(hint)) : "null");
}

static void tell(const char *file, const char *code, const char *text, const char *hint)
{
	if (settings.json) {
		say_json(file, code, text, hint);
		return;
	}
	say(file, "", text);
	if (hint)
		say(NULL, "", hint);
}

int gs_fail_file(const char *file, const gs_error *err, const char *hint)
{
	tell(file, gs_status_name(err->status), err->text[0] ? err->text : gs_status_text(err->status),
		hint);
	return GS_EXIT_FAILED;
}

void gs_fail_after(const char *file, const gs_error *err)
{
	gs_fail_file(file, err, NULL);
	settings.failed = true;
}

int gs_message_exit(int status)
{
	return settings.failed && status != GS_EXIT_USAGE ? GS_EXIT_FAILED : status;
}

int gs_fail_usage(const char *command, const char *hint, const char *format, ...)
{
	char text[LINE], see[80];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (!hint && command) {
		snprintf(see, sizeof see, "see `gpusnap help %s`", command);
		hint = see;
	}
	tell(command, "USAGE", text, hint);
	return GS_EXIT_USAGE;
}

int gs_finish_stdout(int status)
{
	static bool told;
	if ((!fflush(stdout) && !ferror(stdout)) || told)
		return status;
	told = true;
	gs_error err = GS_ERROR_INIT;
	gs_fail(&err, GS_IO, "%s", strerror(errno));
	int failed = gs_fail_file("standard output", &err, NULL);
	return status ? status : failed;
}
