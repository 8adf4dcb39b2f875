/* The settings text: tokens, then keys from a table. Up to 2.9 one pass over it; since then two,
 * general keys first. */
#include "recorder/pool/settings.h"

#include <stdlib.h>
#include <string.h>

#include "recorder/pool/rules.h"

enum { MAX_TOKENS = 512, MAX_WORD = 96 };
#define MIB (UINT64_C(1) << 20)

typedef struct token {
	char text[MAX_WORD];
} token;

typedef struct parser {
	gs_pool_settings *s;
	const gs_rules *rules;
	gs_error *err;
	const char *text;
	size_t at;    /* of the text, behind the current token */
	size_t index; /* of the current token */
	token now;    /* the current token; "" at the end */
} parser;

static bool is_mark(char c) { return c && strchr(",:[]", c) != NULL; }

static bool is_blank(const parser *p, char c)
{
	return c == ' ' || (p->rules->lenient && c && strchr("\t\n\v\f\r", c));
}

/* Reads the token at *at; false at the end. Blanks vanish, also inside words. A word beyond
 * MAX_WORD is cut: no key or value is that long. */
static bool read_token(const parser *p, size_t *at, token *t)
{
	size_t n = 0;
	const char *s = p->text;
	for (; s[*at]; ++*at) {
		if (is_blank(p, s[*at]))
			continue;
		if (is_mark(s[*at])) {
			if (!n)
				t->text[n++] = s[(*at)++];
			break;
		}
		if (n < MAX_WORD - 1)
			t->text[n++] = s[*at];
	}
	t->text[n] = 0;
	return n > 0;
}

static bool next_token(parser *p)
{
	p->index++;
	return read_token(p, &p->at, &p->now);
}

static bool peek(const parser *p, token *t)
{
	size_t at = p->at;
	return read_token(p, &at, t);
}

/* format: text with at most one %s, which stands for a. */
static gs_status bad(parser *p, const char *format, const char *a)
{
	const char *hole = strstr(format, "%s");
	if (!hole)
		return gs_fail(p->err, GS_INVALID, "%s", format);
	return gs_fail(p->err, GS_INVALID, "%.*s%s%s", (int)(hole - format), format, a, hole + 2);
}

static gs_status out_of_bounds(parser *p)
{
	return bad(p, "Index out of bounds in ConfigTokenizer", NULL);
}

/* The next token must be (or, lenient, may be anything for) a mark. */
static gs_status expect(parser *p, const char *mark)
{
	bool got = next_token(p);
	if (p->rules->lenient)
		return got ? GS_OK : out_of_bounds(p);
	return got && !strcmp(p->now.text, mark)
		? GS_OK
		: bad(p, "Error parsing CachingAllocator settings, expected %s", mark);
}

/* Moves to the value of the key at hand. */
static gs_status value(parser *p, const char *key)
{
	gs_status status = expect(p, ":");
	if (status || next_token(p))
		return status;
	return p->rules->lenient ? out_of_bounds(p) : bad(p, "Error, expecting %s value", key);
}

/* Leading digits count, the rest is ignored; a negative number wraps. Up to 2.9 a number is an int.
 */
static gs_status to_number(parser *p, const char *text, bool as_int, uint64_t *n)
{
	char *end;
	const char *name = as_int ? "stoi" : p->rules->lenient ? "stoull" : "stoul";
	size_t digits = strspn(text, "+-");
	if (digits > 1 || text[digits] < '0' || text[digits] > '9')
		return bad(p, name, NULL);
	size_t length = strspn(text + digits, "0123456789");
	if (as_int) {
		long v = strtol(text, &end, 10);
		if (length > 18 || v > INT32_MAX || v < INT32_MIN)
			return bad(p, name, NULL);
		*n = (uint64_t)v;
		return GS_OK;
	}
	if (length > 20 || (length == 20 && strncmp(text + digits, "18446744073709551615", 20) > 0))
		return bad(p, name, NULL);
	*n = strtoull(text, &end, 10);
	return GS_OK;
}

static gs_status to_real(parser *p, double *x)
{
	char *end;
	*x = strtod(p->now.text, &end);
	return end == p->now.text ? bad(p, "stod", NULL) : GS_OK;
}

static gs_status to_bool(parser *p, const char *key, bool *b)
{
	*b = !strcmp(p->now.text, "True");
	if (*b || !strcmp(p->now.text, "False"))
		return GS_OK;
	if (!p->rules->lenient)
		return bad(p, "Expected a single True/False argument for %s", key);
	return gs_fail(p->err, GS_INVALID,
		"Expected 'True' or 'False' at index %zu in ConfigTokenizer but got '%s'", p->index,
		p->now.text);
}

static bool is_power(uint64_t n) { return n && !(n & (n - 1)); }

