/* Advice by the verdict, and on whatever pins memory or grows. */
#include "analyzer/advice/advice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/advice/answer.h"
#include "analyzer/advice/culprit.h"
#include "analyzer/model/frames.h"
#include "analyzer/model/place.h"

/* Advice is stored as plain text; the answer that shows it decides on colours and Markdown. */
static const gs_voice plain = {.width = 80, .utf8 = true};

static gs_status advise(gs_diagnosis *d, gs_known known, const gs_prose *act, const gs_prose *why)
{
	return gs_diagnosis_advise(d, known, act->text, why->text);
}

static gs_status advise_retry(gs_diagnosis *d)
{
	const gs_rung *r = gs_diagnosis_rung(d, GS_STEP_MISSED_FIT);
	gs_prose act, why;
	gs_prose_clear(&act), gs_prose_clear(&why);
	gs_say(&act, "catch the error and ask again");
	if (r && r->available > 0) {
		gs_say(&why, "the allocator then finds the free block of ");
		gs_say_size(&why, r->available);
	}
	return advise(d, GS_KNOWN_COMPUTED, &act, &why);
}

/* Whose allocator it was that failed; NULL where nothing tells. */
static const char *library_of(const gs_diagnosis *d)
{
	const char *told = d->oom == SIZE_MAX ? NULL : d->snapshot->ooms[d->oom].library;
	return told ? told : d->snapshot->library;
}

static bool is_of(const gs_diagnosis *d, const char *library)
{
	const char *told = library_of(d);
	return told && !strcmp(told, library);
}

/* What raises the limit of the library whose message it is; NULL where that is not known. */
static const char *what_raises(const gs_oom *oom)
{
	static const struct {
		const char *library, *act;
	} known[] = {
#define GS_RAISES(library, act) {library, act},
#include "analyzer/advice/limits.def"
#undef GS_RAISES
	};
	if (oom->library && !strcmp(oom->library, "pytorch") && oom->told.counted >= 0)
		return "raise the limit that PYTORCH_MPS_HIGH_WATERMARK_RATIO sets";
	for (size_t i = 0; oom->library && i < sizeof known / sizeof *known; i++)
		if (!strcmp(oom->library, known[i].library))
			return known[i].act;
	return NULL;
}

/* Where a program sets the limit that PyTorch itself keeps. The settings are recorded, so a key
 * that is not among them was not set. */
static const char *fraction_words(const gs_snapshot *s)
{
	for (size_t i = 0; i < s->nsettings; i++)
		if (strstr(gs_string_text(s, s->settings[i].value), "per_process_memory_fraction"))
			return "per_process_memory_fraction in PYTORCH_ALLOC_CONF";
	return "torch.cuda.set_per_process_memory_fraction";
}

/* How much a limit allows, and what the request and all before it come to. */
static void say_against(gs_prose *why, int64_t allowed, int64_t whole)
{
	gs_say_size_beside(why, allowed, whole);
	gs_say(why, " allowed, ");
	gs_say_size_beside(why, whole, allowed);
	gs_say(why, " needed with this request");
}

/* A limit that is known to have refused. */
static gs_status advise_raising(gs_diagnosis *d, const char *raises, int64_t counted)
{
	int64_t whole = counted + d->needed;
	gs_prose act, why;
	gs_prose_clear(&act), gs_prose_clear(&why);
	gs_say(&act, "%s by at least ", raises ? raises : "raise this process's limit");
	gs_say_size(&act, whole - d->allowed);
	if (!raises && is_of(d, "pytorch"))
		gs_say(&act, " (%s)", fraction_words(d->snapshot));
	say_against(&why, d->allowed, whole);
	return advise(d, GS_KNOWN_COMPUTED, &act, &why);
}

/* PyTorch refuses by itself what its fraction does not allow; how much that is no snapshot tells.
 */
