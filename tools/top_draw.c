/* Lines of `gpusnap top`. */
#include "tools/top_draw.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "schema/printable.h"
#include "schema/size.h"

/* ROOMY: columns from which there is room for more of a holder than bytes and name. */
enum { LINE = 2048, BAR_MOST = 100, ROOMY = 60 };

typedef struct screen {
	FILE *out;
	const gs_top_look *look;
	int left; /* lines that are free */
	char text[LINE];
	size_t n;
} screen;

static void add(screen *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(screen *s, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	int n = vsnprintf(s->text + s->n, sizeof s->text - s->n, format, list);
	va_end(list);
	if (n > 0)
		s->n += (size_t)n < sizeof s->text - s->n ? (size_t)n : sizeof s->text - s->n - 1;
}

static void add_size(screen *s, uint64_t bytes)
{
	char text[32];
	add(s, "%s", gs_size_format(text, sizeof text, bytes));
}

static int columns(const screen *s) { return (int)gs_utf8_width(s->text, s->n); }

/* Blanks up to a column, one at least. */
static void pad_to(screen *s, int column)
{
	do
		add(s, " ");
	while (columns(s) < column);
}

static void cut(screen *s, int width)
{
	const char *ellipsis = s->look->utf8 ? "\u2026" : "...";
	int shown = s->look->utf8 ? 1 : 3;
	if (columns(s) <= width)
		return;
	size_t at = 0;
	for (int used = 0; at < s->n;) {
		size_t n = gs_utf8_length(s->text + at, s->n - at);
		n = n ? n : 1;
		used += (int)gs_utf8_width(s->text + at, n);
		if (used > width - shown)
			break;
		at += n;
	}
	s->n = at;
	add(s, "%s", width > shown ? ellipsis : "");
}

/* style: an escape sequence's number, 0 plain. */
static void put(screen *s, int style)
{
	if (s->left > 0) {
		cut(s, s->look->width);
		s->text[s->n] = '\0';
		if (style && s->look->bold)
			fprintf(s->out, "\x1b[%dm%s\x1b[0m\n", style, s->text);
		else
			fprintf(s->out, "%s\n", s->text);
		s->left--;
	}
	s->n = 0;
	s->text[0] = '\0';
}

enum { PLAIN = 0, BOLD = 1, DIM = 2 };

/* --- parts --- */

/* 12345 → 12,345 */
static void add_count(screen *s, uint64_t n)
{
	if (n >= 1000) {
		add_count(s, n / 1000);
		add(s, ",%03u", (unsigned)(n % 1000));
	} else {
		add(s, "%u", (unsigned)n);
	}
}

static void put_head(screen *s, const gs_top_view *view, const char *step)
{
	add(s, "gpusnap top  %s", s->look->title);
	if (view->pid != GS_NONE)
		add(s, "  pid %" PRId64, view->pid);
	if (*step)
		add(s, "  %s", step);
	if (view->ended)
		add(s, "  (ended)");
	int time = (int)strlen(s->look->time);
	if (columns(s) + 2 + time <= s->look->width)
		pad_to(s, s->look->width - time), add(s, "%s", s->look->time);
	put(s, BOLD);
	if (*view->argv && s->look->height > 12) {
		add(s, "%s", view->argv);
		put(s, DIM);
	}
}

/* What of the device is allocated, cached, and neither. */
static void put_bar(screen *s, const gs_top_device *d)
{
	int width = s->look->width - 6;
	uint64_t whole = d->capacity > 0 ? (uint64_t)d->capacity : d->reserved;
	width = width > BAR_MOST ? BAR_MOST : width;
	if (!whole || width < 10)
		return;
	int used = (int)((double)d->allocated / (double)whole * width + 0.5),
		held = (int)((double)d->reserved / (double)whole * width + 0.5);
	add(s, "  [");
	for (int i = 0; i < width; i++)
		add(s, "%s",
			i < used       ? s->look->utf8 ? "\u2588" : "#"
				: i < held ? s->look->utf8 ? "\u2592" : "="
						   : " ");
	add(s, "]");
	put(s, PLAIN);
}

static uint64_t most_within(const gs_top_series *series, int64_t from, int64_t to)
{
	uint64_t most = 0;
	for (int64_t t = from; t <= to; t++)
		if (t >= series->first && t <= series->last && series->most[t % GS_TOP_SECONDS] > most)
			most = series->most[t % GS_TOP_SECONDS];
	return most;
}

/* The last seconds, one a column, from 0 to the most of them. */
static void put_sparkline(screen *s, const gs_top_series *series)
{
	static const char *const blocks[] = {
		"\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588"};
	static const char *const letters[] = {"_", ".", ",", "-", "~", "=", "*", "#"};
	int64_t seconds = s->look->width - 28;
	seconds = seconds > GS_TOP_SECONDS ? GS_TOP_SECONDS : seconds < 10 ? 10 : seconds;
	uint64_t most = most_within(series, series->last - seconds + 1, series->last);
	int64_t first = series->last - seconds + 1;
	if (series->last < series->first)
		return;
	first = first < series->first ? series->first : first;
	add(s, "  ");
	for (int64_t t = first; t <= series->last; t++) {
		uint64_t bytes = series->most[t % GS_TOP_SECONDS];
		int level = most ? (int)((double)bytes / (double)most * 7.999) : 0;
		add(s, "%s", (s->look->utf8 ? blocks : letters)[level]);
	}
	add(s, "  last %" PRId64 " s, to ", series->last - first + 1);
	add_size(s, most);
	put(s, PLAIN);
}

static void add_totals(screen *s, const gs_top_device *d)
{
	add(s, "  allocated ");
	add_size(s, d->allocated);
	add(s, "   reserved ");
	add_size(s, d->reserved);
	if (d->capacity != GS_NONE) {
		add(s, "   capacity ");
		add_size(s, (uint64_t)d->capacity);
	}
}

static void put_figures(screen *s, const gs_top_device *d)
{
	add(s, "device %d", d->device);
	if (*d->name)
		add(s, "  %s", d->name);
	put(s, BOLD);
	add_totals(s, d);
	add(s, "   peak ");
	add_size(s, d->peak);
	put(s, PLAIN);
	put_bar(s, d);
	add(s, "  largest hole ");
	add_size(s, d->largest);
	add(s, " of ");
	add_size(s, d->free);
	add(s, " cached   ");
	add_count(s, (uint64_t)(d->allocations + 0.5));
	add(s, " allocations/s, ");
	add_size(s, (uint64_t)d->bytes);
	add(s, "/s");
	put(s, PLAIN);
	put_sparkline(s, &d->series);
}

static void put_categories(screen *s, const gs_top_device *d)
{
	for (size_t i = 0; i < d->ncategories; i++) {
		const char *words = gs_category_words(NULL, d->categories[i].category);
		char size[32];
		gs_size_format(size, sizeof size, d->categories[i].bytes);
		if (i && columns(s) + 2 + (int)(strlen(words) + 1 + strlen(size)) > s->look->width)
			break;
		add(s, "%s%s %s", i ? ", " : "  ", words, size);
	}
	if (d->ncategories)
		put(s, PLAIN);
}

/* "train.py:33" of "train.py:33 step". */
static size_t place_length(const char *where)
{
	const char *blank = strchr(where, ' ');
	return blank ? (size_t)(blank - where) : strlen(where);
}

/* Whether another row names the same place: then only the caller tells them apart. */
static bool is_ambiguous(const gs_top_device *d, size_t n, size_t i)
{
	for (size_t k = 0; k < n; k++)
		if (k != i && !strcmp(d->holders[k].where, d->holders[i].where))
			return true;
	return false;
}

/* The holder and who called it, in what is left of the line: the caller's function goes first, then
 * the caller, unless nothing else tells rows apart: then the holder's function is cut. */
static void add_where(screen *s, const gs_top_holder *h, bool ambiguous)
{
	const char *arrow = s->look->utf8 ? " \u2190 " : " <- ";
	size_t caller = strlen(h->called_by), place = place_length(h->called_by);
	int room = s->look->width - columns(s) - (int)gs_utf8_width(arrow, strlen(arrow)),
		own = (int)gs_utf8_width(h->where, strlen(h->where));
	if (*h->called_by && own + (int)gs_utf8_width(h->called_by, caller) > room)
		caller = place;
	if (own + (int)caller <= room || !*h->called_by) {
		add(s, "%s%s%.*s", h->where, *h->called_by ? arrow : "", (int)caller, h->called_by);
		return;
	}
	add(s, "%s", h->where);
	if (!ambiguous || (int)(place_length(h->where) + place) > room)
		return;
	cut(s, s->look->width - (int)gs_utf8_width(arrow, strlen(arrow)) - (int)place);
	add(s, "%s%.*s", arrow, (int)place, h->called_by);
}

static void put_holder(screen *s, const gs_top_holder *h, bool growing, bool ambiguous)
{
	char size[32], more[48] = "";
	gs_size_format(size, sizeof size, h->bytes);
	add(s, "%10s", size);
	if (s->look->width >= ROOMY)
		add(s, " %7" PRIu64 "  %-15s", h->blocks, h->category);
	if (growing && h->each_step) {
		gs_size_format(size, sizeof size, h->each_step);
		snprintf(more, sizeof more, "+%s", size);
	}
	if (growing)
		add(s, " %-9s", more);
	add(s, " ");
	add_where(s, h, ambiguous);
	put(s, growing && h->each_step ? BOLD : PLAIN);
}

/* Lines beside the holders' of a device; and without the line of their head too. */
enum { FIXED_LINES = 7, LEAST_LINES = 6 };

static void put_holders(screen *s, const gs_top_device *d, int most)
{
	bool growing = false;
	size_t n = d->nholders;
	if (s->look->rows != GS_NONE && n > (uint64_t)s->look->rows)
		n = (size_t)s->look->rows;
	n = most < 0 ? 0 : n > (size_t)most ? (size_t)most : n;
	for (size_t i = 0; i < n; i++)
		growing |= d->holders[i].each_step > 0;
	if (!n)
		return;
	add(s, "%10s", "BYTES");
	if (s->look->width >= ROOMY)
		add(s, " %7s  %-15s", "BLOCKS", "CATEGORY");
	add(s, "%s %s", growing ? " A STEP   " : "", "HOLDER");
	put(s, DIM);
	for (size_t i = 0; i < n; i++)
		put_holder(s, &d->holders[i], growing, is_ambiguous(d, n, i));
}

static bool is_shown(const gs_top_look *look, const gs_top_device *d)
{
	return look->device == GS_NONE || look->device == d->device;
}

static int count_shown(const gs_top_view *view, const gs_top_look *look, const char **step)
{
	int n = 0;
	*step = "";
	for (size_t i = 0; i < view->n; i++)
		if (is_shown(look, &view->devices[i])) {
			*step = *view->devices[i].step ? view->devices[i].step : *step;
			n++;
		}
	return n;
}

static void put_device(screen *s, const gs_top_device *d, int lines)
{
	put_figures(s, d);
	put_categories(s, d);
	put_holders(s, d, lines - FIXED_LINES);
}

/* More devices than the screen has room for whole: a line or two each, and how many are not there.
 */
static void put_short(screen *s, const gs_top_device *d, int lines)
{
	add(s, "device %d", d->device);
	add_totals(s, d);
	put(s, PLAIN);
	if (lines < 2)
		return;
	add(s, "  hole ");
	add_size(s, d->largest);
	add(s, "   ");
	add_count(s, (uint64_t)(d->allocations + 0.5));
	add(s, " allocations/s");
	if (d->nholders) {
		add(s, "   ");
		add_size(s, d->holders[0].bytes);
		add(s, " for %s", d->holders[0].where);
	}
	put(s, DIM);
}

static void put_devices(screen *s, const gs_top_view *view, int n)
{
	int each = s->left / n, shown = 0;
	for (size_t i = 0; i < view->n; i++) {
		if (!is_shown(s->look, &view->devices[i]))
			continue;
		if (n == 1 || each >= LEAST_LINES) {
			put_device(s, &view->devices[i], each);
		} else if (s->left > 1 || shown + 1 == n) {
			put_short(s, &view->devices[i], each);
			shown++;
		}
	}
	if (shown && shown < n)
		add(s, "%d more devices; -d shows one alone", n - shown), put(s, DIM);
}

void gs_top_draw(const gs_top_view *view, const gs_top_look *look, FILE *out)
{
	screen s = {.out = out, .look = look, .left = look->height - (look->note ? 1 : 0)};
	const char *step;
	int n = count_shown(view, look, &step);
	put_head(&s, view, step);
	if (n)
		put_devices(&s, view, n);
	else
		add(&s, "no device yet: nothing was allocated"), put(&s, PLAIN);
	s.left += look->note ? 1 : 0;
	if (look->note)
		add(&s, "%s", look->note), put(&s, DIM);
}

/* --- plain lines --- */

static void add_field(screen *s, const char *name, uint64_t bytes)
{
	add(s, "  %s ", name);
	add_size(s, bytes);
}

static void write_device(screen *s, const gs_top_device *d)
{
	add(s, "%s  device %d", s->look->time, d->device);
	add_field(s, "allocated", d->allocated);
	add_field(s, "reserved", d->reserved);
	if (d->capacity != GS_NONE)
		add_field(s, "capacity", (uint64_t)d->capacity);
	add_field(s, "hole", d->largest);
	add(s, "  %.0f allocations/s", d->allocations);
	if (*d->step)
		add(s, "  %s", d->step);
	if (d->nholders) {
		add(s, "  top %s", d->holders[0].where);
		add(s, " ");
		add_size(s, d->holders[0].bytes);
	}
	if (s->look->note)
		add(s, "  %s", s->look->note);
	fprintf(s->out, "%s\n", s->text);
	s->n = 0;
}

void gs_top_write_line(const gs_top_view *view, const gs_top_look *look, FILE *out)
{
	screen s = {.out = out, .look = look};
	const char *step;
	for (size_t i = 0; i < view->n; i++)
		if (is_shown(look, &view->devices[i]))
			write_device(&s, &view->devices[i]);
	if (!count_shown(view, look, &step))
		fprintf(out, "%s  no device yet: nothing was allocated%s%s\n", look->time,
			look->note ? "  " : "", look->note ? look->note : "");
}
