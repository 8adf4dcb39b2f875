/* TensorFlow's, JAX's and XLA's messages, and those of the BFC allocator they share with ONNX
 * Runtime. */
#include "analyzer/read/messages/labels.h"
#include "analyzer/read/messages/matchers.h"
#include "analyzer/read/text/ascii.h"
#include "analyzer/read/text/figure.h"

#include <string.h>

static const char *framework(const gs_text *t, size_t i, const char *otherwise)
{
	const char *logged = gs_oom_log_library(t, i);
	if (logged)
		return logged;
	static const char *const torch_xla[] = {"torch_xla", "pytorch/xla", NULL},
							 *const jax[] = {"jaxlib", "jax.", "jax/", "xlaruntimeerror", "flax",
								 "external/org_tensorflow", "external/xla/", "external/tsl/", NULL},
							 *const tensorflow[] = {"tensorflow", "keras", "errors_impl",
								 "op_requires", "[op:", "resourceexhaustederror", NULL};
	if (gs_oom_near(t, i, 300, torch_xla))
		return "pytorch";
	if (gs_oom_near(t, i, 300, jax))
		return "jax";
	if (gs_oom_near(t, i, 300, tensorflow))
		return "tensorflow";
	return otherwise;
}

/* GPU_0_bfc, gpu:0, device:GPU:0, device ordinal 0 */
static int32_t device_of(const gs_text *t, size_t from, size_t to)
{
	static const char *const phrases[] = {
		"device:gpu:", "gpu_", "gpu:", "deviceordinal", "device:xla_gpu:", NULL};
	return gs_oom_device(t, from, to, phrases);
}

/* "3.39G (3640655872 bytes)", "1.75GiB (rounded to 1879048192)": the exact figure in brackets wins.
 */
static size_t exact_size(const gs_text *t, size_t i, int64_t *field)
{
	size_t end = gs_oom_size_at(t, i, field), j = end;
	int64_t bytes = GS_NONE;
	if (end == i || !gs_text_eat(t, &j, "("))
		return end;
	gs_text_eat(t, &j, "roundedto");
	size_t k = gs_oom_size_at(t, j, &bytes);
	if (k == j || !gs_text_eat(t, &k, ")"))
		return end;
	bool rounded = gs_text_ends(t, j, "roundedto");
	if (bytes != GS_NONE &&
		(rounded || *field == GS_NONE || bytes >= *field || *field - bytes < *field / 8))
		*field = bytes;
	return k;
}

static bool host_allocator(const gs_text *t, size_t from, size_t to)
{
	static const char *const names[] = {"cpu", "host", NULL};
	return gs_oom_any(t, from, to, names);
}

/* [Allocator (GPU_0_bfc) r]an out of memory trying to allocate 1.75GiB [(rounded to …)] [requested
 * by op …] */
int gs_match_xla_bfc(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const harmless[] = {"withfreed_", "notafailure", NULL};
	size_t open = gs_text_find_last(t, gs_oom_back(i, 60), i, "allocator(");
	m->row.library = gs_text_ends(t, i, "bfcarena")
		? "onnxruntime"
		: framework(t, open != SIZE_MAX ? open : i, "tensorflow");
	m->kind = GS_OOM_BFC;
	m->once = true;
	m->end = exact_size(t, m->end, &m->row.requested);
	size_t to = gs_oom_ahead(t, m->end, 300);
	if (m->row.requested == GS_NONE)
		return 0;
	if (gs_oom_any(t, m->end, gs_oom_ahead(t, m->end, 120), harmless)) {
		size_t caller = gs_text_find(t, m->end, to, "moreavailable");
		return gs_oom_not_row(m, GS_NOT_A_FAILURE, caller == SIZE_MAX ? m->end : caller);
	}
	m->after = gs_text_find(t, m->end, gs_oom_ahead(t, m->end, 40), "seelogsformemorystate") !=
		SIZE_MAX;
	if (open != SIZE_MAX) {
		m->begin = open;
		m->row.device = device_of(t, open, i);
		if (host_allocator(t, open, i))
			return gs_oom_not_row(m, GS_NOT_HOST, m->end);
	}
	m->end = gs_oom_line_end(t, m->end, to);
	return 1;
}

