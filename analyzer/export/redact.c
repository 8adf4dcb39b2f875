/* Redaction: texts are replaced where they stand, so that ids keep their meaning. */
#include "analyzer/export/redact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/frames.h"
#include "analyzer/read/open/sha256.h"

/* What a string is used as; the first that holds decides. */
enum { UNUSED, KEPT, FUNCTION, FILE_OF_USER, FILE_OF_PACKAGE, TAG, ANNOTATION };
static const char *const words[] = {
	"text", "", "function", "file", "site-packages/file", "tag", "annotation"};

static void use(unsigned char *uses, gs_id id, unsigned char as)
{
	if (!uses[id])
		uses[id] = as;
}

static void mark(const gs_snapshot *s, unsigned char *uses)
{
	for (size_t i = 0; i < s->nsettings; i++) {
		use(uses, s->settings[i].name, KEPT);
		use(uses, s->settings[i].value, KEPT);
	}
	for (size_t i = 0; i < s->nstats; i++) {
		use(uses, s->stats[i].name, KEPT);
		use(uses, s->stats[i].pool, KEPT);
	}
	for (size_t i = 0; i < s->nannotations; i++)
		use(uses, s->annotations[i].stage, KEPT);
	for (size_t i = 0; i < s->ndevices; i++)
		use(uses, s->devices[i].name, KEPT);
	for (uint32_t i = 1; i < s->nframes; i++) {
		use(uses, s->frames[i].file, gs_frame_is_user(s, i) ? FILE_OF_USER : FILE_OF_PACKAGE);
		use(uses, s->frames[i].name, FUNCTION);
	}
	for (size_t i = 0; i < s->nannotations; i++)
		use(uses, s->annotations[i].name, ANNOTATION);
	for (size_t i = 0; i < s->ndevices; i++) {
		const gs_device *d = &s->devices[i];
		for (size_t k = 0; k < d->captured.nblocks; k++)
			use(uses, d->captured.blocks[k].tag, TAG);
		for (size_t k = 0; k < d->trace.n; k++)
			use(uses, gs_event_tag(&d->trace.events[k]), TAG);
	}
}

/* .py, .cpp …: the language, not the name. */
static const char *extension(const char *path)
{
	const char *dot = strrchr(path, '.');
	return dot && strlen(dot) <= 5 && !strpbrk(dot, "/ :") ? dot : "";
}

static gs_status replace(
	gs_snapshot *s, gs_id id, unsigned char as, const unsigned char salt[GS_SALT])
{
	gs_string *text = &s->strings[id];
	bool file = as == FILE_OF_USER || as == FILE_OF_PACKAGE;
	gs_sha256 hash;
	char hex[65], made[128];
	gs_sha256_init(&hash);
	gs_sha256_add(&hash, salt, GS_SALT);
	gs_sha256_add(&hash, text->text, text->length);
	gs_sha256_finish(&hash, hex);
	int n = snprintf(
		made, sizeof made, "%s-%.10s%s", words[as], hex, file ? extension(text->text) : "");
	const char *copy = gs_snapshot_text(s, made, (size_t)n);
	if (!copy)
		return GS_NO_MEMORY;
	text->text = copy;
	text->length = (uint32_t)n;
	return GS_OK;
}

gs_status gs_redact(gs_snapshot *s, const unsigned char salt[GS_SALT], gs_error *err)
{
	unsigned char *uses = calloc((size_t)s->nstrings + 1, 1);
	gs_status status = uses ? GS_OK : GS_NO_MEMORY;
	if (uses)
		mark(s, uses);
	for (size_t i = 0; i < s->ndevices; i++) { /* what is kept as it came is not looked into */
		const gs_device *d = &s->devices[i];
		for (size_t k = 0; k < d->captured.nblocks; k++)
			d->captured.blocks[k].more = 0;
		for (size_t k = 0; k < d->trace.n; k++)
			d->trace.events[k].more = 0;
	}
	for (uint32_t i = 1; i < s->nstrings && !status; i++)
		if (uses[i] != KEPT && s->strings[i].length)
			status = replace(s, i, uses[i], salt);
	free(uses);
	s->host = s->argv = s->path = NULL;
	s->pid = GS_NONE;
	s->nwarnings = 0;
	for (size_t i = 0; i < s->nooms; i++)
		s->ooms[i].message = NULL;
	return status ? gs_fail(err, status, "out of memory") : GS_OK;
}