static gs_status advise_fraction(gs_diagnosis *d)
{
	gs_prose act, why;
	if (!is_of(d, "pytorch") || !d->has_layout || d->allowed >= 0)
		return GS_OK;
	gs_prose_clear(&act), gs_prose_clear(&why);
	gs_say(&act, "look for %s in the program, and raise or remove it", fraction_words(d->snapshot));
	if (d->reserved >= 0 && d->needed >= 0) {
		gs_say(&why, "if it is set, it allows less than the ");
		gs_say_size(&why, d->reserved + d->needed);
		gs_say(&why, " that this request would have made");
	}
	return advise(d, GS_KNOWN_UNTRIED, &act, &why);
}

/* What refuses though the driver says that it has the memory. */
static gs_status advise_quota(gs_diagnosis *d)
{
	return gs_diagnosis_advise(d, GS_KNOWN_UNTRIED,
		"look for a quota of the container, of a virtual GPU or of MPS "
		"(CUDA_MPS_PINNED_DEVICE_MEM_LIMIT), and raise it",
		"");
}

static gs_status advise_limit(gs_diagnosis *d)
{
	const char *raises = d->has_layout ? NULL : what_raises(&d->snapshot->ooms[d->oom]);
	int64_t counted = d->snapshot->ooms[d->oom].told.counted;
	counted = counted >= 0 ? counted : d->reserved;
	if (d->allowed >= 0 && d->needed >= 0 && counted > d->allowed - d->needed)
		return advise_raising(d, raises, counted);
	if (raises)
		return gs_diagnosis_advise(d, GS_KNOWN_UNTRIED, raises, "");
	gs_status status = advise_fraction(d);
	return status ? status : advise_quota(d);
}

static gs_status advise_segment(gs_diagnosis *d)
{
	gs_prose act, why;
	gs_prose_clear(&act), gs_prose_clear(&why);
	if (d->ask < 0 || d->device_free < 0 || d->ask <= d->device_free)
		return GS_OK;
	gs_say(&act, "free ");
	gs_say_size(&act, d->ask - d->device_free);
	gs_say(&act, " more before this request");
	gs_say(&why, "the driver then has the ");
	gs_say_size_beside(&why, d->ask, d->device_free);
	gs_say(&why, " that it is asked for at once");
	return advise(d, GS_KNOWN_COMPUTED, &act, &why);
}

static gs_status advise_waiting(gs_diagnosis *d)
{
	gs_prose act, why;
	gs_prose_clear(&act), gs_prose_clear(&why);
	gs_say(&act,
		"wait for the other streams (synchronize) before this request, or record fewer blocks on "
		"them");
	if (d->totals.pending) {
		gs_say_size(&why, (int64_t)d->totals.pending);
		gs_say(&why, " then come free");
	}
	return advise(d, GS_KNOWN_UNTRIED, &act, &why);
}

/* The free block elsewhere that would hold the request. */
static void say_hole(gs_prose *why, const gs_diagnosis *d, gs_step step)
{
	const gs_rung *r = gs_diagnosis_rung(d, step);
	if (!r || r->available <= 0)
		return;
	gs_say_size_beside(why, r->available, d->requested);
	gs_say(why, " lie there in one piece");
}

static gs_status advise_stream(gs_diagnosis *d)
{
	const gs_segment *g = gs_foreign_hole(d, false);
	gs_prose act, why;
	gs_prose_clear(&act), gs_prose_clear(&why);
	if (!g)
		return GS_OK;
	gs_say(&act,
		"ask for this memory on stream %llu, or free all of that stream's blocks in its segment at "
		"0x%llx so that it goes back",
		(unsigned long long)g->stream, (unsigned long long)g->address);
	say_hole(&why, d, GS_STEP_OTHER_STREAM);
	return advise(d, GS_KNOWN_UNTRIED, &act, &why);
}

