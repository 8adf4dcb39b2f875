/* A table is recognised by its title; its rows by the names between bars, so it does not matter how
 * lines were wrapped. */
#include "analyzer/read/logs/memory_summary.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/model/memory.h"
#include "analyzer/read/text/ascii.h"
#include "analyzer/read/text/figure.h"

enum {
	SPAN = 9000, /* squeezed characters of a table and more */
	GAP = 260,   /* from one bar to the next: a ruler is 75 */
	LEAD = 64,   /* characters in front of a line that tell whose it is */
	BARS = 2000, /* looked at for one table */
	LINES = 128, /* … and its lines among those of others: a table has half as many */
	TITLES = 32  /* whose tables are looked for in mixed lines, of those that stand closer together
					than the window reaches */
};

/* '*' in a title is the word for the device: GPU, XPU, MLU, NPU, … */
static const struct {
	const char *title, *name;
	bool count;
} metrics[GS_SUMMARY_METRICS] = {
	{"allocatedmemory", "allocated_bytes", false},
	{"activememory", "active_bytes", false},
	{"requestedmemory", "requested_bytes", false},
	{"*reservedmemory", "reserved_bytes", false},
	{"non-releasablememory", "inactive_split_bytes", false},
	{"allocations", "allocation", true},
	{"activeallocs", "active", true},
	{"*reservedsegments", "segment", true},
	{"non-releasableallocs", "inactive_split", true},
	{"oversizeallocations", "oversize_allocations", true},
	{"oversize*segments", "oversize_segments", true},
};
static const char *const pools[] = {"all", "large", "small"};

void gs_memory_summary_release(gs_memory_summary *m)
{
	gs_memory_give(m->tables);
	*m = (gs_memory_summary)GS_MEMORY_SUMMARY_INIT;
}

/* 728, 12 K, 3 M: thousands */
static bool count_at(const gs_text *t, size_t *i, int64_t *value)
{
	uint64_t v;
	if (!gs_text_number(t, i, &v))
		return false;
	uint64_t unit = gs_text_eat(t, i, "k") ? 1000 : gs_text_eat(t, i, "m") ? 1000000 : 1;
	*value = v > INT64_MAX / 1000000 ? INT64_MAX : (int64_t)(v * unit);
	return true;
}

/* Four cells, each ended by a bar; false when one is missing (what is there stays). */
static bool cells_at(const gs_text *t, size_t *i, bool count, gs_summary_cells *row)
{
	for (int c = 0; c < 4; c++) {
		int64_t value;
		size_t j = *i;
		bool is = count ? count_at(t, &j, &value) : gs_text_size(t, &j, &value, NULL);
		if (!is || !gs_text_eat(t, &j, "|")) /* without its bar a number may be cut */
			return false;
		row->cell[c] = value;
		*i = j;
	}
	return true;
}

/* Steps over a title in which '*' is a word of up to 8 letters. */
static bool eat_title(const gs_text *t, size_t *i, const char *title)
{
	const char *star = strchr(title, '*');
	size_t j = *i, word = 0;
	if (!star)
		return gs_text_eat(t, i, title);
	for (const char *p = title; p < star; p++)
		if (j >= t->n || t->s[j++] != *p)
			return false;
	while (word <= 8 && !gs_text_is(t, j + word, star + 1)) {
		if (j + word >= t->n || t->s[j + word] < 'a' || t->s[j + word] > 'z')
			return false;
		word++;
	}
	j += word;
	if (word == 0 || !gs_text_eat(t, &j, star + 1))
		return false;
	*i = j;
	return true;
}

/* What stands behind a bar at i: a metric, a pool of the metric before, the line of counters. Moves
 * *i behind what was understood. */
static bool retries_at(const gs_text *t, size_t *i, gs_summary_table *table)
{
	if (!eat_title(t, i, "*mallocretries:"))
		return false;
	count_at(t, i, &table->retries);
	return true;
}

/* The counts of failures and retries, which stand on one line or on two. */
static bool counts_at(const gs_text *t, size_t *i, gs_summary_table *table)
{
	size_t j = *i;
	if (retries_at(t, i, table))
		return true;
	if (!gs_text_eat(t, &j, "ooms:") && !eat_title(t, &j, "*ooms:"))
		return false;
	count_at(t, &j, &table->ooms);
	*i = j;
	if (gs_text_eat(t, &j, "|") && retries_at(t, &j, table))
		*i = j;
	return true;
}

