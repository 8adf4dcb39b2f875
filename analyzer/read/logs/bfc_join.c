/* Which message of a text a dump of the BFC allocator belongs to. */
#include "analyzer/read/logs/bfc_dump.h"

static void fill_unknown(int64_t *to, int64_t from)
{
	if (*to == GS_NONE)
		*to = from;
}

static void tell(const gs_bfc_dump *d, gs_oom_find *f)
{
	uint64_t regions = 0;
	for (size_t r = 0; r < d->nregions; r++)
		regions = regions > (uint64_t)INT64_MAX - d->regions[r].size ? (uint64_t)INT64_MAX
																	 : regions + d->regions[r].size;
	fill_unknown(&f->row.requested, d->request);
	fill_unknown(&f->row.allowed, d->limit);
	fill_unknown(&f->row.allocated, d->in_use == GS_NONE ? GS_NONE : (int64_t)gs_bfc_in_use(d));
	fill_unknown(&f->row.reserved, d->pool);
	if (regions)
		fill_unknown(&f->row.reserved, (int64_t)regions);
	if (f->row.device < 0)
		f->row.device = d->device < 0 ? 0 : d->device;
}

/* Whether dump i is one of those that share a voice with dump k; all, where the log has one. */
static bool same_voice(const gs_bfc *b, size_t k, size_t i)
{
	return b->nvoices == 1 || b->dumps[i].voice == b->dumps[k].voice;
}

/* Whether f may be a message of dump k: what its voice said, or what nobody is known to have. */
static bool may_be_of(const gs_bfc *b, size_t k, const gs_oom_find *f)
{
	uint64_t speaker = b->voices[b->dumps[k].voice].speaker;
	return b->nvoices == 1 || !f->speaker || !speaker || f->speaker == speaker;
}

/* Where the dump before k of its voice ends, and where the next one begins. */
static void neighbours(const gs_bfc *b, size_t k, uint64_t *from, uint64_t *to)
{
	size_t before = k, behind = k + 1;
	while (before && !same_voice(b, k, before - 1))
		before--;
	while (behind < b->n && !same_voice(b, k, behind))
		behind++;
	*from = before ? b->dumps[before - 1].end : 0;
	*to = behind < b->n ? b->dumps[behind].at : UINT64_MAX;
}

/* The message of dump k: the last one before it, or the first behind it of those that come behind
 * their dumps. n: those that the text has, in its order; *first: those before it belong to earlier
 * dumps of its voice. */
static gs_oom_find *message_of(const gs_bfc *b, size_t k, gs_oom_text *o, size_t n, size_t *first)
{
	const gs_bfc_dump *d = &b->dumps[k];
	uint64_t from, to;
	gs_oom_find *before = NULL, *behind = NULL;
	neighbours(b, k, &from, &to);
	while (*first < n && o->finds[*first].at < from)
		++*first;
	for (size_t i = *first; i < n && (o->finds[i].at <= d->at || o->finds[i].at < to); i++) {
		gs_oom_find *f = &o->finds[i];
		if (!may_be_of(b, k, f))
			continue;
		if (f->kind == GS_OOM_BFC && !f->after && f->at <= d->at)
			before = f;
		bool follows = f->after || f->kind == GS_OOM_SHAPE || f->kind == GS_OOM_STATUS;
		if (!behind && follows && f->at >= d->end && f->at < to)
			behind = f;
	}
	return before ? before : behind;
}

static gs_status join_dump(
	const gs_bfc *b, size_t k, gs_oom_text *o, size_t n, size_t *first, gs_error *err)
{
	const gs_bfc_dump *d = &b->dumps[k];
	gs_oom_find *f = gs_bfc_empty(d) ? NULL : message_of(b, k, o, n, first);
	if (f)
		tell(d, f);
	if (f || d->request == GS_NONE)
		return GS_OK;
	gs_oom_find made = {.kind = GS_OOM_BFC, .at = d->at, .end = d->end, .words = d->at + 1};
	gs_oom_init(&made.row);
	made.row.library = d->library ? d->library : "tensorflow";
	tell(d, &made);
	return gs_oom_text_add(o, &made, err);
}

gs_status gs_bfc_join(const gs_bfc *b, gs_oom_text *o, gs_error *err)
{
	gs_status status = GS_OK;
	size_t n = o->n, first[GS_BFC_VOICES] = {0};
	for (size_t k = 0; k < b->n && !status; k++)
		status = join_dump(b, k, o, n, &first[b->dumps[k].voice], err);
	return status;
}
