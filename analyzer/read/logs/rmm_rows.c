#include "analyzer/read/logs/rmm_rows.h"

#include <string.h>
#include <strings.h>

enum { MAX_FIELDS = 24 };

typedef struct field {
	const char *p;
	size_t n;
} field;

const gs_rmm_header gs_rmm_default = {.at = {2, 3, 4, 5, -1, -1, -1, -1, -1}, .columns = 6};

/* Splits at commas; blanks and quotes around a field do not belong to it. Returns how many fields
 * there are. */
static int split(const char *line, size_t n, field *fields)
{
	int count = 0;
	const char *p = line, *end = line + n;
	while (p <= end && count < MAX_FIELDS) {
		const char *comma = memchr(p, ',', (size_t)(end - p)), *to = comma ? comma : end, *from = p;
		while (from < to && (*from == ' ' || *from == '"' || *from == '\t'))
			from++;
		const char *last = to;
		while (last > from &&
			(last[-1] == ' ' || last[-1] == '"' || last[-1] == '\r' || last[-1] == '\t'))
			last--;
		fields[count++] = (field){from, (size_t)(last - from)};
		if (!comma)
			break;
		p = comma + 1;
	}
	return count;
}

static bool field_is(const field *f, const char *word)
{
	return f->n == strlen(word) && !strncasecmp(f->p, word, f->n);
}