static void cell_names(const gs_text *t, size_t *i, gs_summary_table *table, size_t *metric)
{
	size_t j = *i, pool = 0;
	if (counts_at(t, i, table))
		return;
	size_t k = *metric;
	if (gs_text_eat(t, &j, "fromlargepool|")) {
		pool = 1;
	} else if (gs_text_eat(t, &j, "fromsmallpool|")) {
		pool = 2;
	} else {
		for (k = 0; k < GS_SUMMARY_METRICS; k++) {
			size_t n = j;
			if (eat_title(t, &n, metrics[k].title) && gs_text_eat(t, &n, "|")) {
				j = n;
				break;
			}
		}
	}
	if (k >= GS_SUMMARY_METRICS)
		return;
	*metric = k;
	gs_summary_cells *row = &table->rows[k][pool];
	if (row->seen)
		return;
	row->seen = true;
	table->nrows++;
	table->cut |= !cells_at(t, &j, metrics[k].count, row);
	*i = j - 1; /* the last bar begins the next line */
}

/* What stands before the bar at i in its line, times left out: the same for all lines of one
 * process. Returns its length. */
static size_t lead_of(const gs_text *t, size_t i, char lead[LEAD])
{
	size_t n = 0, end = t->at[i];
	for (size_t k = gs_text_line_start(t, i); k < end && n < LEAD;) {
		size_t run = 0;
		bool clock = false;
		while (k + run < end && run < LEAD &&
			(t->text[k + run] == ':' || t->text[k + run] == '-' || t->text[k + run] == '.' ||
				t->text[k + run] == ',' || gs_ascii_digit(t->text[k + run]))) {
			clock |= run && t->text[k + run] == ':' && gs_ascii_digit(t->text[k + run - 1]) &&
				gs_ascii_digit(t->text[k + run + 1]);
			run++;
		}
		if (clock || !run)
			lead[n++] = clock ? '0' : t->text[k];
		for (size_t j = 0; run && !clock && j < run && n < LEAD; j++)
			lead[n++] = t->text[k + j];
		k += run ? run : 1;
	}
	return n;
}

/* The bar that begins the line of a title. */
static size_t opening_bar(const gs_text *t, size_t title)
{
	size_t bar = gs_text_find_last(t, title > 60 ? title - 60 : 0, title, "|");
	return bar == SIZE_MAX ? title : bar;
}

static bool other_lead(const gs_text *t, size_t title, const char *lead, size_t n)
{
	char other[LEAD];
	size_t m = lead_of(t, opening_bar(t, title), other);
	return n && m && (n != m || memcmp(lead, other, m));
}

/* With a lead: only of lines that have it, which their first bar tells. */
static size_t read_rows(
	const gs_text *t, size_t i, size_t to, const char *lead, size_t length, gs_summary_table *table)
{
	char other[LEAD];
	size_t metric = GS_SUMMARY_METRICS, last = i, rulers = 0, gap = lead ? 16 * GAP : GAP, from = i,
		   line = SIZE_MAX, lines = 0;
	for (size_t bars = 0; i < to && bars < BARS && lines < LINES; bars++) {
		size_t bar = gs_text_find(t, i, to < from + gap ? to : from + gap, "|");
		if (bar == SIZE_MAX)
			break;
		i = bar + 1;
		size_t before = line;
		line = gs_text_line_start(t, bar);
		if (lead &&
			(line == before || lead_of(t, bar, other) != length || memcmp(lead, other, length)))
			continue;
		from = i;
		lines += lead != NULL;
		rulers += gs_text_is(t, i, "==========");
		cell_names(t, &i, table, &metric);
		from = last = i;
		if (rulers == 3 && table->nrows) /* above the title, below the counters, at the end */
			return last;
		if (rulers == 2 && table->nrows && gs_text_is(t, i, "=========="))
			return last;
	}
	table->cut = true;
	table->at_end = t->end && t->n - last < GAP;
	return last;
}

static void blank(gs_summary_table *table, int32_t device)
{
	memset(table, 0, sizeof *table);
	table->device = device;
	table->ooms = table->retries = GS_NONE;
	for (int k = 0; k < GS_SUMMARY_METRICS; k++)
		for (int p = 0; p < 3; p++)
			for (int c = 0; c < 4; c++)
				table->rows[k][p].cell[c] = GS_NONE;
}

/* Whether so few titles stand near this one that each may be one of several mixed tables. */
static bool may_be_mixed(gs_memory_summary *m, uint64_t title)
{
	if (title > m->crowd + GS_TEXT_AHEAD || !m->crowded) {
		m->crowd = title;
		m->crowded = 0;
	}
	return m->crowded++ < TITLES;
}