static gs_status parse_mib(parser *p, const char *key, uint64_t *bytes)
{
	uint64_t n, least = p->s->large_segment / MIB;
	gs_status status = value(p, key);
	if (status || (status = to_number(p, p->now.text, !p->rules->lenient, &n)))
		return status;
	if (n < least || (n == least && !p->rules->bound_inclusive))
		return gs_fail(p->err, GS_INVALID, "CachingAllocator option %s too small, must be %s %llu",
			key, p->rules->bound_inclusive ? ">=" : ">", (unsigned long long)least);
	*bytes = (n < UINT64_MAX / MIB ? n : UINT64_MAX / MIB) * MIB;
	return GS_OK;
}

static gs_status parse_max_split(parser *p, const char *key)
{
	return parse_mib(p, key, &p->s->max_split);
}
static gs_status parse_rounding(parser *p, const char *key)
{
	return parse_mib(p, key, &p->s->max_non_split_rounding);
}

static gs_status parse_large_segment(parser *p, const char *key)
{
	uint64_t n;
	gs_status status = value(p, key);
	if (status || (status = to_number(p, p->now.text, false, &n)))
		return status;
	if (n <= GS_LARGE_MIN / MIB)
		return bad(p, "CachingAllocator option large_segment_size_mb must be > 10 MB", NULL);
	p->s->large_segment = (n < UINT64_MAX / MIB ? n : UINT64_MAX / MIB) * MIB;
	return GS_OK;
}

static gs_status parse_gc(parser *p, const char *key)
{
	double x;
	gs_status status = value(p, key);
	if (status || (status = to_real(p, &x)))
		return status;
	if (!(x > 0) || !(x < 1)) {
		if (p->rules->lenient)
			return bad(p, "garbage_collect_threshold is invalid, set it in (0.0, 1.0)", NULL);
		return bad(p,
			x > 0 ? "garbage_collect_threshold too big, set it 0.0~1.0"
				  : "garbage_collect_threshold too small, set it 0.0~1.0",
			NULL);
	}
	p->s->gc_threshold = x;
	return GS_OK;
}

static const char *not_power(const parser *p, bool in_list)
{
	if (!p->rules->lenient)
		return "For roundups, the divisons has to be power of 2 ";
	return in_list ? "For roundups, the divisions has to be power of 2 or 0 to disable roundup "
				   : "For roundups, the divisions has to be power of 2 ";
}

/* One `key:divisions` of a list; the current token is its key. last: index of the last key, first:
 * none was read yet. */
