/* The source as what sections are read from. */
#include <string.h>

#include "analyzer/read/gsnap/gsnap_internal.h"

gs_status gs_gsnap_input(void *arg, void *buf, size_t n, size_t *got, gs_error *err)
{
	gs_source *source = arg;
	*got = 0;
	if (!buf) {
		*got = (size_t)gs_source_pass(source, n);
		return *got < n ? gs_source_status(source, err) : GS_OK;
	}
	while (*got < n) {
		const unsigned char *at;
		size_t have = gs_source_peek(source, 1, &at);
		if (!have)
			return gs_source_status(source, err);
		size_t take = have < n - *got ? have : n - *got;
		memcpy((unsigned char *)buf + *got, at, take);
		gs_source_skip(source, take);
		*got += take;
	}
	return GS_OK;
}
