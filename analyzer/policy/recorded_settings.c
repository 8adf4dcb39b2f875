/* The allocator's settings as a snapshot records them. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/policy/policy.h"
#include "recorder/pool/rules.h"

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
		if (!strcmp(name, "max_split_size"))
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

void gs_policy_settings(const gs_snapshot *s, gs_pool_settings *settings, bool *known)
{
	const gs_rules *rules = s->rules ? gs_rules_find(s->rules) : NULL;
	const char *text = gs_snapshot_setting(s, "PYTORCH_CUDA_ALLOC_CONF");
	if (!text)
		text = gs_snapshot_setting(s, "PYTORCH_ALLOC_CONF");
	if (!text)
		text = gs_snapshot_setting(s, "conf");
	gs_pool_settings_init(settings);
	if (text && *text)
		(void)gs_pool_settings_parse(settings, rules ? rules : gs_rules_newest, text, NULL);
	read_resolved(s, settings);
	if (known)
		*known = text || gs_snapshot_setting(s, "max_split_size");
	if (!gs_snapshot_setting(s, "expandable_segments") && !settings->expandable)
		settings->expandable = has_expandable(s);
}
