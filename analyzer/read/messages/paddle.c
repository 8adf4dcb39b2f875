/* PaddlePaddle's messages, from its first versions (fluid and before) to now, on every device it
 * knows. */
#include "analyzer/read/messages/labels.h"
#include "analyzer/read/messages/matchers.h"
#include "analyzer/read/text/figure.h"

/* "5.250000GB memory has been allocated": the figure that ends where the words begin. */
static void allocated_before(const gs_text *t, size_t from, size_t words, gs_oom_match *m)
{
	for (size_t k = from; k < words; k++) {
		int64_t bytes = GS_NONE;
		if (gs_text_digit_begins(t, k) && gs_oom_size_at(t, k, &bytes) == words)
			m->row.allocated = bytes;
	}
}

/* The first figure that any of the phrases introduces, up to which the message then reaches. */
static size_t figure_after(
	const gs_text *t, size_t from, size_t to, const char *const *phrases, int64_t *field)
{
	size_t end = from;
	for (; *phrases && *field == GS_NONE; phrases++)
		end = gs_oom_size_after(t, from, to, *phrases, field);
	return end;
}

/* "GPU 0", "NPU 1", "GPU Virtual Memory 0", "iluvatar_gpu:0": the number behind the device's name,
 * whichever it is; false for the host. */
static bool device_named(const gs_text *t, size_t i, int32_t *device)
{
	static const char *const host[] = {"cpu", "pinned", NULL};
	size_t j = i;
	uint64_t number;
	while (j < t->n && j < i + 32 &&
		((t->s[j] >= 'a' && t->s[j] <= 'z') || t->s[j] == '_' || t->s[j] == ':'))
		j++;
	if (j == i || gs_oom_any(t, i, j, host))
		return false;
	if (gs_text_number(t, &j, &number) && number < 1024)
		*device = (int32_t)number;
	return true;
}

/* With a limit both figures are of it: what counts against it and what it leaves. Without one they
 * are the device's: what is taken by whomever, which makes its capacity. */
static void settle(gs_oom *row)
{
	if (row->allowed != GS_NONE) {
		row->told.counted = row->allocated;
		row->told.says |= GS_SAYS_LIMIT;
	} else if (row->allocated != GS_NONE && row->device_free != GS_NONE &&
		row->allocated < INT64_MAX / 4 && row->device_free < INT64_MAX / 4) {
		row->capacity = row->allocated + row->device_free;
	}
	if (row->allowed == GS_NONE && row->device_free != GS_NONE)
		row->allocated = GS_NONE;
}

/* Out of memory error on GPU 0. Cannot allocate … memory on GPU 0, … memory has been allocated and
 * available memory is only … The limit of FLAGS_gpu_memory_limit_mb stands in the advice behind it.
 */
int gs_match_paddle_on_device(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const available[] = {"availablememoryisonly", "availablememoryis", NULL};
	static const char *const asks[] = {"cannotallocate", "can'tallocate", NULL};
	size_t to = gs_oom_ahead(t, i, 1500), again = gs_text_find(t, m->end, to, "outofmemoryerroron");
	if (again != SIZE_MAX)
		to = again;
	size_t last = figure_after(t, i, to, asks, &m->row.requested);
	if (!device_named(t, m->end, &m->row.device))
		return m->row.requested == GS_NONE ? 0 : gs_oom_not_row(m, GS_NOT_HOST, last);
	if (m->row.requested == GS_NONE &&
		(m->row.device < 0 || !(gs_oom_states(t, i) || (unsigned char)t->s[i - 1] > 127)))
		return 0; /* a heading tells no figure; in Chinese no blank stands before it */
	m->once = true;
	size_t has = gs_text_find(t, last, gs_oom_ahead(t, last, 120), "memoryhasbeenallocated");
	if (has != SIZE_MAX) {
		allocated_before(t, last, has, m);
		last = has + 22;
	}
	size_t end = figure_after(t, last, to, available, &m->row.device_free);
	gs_oom_size_after(t, last, to, "memoryusageislimitedto", &m->row.allowed);
	settle(&m->row);
	return gs_oom_found(t, m, "paddle", GS_OOM_OTHER, end > last ? end : last);
}

/* The first versions: enforce allocating <= available failed, N > M (one of them has < and >=) */
int gs_match_paddle_enforce(const gs_text *t, size_t i, gs_oom_match *m)
{
	(void)i;
	size_t end = gs_oom_size_at(t, m->end, &m->row.requested);
	gs_text_eat(
		t, &end, ">"); /* at the beginning of a wrapped line it may be taken for a quote mark */
	gs_text_eat(t, &end, "=");
	end = gs_oom_size_at(t, end, &m->row.device_free);
	return m->row.requested == GS_NONE ? 0 : gs_oom_found(t, m, "paddle", GS_OOM_OTHER, end);
}