static gs_status advise_pool(gs_diagnosis *d)
{
	const gs_segment *g = gs_foreign_hole(d, true);
	gs_prose act, why;
	gs_prose_clear(&act), gs_prose_clear(&why);
	if (!g)
		return GS_OK;
	if (g->pool_id.a || g->pool_id.b)
		gs_say(&act, "release the CUDA graph or MemPool of pool %llu,%llu, or share one pool",
			(unsigned long long)g->pool_id.a, (unsigned long long)g->pool_id.b);
	else
		gs_say(&act,
			"call empty_cache() before the capture, or capture earlier, so that the free "
			"memory of the default pool goes back to the driver");
	say_hole(&why, d, GS_STEP_PRIVATE_POOL);
	return advise(d, GS_KNOWN_UNTRIED, &act, &why);
}

static gs_status advise_rounding(gs_diagnosis *d)
{
	gs_prose act, why;
	gs_id worst;
	uint64_t lost;
	if (gs_worst_rounded(d, &worst, &lost))
		return GS_NO_MEMORY;
	gs_prose_clear(&act), gs_prose_clear(&why);
	gs_say(&act,
		"ask for sizes that fill their blocks (from 10 MiB on multiples of 2 MiB), or for "
		"one large buffer");
	if (lost) {
		gs_say_size(&why, (int64_t)lost);
		gs_say(&why, " is lost by ");
		gs_say_place(&why, &plain, d, worst);
	}
	return advise(d, GS_KNOWN_UNTRIED, &act, &why);
}

static gs_status advise_outside(gs_diagnosis *d)
{
	const gs_rung *r = gs_diagnosis_rung(d, GS_STEP_OUTSIDE);
	gs_prose act, why;
	gs_prose_clear(&act), gs_prose_clear(&why);
	gs_say(&act,
		"end the other processes on this device (nvidia-smi names them), or take a free device");
	if (r && r->available >= 0) {
		gs_say(&why, "with what they hold there would be ");
		gs_say_size_beside(&why, r->available, r->needed);
		gs_say(&why, " for it");
	}
	return advise(d, GS_KNOWN_COMPUTED, &act, &why);
}

/* The stack with most live bytes in a run of blocks. */
static gs_id holder_of_run(const gs_diagnosis *d, const gs_eviction *e)
{
	gs_id stack = 0;
	uint64_t most = 0;
	for (size_t k = e->first; k < e->first + e->nblocks; k++) {
		const gs_block *b = &d->layout.blocks[k];
		if (b->state != GS_INACTIVE && b->size > most)
			most = b->size, stack = b->stack;
	}
	return stack;
}

/* told_of_pinning: the line before named whose blocks pin the memory. */
static gs_status advise_eviction(gs_diagnosis *d, bool told_of_pinning)
{
	const gs_eviction *e = d->nevictions ? &d->evictions[0] : NULL;
	gs_prose act, why;
	if (!e || !e->sufficient || !e->live_blocks)
		return GS_OK;
	gs_prose_clear(&act), gs_prose_clear(&why);
	gs_id stack = e->segment != SIZE_MAX ? holder_of_run(d, e)
		: d->npinning                    ? d->pinning[0].stack
										 : 0;
	gs_say(&act, "free ");
	if (d->npinning == 1 && d->pinning[0].stack == stack && told_of_pinning)
		gs_say(&act, "%llu of its blocks", (unsigned long long)e->live_blocks);
	else
		gs_say_count(&act, e->live_blocks, "live block");
	gs_say(&act, " (");
	gs_say_size(&act, (int64_t)e->live_bytes);
	gs_say(&act, ")");
	if (gs_names_somebody(d, stack) && !(d->npinning == 1 && told_of_pinning)) {
		gs_say(&act, e->live_blocks == 1 ? " of " : ", first those of ");
		gs_say_place(&act, &plain, d, stack);
		gs_say(&act, ",");
	}
	gs_say(&act, " before this request");
	gs_say_size(&why, (int64_t)e->size);
	if (e->segment == SIZE_MAX)
		gs_say(&why, " then go back to the driver, enough for it");
	else
		gs_say(&why, " then lie free in one piece at 0x%llx", (unsigned long long)e->address);
	return advise(d, GS_KNOWN_COMPUTED, &act, &why);
}

