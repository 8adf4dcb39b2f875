/* Collects messages over the whole input, joins what is one failure, and fills the snapshot. */
#include "analyzer/read/messages/message.h"

#include <stdio.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/read/messages/join.h"
#include "analyzer/read/messages/message_rules.h"
#include "analyzer/read/messages/spoken.h"
#include "analyzer/read/text/figure.h"
#include "analyzer/read/text/prefix.h"
#include "schema/size.h"

enum {
	MAX_FINDS = 65536,
	MAX_MESSAGE = 4096, /* characters kept of one */
	FORM = 160          /* characters before a message that show its form */
};

void gs_oom_text_release(gs_oom_text *o)
{
	free(o->finds);
	*o = (gs_oom_text)GS_OOM_TEXT_INIT;
}

/* --- collecting
 * -------------------------------------------------------------------------------------- */

static uint64_t hash(const char *s, size_t n)
{
	uint64_t h = 14695981039346656037u;
	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 1099511628211u;
	return h ? h : 1;
}

static bool name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
		c == '.';
}

/* The exception's name in front of a message belongs to it. */
static size_t with_name(const gs_text *t, size_t at)
{
	size_t i = at;
	while (i > 0 && t->text[i - 1] == ' ')
		i--;
	if (i < 6 || t->text[i - 1] != ':')
		return at;
	size_t end = --i;
	while (i > 0 && name_char(t->text[i - 1]))
		i--;
	if (end - i < 9 ||
		(memcmp(t->text + end - 5, "Error", 5) && memcmp(t->text + end - 9, "Exception", 9)))
		return at;
	return i;
}

static const char *message_text(gs_oom_text *o, const gs_text *t, const gs_oom_match *m)
{
	size_t from = with_name(t, t->at[m->begin]), to = t->at[m->end - 1] + 1;
	if (to - from > MAX_MESSAGE)
		to = from + MAX_MESSAGE;
	if (from &&
		(t->text[from - 1] == '"' ||
			t->text[from - 1] ==
				'\'')) { /* it was quoted: what stands behind the quotation is not its own */
		const char *close = memchr(t->text + from, t->text[from - 1], to - from);
		to = close ? (size_t)(close - t->text) : to;
	}
	const char *tag = memmem(t->text + from, to - from, "</", 2);
	to = tag && tag > t->text + from ? (size_t)(tag - t->text) : to;
	return gs_snapshot_text(o->snapshot, t->text + from, to - from);
}

/* Outside the reader's account: MAX_FINDS bounds it, whatever the text's size. */
gs_status gs_oom_text_add(gs_oom_text *o, const gs_oom_find *f, gs_error *err)
{
	if (o->n == o->cap) {
		size_t cap = o->cap ? o->cap + o->cap / 2 : 16;
		gs_oom_find *finds = realloc(o->finds, cap * sizeof *finds);
		if (!finds)
			return gs_fail(err, GS_NO_MEMORY, "no memory for %zu messages", cap);
		o->finds = finds;
		o->cap = cap;
	}
	o->finds[o->n++] = *f;
	return GS_OK;
}

/* Hash of the letters, or of all but numbers and blanks, in [from, to); 0 where there are none. */
static uint64_t shape(const gs_text *t, size_t from, size_t to, bool letters)
{
	char word[FORM];
	size_t n = 0;
	for (size_t i = to - from > FORM ? to - FORM : from; i < to; i++) {
		unsigned char c = (unsigned char)t->text[i];
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
		if (letter || (!letters && c != ' ' && (c < '0' || c > '9')))
			word[n++] = (char)c;
	}
	return n ? hash(word, n) : 0;
}

/* How the message is shown: what stands before it on its line. A quotation mark ends what leads up
 * to it. */
static void look_before(
	const gs_oom_text *o, const gs_text *t, const gs_oom_match *m, gs_oom_find *f)
{
	size_t at = t->at[m->begin], start = gs_text_line_start(t, m->begin), name = with_name(t, at);
	uint64_t last = o->n ? o->finds[o->n - 1].end : 0;
	bool stamped;
	if (last > t->base && last < t->base + m->begin && t->at[last - t->base] > start)
		start = t->at[last - t->base]; /* on the same line */
	size_t prefix = start + gs_text_prefix(t->text + start, at - start, &stamped);
	f->form = shape(t, start, at, false);
	f->lead = prefix < name && !memchr("\"'`", t->text[name - 1], 3) ? shape(t, prefix, name, true)
																	 : 0;
	f->named = name != at;
	f->traced = gs_text_find(t, m->end, m->end + 200, "traceback(mostrecentcall") != SIZE_MAX;
}