/* Bytes of one element of TensorFlow's types. */
static uint64_t size_of_type(const gs_text *t, size_t i)
{
	static const struct {
		const char *name;
		unsigned bytes;
	} types[] = {{"float8", 1}, {"float", 4}, {"half", 2}, {"bfloat16", 2}, {"double", 8},
		{"int8", 1}, {"uint8", 1}, {"int16", 2}, {"uint16", 2}, {"int32", 4}, {"uint32", 4},
		{"int64", 8}, {"uint64", 8}, {"bool", 1}, {"complex64", 8}, {"complex128", 16},
		{"qint8", 1}, {"quint8", 1}, {"qint16", 2}, {"quint16", 2}, {"qint32", 4}};
	for (size_t k = 0; k < sizeof types / sizeof *types; k++)
		if (gs_text_is(t, i, types[k].name))
			return types[k].bytes;
	return 0;
}

/* The bytes of `[16,128,98,98] and type float`, GS_NONE where one of both is missing. */
static int64_t bytes_of_shape(const gs_text *t, size_t i)
{
	uint64_t all = 1, n = 0, dims = 0;
	if (!gs_text_eat(t, &i, "["))
		return GS_NONE;
	for (; gs_text_number(t, &i, &n); dims++) {
		if (__builtin_mul_overflow(all, n, &all))
			return GS_NONE;
		if (!gs_text_eat(t, &i, ","))
			break;
	}
	uint64_t type = 0;
	if (gs_text_eat(t, &i, "]andtype"))
		type = size_of_type(t, i);
	if (!type || !dims || __builtin_mul_overflow(all, type, &all) || all > INT64_MAX)
		return GS_NONE;
	return (int64_t)all;
}

/* OOM when allocating tensor with shape[…] and type float on /job:…/device:GPU:0 by allocator
 * GPU_0_bfc */
int gs_match_xla_shape(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t to = gs_oom_ahead(t, i, 500), end = gs_text_find(t, i, to, "]");
	if (end == SIZE_MAX)
		end = m->end;
	to = gs_oom_ahead(t, end, 200);
	size_t by = gs_text_find(t, end, to, "byallocator"),
		   device = gs_text_find(t, end, to, "/device:");
	size_t next = gs_text_find(t, end, to, "oomwhen");
	if (next != SIZE_MAX)
		to = next;
	if ((device < to && gs_text_is(t, device, "/device:cpu")) ||
		(by < to && host_allocator(t, by, gs_oom_ahead(t, by, 30))))
		return gs_oom_not_row(m, GS_NOT_HOST, by < to ? by + 11 : end);
	size_t words = m->end;
	m->row.requested = bytes_of_shape(
		t, gs_text_eat(t, &words, "withshape") || gs_text_eat(t, &words, "ofshape") ? words : i);
	m->row.library = framework(t, i, "tensorflow");
	m->kind = GS_OOM_SHAPE;
	m->once = true;
	size_t named = device < to ? device : by < to ? by : SIZE_MAX;
	if (named < end + 100)
		m->row.device = device_of(t, named, gs_oom_ahead(t, named, 30));
	m->same = by < to ? by : end;
	m->end = gs_oom_line_end(t, by < to ? by + 11 : end, gs_oom_ahead(t, end, 400));
	return 1;
}

/* The driver's code behind a refused allocation: the position behind it, SIZE_MAX where it is
 * another error, i where the text ends before. */
static size_t memory_code(const gs_text *t, size_t i)
{
	static const char *const codes[] = {"out_of_memory", "outofmemory", NULL};
	size_t to = gs_oom_ahead(t, i, 80), next = gs_text_find(t, i, to, "failedtoalloc"),
		   end = SIZE_MAX;
	bool cut = i + 24 > t->n || !gs_text_is(t, i, ":");
	if (next != SIZE_MAX)
		to = next;
	for (size_t k = 0; codes[k]; k++) {
		size_t at = gs_text_find(t, i, to, codes[k]);
		if (at != SIZE_MAX && at + strlen(codes[k]) < end)
			end = at + strlen(codes[k]);
	}
	if (end == SIZE_MAX)
		return cut ? i : SIZE_MAX;
	size_t words = end;
	return gs_text_eat(t, &words, ":") && gs_text_eat(t, &words, "outofmemory") ? words : end;
}

/* StreamExecutor: failed to allocate 3.39G (3640655872 bytes) from device:
 * CUDA_ERROR_OUT_OF_MEMORY[: out of memory]; failed to alloc N bytes unified memory; result:
 * CUDA_ERROR_OUT_OF_MEMORY: out of memory */
