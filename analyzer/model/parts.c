#include "analyzer/model/parts.h"

enum { A_PART = 4096 };

gs_status gs_in_parts(size_t n, gs_status (*work)(void *arg, size_t first, size_t end), void *arg)
{
	gs_status status = GS_OK;
	for (size_t i = 0; !status && i < n;) {
		size_t first = i;
		i = n - i > A_PART ? i + A_PART : n;
		status = work(arg, first, i);
	}
	return status;
}