/* Whether Python says between the last message and this one that one exception led to the other. */
static bool chained(const gs_oom_text *o, const gs_text *t, const gs_oom_match *m)
{
	static const char *const words[] = {
		"duringhandlingoftheaboveexception", "theaboveexceptionwasthedirectcause"};
	uint64_t from = o->n ? o->finds[o->n - 1].end : UINT64_MAX;
	if (from < t->base || from >= t->base + m->begin)
		return false;
	for (size_t k = 0; k < sizeof words / sizeof *words; k++)
		if (gs_text_find(t, (size_t)(from - t->base), m->begin, words[k]) != SIZE_MAX)
			return true;
	return false;
}

/* The time in what stands before a message on its line, also behind the margin of a log
 * (margin.h). */
static int64_t time_before(const gs_text *t, size_t start, size_t at, bool *zone)
{
	size_t end = t->ntext - start < 200 ? t->ntext : start + 200;
	int64_t us = gs_text_time(t->text + start, end - start, zone);
	for (size_t i = start + 1; us == GS_NONE && i < at && i < start + GS_MARGIN_LONGEST; i++)
		if (strchr(" |:]>\"\t", t->text[i - 1]) &&
			(isdigit((unsigned char)t->text[i]) || strchr("IWEF", t->text[i])))
			us = gs_text_time(t->text + i, end - i, zone);
	return us;
}

/* The processes that the message names, as holders of memory of its device. */
static gs_status name_processes(gs_oom_text *o, const gs_oom_match *m, gs_error *err)
{
	gs_snapshot *s = o->snapshot;
	gs_outsider x = {.device = m->row.device};
	gs_status status = GS_OK;
	for (size_t i = 0; i < m->nprocesses && !status; i++) {
		x.pid = m->processes[i].pid;
		x.bytes = m->processes[i].bytes;
		x.holder = gs_snapshot_string(s, "process", 7);
		x.known = gs_snapshot_string(s, "message", 7);
		status = x.holder && x.known ? gs_snapshot_add_outsider(s, &x) : GS_NO_MEMORY;
	}
	return status ? gs_fail(err, status, "no memory for the processes of a message") : GS_OK;
}

static gs_oom *aside_of(gs_oom_text *o, const char *library)
{
	for (size_t k = 0; k < o->nasides; k++)
		if (!strcmp(o->asides[k].library, library))
			return &o->asides[k];
	return NULL;
}

static gs_status keep_match(gs_oom_text *o, const gs_text *t, const gs_oom_match *m, gs_error *err)
{
	gs_oom_find f = {.row = m->row,
		.kind = m->kind,
		.after = m->after,
		.again = m->again,
		.logged = m->logged,
		.at = t->base + m->begin,
		.end = t->base + m->end};
	static const char *const ends[] = {"terminatecalledafterthrowing", "uncaughtexception:", NULL};
	f.thrown = gs_oom_any(t, m->begin > 200 ? m->begin - 200 : 0, m->begin, ends);
	gs_oom *aside = aside_of(o, m->row.library);
	if (aside) {
		gs_oom_fill(&f.row, aside);
		*aside = o->asides[--o->nasides];
	}
	bool zone;
	gs_status status = name_processes(o, m, err);
	if (status)
		return status;
	size_t start = gs_text_line_start(t, m->begin);
	f.row.time_us = time_before(t, start, t->at[m->begin], &zone);
	o->zoneless |= f.row.time_us != GS_NONE && !zone;
	f.words = hash(t->s + m->begin, (m->same ? m->same : m->end) - m->begin);
	f.wrapper = m->kind == GS_OOM_TORCH_BARE &&
		gs_text_find(t, m->begin, m->end, "occurred") != SIZE_MAX;
	look_before(o, t, m, &f);
	f.heading = f.row.requested == GS_NONE && f.row.capacity == GS_NONE && gs_oom_is_heading(t, m);
	size_t same = gs_oom_same_failure(o->finds, o->n, &f, chained(o, t, m));
	if (same == o->n && o->n == MAX_FINDS) {
		o->more++;
		return GS_OK;
	}
	if (same == o->n || gs_oom_tells_more(&o->finds[same], &f)) {
		f.row.message = message_text(o, t, m);
		if (!f.row.message)
			return gs_fail(err, GS_NO_MEMORY, "no memory for the text of message %zu", o->n + 1);
	}
	if (same < o->n) {
		o->again += o->finds[same].kind == f.kind && f.row.requested != GS_NONE;
		gs_oom_join(&o->finds[same], &f);
		return GS_OK;
	}
	f.line = gs_text_line(t, m->begin);
	f.row.told.line = (int64_t)f.line;
	return gs_oom_text_add(o, &f, err);
}

