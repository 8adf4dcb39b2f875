/* A label belongs to the nearest figure: those that follow a number are looked for right behind it,
 * the others right before. */
#include "analyzer/read/messages/labels.h"

#include "analyzer/read/text/ascii.h"
#include "analyzer/read/text/figure.h"

enum field {
	NONE,
	CAPACITY,
	FREE,
	ALLOCATED,
	RESERVED,
	ALLOWED,
	CACHED,
	UNALLOCATED,
	REQUESTED,
	PRIVATE,
	BESIDE,
	IN_USE
};
typedef struct label {
	const char *phrase;
	enum field field;
} label;

static const label after[] = {
	{"totalcapac", CAPACITY},
	{"alreadyallocated", ALLOCATED},
	{"isallocatedbypytorch", ALLOCATED},
	{"allocatedbypytorch", ALLOCATED},
	{"allocatedinprivatepools", PRIVATE},
	{"reservedbypytorchbutunallocated", UNALLOCATED},
	{"isreservedbypytorchbutunallocated", UNALLOCATED},
	{"reservedintotal", RESERVED},
	{"cached", CACHED},
	{"isfree", FREE},
	{"free", FREE},
	{"allowed", ALLOWED},
	{"currentactive", NONE},
	{"memoryinuse", IN_USE},
};
static const label before[] = {
	{"totalcapacityof", CAPACITY},
	{"totalcapactyof", CAPACITY},
	{"currentlyallocated:", ALLOCATED},
	{"requested:", REQUESTED},
	{"requestedsize:", REQUESTED},
	{"devicelimit:", CAPACITY},
	{"free(accordingtocuda):", FREE},
	{"memoryfraction):", ALLOWED},
	{"memoryfraction)", ALLOWED},
	{"mpsallocated:", ALLOCATED},
	{"otherallocations:", BESIDE},
	{"maxallowed:", ALLOWED},
	{"triedtoallocate", REQUESTED},
	{"free(accordingtohip):", FREE},
};

enum { CHAIN = 150 /* squeezed characters from one labelled figure of a message to the next */ };

typedef struct sums {
	int64_t cached, unallocated;
	unsigned seen;
} sums;

bool gs_oom_sentinel(int64_t bytes) { return bytes >= INT64_C(1) << 62; }

static void set_unknown(int64_t *field, int64_t bytes)
{
	if (*field == GS_NONE)
		*field = bytes;
}

static void take_figure(gs_oom_match *m, sums *s, enum field field, int64_t bytes)
{
	switch (field) {
	case CAPACITY: set_unknown(&m->row.capacity, bytes); break;
	case FREE: set_unknown(&m->row.device_free, bytes); break;
	case ALLOCATED: set_unknown(&m->row.allocated, bytes); break;
	case RESERVED: set_unknown(&m->row.reserved, bytes); break;
	case ALLOWED: set_unknown(&m->row.allowed, bytes); break;
	case REQUESTED: set_unknown(&m->row.requested, bytes); break;
	case CACHED: set_unknown(&s->cached, bytes); break;
	case UNALLOCATED: set_unknown(&s->unallocated, bytes); break;
	case PRIVATE: set_unknown(&m->row.told.private_free, bytes); break;
	case BESIDE: set_unknown(&m->row.told.others, bytes); break;
	case IN_USE:
	case NONE: break;
	}
}

/* "[Including non-PyTorch memory, this] process [4711] has … memory in use", where the figure
 * begins at i. */
static void take_process(const gs_text *t, size_t i, int64_t bytes, gs_oom_match *m)
{
	size_t word = gs_text_find_last(t, i > 40 ? i - 40 : 0, i, "process"), digits = word + 7;
	uint64_t pid = 0;
	if (word == SIZE_MAX)
		return;
	if (gs_text_is(t, digits, "has")) {
		if (gs_text_ends(t, word, "this"))
			set_unknown(&m->row.told.own, bytes);
		return;
	}
	if (!gs_text_number(t, &digits, &pid) || !gs_text_is(t, digits, "has") || pid > INT64_MAX)
		return;
	int64_t others = m->row.told.others == GS_NONE ? 0 : m->row.told.others;
	m->row.told.others = others > INT64_MAX - bytes ? INT64_MAX : others + bytes;
	if (m->nprocesses < GS_OOM_PROCESSES) {
		m->processes[m->nprocesses].pid = (int64_t)pid;
		m->processes[m->nprocesses++].bytes = bytes;
	}
}

/* A bare word says nothing by itself: "3 GiB free" may be of a disk. It counts in the list that
 * PyTorch prints, between semicolons. */
static bool listed(const gs_text *t, size_t at)
{
	return at > 0 && (t->s[at - 1] == ';' || t->s[at - 1] == '(' || t->s[at - 1] == '>');
}

/* The limit of cudaMallocAsync stands on a line of its own, perhaps behind a logger's prefix. */
static bool async_limit(const gs_text *t, size_t at)
{
	size_t from = at > 120 ? at - 120 : 0, word = gs_text_find_last(t, from, at, "memoryfraction)");
	return word != SIZE_MAX && gs_text_ends(t, at, ":") &&
		gs_text_find(t, word, at, "total") == SIZE_MAX &&
		gs_text_find(t, word, at, "free") == SIZE_MAX;
}