/* Returns from where to look for the next title. */
static size_t read_table(
	gs_memory_summary *m, const gs_text *t, size_t title, size_t i, gs_summary_table *table)
{
	char lead[LEAD];
	size_t to = i + SPAN < t->n ? i + SPAN : t->n,
		   all = i + GS_TEXT_AHEAD - 256 < t->n ? i + GS_TEXT_AHEAD - 256 : t->n;
	size_t next = gs_text_find(t, i, to, "memorysummary,deviceid"),
		   length = lead_of(t, opening_bar(t, title), lead);
	bool others = t->base + title < m->mixed_to ||
		(next != SIZE_MAX && other_lead(t, next, lead, length));
	if (length && may_be_mixed(m, t->base + title)) {
		size_t end = read_rows(t, i, all, lead, length, table);
		if (!table->cut || (others && table->nrows)) {
			m->mixed_to = t->base + end;
			return i;
		}
		blank(table, table->device);
	}
	return read_rows(t, i, next == SIZE_MAX ? to : next, NULL, 0, table);
}

static gs_summary_table *table_of(gs_memory_summary *m, int32_t device)
{
	for (size_t k = 0; k < m->n; k++)
		if (m->tables[k].device == device)
			return &m->tables[k];
	if (!m->tables && !(m->tables = gs_memory_zeroed(GS_SUMMARY_DEVICES, sizeof *m->tables)))
		return NULL;
	if (m->n == GS_SUMMARY_DEVICES)
		m->n--;
	m->tables[m->n] = (gs_summary_table){.device = device};
	return &m->tables[m->n++];
}

gs_status gs_memory_summary_scan(
	gs_memory_summary *m, const gs_text *t, size_t from, size_t to, gs_error *err)
{
	static const char title[] = "memorysummary,deviceid";
	if (m->done > t->base + from)
		from = (size_t)(m->done - t->base);
	for (size_t i = from;
		 (i = gs_text_find(t, i, to + sizeof title - 2, title)) != SIZE_MAX && i < to;) {
		uint64_t device;
		gs_summary_table table;
		size_t at = i;
		i += sizeof title - 1;
		if (!gs_text_number(t, &i, &device) || device >= 1024)
			continue;
		blank(&table, (int32_t)device);
		i = read_table(m, t, at, i, &table);
		m->done = t->base + i;
		m->found++;
		gs_summary_table *old = table_of(m, (int32_t)device);
		if (!old)
			return gs_fail(err, GS_NO_MEMORY, "no memory for a memory summary");
		m->replaced += old->nrows && table.nrows;
		if (table.nrows || table.ooms != GS_NONE || !old->nrows)
			*old = table;
	}
	return GS_OK;
}

static gs_status add_stat(
	gs_snapshot *s, int32_t device, const char *name, const char *pool, const int64_t cell[4])
{
	gs_stat stat = {.device = device,
		.name = gs_snapshot_string(s, name, strlen(name)),
		.pool = gs_snapshot_string(s, pool, strlen(pool)),
		.current = cell[0],
		.peak = cell[1],
		.allocated = cell[2],
		.freed = cell[3]};
	return stat.name && stat.pool ? gs_snapshot_add_stat(s, &stat) : GS_NO_MEMORY;
}

static gs_status add_table(gs_snapshot *s, const gs_summary_table *table)
{
	gs_status status = GS_OK;
	const int64_t ooms[4] = {table->ooms, GS_NONE, GS_NONE, GS_NONE},
				  retries[4] = {table->retries, GS_NONE, GS_NONE, GS_NONE};
	gs_device *d = gs_snapshot_device(s, table->device);
	if (!d)
		return GS_NO_MEMORY;
	if (table->rows[0][0].cell[0] != GS_NONE)
		d->allocated = table->rows[0][0].cell[0];
	if (table->rows[3][0].cell[0] != GS_NONE)
		d->reserved = table->rows[3][0].cell[0];
	for (int k = 0; k < GS_SUMMARY_METRICS; k++)
		for (int p = 0; p < 3 && !status; p++)
			if (table->rows[k][p].seen)
				status = add_stat(
					s, table->device, metrics[k].name, pools[p], table->rows[k][p].cell);
	if (!status && table->ooms != GS_NONE)
		status = add_stat(s, table->device, "num_ooms", "all", ooms);
	if (!status && table->retries != GS_NONE)
		status = add_stat(s, table->device, "num_alloc_retries", "all", retries);
	return status;
}

gs_status gs_memory_summary_finish(
	const gs_memory_summary *m, gs_snapshot *s, bool *cut, gs_error *err)
{
	*cut = false;
	for (size_t k = 0; k < m->n; k++) {
		if (add_table(s, &m->tables[k]))
			return gs_fail(err, GS_NO_MEMORY, "no memory for a memory summary");
		if (m->tables[k].cut)
			gs_snapshot_warn(s, "the memory summary of device %d is cut: %zu of its rows are here",
				m->tables[k].device, m->tables[k].nrows);
		*cut |= m->tables[k].at_end;
	}
	if (m->found && !s->library)
		s->library = "pytorch";
	if (m->replaced)
		gs_snapshot_warn(s, "%zu earlier memory summar%s of the same device left out", m->replaced,
			m->replaced > 1 ? "ies are" : "y is");
	return GS_OK;
}
