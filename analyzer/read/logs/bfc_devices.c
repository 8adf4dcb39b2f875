/* Whose dump it is, and what a log says of its devices. */
#include "analyzer/read/logs/bfc_lines.h"

#include "analyzer/read/text/figure.h"

/* GPU_0_bfc, XPU_0_bfc; host allocators are called cpu, …host… */
static int32_t allocator_name(const gs_text *t, size_t i, bool *host)
{
	uint64_t device;
	size_t end = gs_text_find(t, i, i + 40, ")"), to = end == SIZE_MAX ? i + 16 : end;
	size_t gpu = gs_text_find(t, i, i + 24, "gpu_"), bfc = gs_text_find(t, i, i + 24, "_bfc");
	*host = gs_text_find(t, i, to, "cpu") != SIZE_MAX || gs_text_find(t, i, to, "host") != SIZE_MAX;
	if (gpu != SIZE_MAX)
		gpu += 4;
	else if (bfc != SIZE_MAX) /* XPU_0_bfc */
		for (gpu = bfc; gpu > i && t->s[gpu - 1] >= '0' && t->s[gpu - 1] <= '9';)
			gpu--;
	return gpu != SIZE_MAX && gs_text_number(t, &gpu, &device) && device < 1024 ? (int32_t)device
																				: -1;
}

gs_status gs_bfc_line_message(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	size_t at = gs_text_find_last(t, i > 60 ? i - 60 : 0, i, "allocator(");
	if (gs_text_find(t, *end, *end + 120, "withfreed_by_count") != SIZE_MAX ||
		gs_text_find(t, *end, *end + 200, "notafailure") != SIZE_MAX)
		return GS_OK;
	gs_bfc_voice *v = gs_bfc_speaking(b);
	v->host = v->open = false;
	if (at != SIZE_MAX)
		v->asked_device = allocator_name(t, at + 10, &v->host);
	return GS_OK;
}

gs_status gs_bfc_line_dump_for(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	bool host;
	int32_t device = allocator_name(t, *end, &host);
	gs_bfc_speaking(b)->host = host;
	if (device >= 0)
		gs_bfc_speaking(b)->asked_device = device;
	if (host)
		return GS_OK;
	GS_BFC_DUMP(true);
	(void)d;
	return GS_OK;
}

/* totalMemory: 11.17GiB freeMemory: …, deviceMemorySize: 39.59GiB */
gs_status gs_bfc_line_device_memory(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	int64_t bytes;
	bool unit;
	(void)i;
	if (!gs_text_size(t, end, &bytes, &unit) || !unit)
		return GS_OK;
	b->capacities |= b->capacity != GS_NONE && b->capacity != bytes;
	b->capacity = bytes;
	return GS_OK;
}

/* (device: 0, name: NVIDIA A100-PCIE-40GB, pci bus id: … */
gs_status gs_bfc_line_device_name(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	uint64_t device;
	size_t from = i > 120 ? i - 120 : 0, name = gs_text_find_last(t, from, i, ",name:"), at;
	(void)end;
	if (name == SIZE_MAX || name + 6 >= i ||
		(at = gs_text_find_last(t, from, name, "device:")) == SIZE_MAX)
		return GS_OK;
	at += 7;
	if (!gs_text_number(t, &at, &device) || at != name || device >= 1024)
		return GS_OK;
	gs_device *d = gs_snapshot_device(b->snapshot, (int32_t)device);
	size_t begin = t->at[name + 6], stop = t->at[i - 1] + 1;
	if (d && !d->name)
		d->name = gs_snapshot_string(b->snapshot, t->text + begin, stop - begin);
	return d && d->name ? GS_OK : GS_NO_MEMORY;
}
