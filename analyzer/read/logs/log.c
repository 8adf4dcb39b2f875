#include "analyzer/read/logs/log.h"

#include "analyzer/read/logs/bfc_dump.h"
#include "analyzer/read/logs/memory_summary.h"
#include "analyzer/read/logs/nvidia_smi.h"
#include "analyzer/read/messages/message.h"
#include "analyzer/read/text/window.h"

/* Everything that looks at the windows of one log. */
typedef struct lookers {
	gs_oom_text messages;
	gs_memory_summary summaries;
	gs_bfc dumps;
	gs_smi smi;
} lookers;

static gs_status look_at_window(lookers *l, const gs_text *t, size_t from, gs_error *err)
{
	gs_status status = gs_oom_text_scan(&l->messages, t, from, t->ready, err);
	if (!status)
		status = gs_memory_summary_scan(&l->summaries, t, from, t->ready, err);
	if (!status)
		gs_smi_scan(&l->smi, t, from, t->ready);
	return status ? status : gs_bfc_scan(&l->dumps, t, from, t->ready, err);
}

static gs_status look_at_all(lookers *l, gs_text *t, gs_source *source, gs_error *err)
{
	gs_status status = gs_text_open(t, source, err);
	for (size_t from = 0, shift; !status;) {
		status = look_at_window(l, t, from, err);
		if (status || t->end)
			break;
		size_t ready = t->ready;
		status = gs_text_next(t, ready, &shift, err);
		from = ready > shift ? ready - shift : 0;
	}
	return status;
}

static gs_status conclude(lookers *l, gs_snapshot *s, gs_source *source, gs_error *err)
{
	bool cut = false, dump_cut = false;
	gs_status status = GS_OK;
	if (gs_bfc_found(&l->dumps)) {
		s->kind = GS_KIND_BFC;
		status = gs_bfc_join(&l->dumps, &l->messages, err);
	}
	if (!status)
		status = gs_oom_text_finish(&l->messages, err);
	if (!status)
		status = gs_memory_summary_finish(&l->summaries, s, &cut, err);
	if (!status)
		status = gs_bfc_finish(&l->dumps, s, &dump_cut, err);
	if (!status)
		status = gs_smi_finish(&l->smi, s, err);
	if (!status && (cut || dump_cut)) {
		s->complete = false;
		s->cut_at = gs_source_offset(source);
	}
	return status;
}

gs_status gs_text_log_read(gs_source *source, gs_snapshot *s, gs_error *err)
{
	gs_text t = GS_TEXT_INIT;
	lookers l = {GS_OOM_TEXT_INIT, GS_MEMORY_SUMMARY_INIT, GS_BFC_INIT, GS_SMI_INIT};
	l.messages.snapshot = l.dumps.snapshot = s;
	s->kind = GS_KIND_TEXT;
	gs_status status = look_at_all(&l, &t, source, err);
	if (!status)
		status = conclude(&l, s, source, err);
	gs_bfc_release(&l.dumps);
	gs_memory_summary_release(&l.summaries);
	gs_oom_text_release(&l.messages);
	gs_text_release(&t);
	return status;
}
