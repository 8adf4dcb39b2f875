/* Why a question has no rows: nothing is there, or the recording cannot tell. */
#ifndef GS_ANALYZER_QUERY_UNTOLD_H
#define GS_ANALYZER_QUERY_UNTOLD_H

#include "analyzer/query/query.h"

enum { GS_UNTOLD = 240 }; /* bytes of a reason */

/* Why growth is not known of a device with so many events, steps and steps that were recorded
 * whole; NULL: it is known, and none is none. Returns text or NULL. */
const char *gs_untold_growth(int64_t events, int64_t steps, int64_t whole, char *text, size_t cap);

/* What the session must also read for gs_untold to answer (gs_want); 0: nothing is said of it. */
unsigned gs_untold_wants(const gs_query *named);

/* "growth: none: …" or "growth: cannot be told, because …", after the question had no row; "" where
 * nothing is to be said. */
gs_status gs_untold(
	gs_session *session, const gs_query *named, char text[GS_UNTOLD], gs_error *err);

#endif
