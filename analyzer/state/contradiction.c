/* What in a recording does not agree with itself. */
#include <stdio.h>

#include "analyzer/state/history_internal.h"

void gs_history_contradict(gs_history *h, size_t event, uint64_t address, const char *what)
{
	if (!h->contradictions++)
		snprintf(h->note, sizeof h->note, "event %zu, address 0x%llx: %s", event,
			(unsigned long long)address, what);
}
