/* What is made of a snapshot, whatever it says: states, their sums, the verdict. Input of any kind.
 */
#include <stdlib.h>

#include "analyzer/advice/advice.h"
#include "analyzer/diagnose/diagnose.h"
#include "analyzer/read/open/reader.h"
#include "analyzer/state/state.h"
#include "analyzer/replay/whatif.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Blocks ascend within their segments and lie in them. */
static void expect_sound(const gs_layout *l)
{
	for (size_t i = 0; i < l->nblocks; i++) {
		const gs_block *b = &l->blocks[i];
		if (b->segment >= l->nsegments || i < l->segments[b->segment].first_block ||
			i >= l->segments[b->segment].first_block + l->segments[b->segment].nblocks)
			abort();
	}
}

static void rebuild(const gs_snapshot *s, const gs_device *d)
{
	gs_history h = GS_HISTORY_INIT;
	gs_running_totals g;
	if (gs_history_init(&h, s, d, NULL)) {
		gs_history_release(&h);
		return;
	}
	gs_running_totals_start(&h, &g);
	for (size_t i = 0; i < h.n; i++)
		gs_running_totals_step(&h, i, &g);
	int64_t last = (int64_t)h.n - 1,
			at[] = {-1, 0, last / 2, last, gs_history_peak(&h, false), gs_history_peak(&h, true)};
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		gs_layout l;
		if (at[i] <= last && !gs_history_layout(&h, at[i], &l, NULL)) {
			expect_sound(&l);
			gs_layout_release(&l);
		}
	}
	gs_history_release(&h);
}

static void ask_what_if(const gs_snapshot *s)
{
	static const char *const confs[] = {
		"expandable_segments:True", "max_split_size_mb:64,garbage_collection_threshold:0.5"};
	gs_whatif w = {0};
	gs_whatif_options options = GS_WHATIF_OPTIONS_INIT;
	gs_error err = GS_ERROR_INIT;
	gs_status status = gs_whatif_open(&w, s, &options, &err);
	if (!status)
		status = gs_whatif_try(&w, confs, 2, &err);
	if (status && !err.text[0])
		abort();
	gs_whatif_release(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	gs_diagnose_options options = GS_DIAGNOSE_OPTIONS_INIT;
	gs_diagnosis verdict = GS_DIAGNOSIS_INIT;
	if (gs_read_memory(data, n, GS_WANT_ALL, &s, &err))
		return 0;
	for (size_t i = 0; i < s.ndevices && i < 4; i++)
		rebuild(&s, &s.devices[i]);
	if (!gs_diagnose(&s, &options, &verdict, &err) && !gs_advise(&verdict, false, &err))
		gs_diagnosis_release(&verdict);
	else if (!err.text[0])
		abort();
	ask_what_if(&s);
	gs_snapshot_release(&s);
	return 0;
}
