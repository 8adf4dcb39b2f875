/* The settings text: keys from a table. Up to 2.9 one pass over it; since then two,
 * general keys first. */
#include "recorder/pool/settings.h"
#include "recorder/pool/settings_token.h"

#include <stdlib.h>
#include <string.h>

#define MIB (UINT64_C(1) << 20)

static bool is_power(uint64_t n) { return n && !(n & (n - 1)); }

static gs_status parse_mib(gs_settings_parser *p, const char *key, uint64_t *bytes)
{
	uint64_t n, least = p->s->large_segment / MIB;
	gs_status status = gs_settings_value(p, key);
	if (status || (status = gs_settings_number(p, p->now.text, !p->rules->lenient, &n)))
		return status;
	if (n < least || (n == least && !p->rules->bound_inclusive))
		return gs_fail(p->err, GS_INVALID, "CachingAllocator option %s too small, must be %s %llu",
			key, p->rules->bound_inclusive ? ">=" : ">", (unsigned long long)least);
	*bytes = (n < UINT64_MAX / MIB ? n : UINT64_MAX / MIB) * MIB;
	return GS_OK;
}

static gs_status parse_max_split(gs_settings_parser *p, const char *key)
{
	return parse_mib(p, key, &p->s->max_split);
}
static gs_status parse_rounding(gs_settings_parser *p, const char *key)
{
	return parse_mib(p, key, &p->s->max_non_split_rounding);
}

static gs_status parse_large_segment(gs_settings_parser *p, const char *key)
{
	uint64_t n;
	gs_status status = gs_settings_value(p, key);
	if (status || (status = gs_settings_number(p, p->now.text, false, &n)))
		return status;
	if (n <= GS_LARGE_MIN / MIB)
		return gs_settings_bad(
			p, "CachingAllocator option large_segment_size_mb must be > 10 MB", NULL);
	p->s->large_segment = (n < UINT64_MAX / MIB ? n : UINT64_MAX / MIB) * MIB;
	return GS_OK;
}

static gs_status parse_gc(gs_settings_parser *p, const char *key)
{
	double x;
	gs_status status = gs_settings_value(p, key);
	if (status || (status = gs_settings_real(p, &x)))
		return status;
	if (!(x > 0) || !(x < 1)) {
		if (p->rules->lenient)
			return gs_settings_bad(
				p, "garbage_collect_threshold is invalid, set it in (0.0, 1.0)", NULL);
		return gs_settings_bad(p,
			x > 0 ? "garbage_collect_threshold too big, set it 0.0~1.0"
				  : "garbage_collect_threshold too small, set it 0.0~1.0",
			NULL);
	}
	p->s->gc_threshold = x;
	return GS_OK;
}

static const char *not_power(const gs_settings_parser *p, bool in_list)
{
	if (!p->rules->lenient)
		return "For roundups, the divisons has to be power of 2 ";
	return in_list ? "For roundups, the divisions has to be power of 2 or 0 to disable roundup "
				   : "For roundups, the divisions has to be power of 2 ";
}

/* One `key:divisions` of a list; the current token is its key. last: index of the last key, first:
 * none was read yet. */
static gs_status parse_pair(gs_settings_parser *p, size_t *last, bool *first)
{
	gs_settings_token key = p->now;
	uint64_t d, interval;
	gs_status status = gs_settings_expect(p, ":");
	if (status)
		return status;
	if (!gs_settings_next(p))
		return p->rules->lenient
			? gs_settings_out_of_bounds(p)
			: gs_settings_bad(p, "Error parsing roundup_power2_divisions value", NULL);
	if ((status = gs_settings_number(p, p->now.text, !p->rules->lenient, &d)))
		return status;
	if (d && !is_power(d))
		return gs_settings_bad(p, not_power(p, true), NULL);
	uint32_t *roundup = p->s->roundup, set = d > UINT32_MAX ? 1u << 31 : (uint32_t)d;
	if (!strcmp(key.text, ">")) {
		for (size_t i = *last + p->rules->list_rest_after; i < GS_ROUNDUP_INTERVALS; i++)
			roundup[i] = set;
		return GS_OK;
	}
	if ((status = gs_settings_number(p, key.text, false, &interval)))
		return status;
	if (!is_power(interval))
		return gs_settings_bad(p, "For roundups, the intervals have to be power of 2 ", NULL);
	size_t index = (size_t)__builtin_ctzll(interval);
	if (index > GS_ROUNDUP_INTERVALS - 1)
		index = GS_ROUNDUP_INTERVALS - 1;
	for (size_t i = 0; *first && i < index; i++)
		roundup[i] = set;
	*first = false;
	roundup[index] = set;
	*last = index;
	return GS_OK;
}

