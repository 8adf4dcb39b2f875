/* In what settings the snapshots of a report differ. */
#include "analyzer/picture/report_overview.h"

#include <string.h>

#include "analyzer/picture/page.h"

enum { MOST_VALUES = 16 };

static const char *value_of(const gs_snapshot *s, const char *name)
{
	const char *value = gs_snapshot_setting(s, name);
	return value ? value : "";
}

static void tell_value(gs_page *p, const char *name, const char *whose, const char *value)
{
	gs_page_cell(p, name);
	gs_page_cell(p, whose);
	gs_page_cell(p, value);
}

/* How many have the value of the i-th. */
static size_t count_value(const gs_snapshot *all, size_t n, const char *name, size_t i)
{
	size_t count = 0;

	for (size_t k = 0; k < n; k++)
		count += !strcmp(value_of(&all[k], name), value_of(&all[i], name));
	return count;
}

/* A setting that not all have alike: of a few each one's value, of many the values that are not
 * the usual one (which the first or the second of three has, most likely). */
static bool tell_setting(gs_page *p, const gs_snapshot *all, size_t n, const char *name)
{
	size_t usual = 0, told = 0, same = count_value(all, n, name, 0);
	char whose[300];

	for (size_t i = 1; i < n && i < 3 && 2 * same <= n; i++)
		if (count_value(all, n, name, i) > same)
			same = count_value(all, n, name, usual = i);
	for (size_t i = 0; i < n && same < n && told < MOST_VALUES; i++) {
		if (n > MOST_VALUES && !strcmp(value_of(&all[i], name), value_of(&all[usual], name)))
			continue;
		gs_report_name_snapshot(&all[i], whose, sizeof whose);
		tell_value(p, name, whose, value_of(&all[i], name));
		told++;
	}
	if (same < n && n > MOST_VALUES) {
		snprintf(whose, sizeof whose, "%zu others", same);
		tell_value(p, name, whose, value_of(&all[usual], name));
	}
	return same < n;
}

/* Whether an earlier setting of the snapshots before has that name. */
static bool told_before(const gs_snapshot *all, size_t snapshot, const char *name)
{
	for (size_t i = 0; i < snapshot; i++)
		if (gs_snapshot_setting(&all[i], name))
			return true;
	return false;
}

void gs_report_differences(gs_page *p, const gs_snapshot *all, size_t n)
{
	static const char *const names[] = {"setting", "snapshot", "value"};
	static const bool numbers[] = {false, false, false};
	bool any = false;

	gs_page_heading(p, 3, NULL, "What differs");
	gs_page_table(p, 3, names, numbers);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < all[i].nsettings; k++) {
			const char *name = gs_string_text(&all[i], all[i].settings[k].name);
			if (!told_before(all, i, name))
				any |= tell_setting(p, all, n, name);
		}
	if (!any) {
		gs_page_cell(p, "no setting differs");
		gs_page_cell(p, "");
		gs_page_cell(p, "");
	}
	gs_page_end_table(p);
}
