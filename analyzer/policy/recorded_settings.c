/* The allocator's settings as a snapshot records them. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/policy/policy.h"
#include "recorder/pool/rule_sets.h"

static bool is_true(const char *text)
{
	return text && (!strcasecmp(text, "true") || !strcmp(text, "1"));
}

static void set_division(gs_pool_settings *settings, uint64_t mib, uint64_t division)
{
	if (!mib || mib & (mib - 1))
		return;
	int i = __builtin_ctzll(mib);
	settings->roundup[i < GS_ROUNDUP_INTERVALS ? i : GS_ROUNDUP_INTERVALS - 1] = (uint32_t)division;
}

/* A mapping in any dress: {'1': 0, '2': 4}, [1:0,2:4]. */
static void read_divisions(gs_pool_settings *settings, const char *text)
{
	uint64_t key = 0;
	bool have_key = false;
	while (*text) {
		if (*text < '0' || *text > '9') {
			text++;
			continue;
		}
		char *end;
		uint64_t number = strtoull(text, &end, 10);
		text = end;
		if (have_key)
			set_division(settings, key, number);
		key = number;
		have_key = !have_key;
	}
}

static bool has_expandable(const gs_snapshot *s)
{
	for (size_t d = 0; d < s->ndevices; d++) {
		const gs_device *device = &s->devices[d];
		for (size_t i = 0; i < device->captured.nsegments; i++)
			if (device->captured.segments[i].expandable)
				return true;
		for (size_t i = 0; i < device->trace.n; i++)
			if (gs_event_action(&device->trace.events[i]) == GS_ACTION_SEGMENT_MAP)
				return true;
	}
	return false;
}

/* Values that the allocator itself resolved; they win over the text. */
static void read_resolved(const gs_snapshot *s, gs_pool_settings *settings)
{
	static const char prefix[] = "roundup_power2_divisions";
	for (size_t i = 0; i < s->nsettings; i++) {
		const char *name = gs_string_text(s, s->settings[i].name),
				   *value = gs_string_text(s, s->settings[i].value);
		if (!strcmp(name, "max_non_split_rounding") && *value >= '0' && *value <= '9')
			settings->max_non_split_rounding = strtoull(value, NULL, 10);
		else if (!strcmp(name, "max_split_size"))
			settings->max_split = *value < '0' || *value > '9' ? UINT64_MAX
															   : strtoull(value, NULL, 10);
		else if (!strcmp(name, "garbage_collection_threshold"))
			settings->gc_threshold = strtod(value, NULL);
		else if (!strcmp(name, "expandable_segments"))
			settings->expandable = is_true(value);
		else if (!strcmp(name, prefix))
			read_divisions(settings, value);
		else if (!strncmp(name, prefix, sizeof prefix - 1) && name[sizeof prefix - 1])
			set_division(
				settings, strtoull(name + sizeof prefix, NULL, 10), strtoull(value, NULL, 10));
	}
}

/* The settings text last parsed, under whatever name it was recorded; NULL where there is none. */
static const char *recorded_text(const gs_snapshot *s)
{
	static const char *const names[] = {
		"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF", "conf"};
	const char *empty = NULL;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *text = gs_snapshot_setting(s, names[i]);
		if (text && *text)
			return text;
		empty = text ? text : empty;
	}
	return empty;
}

void gs_policy_settings(const gs_snapshot *s, gs_pool_settings *settings, bool *known)
{
	const gs_rules *rules = s->rules ? gs_rules_find(s->rules) : NULL;
	const char *text = recorded_text(s);
	gs_pool_settings_init(settings);
	if (text && *text)
		(void)gs_pool_settings_parse(settings, rules ? rules : gs_rules_newest, text, NULL);
	read_resolved(s, settings);
	if (known)
		*known = text || gs_snapshot_setting(s, "max_split_size");
	if (!gs_snapshot_setting(s, "expandable_segments") && !settings->expandable)
		settings->expandable = has_expandable(s);
}

/* --- the settings as a text ----------------------------------------------------------------------
 */

typedef struct conf_text {
	char *text;
	size_t cap, n;
} conf_text;

static void add_key(conf_text *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add_key(conf_text *c, const char *format, ...)
{
	char key[360];
	va_list args;
	va_start(args, format);
	int n = vsnprintf(key, sizeof key, format, args);
	va_end(args);
	if (n > 0 && c->n + (size_t)n + 2 < c->cap)
		c->n += (size_t)snprintf(c->text + c->n, c->cap - c->n, "%s%s", c->n ? "," : "", key);
}

static void add_roundup(conf_text *c, const uint32_t *divisions)
{
	char list[320];
	size_t used = 0;
	bool equal = true, any = false;
	for (size_t i = 0; i < GS_ROUNDUP_INTERVALS; i++) {
		equal &= divisions[i] == divisions[0];
		any |= divisions[i] > 0;
		used += (size_t)snprintf(
			list + used, sizeof list - used, "%s%u:%" PRIu32, i ? "," : "", 1u << i, divisions[i]);
	}
	if (any && equal)
		add_key(c, "roundup_power2_divisions:%" PRIu32, divisions[0]);
	else if (any)
		add_key(c, "roundup_power2_divisions:[%s]", list);
}

char *gs_policy_conf(const gs_snapshot *s, char *buf, size_t cap)
{
	const char *text = recorded_text(s);
	conf_text c = {buf, cap, 0};
	gs_pool_settings x;
	*buf = 0;
	if (text && *text) {
		snprintf(buf, cap, "%s", text);
		return buf;
	}
	gs_policy_settings(s, &x, NULL);
	if (x.expandable)
		add_key(&c, "expandable_segments:True");
	if (x.max_split && x.max_split < INT64_MAX)
		add_key(&c, "max_split_size_mb:%" PRIu64, x.max_split >> 20);
	if (x.max_non_split_rounding > GS_LARGE_SEGMENT)
		add_key(&c, "max_non_split_rounding_mb:%" PRIu64, x.max_non_split_rounding >> 20);
	if (x.gc_threshold > 0)
		add_key(&c, "garbage_collection_threshold:%.6g", x.gc_threshold);
	add_roundup(&c, x.roundup);
	return buf;
}