static gs_status parse_list(gs_settings_parser *p)
{
	size_t last = 0;
	bool first = true, more;
	while ((more = gs_settings_next(p)) && strcmp(p->now.text, "]")) {
		gs_status status = parse_pair(p, &last, &first);
		gs_settings_token next;
		if (status)
			return status;
		if (!gs_settings_peek(p, &next)) /* undefined up to 2.9 */
			return gs_settings_out_of_bounds(p);
		if (strcmp(next.text, "]") && (status = gs_settings_expect(p, ",")))
			return status;
	}
	return more || !p->rules->lenient
		? GS_OK
		: gs_settings_bad(
			  p, "Expected closing bracket ']' in ConfigTokenizer but reached end of config", NULL);
}

static gs_status parse_roundup(gs_settings_parser *p, const char *key)
{
	uint64_t d;
	gs_status status = gs_settings_value(p, key);
	if (status)
		return status;
	if (!strcmp(p->now.text, "["))
		return parse_list(p);
	if ((status = gs_settings_number(p, p->now.text, !p->rules->lenient, &d)))
		return status;
	if (!is_power(d))
		return gs_settings_bad(p, not_power(p, false), NULL);
	for (size_t i = 0; i < GS_ROUNDUP_INTERVALS; i++)
		p->s->roundup[i] = d > UINT32_MAX ? 1u << 31 : (uint32_t)d;
	return GS_OK;
}

static gs_status parse_flag(gs_settings_parser *p, const char *key, bool *b)
{
	gs_status status = gs_settings_expect(p, ":");
	if (!status && !gs_settings_next(p))
		status = p->rules->lenient
			? gs_settings_out_of_bounds(p)
			: gs_settings_bad(p, "Expected a single True/False argument for %s", key);
	bool v;
	if (status || (status = gs_settings_bool(p, key, &v)))
		return status;
	*b = v;
	return GS_OK;
}

static gs_status parse_expandable(gs_settings_parser *p, const char *key)
{
	return parse_flag(p, key, &p->s->expandable);
}
static gs_status parse_throw(gs_settings_parser *p, const char *key)
{
	return parse_flag(p, key, &p->s->throw_on_oom);
}
static gs_status parse_release_lock(gs_settings_parser *p, const char *key)
{
	(void)key;
	return parse_flag(p, "release_lock_on_cudamalloc", &p->s->release_lock);
}

static gs_status parse_ignored_flag(gs_settings_parser *p, const char *key)
{
	bool unused;
	return parse_flag(p, key, &unused);
}

static gs_status parse_fraction(gs_settings_parser *p, const char *key)
{
	double x;
	gs_status status = gs_settings_value(p, key);
	if (status || (status = gs_settings_real(p, &x)))
		return status;
	if (!(x >= 0 && x <= 1))
		return gs_settings_bad(
			p, "per_process_memory_fraction is invalid, set it in [0.0, 1.0]", NULL);
	p->s->memory_fraction = x;
	return GS_OK;
}

static gs_status parse_threads(gs_settings_parser *p, const char *key)
{
	uint64_t n;
	gs_status status = gs_settings_value(p, key);
	if (status || (status = gs_settings_number(p, p->now.text, !p->rules->lenient, &n)))
		return status;
	if (!is_power(n))
		return gs_settings_bad(p, "Number of register threads has to be power of 2", NULL);
	return n <= 128 ? GS_OK
					: gs_settings_bad(p,
						  "Number of register threads should be less than or equal to 128", NULL);
}

static gs_status parse_ignored_number(gs_settings_parser *p, const char *key)
{
	uint64_t n;
	gs_status status = gs_settings_value(p, key);
	return status ? status : gs_settings_number(p, p->now.text, false, &n);
}

static gs_status parse_positive(gs_settings_parser *p, const char *key)
{
	uint64_t n;
	gs_status status = gs_settings_value(p, key);
	if (status || (status = gs_settings_number(p, p->now.text, false, &n)))
		return status;
	return n ? GS_OK
			 : gs_settings_bad(p, "Pinned reserve segment size has to be greater than 0", NULL);
}

static gs_status parse_backend(gs_settings_parser *p, const char *key)
{
	(void)key;
	gs_status status = gs_settings_expect(p, ":");
	if (status)
		return status;
	if (!gs_settings_next(p))
		return p->rules->lenient ? gs_settings_out_of_bounds(p)
								 : gs_settings_bad(p, "Error parsing backend value", NULL);
	if (!strcmp(p->now.text, "native"))
		return GS_OK;
	return gs_settings_bad(p,
		!strcmp(p->now.text, "cudaMallocAsync")
			? "Allocator backend parsed at runtime != allocator backend parsed at load time"
			: "Unknown allocator backend, options are native and cudaMallocAsync",
		NULL);
}

/* Moves over the value of a key that this pass does not handle. */
static gs_status skip(gs_settings_parser *p)
{
	if (!gs_settings_next(p) || !gs_settings_next(p))
		return gs_settings_out_of_bounds(p);
	if (strcmp(p->now.text, "["))
		return GS_OK;
	while (gs_settings_next(p))
		if (!strcmp(p->now.text, "]"))
			return GS_OK;
	return gs_settings_bad(
		p, "Expected closing bracket ']' in ConfigTokenizer but reached end of config", NULL);
}

static gs_status parse_skipped(gs_settings_parser *p, const char *key)
{
	(void)key;
	return skip(p);
}

