#include "analyzer/open/losses.h"
#include "analyzer/model/array.h"
#include "analyzer/model/memory.h"

#include <stdlib.h>
#include <string.h>

bool gs_input_lose(gs_input_losses *losses, const char *path, bool in_folder, const gs_error *why)
{
	if (why->status == GS_NO_MEMORY)
		return false;
	if (in_folder) {
		losses->skipped++;
		return true;
	}
	char *copy = strdup(path);
	if (!copy || !GS_ARRAY_RESERVE(losses->all, losses->cap, losses->n + 1)) {
		free(copy);
		return false;
	}
	losses->all[losses->n++] = (gs_input_loss){copy, *why};
	return true;
}

gs_status gs_input_losses_fail(gs_input_losses *losses, char **failed, gs_error *err)
{
	if (!losses->n)
		return GS_OK;
	gs_input_loss first = losses->all[0];
	memmove(losses->all, losses->all + 1, --losses->n * sizeof *losses->all);
	free(*failed);
	*failed = first.path;
	if (err)
		*err = first.error;
	return first.error.status;
}

void gs_input_losses_release(gs_input_losses *losses)
{
	for (size_t i = 0; i < losses->n; i++)
		free(losses->all[i].path);
	gs_memory_give(losses->all);
	*losses = (gs_input_losses)GS_INPUT_LOSSES_INIT;
}