int gs_match_xla_from_device(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t j = exact_size(t, m->end, &m->row.requested);
	if (m->row.requested == GS_NONE)
		return 0;
	if (gs_text_is(t, j, "onhost") || gs_text_is(t, j, "ofhost") || gs_text_is(t, j, "ofpinned")) {
		size_t code = memory_code(t, gs_text_is(t, j, "onhost") ? j + 6 : j);
		return gs_oom_not_row(m, GS_NOT_HOST,
			gs_oom_line_end(t, code == SIZE_MAX ? j : code, gs_oom_ahead(t, j, 200)));
	}
	if (gs_text_eat(t, &j, "unifiedmemory"))
		gs_text_eat(t, &j, ";result");
	else if (!gs_text_eat(t, &j, "fromdevice"))
		return 0;
	size_t end = memory_code(t, j);
	if (end == SIZE_MAX)
		return 0;
	m->row.library = framework(t, i, "tensorflow");
	m->kind = GS_OOM_DRIVER;
	m->end = end;
	return 1;
}

/* A TPU's high-bandwidth memory, or a memory of its chip. */
int gs_match_xla_memory_space(const gs_text *t, size_t i, gs_oom_match *m)
{
	bool hbm = gs_text_is(t, m->end, "hbm");
	return gs_oom_not_row(m, hbm ? GS_NOT_TPU : GS_NOT_DEVICE_MEMORY,
		hbm ? gs_oom_line_end(t, m->end, gs_oom_ahead(t, i, 300)) : m->end);
}

/* Whether a status tells of a TPU: its compiler's, or its runtime's words. */
static bool of_tpu(const gs_text *t, size_t i, size_t to)
{
	static const char *const words[] = {"xla:tpu", "thatwasnotpossible", "libtpu", "tpu_", NULL};
	return gs_oom_any(t, i, to, words);
}

/* Whether a figure reaches to the end of the text: XLA prints each with its unit, so more of it may
 * have stood there. */
static bool cut_at(const gs_text *t, size_t end)
{
	return t->end && end == t->n && gs_ascii_digit(t->s[end - 1]);
}

/* What XLA says after RESOURCE_EXHAUSTED, and a TPU's "That was not possible. There are … free." */
static int status_figures(const gs_text *t, size_t i, size_t to, gs_oom_match *m)
{
	static const char *const asks[] = {"whiletryingtoallocate", "failedtoallocaterequestfor",
		"attemptingtoallocate", "attemptingtoreserve", "tryingtoallocate", "failedtoallocate",
		"allocating", NULL};
	for (size_t k = 0; asks[k] && m->row.requested == GS_NONE; k++) {
		size_t at = gs_text_find(t, i, to, asks[k]);
		if (at == SIZE_MAX)
			continue;
		size_t end = exact_size(t, at + strlen(asks[k]), &m->row.requested);
		if (cut_at(t, end)) {
			m->row.requested = GS_NONE;
			break;
		}
		if (m->row.requested != GS_NONE && end > m->end)
			m->end = end;
	}
	size_t there = gs_text_find(t, i, to, "thereare");
	if (there == SIZE_MAX)
		there = gs_text_find(t, i, to, "thereis");
	if (there != SIZE_MAX) {
		size_t end = gs_oom_size_at(
			t, there + (gs_text_is(t, there, "thereis") ? 7 : 8), &m->row.device_free);
		if (!gs_text_is(t, end, "free"))
			m->row.device_free = GS_NONE;
		else if (end > m->end)
			m->end = end + 4;
	}
	size_t record = m->end, far = m->end + 40 < to ? m->end + 40 : to;
	while (record < far &&
		t->gap[record] != GS_GAP_LINE) /* the next record may speak of another device */
		record++;
	m->row.device = device_of(t, i, record);
	return 1;
}

/* Where what belongs to the status that begins at i must end: its line, however wrapped, and the
 * next. */
static size_t status_ends(const gs_text *t, size_t i, size_t to)
{
	for (int lines = 0; i < to; i++)
		if (t->gap[i] == GS_GAP_LINE && ++lines == 2)
			break;
	return i;
}