static gs_status parse_pair(parser *p, size_t *last, bool *first)
{
	token key = p->now;
	uint64_t d, interval;
	gs_status status = expect(p, ":");
	if (status)
		return status;
	if (!next_token(p))
		return p->rules->lenient ? out_of_bounds(p)
								 : bad(p, "Error parsing roundup_power2_divisions value", NULL);
	if ((status = to_number(p, p->now.text, !p->rules->lenient, &d)))
		return status;
	if (d && !is_power(d))
		return bad(p, not_power(p, true), NULL);
	uint32_t *roundup = p->s->roundup, set = d > UINT32_MAX ? 1u << 31 : (uint32_t)d;
	if (!strcmp(key.text, ">")) {
		for (size_t i = *last + p->rules->list_rest_after; i < GS_ROUNDUP_INTERVALS; i++)
			roundup[i] = set;
		return GS_OK;
	}
	if ((status = to_number(p, key.text, false, &interval)))
		return status;
	if (!is_power(interval))
		return bad(p, "For roundups, the intervals have to be power of 2 ", NULL);
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

static gs_status parse_list(parser *p)
{
	size_t last = 0;
	bool first = true, more;
	while ((more = next_token(p)) && strcmp(p->now.text, "]")) {
		gs_status status = parse_pair(p, &last, &first);
		token next;
		if (status)
			return status;
		if (!peek(p, &next)) /* undefined up to 2.9 */
			return out_of_bounds(p);
		if (strcmp(next.text, "]") && (status = expect(p, ",")))
			return status;
	}
	return more || !p->rules->lenient
		? GS_OK
		: bad(p, "Expected closing bracket ']' in ConfigTokenizer but reached end of config", NULL);
}

static gs_status parse_roundup(parser *p, const char *key)
{
	uint64_t d;
	gs_status status = value(p, key);
	if (status)
		return status;
	if (!strcmp(p->now.text, "["))
		return parse_list(p);
	if ((status = to_number(p, p->now.text, !p->rules->lenient, &d)))
		return status;
	if (!is_power(d))
		return bad(p, not_power(p, false), NULL);
	for (size_t i = 0; i < GS_ROUNDUP_INTERVALS; i++)
		p->s->roundup[i] = d > UINT32_MAX ? 1u << 31 : (uint32_t)d;
	return GS_OK;
}

static gs_status parse_flag(parser *p, const char *key, bool *b)
{
	gs_status status = expect(p, ":");
	if (!status && !next_token(p))
		status = p->rules->lenient ? out_of_bounds(p)
								   : bad(p, "Expected a single True/False argument for %s", key);
	bool v;
	if (status || (status = to_bool(p, key, &v)))
		return status;
	*b = v;
	return GS_OK;
}

static gs_status parse_expandable(parser *p, const char *key)
{
	return parse_flag(p, key, &p->s->expandable);
}
static gs_status parse_throw(parser *p, const char *key)
{
	return parse_flag(p, key, &p->s->throw_on_oom);
}
static gs_status parse_release_lock(parser *p, const char *key)
{
	(void)key;
	return parse_flag(p, "release_lock_on_cudamalloc", &p->s->release_lock);
}

static gs_status parse_ignored_flag(parser *p, const char *key)
{
	bool unused;
	return parse_flag(p, key, &unused);
}

static gs_status parse_fraction(parser *p, const char *key)
{
	double x;
	gs_status status = value(p, key);
	if (status || (status = to_real(p, &x)))
		return status;
	if (!(x >= 0 && x <= 1))
		return bad(p, "per_process_memory_fraction is invalid, set it in [0.0, 1.0]", NULL);
	p->s->memory_fraction = x;
	return GS_OK;
}

static gs_status parse_threads(parser *p, const char *key)
{
	uint64_t n;
	gs_status status = value(p, key);
	if (status || (status = to_number(p, p->now.text, !p->rules->lenient, &n)))
		return status;
	if (!is_power(n))
		return bad(p, "Number of register threads has to be power of 2", NULL);
	return n <= 128
		? GS_OK
		: bad(p, "Number of register threads should be less than or equal to 128", NULL);
}

static gs_status parse_ignored_number(parser *p, const char *key)
{
	uint64_t n;
	gs_status status = value(p, key);
	return status ? status : to_number(p, p->now.text, false, &n);
}

static gs_status parse_positive(parser *p, const char *key)
{
	uint64_t n;
	gs_status status = value(p, key);
	if (status || (status = to_number(p, p->now.text, false, &n)))
		return status;
	return n ? GS_OK : bad(p, "Pinned reserve segment size has to be greater than 0", NULL);
}

static gs_status parse_backend(parser *p, const char *key)
{
	(void)key;
	gs_status status = expect(p, ":");
	if (status)
		return status;
	if (!next_token(p))
		return p->rules->lenient ? out_of_bounds(p) : bad(p, "Error parsing backend value", NULL);
	if (!strcmp(p->now.text, "native"))
		return GS_OK;
	return bad(p,
		!strcmp(p->now.text, "cudaMallocAsync")
			? "Allocator backend parsed at runtime != allocator backend parsed at load time"
			: "Unknown allocator backend, options are native and cudaMallocAsync",
		NULL);
}

/* Moves over the value of a key that this pass does not handle. */
static gs_status skip(parser *p)
{
	if (!next_token(p) || !next_token(p))
		return out_of_bounds(p);
	if (strcmp(p->now.text, "["))
		return GS_OK;
	while (next_token(p))
		if (!strcmp(p->now.text, "]"))
			return GS_OK;
	return bad(
		p, "Expected closing bracket ']' in ConfigTokenizer but reached end of config", NULL);
}

static gs_status parse_skipped(parser *p, const char *key)
{
	(void)key;
	return skip(p);
}

/* nG is a size, another number a fraction of memory; anything else is the default, without an
 * error. */
static gs_status parse_reserve(parser *p, const char *key)
{
	gs_status status = value(p, key);
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
	gs_status (*parse)(parser *p, const char *key);
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

static const struct key *find_key(const parser *p)
{
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (keys[i].since <= p->rules->level && !strcmp(keys[i].name, p->now.text))
			return &keys[i];
	return NULL;
}

/* One pass. In a lenient one keys of the other pass are stepped over; a strict release knows one
 * pass for all. */
static gs_status parse_pass(parser *p, bool late)
{
	p->at = 0;
	p->index = SIZE_MAX;
	while (next_token(p)) {
		const struct key *key = find_key(p);
		token next;
		if (!key)
			return bad(p,
				p->rules->lenient ? "Unrecognized key '%s' in Accelerator allocator config."
								  : "Unrecognized CachingAllocator option: %s",
				p->now.text);
		gs_status status = p->rules->lenient && key->late != late ? skip(p)
																  : key->parse(p, key->name);
		if (!status && peek(p, &next))
			status = expect(p, ",");
		if (status)
			return status;
	}
	return GS_OK;
}

/* Where a release knows large_segment_size_mb it is in force before the bounds that depend on it,
 * wherever it stands in the text. */
static gs_status read_large_segment(parser *p)
{
	p->at = 0;
	p->index = SIZE_MAX;
	while (p->rules->level >= 212 && next_token(p)) {
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
	parser p = {.s = s, .rules = rules, .err = err, .text = text};
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
