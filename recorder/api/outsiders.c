/* Rows of memory that others hold on a device, for a builder. A file tells them among its settings:
 * each is one named "outside" (FORMAT.md, setting). */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "recorder/api/error.h"
#include "recorder/device/nvml.h"
#include "recorder/gpusnap.h"
#include "schema/terms.h"

gpusnap_status gpusnap_builder_outsider(gpusnap_builder *b, const gpusnap_outsider_row *row)
{
	char text[512], pid[24] = "-";
	if (row->pid >= 0)
		snprintf(pid, sizeof pid, "%" PRId64, row->pid);
	if (row->bytes < 0 || !row->holder || !*row->holder)
		return gs_api_fail(GS_INVALID, "an outsider has a name, and bytes");
	snprintf(text, sizeof text, "%d %s %" PRId64 " %.150s\t%.200s", row->device, pid, row->bytes,
		row->known ? row->known : "", row->holder);
	return gpusnap_builder_setting(b, "outside", text);
}

typedef struct telling {
	gpusnap_builder *builder;
	gpusnap_status status;
	int device;
} telling;

static void tell_library(void *arg, const char *library, const char *place, uint64_t bytes)
{
	telling *t = arg;
	char known[160];
	snprintf(known, sizeof known, "driver calls%s%s", *place ? " of " : "", place);
	gpusnap_outsider_row row = {
		sizeof row, t->device, library, GPUSNAP_UNKNOWN, (int64_t)bytes, known};
	if (!t->status)
		t->status = gpusnap_builder_outsider(t->builder, &row);
}

/* The preload, where there is one, knows who asked the driver. */
static gpusnap_status tell_libraries(gpusnap_builder *b, int device)
{
	typedef void preload_libraries(
		int, void (*)(void *, const char *, const char *, uint64_t), void *);
	preload_libraries *libraries = NULL;
	telling t = {b, GPUSNAP_OK, device};
	*(void **)&libraries = dlsym(RTLD_DEFAULT, "gpusnap_preload_libraries");
	if (libraries)
		libraries(device, tell_library, &t);
	return t.status;
}

gpusnap_status gpusnap_builder_outsiders(gpusnap_builder *b, int device, const char *uuid,
	const char *pci, int64_t held, int64_t *others)
{
	gs_nvml_process rows[GS_NVML_PROCESSES];
	int n = gs_nvml_processes(uuid, pci, held, rows, GS_NVML_PROCESSES);
	gpusnap_status status = tell_libraries(b, device);
	*others = n < 0 ? GPUSNAP_UNKNOWN : 0;
	for (int i = 0; i < n && !status; i++) {
		gpusnap_outsider_row row = {sizeof row, device, rows[i].name[0] ? rows[i].name : "process",
			rows[i].pid, rows[i].bytes, "nvml"};
		if (rows[i].own || !rows[i].bytes)
			continue;
		if (rows[i].bytes == GS_NONE) {
			*others = GPUSNAP_UNKNOWN;
			continue;
		}
		if (*others != GPUSNAP_UNKNOWN)
			*others += rows[i].bytes;
		status = gpusnap_builder_outsider(b, &row);
	}
	return status;
}
