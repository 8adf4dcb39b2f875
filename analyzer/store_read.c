/* Reading a snapshot back from its tables. */
#include "analyzer/store_inner.h"

gs_status gs_store_read(gs_store *store, int64_t id, unsigned want, gs_snapshot *s, gs_error *err)
{
	(void)store;
	(void)id;
	(void)want;
	(void)s;
	return gs_fail(err, GS_UNSUPPORTED, "reading a database back");
}