/* Figures that belong to the next message of their library; what is told last of one counts. */
static void put_aside(gs_oom_text *o, const gs_oom_match *m)
{
	gs_oom newer = m->row, *a = aside_of(o, m->row.library);
	if (a) {
		gs_oom_fill(&newer, a);
		*a = newer;
	} else if (o->nasides < GS_OOM_ASIDES) {
		o->asides[o->nasides++] = newer;
	}
}

gs_status gs_oom_text_scan(gs_oom_text *o, const gs_text *t, size_t from, size_t to, gs_error *err)
{
	gs_oom_seeker seeker;
	gs_oom_match m;
	int is;
	if (o->done > t->base + from)
		from = (size_t)(o->done - t->base);
	gs_oom_seek(t, from, to, &seeker);
	while ((is = gs_oom_text_match(t, from, &seeker, &m))) {
		if (is > 0 && !m.aside && gs_oom_is_spoken_of(t, &m)) {
			is = -1;
			m.reason = GS_NOT_TOLD;
		}
		if (is > 0 && m.aside) {
			put_aside(o, &m);
		} else if (is > 0) {
			gs_status status = keep_match(o, t, &m, err);
			if (status)
				return status;
		} else if (!o->nots[m.reason]++) {
			o->not_line[m.reason] = gs_text_line(t, m.begin);
		}
		from = m.end;
		o->done = t->base + m.end;
	}
	return GS_OK;
}

/* --- the snapshot
 * ------------------------------------------------------------------------------------ */

