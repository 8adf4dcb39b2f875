/* Selectors of states by step. */
#include "analyzer/meaning/step_selector.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool gs_step_selector(const char *selector, int64_t *number, bool *peak)
{
	char *end;
	if (!selector || strncmp(selector, "step ", 5) != 0 || !isdigit((unsigned char)selector[5]) ||
		strlen(selector) > 30)
		return false;
	*number = strtoll(selector + 5, &end, 10);
	*peak = !strcmp(end, " peak");
	return !*end || *peak;
}

gs_status gs_step_none(
	int32_t device, const gs_phase_step *steps, size_t n, int64_t number, gs_error *err)
{
	if (!n)
		return gs_fail(err, GS_NOT_FOUND,
			"device %d has no steps: nothing names any, and its events do not repeat", device);
	return gs_fail(err, GS_NOT_FOUND,
		"device %d has no step %" PRId64 "; there are steps %" PRId64 " to %" PRId64, device,
		number, steps[0].number, steps[n - 1].number);
}
