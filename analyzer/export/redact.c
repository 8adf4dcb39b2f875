/* Redaction: texts are replaced where they stand, so that ids keep their meaning. */
#include "analyzer/export/redact.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/export/known_words.h"
#include "analyzer/meaning/meaning.h"
#include "analyzer/model/frames.h"
#include "analyzer/read/open/sha256.h"

/* What a string is used as; the first that holds decides. WORDS: a setting, a statistic, a device:
 * its known words stay. */
enum { UNUSED, WORDS, FUNCTION, FILE_OF_USER, FILE_OF_PACKAGE, TAG, ANNOTATION };
static const char *const names[] = {
	"text", "word", "function", "file", "site-packages/file", "tag", "annotation"};

enum { MOST_NAME = 128, MOST_WORDS = 4096 };

static void use(unsigned char *uses, gs_id id, unsigned char as)
{
	if (!uses[id])
		uses[id] = as;
}

static void mark_uses(const gs_snapshot *s, unsigned char *uses)
{
	for (size_t i = 0; i < s->nsettings; i++) {
		use(uses, s->settings[i].name, WORDS);
		use(uses, s->settings[i].value, WORDS);
	}
	for (size_t i = 0; i < s->nstats; i++) {
		use(uses, s->stats[i].name, WORDS);
		use(uses, s->stats[i].pool, WORDS);
	}
	for (size_t i = 0; i < s->nannotations; i++)
		use(uses, s->annotations[i].stage, WORDS);
	for (size_t i = 0; i < s->ndevices; i++)
		use(uses, s->devices[i].name, WORDS);
	for (size_t i = 0; i < s->noutsiders; i++) {
		use(uses, s->outsiders[i].holder, WORDS);
		use(uses, s->outsiders[i].known, WORDS);
	}
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
	return dot && gs_redact_knows_extension(dot + 1, strlen(dot + 1)) ? dot : "";
}

/* name-HASH: equal texts give equal ones within the file. Returns its length. */
static size_t hashed(char made[MOST_NAME], unsigned char as, const char *text, size_t n,
	const unsigned char salt[GS_SALT])
{
	gs_sha256 hash;
	char hex[65];
	gs_sha256_init(&hash);
	gs_sha256_add(&hash, salt, GS_SALT);
	gs_sha256_add(&hash, text, n);
	gs_sha256_finish(&hash, hex);
	return (size_t)snprintf(made, MOST_NAME, "%s-%.10s", names[as], hex);
}

static bool is_letter(char c) { return isalpha((unsigned char)c) || c == '_' || (c & 0x80); }

/* A known word, also where figures stand right behind it ("cu124", "rc1"), or a model's sign (up to
 * three capitals with figures: H200, SXM4). */
static bool may_stay(const char *word, size_t n)
{
	size_t end = n, capitals = 0;
	if (gs_redact_knows_word(word, n))
		return true;
	while (end && isdigit((unsigned char)word[end - 1]))
		end--;
	if (end < n && n - end <= 4 && gs_redact_knows_word(word, end))
		return true;
	while (capitals < n && isupper((unsigned char)word[capitals]))
		capitals++;
	return capitals == end && capitals && capitals <= 3 && n > end && n - end <= 4;
}

/* The bytes of a number: figures, and dots and signs within it; "4e+09" is one. */
static size_t number_at(const char *p, size_t n)
{
	size_t i = 0;
	while (i < n && (isdigit((unsigned char)p[i]) || p[i] == '.'))
		i++;
	if (i && i + 2 < n && p[i] == 'e' && strchr("+-", p[i + 1]) && isdigit((unsigned char)p[i + 2]))
		for (i += 2; i < n && isdigit((unsigned char)p[i]);)
			i++;
	return i;
}

/* Letters, with figures within or behind. */
static size_t word_at(const char *p, size_t n)
{
	size_t i = 0;
	while (i < n && (is_letter(p[i]) || (i && isdigit((unsigned char)p[i]))))
		i++;
	return i;
}

/* Numbers, signs and known words stay, any other word becomes its hash. What is longer than
 * MOST_WORDS is cut. Returns the length. */
static size_t keep_known(char *out, const char *text, size_t n, const unsigned char salt[GS_SALT])
{
	size_t at = 0;
	for (size_t i = 0, step; i < n && at + MOST_NAME < MOST_WORDS; i += step) {
		const char *p = text + i;
		bool word = is_letter(*p);
		step = word ? word_at(p, n - i) : number_at(p, n - i);
		step = step ? step : 1;
		if (word && !may_stay(p, step)) {
			at += hashed(out + at, WORDS, p, step, salt);
			continue;
		}
		size_t copied = step < MOST_NAME ? step : MOST_NAME; /* of a number without an end */
		memcpy(out + at, p, copied);
		at += copied;
	}
	out[at] = 0;
	return at;
}