static int by_device(const void *a, const void *b)
{
	const gs_oom_find *x = a, *y = b;
	if (x->row.device != y->row.device)
		return x->row.device < y->row.device ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void told(int64_t *to, int64_t from)
{
	if (from != GS_NONE)
		*to = from;
}

/* Two figures that are printed with two decimals may be as much beyond the third. */
static bool beyond(int64_t a, int64_t b, int64_t all)
{
	return a <= INT64_MAX - b && a + b > all && a + b - all > all / 50;
}

/* Figures that cannot all be true of one device at one moment. */
static void look_for_contradictions(gs_oom_text *o, gs_oom_find *f)
{
	gs_oom *r = &f->row;
	unsigned long long line = (unsigned long long)f->line;
	char free[32], held[32], all[32];
	int64_t holds = r->told.own != GS_NONE ? r->told.own : r->reserved;
	holds = holds != GS_NONE ? holds : r->allocated;
	if (r->capacity == GS_NONE || holds == GS_NONE || r->told.says & GS_SAYS_DISAGREES)
		return;
	gs_size_format(held, sizeof held, (uint64_t)holds);
	gs_size_format(all, sizeof all, (uint64_t)r->capacity);
	if (beyond(holds, 0, r->capacity)) {
		r->told.says |= GS_SAYS_LENT;
		gs_snapshot_warn(o->snapshot,
			"line %llu: %s are held on a device of %s: its driver lends memory of the system, as on Windows",
			line, held, all);
	} else if (r->device_free != GS_NONE && beyond(r->device_free, holds, r->capacity)) {
		r->told.says |= GS_SAYS_CONTRADICTS;
		gs_size_format(free, sizeof free, (uint64_t)r->device_free);
		gs_snapshot_warn(o->snapshot,
			"line %llu: the figures contradict each other: %s free + %s in use > %s", line, free,
			held, all);
	}
}

static gs_status add_find(gs_oom_text *o, gs_oom_find *f)
{
	look_for_contradictions(o, f);
	gs_oom *row = gs_snapshot_add_oom(o->snapshot);
	if (!row)
		return GS_NO_MEMORY;
	*row = f->row;
	o->snapshot->library = o->snapshot->library ? o->snapshot->library : f->row.library;
	gs_device *d = gs_snapshot_device(
		o->snapshot, f->row.device); /* -1: one that the text does not name */
	if (!d)
		return GS_NO_MEMORY;
	told(&d->capacity, f->row.capacity);
	told(&d->device_free, f->row.device_free);
	told(&d->allowed, f->row.allowed);
	told(&d->reserved, f->row.reserved);
	if (f->row.told.says & GS_SAYS_DISAGREES)
		gs_snapshot_warn(o->snapshot,
			"line %llu: the text says that its figures of allocated memory do not agree; no verdict rests on them",
			(unsigned long long)f->line);
	else
		told(&d->allocated, f->row.allocated);
	told(&d->others, f->row.told.others);
	return GS_OK;
}

/* The device has what the program said of it when it started, where no message tells. */
static gs_status add_banner(gs_oom_text *o, int32_t device)
{
	const gs_oom *banner = aside_of(o, "");
	gs_device *d = banner ? gs_snapshot_device(o->snapshot, device) : NULL;
	if (d && d->capacity == GS_NONE)
		d->capacity = banner->capacity;
	return banner && !d ? GS_NO_MEMORY : GS_OK;
}

static const char *const reasons[GS_NOT_REASONS] = {"host memory, not a GPU's",
	"the text says itself that this is no failure", "memory on the chip, not a GPU's main memory",
	"nothing says that a GPU's memory is meant", "a TPU's memory, not a GPU's",
	"it speaks of such messages; nothing failed there"};

/* That there is no message, and what looked like one: on one line. */
static void say_none(gs_oom_text *o)
{
	char text[512];
	size_t n = (size_t)snprintf(
		text, sizeof text, "no out-of-memory message of a GPU in this text");
	const char *between = " (";
	for (int r = 0; r < GS_NOT_REASONS; r++) {
		if (!o->nots[r])
			continue;
		n += (size_t)snprintf(text + n, sizeof text - n, "%sline %llu%s: %s", between,
			(unsigned long long)o->not_line[r], o->nots[r] > 1 ? " and others" : "", reasons[r]);
		between = "; ";
	}
	snprintf(text + n, sizeof text - n, "%s", *between == ';' ? ")" : "");
	gs_snapshot_warn(o->snapshot, "%s", text);
}

static void say(gs_oom_text *o)
{
	size_t repeats = 0;
	for (size_t i = 1; i < o->n; i++)
		repeats += o->finds[i].words == o->finds[i - 1].words &&
			o->finds[i].row.device == o->finds[i - 1].row.device;
	if (!o->n) {
		say_none(o);
		return;
	}
	for (int r = 0; r < GS_NOT_REASONS; r++)
		if (o->nots[r])
			gs_snapshot_warn(o->snapshot, "line %llu%s: %s; no row for it",
				(unsigned long long)o->not_line[r], o->nots[r] > 1 ? " and others" : "",
				reasons[r]);
	if (o->again)
		gs_snapshot_warn(o->snapshot, "%zu message%s shown again in another form; each is one row",
			o->again, o->again > 1 ? "s are" : " is");
	if (repeats)
		gs_snapshot_warn(o->snapshot,
			"%zu message%s the one before word for word: perhaps one failure printed twice",
			repeats, repeats > 1 ? "s repeat" : " repeats");
	if (o->more)
		gs_snapshot_warn(o->snapshot, "%zu further messages are left out", o->more);
	if (o->zoneless)
		gs_snapshot_warn(o->snapshot, "times in this log name no zone; they are taken as UTC");
}

/* A heading names the failure that the text goes on to tell. */
static void drop_headings(gs_oom_text *o)
{
	size_t kept = 0, told = 0;
	for (size_t i = 0; i < o->n; i++)
		told += !o->finds[i].heading;
	for (size_t i = 0; i < o->n && told; i++)
		if (!o->finds[i].heading)
			o->finds[kept++] = o->finds[i];
	o->n = told ? kept : o->n;
}

gs_status gs_oom_text_finish(gs_oom_text *o, gs_error *err)
{
	drop_headings(o);
	if (o->n)
		qsort(o->finds, o->n, sizeof *o->finds, by_device);
	for (size_t i = 0; i < o->n; i++)
		if (add_find(o, &o->finds[i]) || add_banner(o, o->finds[i].row.device))
			return gs_fail(err, GS_NO_MEMORY, "no memory for %zu messages", o->n);
	say(o);
	return GS_OK;
}