int gs_match_xla_status(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const memory[] = {"outofmemory", "failedtoallocate", "attemptingto",
		"tryingtoallocate", "ranoutofmemory", NULL};
	static const char *const names[] = {
		"resourceexhausted:", "resource_exhausted:", "resourceexhaustederror:", NULL};
	size_t to = status_ends(t, i + 1, gs_oom_ahead(t, i, 700));
	for (size_t k = 0; names[k]; k++) {
		size_t again = gs_text_find(t, m->end, to, names[k]);
		if (again != SIZE_MAX &&
			again != m->end) /* ResourceExhaustedError: Resource exhausted: … is one */
			to = again;
	}
	if (gs_text_find(t, i, gs_oom_ahead(t, i, 120), "oomwhenallocating") != SIZE_MAX ||
		!gs_oom_any(t, i, i + 260 < to ? i + 260 : to, memory))
		return 0;
	if (gs_text_find(t, i, gs_oom_ahead(t, i, 200), "outofmemoryerroron") != SIZE_MAX)
		return 0; /* Paddle's */
	static const char *const layers[] = {
		"jax-internalframes", "directcauseofthefollowing", "duringhandlingoftheabove", NULL};
	size_t space = gs_text_find(t, i, to, "inmemoryspace");
	gs_oom_log_line line = gs_oom_log_line_of(t, i);
	static const char *const replica[] = {"executionofreplica", NULL};
	m->row.library = framework(t, i, "jax");
	m->kind = GS_OOM_STATUS;
	bool behind_another = gs_oom_log_line_has(
		line, "RESOURCE_EXHAUSTED"); /* the exception under its log line */
	m->logged = !behind_another &&
		(gs_oom_log_line_has(line, ".cc:") || gs_oom_any(t, gs_oom_back(i, 40), i, replica));
	m->again = gs_oom_any(t, gs_oom_back(i, 8000), i, layers);
	if (space != SIZE_MAX) {
		m->end = space + 13;
		return gs_match_xla_memory_space(t, space, m);
	}
	status_figures(t, i, to, m);
	m->end = gs_oom_line_end(t, m->end, to);
	return of_tpu(t, i, to) ? gs_oom_not_row(m, GS_NOT_TPU, m->end) : 1;
}

/* A TPU's runtime: "Attempting to allocate 1.60G. That was not possible." without the status in
 * front
 */
int gs_match_xla_not_possible(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t to = gs_oom_ahead(t, i, 300);
	if (gs_text_find(t, i, gs_oom_ahead(t, i, 120), "thatwasnotpossible") == SIZE_MAX)
		return 0;
	status_figures(t, i, to, m);
	return gs_oom_not_row(m, GS_NOT_TPU, gs_oom_line_end(t, m->end, to));
}

/* XLA: INTERNAL: Failed to allocate N bytes for new constant */
int gs_match_xla_constant(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t end = gs_oom_size_at(t, m->end, &m->row.requested);
	if (m->row.requested == GS_NONE || !gs_text_is(t, end, "fornewconstant"))
		return 0;
	m->row.library = framework(t, i, "jax");
	m->kind = GS_OOM_STATUS;
	m->end = end + 14;
	return 1;
}

/* TensorFlow's cudaMallocAsync: gpu_async_0 cuMemAllocAsync failed to allocate N bytes: … Free
 * memory/Total memory: F/T */
int gs_match_xla_async(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const gpu[] = {"gpu_async_", NULL};
	size_t to = gs_oom_ahead(t, i, 260), end = gs_oom_size_at(t, m->end, &m->row.requested),
		   words = gs_text_find(t, i, to, "freememory/totalmemory:");
	if (m->row.requested == GS_NONE)
		return 0;
	m->row.device = gs_oom_device(t, gs_oom_back(i, 16), i, gpu);
	if (words != SIZE_MAX) {
		end = words + 23;
		gs_text_size_of(t, &end, &m->row.device_free, &m->row.capacity);
	}
	m->row.library = framework(t, i, "tensorflow");
	m->kind = GS_OOM_DRIVER;
	m->end = gs_oom_line_end(t, end, to);
	return 1;
}

/* TensorFlow's start: CUDA runtime implicit initialization on GPU:0 failed. Status: out of memory
 */
int gs_match_xla_start_up(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const gpu[] = {"gpu:", NULL};
	size_t out = gs_text_find(t, i, gs_oom_ahead(t, i, 110), "status:outofmemory");
	if (out == SIZE_MAX)
		return 0;
	m->row.device = gs_oom_device(t, i, out, gpu);
	m->row.library = framework(t, i, "tensorflow");
	m->end = out + 18;
	return 1;
}