/* A step's name: what it is called goes, that it is a step and its number stay. The profiler's are
 * its own words. Returns the length, 0 where the text names no step. */
static size_t keep_step(
	char *out, const char *text, size_t n, unsigned char as, const unsigned char salt[GS_SALT])
{
	static const char profiler[] = "ProfilerStep#";
	int64_t number;
	if ((as != ANNOTATION && as != TAG) || strlen(text) != n ||
		!gs_meaning_step_number(text, &number))
		return 0;
	if (!strncmp(text, profiler, sizeof profiler - 1) &&
		!text[sizeof profiler - 1 + strspn(text + sizeof profiler - 1, "0123456789")])
		return (size_t)snprintf(out, MOST_NAME, "%s", text);
	while (n && isdigit((unsigned char)text[n - 1]))
		n--;
	size_t at = hashed(out, as, text, n, salt);
	return at + (size_t)snprintf(out + at, MOST_NAME, " step %lld", (long long)number);
}

static gs_status replace(
	gs_snapshot *s, gs_id id, unsigned char as, const unsigned char salt[GS_SALT])
{
	gs_string *text = &s->strings[id];
	bool file = as == FILE_OF_USER || as == FILE_OF_PACKAGE;
	char made[MOST_WORDS + MOST_NAME];
	size_t n = keep_step(made, text->text, text->length, as, salt);
	if (!n)
		n = as == WORDS ? keep_known(made, text->text, text->length, salt)
						: hashed(made, as, text->text, text->length, salt);
	if (file)
		n += (size_t)sprintf(made + n, "%s", extension(text->text));
	const char *copy = gs_snapshot_text(s, made, n);
	if (!copy)
		return GS_NO_MEMORY;
	text->text = copy;
	text->length = (uint32_t)n;
	return GS_OK;
}

static gs_status fact(gs_snapshot *s, const char **text, const unsigned char salt[GS_SALT])
{
	char made[MOST_WORDS + MOST_NAME];
	if (!*text)
		return GS_OK;
	size_t n = keep_known(made, *text, strlen(*text), salt);
	*text = gs_snapshot_text(s, made, n);
	return *text ? GS_OK : GS_NO_MEMORY;
}

/* What the frames are, while their words tell. */
static void class_frames(gs_snapshot *s)
{
	for (gs_id i = 1; i < s->nframes; i++)
		s->frames[i].class = gs_meaning_frame_class(s, i);
}

gs_status gs_redact(gs_snapshot *s, const unsigned char salt[GS_SALT], gs_error *err)
{
	unsigned char *uses = calloc((size_t)s->nstrings + 1, 1);
	gs_status status = uses ? GS_OK : GS_NO_MEMORY;
	if (uses)
		mark_uses(s, uses);
	class_frames(s);
	for (size_t i = 0; i < s->ndevices; i++) { /* what is kept as it came is not looked into */
		const gs_device *d = &s->devices[i];
		for (size_t k = 0; k < d->captured.nblocks; k++)
			d->captured.blocks[k].more = 0;
		for (size_t k = 0; k < d->trace.n; k++)
			d->trace.events[k].more = 0;
	}
	for (uint32_t i = 1; i < s->nstrings && !status; i++)
		if (s->strings[i].length)
			status = replace(s, i, uses[i], salt);
	free(uses);
	s->host = s->argv = s->path = NULL;
	s->pid = GS_NONE;
	s->nwarnings = 0;
	for (size_t i = 0; i < s->nooms && !status; i++) {
		s->ooms[i].message = NULL;
		status = fact(s, &s->ooms[i].library, salt);
	}
	const char **const facts[] = {
		&s->tool, &s->library, &s->driver, &s->rules, &s->release_min, &s->release_max};
	for (size_t i = 0; i < sizeof facts / sizeof *facts && !status; i++)
		status = fact(s, facts[i], salt);
	for (size_t i = 0; i < s->ndevices; i++) /* whether it is exact stays */
		if (s->devices[i].captured.note[0])
			strcpy(s->devices[i].captured.note, "the reason was taken out");
	for (size_t i = 0; i < s->noutsiders; i++)
		s->outsiders[i].pid = GS_NONE;
	return status ? gs_fail(err, status, "out of memory") : GS_OK;
}