static gs_status advise_small_tensors(gs_diagnosis *d)
{
	gs_prose act, why;
	gs_prose_clear(&act), gs_prose_clear(&why);
	gs_say(&act, "make one large tensor instead of %llu small ones at ",
		(unsigned long long)d->pinning[0].blocks);
	gs_say_place(&act, &plain, d, d->pinning[0].stack);
	return advise(d, GS_KNOWN_UNTRIED, &act, &why);
}

/* A line can be moved; what autograd allocates in backward, under its node's name, cannot. */
static bool is_a_line(const gs_diagnosis *d, gs_id stack)
{
	gs_id frame = gs_stack_user_frame(d->snapshot, stack);
	return gs_frame_is_user(d->snapshot, frame) || gs_frame_is_library(d->snapshot, frame);
}

static gs_status advise_pinning(gs_diagnosis *d)
{
	const gs_pinning *p = d->npinning ? &d->pinning[0] : NULL;
	gs_prose act, why;
	if (!gs_pinning_matters(d) || !p->sets_free || !is_a_line(d, p->stack))
		return GS_OK;
	if (d->verdict == GS_STEP_STRANDED && gs_free_is_small(d))
		return advise_small_tensors(d);
	gs_prose_clear(&act), gs_prose_clear(&why);
	gs_say(&act, "before the large temporaries allocate what ");
	gs_say_place(&act, &plain, d, p->stack);
	gs_say(&act, " keeps, or clone it when they are gone");
	return advise(d, GS_KNOWN_UNTRIED, &act, &why);
}

static bool trains(const gs_diagnosis *d)
{
	const gs_meaning *m = &d->recording->meaning;
	for (size_t i = 0; m->events && i < m->history->n; i++)
		if (m->events[i].category == GS_CATEGORY_GRADIENT ||
			m->events[i].category == GS_CATEGORY_OPTIMIZER_STATE)
			return true;
	return false;
}

/* Many lines that grow together: somebody keeps one tensor, which keeps the graph that made it. */
static void say_graph(gs_prose *why, const gs_diagnosis *d)
{
	enum { A_GRAPH = 3 };
	size_t places = 0;
	gs_growth all;
	for (size_t i = 0; i < d->ngrowth; i++)
		places += gs_growth_of_place(d, i, &all) && !all.estimated;
	if (places >= A_GRAPH && trains(d))
		gs_say(why,
			"; %zu more lines grow with it, as where a loss or an output is kept with the graph that made it: keep .item() or .detach() of it",
			places - 1);
}

static gs_status advise_growth(gs_diagnosis *d)
{
	gs_growth all, *g = &all;
	gs_prose act, why;
	if (!gs_growth_matters(d) || d->growth_advice)
		return GS_OK;
	gs_growth_of_place(d, 0, g);
	gs_prose_clear(&act), gs_prose_clear(&why);
	gs_say(&act, "stop keeping what ");
	gs_say_place(&act, &plain, d, g->stack);
	gs_say(&act, " allocates");
	gs_say_size(&why, (int64_t)g->bytes);
	gs_say(&why, " in ");
	gs_say_count(&why, g->blocks, "block");
	gs_say(&why, g->estimated ? ", more and more of them" : " outlived the steps that made them");
	say_graph(&why, d);
	d->growth_advice = d->nadvice + 1;
	return advise(d, g->estimated ? GS_KNOWN_ESTIMATED : GS_KNOWN_COMPUTED, &act, &why);
}

/* Whatever else is freed, only a smaller request fits the device. */
static gs_status advise_smaller_request(gs_diagnosis *d)
{
	gs_prose act, why;
	gs_prose_clear(&act), gs_prose_clear(&why);
	gs_say(&act, "ask for less at once");
	gs_say_request_place(&act, &plain, d, " at ");
	gs_say(&act, ", or do it in pieces");
	gs_say(&why, "look at the sizes that go into it");
	return advise(d, GS_KNOWN_COMPUTED, &act, &why);
}