static bool labelled(const gs_text *t, size_t at, size_t *end, enum field *field)
{
	for (size_t k = 0; k < sizeof before / sizeof *before; k++)
		if (gs_text_ends(t, at, before[k].phrase)) {
			*field = before[k].field;
			return true;
		}
	if (async_limit(t, at)) {
		*field = ALLOWED;
		return true;
	}
	for (size_t k = 0; k < sizeof after / sizeof *after; k++)
		if (gs_text_eat(t, end, after[k].phrase)) {
			if (after[k].field == ALLOWED && !gs_text_is(t, *end, ";") && !listed(t, at))
				return false;
			if ((after[k].field == CACHED ||
					(after[k].field == FREE && !gs_text_ends(t, *end, "isfree"))) &&
				!listed(t, at))
				return false;
			*field = after[k].field;
			return true;
		}
	return false;
}

static void derive_reserved(gs_oom_match *m, const sums *s)
{
	if (m->row.reserved != GS_NONE || m->row.allocated == GS_NONE)
		return;
	int64_t more = s->cached != GS_NONE ? s->cached : s->unallocated;
	if (more == GS_NONE || more > INT64_MAX / 4 || m->row.allocated > INT64_MAX / 4)
		return;
	m->row.reserved = m->row.allocated + more;
}

/* Whether the front of the number at i may stand at the end of the line before, where nothing shows
 * that the two lines are one ("8.5", and on the next line "7 GiB free"). */
static bool front_is_lost(const gs_text *t, size_t i)
{
	if (!i || t->gap[i] != GS_GAP_LINE)
		return false;
	return gs_ascii_digit(t->s[i - 1]) ||
		(t->s[i - 1] == '.' && i > 1 && gs_ascii_digit(t->s[i - 2]));
}

size_t gs_oom_labels(const gs_text *t, size_t from, size_t to, gs_oom_match *m)
{
	sums s = {GS_NONE, GS_NONE, 0};
	size_t last = from;
	for (size_t i = from; i < to && i < t->n && i < last + CHAIN;) {
		size_t end = i;
		int64_t bytes;
		bool unit;
		enum field field;
		if (!gs_text_digit_begins(t, i) || !gs_text_size_folded(t, &end, &bytes, &unit) || !unit ||
			front_is_lost(t, i)) {
			i = end > i ? end : i + 1;
			continue;
		}
		if (labelled(t, i, &end, &field)) {
			if (field != NONE && field != IN_USE && s.seen & 1u << field)
				break; /* said before: the next message */
			s.seen |= 1u << field;
			if (gs_oom_sentinel(bytes))
				;
			else if (field == IN_USE)
				take_process(t, i, bytes, m);
			else
				take_figure(m, &s, field, bytes);
			last = end;
			if (gs_text_is(t, end, "onprivatepool") || gs_text_is(t, end, "onsharedpool"))
				break; /* where the message of MPS ends */
		}
		i = end;
	}
	derive_reserved(m, &s);
	return last;
}

/* A number, also one that a fold cuts in two. */
static bool number(const gs_text *t, size_t *i, uint64_t *value)
{
	uint64_t more;
	size_t j;
	if (!gs_text_number(t, i, value))
		return false;
	j = *i;
	if (j < t->n && t->gap[j] == GS_GAP_FOLD && gs_text_number(t, &j, &more) && more < 10) {
		*value = *value * 10 + more;
		*i = j;
	}
	return true;
}

int32_t gs_oom_device(const gs_text *t, size_t from, size_t to, const char *const *phrases)
{
	for (; *phrases; phrases++) {
		for (size_t i = from; (i = gs_text_find(t, i, to, *phrases)) != SIZE_MAX;) {
			uint64_t device;
			gs_text_eat(t, &i, *phrases);
			bool next_line = i < t->n &&
				t->gap[i] == GS_GAP_LINE; /* the message may be cut before it */
			if (number(t, &i, &device) && device < 1024 &&
				(!next_line || gs_text_is(t, i, "hasatotal") || gs_text_is(t, i, ";")))
				return (int32_t)device;
		}
	}
	return -1;
}

size_t gs_oom_line_end(const gs_text *t, size_t i, size_t to)
{
	static const char *const tails[] = {"avoidfragmentation", "alloc_conf",
		"environment-variables)", "alloc-conf)", "systemfailure)", "cachedmemory"};
	size_t end = i, far = i + 500 < to ? i + 500 : to, record = i;
	while (record < far && t->gap[record] != GS_GAP_LINE)
		record++;
	size_t other = gs_text_find(
		t, i, record, "outofmemory"); /* the tail of another message is not this one's */
	record = other < record ? other : record;
	for (size_t k = 0; k < sizeof tails / sizeof *tails; k++) {
		size_t tail = gs_text_find_last(t, i, record, tails[k]);
		if (tail != SIZE_MAX && tail > end)
			end = tail;
	}
	while (end < to && t->gap[end] < GS_GAP_WRAP)
		end++;
	return end;
}