bool gs_rmm_header_parse(const char *line, size_t n, gs_rmm_header *h)
{
	static const struct {
		const char *name;
		enum gs_rmm_column column;
	} names[] = {
		{"Action", GS_RMM_ACTION},
		{"Event Type", GS_RMM_ACTION},
		{"Event", GS_RMM_ACTION},
		{"Pointer", GS_RMM_POINTER},
		{"Address", GS_RMM_POINTER},
		{"Ptr", GS_RMM_POINTER},
		{"Size", GS_RMM_SIZE},
		{"Size (bytes)", GS_RMM_SIZE},
		{"Bytes", GS_RMM_SIZE},
		{"Stream", GS_RMM_STREAM},
		{"Device ID", GS_RMM_DEVICE},
		{"Device", GS_RMM_DEVICE},
		{"Pool", GS_RMM_POOL},
		{"Pool ID", GS_RMM_POOL},
		{"Free Memory", GS_RMM_FREE_MEMORY},
		{"Total Memory", GS_RMM_TOTAL_MEMORY},
		{"Location", GS_RMM_LOCATION},
	};
	field fields[MAX_FIELDS];
	gs_rmm_header found = {.columns = split(line, n, fields)};
	for (int c = 0; c < GS_RMM_COLUMNS; c++)
		found.at[c] = -1;
	for (int i = 0; i < found.columns; i++)
		for (size_t k = 0; k < sizeof names / sizeof *names; k++)
			if (field_is(&fields[i], names[k].name) && found.at[names[k].column] < 0)
				found.at[names[k].column] = i;
	if (found.at[GS_RMM_ACTION] < 0 || found.at[GS_RMM_POINTER] < 0 || found.at[GS_RMM_SIZE] < 0)
		return false;
	*h = found;
	return true;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* Decimal, or hexadecimal after 0x. */
static bool number(const field *f, uint64_t *value)
{
	bool hex = f->n > 2 && f->p[0] == '0' && (f->p[1] | 32) == 'x';
	uint64_t base = hex ? 16 : 10, v = 0;
	for (size_t i = hex ? 2 : 0; i < f->n; i++) {
		uint64_t d = (uint64_t)digit(f->p[i]);
		if (d >= base || v > (UINT64_MAX - d) / base)
			return false;
		v = v * base + d;
	}
	*value = v;
	return f->n > 0;
}

/* Hexadecimal, with or without 0x. */
static bool hexadecimal(const field *f, uint64_t *value)
{
	bool prefix = f->n > 2 && f->p[0] == '0' && (f->p[1] | 32) == 'x';
	uint64_t v = 0;
	if (!f->n || f->n - (prefix ? 2 : 0) > 16)
		return false;
	for (size_t i = prefix ? 2 : 0; i < f->n; i++) {
		int d = digit(f->p[i]);
		if (d > 15)
			return false;
		v = v << 4 | (uint64_t)d;
	}
	*value = v;
	return true;
}

/* Always hexadecimal; "(nil)" is how some libraries print a null one. */
static bool pointer(const field *f, uint64_t *value)
{
	if (field_is(f, "(nil)") || field_is(f, "null") || field_is(f, "nullptr")) {
		*value = 0;
		return true;
	}
	return hexadecimal(f, value);
}

static bool action(const field *f, gs_rmm_action *out)
{
	if (field_is(f, "allocate") || field_is(f, "alloc") || field_is(f, "allocation") ||
		field_is(f, "realloc")) /* of a new pointer */
		*out = GS_RMM_ALLOC;
	else if (field_is(f, "free") || field_is(f, "deallocate") || field_is(f, "dealloc"))
		*out = GS_RMM_FREE;
	else if (field_is(f, "allocate failure") || field_is(f, "allocation failure") ||
		field_is(f, "alloc failure") || field_is(f, "failure") || field_is(f, "allocate_failure"))
		*out = GS_RMM_FAILURE;
	else
		return false;
	return true;
}

size_t gs_rmm_line_clean(const char *line, size_t n, char *out)
{
	size_t k = 0, from = 0;
	if (n >= 3 && !memcmp(line, "\xef\xbb\xbf", 3))
		from = 3;
	else if (n >= 2 && (!memcmp(line, "\xff\xfe", 2) || !memcmp(line, "\xfe\xff", 2)))
		from = 2;
	for (size_t i = from; i < n; i++)
		if (line[i] && (k || !strchr("# >\t", line[i])))
			out[k++] = line[i];
	while (k && (out[k - 1] == '\r' || out[k - 1] == '\n' || out[k - 1] == ' '))
		k--;
	return k;
}

/* A row whose columns begin at field shift. */
static bool row_at(
	const gs_rmm_header *h, const field *fields, int count, int shift, gs_rmm_row *row)
{
	uint64_t device = 0;
	const field none = {fields[0].p, 0};
	const field *f[GS_RMM_COLUMNS];
	for (int c = 0; c < GS_RMM_COLUMNS; c++)
		f[c] = h->at[c] >= 0 && h->at[c] + shift < count ? &fields[h->at[c] + shift] : &none;
	*row = (gs_rmm_row){.location = f[GS_RMM_LOCATION]->p,
		.location_length = f[GS_RMM_LOCATION]->n,
		.columns = count - shift};
	if (!action(f[GS_RMM_ACTION], &row->action) || !pointer(f[GS_RMM_POINTER], &row->pointer))
		return false;
	if (!number(f[GS_RMM_SIZE], &row->size) && row->action != GS_RMM_FREE)
		return false;
	if (!number(f[GS_RMM_STREAM], &row->stream))
		hexadecimal(f[GS_RMM_STREAM], &row->stream); /* some releases write it without 0x */
	number(f[GS_RMM_POOL], &row->pool);
	number(f[GS_RMM_FREE_MEMORY], &row->free_memory);
	number(f[GS_RMM_TOTAL_MEMORY], &row->total_memory);
	if (f[GS_RMM_DEVICE]->n && (!number(f[GS_RMM_DEVICE], &device) || device >= 1024))
		return false;
	row->device = (uint32_t)device;
	return row->size <= INT64_MAX && row->free_memory <= INT64_MAX &&
		row->total_memory <= INT64_MAX &&
		(row->action == GS_RMM_FAILURE || (row->pointer && row->size <= UINT64_MAX - row->pointer));
}

bool gs_rmm_row_parse(const gs_rmm_header *h, const char *line, size_t n, gs_rmm_row *row)
{
	field fields[MAX_FIELDS];
	int count = split(line, n, fields);
	for (int shift = 0; shift <= GS_RMM_SHIFT; shift++)
		if (row_at(h, fields, count, shift, row))
			return true;
	return false;
}