static gs_status advise_by_verdict(gs_diagnosis *d)
{
	switch (d->verdict) {
	case GS_STEP_MISSED_FIT: return advise_retry(d);
	case GS_STEP_LIMIT: return advise_limit(d);
	case GS_STEP_SEGMENT_SIZE: return advise_segment(d);
	case GS_STEP_PENDING_FREE: return advise_waiting(d);
	case GS_STEP_OTHER_STREAM: return advise_stream(d);
	case GS_STEP_PRIVATE_POOL: return advise_pool(d);
	case GS_STEP_ROUNDING: return advise_rounding(d);
	case GS_STEP_OUTSIDE: return advise_outside(d);
	case GS_VERDICT_SHORTAGE:
		return gs_request_exceeds_device(d) ? advise_smaller_request(d) : gs_advise_less(d);
	default: return GS_OK;
	}
}

/* What users of PyTorch and TensorFlow try first, where no recording can be replayed to see whether
 * it helps. */
static gs_status advise_expandable(gs_diagnosis *d)
{
	if (is_of(d, "tensorflow"))
		return gs_diagnosis_advise(d, GS_KNOWN_UNTRIED,
			"TF_GPU_ALLOCATOR=cuda_malloc_async, CUDA's own allocator, which joins free memory",
			"");
	if (d->settings.expandable || !gs_diagnosis_of_pytorch(d))
		return GS_OK;
	return gs_diagnosis_advise(d, GS_KNOWN_UNTRIED,
		"PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, which can use free memory in pieces",
		"");
}

/* A text tells sums; whose memory it was only a recording can tell. */
static gs_status advise_recording(gs_diagnosis *d)
{
	if (d->has_layout || d->verdict == GS_VERDICT_NONE)
		return GS_OK;
	return gs_diagnosis_advise(d, GS_KNOWN_UNTRIED,
		gs_diagnosis_of_pytorch(d)
			? "record the next run to see whose memory it is: gpusnap run python TRAIN.py, or "
			  "torch.cuda.memory._record_memory_history() and _dump_snapshot()"
			: "record the next run to see whose memory it is: gpusnap run PROGRAM",
		"");
}

/* Where nobody knows the capacity, others may hold what is missing. */
static gs_status advise_looking_outside(gs_diagnosis *d)
{
	if (d->verdict != GS_VERDICT_SHORTAGE || !d->null[GS_STEP_OUTSIDE] || !d->has_layout ||
		gs_request_exceeds_device(d))
		return GS_OK;
	return gs_diagnosis_advise(d, GS_KNOWN_UNTRIED,
		"look whether other processes hold memory of the device (nvidia-smi), or give its size: --capacity",
		"");
}

static gs_status advise_against_fragmentation(gs_diagnosis *d, bool replays, gs_error *err)
{
	bool tried = false;
	gs_status status = replays ? gs_advise_settings(d, &tried, err) : GS_OK;
	if (!status && !tried && d->verdict != GS_STEP_ROUNDING)
		status = advise_expandable(d);
	if (!status && d->nadvice)
		status = advise_growth(d); /* whatever the setting gains, growth takes again */
	if (!status)
		status = advise_by_verdict(d);
	size_t before = d->nadvice;
	if (!status)
		status = advise_pinning(d);
	return status ? status : advise_eviction(d, d->nadvice > before);
}

gs_status gs_advise(gs_diagnosis *d, bool replays, gs_error *err)
{
	const char *kind = gs_step_kind(d->verdict);
	gs_status status = GS_OK;
	bool grows_first = (kind && !strcmp(kind, "shortage")) || gs_growth_decides(d);
	bool look_first = gs_look_outside_first(d);
	if (look_first)
		status = advise_looking_outside(d);
	if (!status && grows_first)
		status = advise_growth(d);
	if (!status && kind && !strcmp(kind, "fragmentation"))
		status = advise_against_fragmentation(d, replays, err);
	else if (!status)
		status = advise_by_verdict(d);
	if (!status)
		status = advise_growth(d);
	if (!status && !look_first)
		status = advise_looking_outside(d);
	if (!status)
		status = advise_recording(d);
	return status && (!err || !err->status) ? gs_fail(err, status, "out of memory") : status;
}