/* nG is a size, another number a fraction of memory; anything else is the default, without an
 * error. */
static gs_status parse_reserve(gs_settings_parser *p, const char *key)
{
	gs_status status = gs_settings_value(p, key);
	if (status)
		return status;
	char *end;
	double x = strtod(p->now.text, &end);
	bool size = (*end == 'g' || *end == 'G') && !end[1];
	bool good = end != p->now.text && x > 0 && x < 1e9;
	p->s->reserve_bytes = good && size ? (uint64_t)(x * (double)(1 << 30)) : 0;
	p->s->reserve_fraction = good && !*end ? x : 0;
	return GS_OK;
}

/* since: first level that knows the key; late: of the device's pass, after all general keys. */
static const struct key {
	const char *name;
	gs_status (*parse)(gs_settings_parser *p, const char *key);
	int since;
	bool late;
} keys[] = {
	{"max_split_size_mb", parse_max_split, 0, false},
	{"max_non_split_rounding_mb", parse_rounding, 0, false},
	{"garbage_collection_threshold", parse_gc, 0, false},
	{"roundup_power2_divisions", parse_roundup, 0, false},
	{"expandable_segments", parse_expandable, 0, false},
	{"pinned_use_background_threads", parse_ignored_flag, 0, false},
	{"large_segment_size_mb", parse_skipped, 212, false}, /* read before all others */
	{"pinned_max_round_threshold_mb", parse_ignored_number, 213, false},
	{"pinned_max_cached_size_mb", parse_ignored_number, 213, false},
	{"backend", parse_backend, 0, true},
	{"release_lock_on_cudamalloc", parse_release_lock, 0, true},
	{"release_lock_on_hipmalloc", parse_release_lock, 0, true},
	{"pinned_use_cuda_host_register", parse_ignored_flag, 0, true},
	{"pinned_use_hip_host_register", parse_ignored_flag, 0, true},
	{"pinned_num_register_threads", parse_threads, 0, true},
	{"pinned_reserve_segment_size_mb", parse_positive, 210, true},
	{"per_process_memory_fraction", parse_fraction, 210, true},
	{"graph_capture_record_stream_reuse", parse_ignored_flag, 212, true},
	{"throw_on_cudamalloc_oom", parse_throw, 212, true},
	{"pinned_free_catch_all", parse_ignored_flag, 213, true},
	{"expandable_segments_reserve", parse_reserve, 213, true},
	{"expandable_segments_reserve_by_class", parse_skipped, 213, true},
};

static const struct key *find_key(const gs_settings_parser *p)
{
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (keys[i].since <= p->rules->level && !strcmp(keys[i].name, p->now.text))
			return &keys[i];
	return NULL;
}

/* One pass. In a lenient one keys of the other pass are stepped over; a strict release knows one
 * pass for all. */
static gs_status parse_pass(gs_settings_parser *p, bool late)
{
	p->at = 0;
	p->index = SIZE_MAX;
	while (gs_settings_next(p)) {
		const struct key *key = find_key(p);
		gs_settings_token next;
		if (!key)
			return gs_settings_bad(p,
				p->rules->lenient ? "Unrecognized key '%s' in Accelerator allocator config."
								  : "Unrecognized CachingAllocator option: %s",
				p->now.text);
		gs_status status = p->rules->lenient && key->late != late ? skip(p)
																  : key->parse(p, key->name);
		if (!status && gs_settings_peek(p, &next))
			status = gs_settings_expect(p, ",");
		if (status)
			return status;
	}
	return GS_OK;
}

/* Where a release knows large_segment_size_mb it is in force before the bounds that depend on it,
 * wherever it stands in the text. */
static gs_status read_large_segment(gs_settings_parser *p)
{
	p->at = 0;
	p->index = SIZE_MAX;
	while (p->rules->level >= 212 && gs_settings_next(p)) {
		gs_status status = strcmp(p->now.text, "large_segment_size_mb")
			? GS_OK
			: parse_large_segment(p, p->now.text);
		if (status)
			return status;
	}
	return GS_OK;
}

void gs_pool_settings_init(gs_pool_settings *s)
{
	*s = (gs_pool_settings){
		.max_split = UINT64_MAX,
		.max_non_split_rounding = GS_LARGE_SEGMENT,
		.large_segment = GS_LARGE_SEGMENT,
		.memory_fraction = 1,
	};
}

gs_status gs_pool_settings_parse(
	gs_pool_settings *s, const gs_rules *rules, const char *text, gs_error *err)
{
	gs_settings_parser p = {.s = s, .rules = rules, .err = err, .text = text};
	s->max_split = UINT64_MAX;
	s->gc_threshold = 0;
	memset(s->roundup, 0, sizeof s->roundup);
	gs_status status = read_large_segment(&p);
	if (status)
		return status;
	if (rules->lenient)
		s->max_non_split_rounding = s->large_segment;
	status = parse_pass(&p, false);
	return status || !rules->lenient ? status : parse_pass(&p, true);
}
