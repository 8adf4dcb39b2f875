/* Reports as people write them (tests/data/texts): which failures they tell of, and what their
 * figures prove. The expectations were written from the texts. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/diagnose/diagnose.h"
#include "analyzer/read/open/reader.h"

#define _ GS_NONE

static const struct {
	const char *file;
	size_t rows;
	const char *verdict, *library;
	int64_t requested, capacity, allocated, reserved;
} reports[] = {
	{"01-free-exceeds-request-others.txt", 1, "outside", "pytorch", 104857600, 25769803776,
		9019431322, 9061374362},
	{"02-bfc-room-under-limit.txt", 1, "outside", "tensorflow", 536870912, _, 335544320, 536870912},
	{"03-mps-watermark.txt", 1, "limit", "pytorch", 805306368, _, 5368709120, _},
	{"04-cupy-limit.txt", 1, "limit", "cupy", 800000000, _, _, 500000000},
	{"05-paddle-limit-flag.txt", 1, "limit", "paddle", 102760704, _, 5905580032, _},
	{"06-cupy-total-without-request.txt", 1, "unknown", "cupy", 1000000000, _, _, 11000000000},
	{"09-process-list-only.txt", 1, "outside", "pytorch", 314572800, 47244640256, _, _},
	{"10-figures-contradict.txt", 1, "stranded", "pytorch", 3221225472, 42949672960, 33285996544,
		37580963840},
	{"11-stranded-beats-outside.txt", 1, "outside", "pytorch", 9437184, 8589934592, 671088640,
		671580160},
	{"12-tf-shape.txt", 1, "unknown", "tensorflow", 78675968, _, _, _},
	{"13-catboost.txt", 1, "shortage", "catboost", 8388608000, _, _, _},
	{"14-relion.txt", 1, "fragmented", "relion", 44000000, _, _, _},
	{"15-triton-cnmem.txt", 1, "limit", "triton", 102236160, _, _, _},
	{"16-spark-rapids.txt", 1, "unknown", "rmm", 60000000, _, _, 9100000000},
	{"17-nccl-calloc.txt", 1, "unknown", "nccl", 6291456, _, _, _},
	{"18-cublas-alloc-failed.txt", 1, "unknown", "cublas", _, _, _, _},
	{"19-cudnn-alloc-failed.txt", 1, "unknown", "cudnn", _, _, _, _},
	{"20-oom-in-brackets.txt", 1, "unknown", "cuda", _, _, _, _},
	{"21-numba-path-is-julia.txt", 1, "unknown", "numba", _, _, _, _},
	{"22-heading-counted.txt", 1, "stranded", "pytorch", 1610612736, 8589934592, 3758096384,
		5690831667},
	{"23-tpu-hbm.txt", 0, NULL, NULL, _, _, _, _},
	{"24-more-than-1eb.txt", 1, "shortage", "pytorch", _, _, _, _},
	{"25-summary-counts-ooms.txt", 0, NULL, NULL, _, _, _, _},
	{"26-source-of-the-message.cpp", 0, NULL, NULL, _, _, _, _},
	{"27-changelog.md", 0, NULL, NULL, _, _, _, _},
	{"28-paddle-device-wide.txt", 1, "unknown", "paddle", 58720256, 8334868480, _, _},
	{"29-vllm-budget.txt", 1, "limit", "vllm", _, 8589934592, _, _},
	{"30-no-advice.txt", 1, "stranded", "pytorch", 8053063680, 23622320128, 6657199309,
		15998753178},
	{"31-allocated-exceeds-card.txt", 1, "shortage", "pytorch", 1050673152, 8589934592, 14925011354,
		15061326234},
	{"32-rmm-pool-limit.txt", 1, "limit", "rmm", _, _, _, _},
	{"33-margin-of-bars.txt", 1, "shortage", "pytorch", 1245540516, 33672543601, 32137092792,
		32346807992},
	{"40-cupy-no-request.txt", 1, "unknown", "cupy", _, _, _, _},
};

static void open_report(const char *name, gs_snapshot *s)
{
	char path[200];
	gs_error err = GS_ERROR_INIT;
	snprintf(path, sizeof path, "tests/data/texts/%s", name);
	gs_status status = gs_read_path(path, GS_WANT_ALL, s, &err);
	ck_assert_msg(!status, "%s: %s", path, err.text);
}

static void read_text(const char *text, gs_snapshot *s)
{
	gs_error err = GS_ERROR_INIT;
	gs_status status = gs_read_memory(text, strlen(text), GS_WANT_ALL, s, &err);
	ck_assert_msg(!status, "%s: %s", text, err.text);
}

static void diagnose(const gs_snapshot *s, gs_diagnosis *d)
{
	gs_diagnose_options o = GS_DIAGNOSE_OPTIONS_INIT;
	ck_assert_int_eq(gs_diagnose(s, &o, d, NULL), GS_OK);
}

START_TEST(a_report_tells_its_failure_and_what_its_figures_prove)
{
	gs_snapshot s;
	gs_diagnosis d;
	const char *name = reports[_i].file;
	open_report(name, &s);
	diagnose(&s, &d);
	ck_assert_msg(s.nooms == reports[_i].rows, "%s: %zu rows", name, s.nooms);
	const char *verdict = gs_step_word(d.verdict);
	ck_assert_msg(verdict == reports[_i].verdict ||
			(verdict && reports[_i].verdict && !strcmp(verdict, reports[_i].verdict)),
		"%s: %s", name, verdict ? verdict : "no verdict");
	if (s.nooms) {
		ck_assert_str_eq(s.ooms[0].library, reports[_i].library);
		ck_assert_int_eq(s.ooms[0].requested, reports[_i].requested);
		ck_assert_int_eq(s.ooms[0].capacity, reports[_i].capacity);
		ck_assert_int_eq(s.ooms[0].allocated, reports[_i].allocated);
		ck_assert_int_eq(s.ooms[0].reserved, reports[_i].reserved);
	} else if (!d.has_layout) {
		ck_assert(!d.exact); /* nothing was understood */
	}
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(all_failures_of_a_text_are_told_with_device_place_and_whether_they_are_cut)
{
	gs_snapshot s;
	open_report("07-two-ranks-two-causes.txt", &s);
	ck_assert_uint_eq(s.nooms, 2);
	ck_assert_int_eq(s.ooms[0].device, 0);
	ck_assert_int_eq(s.ooms[0].told.line, 2);
	ck_assert_int_eq(s.ooms[0].told.others, INT64_C(30) << 30);
	ck_assert_int_eq(s.ooms[1].device, 1);
	ck_assert_int_eq(s.ooms[1].told.line, 1);
	ck_assert_int_eq(s.ooms[1].told.others, GS_NONE);
	ck_assert_int_eq(s.ooms[1].told.own, INT64_C(39) << 30);
	ck_assert_uint_eq(s.noutsiders, 1);
	ck_assert_int_eq(s.outsiders[0].pid, 77);
	gs_snapshot_release(&s);
	open_report("08-second-is-cut.txt", &s);
	ck_assert_uint_eq(s.nooms, 2);
	ck_assert(!(s.ooms[0].told.says & GS_SAYS_CUT));
	ck_assert(s.ooms[1].told.says & GS_SAYS_CUT);
	gs_snapshot_release(&s);
}
END_TEST

/* Other texts of the same kinds. */
static const struct {
	const char *name, *text, *verdict;
} kinds[] = {
	{"two other processes, free more than asked for",
		"torch.OutOfMemoryError: HIP out of memory. Tried to allocate 64.00 MiB. GPU 3 has a total capacity of 16.00 GiB of which 90.00 MiB is "
		"free. Process 5 has 3.00 GiB memory in use. Process 6 has 4.50 GiB memory in use. Of the allocated memory 7.00 GiB is allocated by PyTorch, "
		"and 30.00 MiB is reserved by PyTorch but unallocated.",
		"outside"},
	{"free more than asked for, nobody else named, the card full",
		"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 64.00 MiB. GPU 0 has a total capacity of 16.00 GiB of which 90.00 MiB is "
		"free. Including non-PyTorch memory, this process has 15.91 GiB memory in use. Of the allocated memory 15.00 GiB is allocated by PyTorch, and "
		"30.00 MiB is reserved by PyTorch but unallocated.",
		"unknown"},
	{"a limit that leaves room",
		"MPS backend out of memory (MPS allocated: 1.00 GiB, other allocations: 0 bytes, max allowed: 9.00 GiB). Tried to allocate "
		"256 bytes on private pool.",
		"unknown"},
	{"a limit that does not, in MiB",
		"MPS backend out of memory (MPS allocated: 3000.00 MiB, other allocations: 900.00 MiB, max allowed: 4000.00 MiB). Tried to allocate 128.00 MiB "
		"on shared pool.",
		"limit"},
	{"PyTorch's fraction",
		"torch.OutOfMemoryError: CUDA out of memory. Allocation was preemptively rejected because it would exceed per_process_memory_fraction limit. "
		"Requested size: 640.00 MiB",
		"limit"},
	{"CuPy below its limit",
		"cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 1,000 bytes (allocated so far: 5,000 bytes, limit set to: 1,000,000 bytes).",
		"unknown"},
	{"RMM's pool with figures",
		"MemoryError: std::bad_alloc: out_of_memory: RMM failure at:/a/rmm/mr/device/pool_memory_resource.hpp:9: Maximum pool size exceeded "
		"(failed to allocate 2.000000 GiB): Not enough room to grow, current/max/try size = 7.000000 GiB, 8.000000 GiB, 2.000000 GiB",
		"limit"},
	{"vLLM's cache",
		"ValueError: To serve at least one request with the models's max seq len (4096), (6.50 GiB KV cache is needed, which is larger than the "
		"available KV cache memory (1.25 GiB). Try increasing `gpu_memory_utilization` or decreasing `max_model_len`.",
		"limit"},
	{"vLLM at its start beside another process",
		"ValueError: Free memory on device cuda:0 (3.25/15.75 GiB) on startup is less than desired GPU memory utilization (0.9, 14.18 GiB).",
		"outside"},
	{"another pool of RELION",
		"ERROR: CudaCustomAllocator out of memory\n [requestedSpace:             2048 B]\n [largestContinuousFreeSpace: 512 B]\n "
		"[totalFreeSpace:             1024 B]\n",
		"shortage"},
	{"a request no device can hold",
		"[ONNXRuntimeError] : 6 : RUNTIME_EXCEPTION : Non-zero status code returned while running Add node. Name:'a' Status Message: "
		"/a/onnxruntime/core/framework/bfc_arena.cc:9 Failed to allocate memory for requested buffer of size 9000000000000000000 (CUDA)",
		"shortage"},
	{"a limit between two figures of BFC",
		"2025-01-01 00:00:00.000000: W tensorflow/core/framework/op_kernel.cc:1] OP_REQUIRES failed at a.cc:1 : RESOURCE_EXHAUSTED: OOM when allocating "
		"tensor with shape[2,3] and type double on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc",
		"unknown"},
};

START_TEST(a_kind_of_text_is_judged_alike_with_other_figures)
{
	gs_snapshot s;
	gs_diagnosis d;
	read_text(kinds[_i].text, &s);
	diagnose(&s, &d);
	ck_assert_msg(s.nooms == 1, "%s: %zu rows", kinds[_i].name, s.nooms);
	ck_assert_msg(!strcmp(gs_step_word(d.verdict), kinds[_i].verdict), "%s: %s", kinds[_i].name,
		gs_step_word(d.verdict));
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_process_that_holds_what_is_reserved_is_not_another)
{
	static const char text[] =
		"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 512.00 MiB. GPU 0 has a total capacity of 24.00 GiB of which 96.00 MiB is "
		"free. Process 11 has 400.00 MiB memory in use. Process 12 has 23.40 GiB memory in use. Of the allocated memory 22.75 GiB is allocated by "
		"PyTorch, and 100.00 MiB is reserved by PyTorch but unallocated.";
	gs_snapshot s;
	read_text(text, &s);
	ck_assert_int_eq(s.ooms[0].told.others, INT64_C(400) << 20);
	ck_assert_int_eq(s.ooms[0].told.own, INT64_C(25125558682));
	ck_assert_uint_eq(s.noutsiders, 1);
	ck_assert_int_eq(s.outsiders[0].pid, 11);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_table_of_nvidia_smi_tells_capacity_and_holders)
{
	static const char text[] =
		"RuntimeError: CUDA error: out of memory\n\n"
		"+-----------------------------------------------------------------------------+\n"
		"| NVIDIA-SMI 500.10       Driver Version: 500.10       CUDA Version: 12.0     |\n"
		"|-------------------------------+----------------------+----------------------+\n"
		"|   0  Some GPU            Off  | 00000000:0A:00.0 Off |                    0 |\n"
		"| N/A   30C    P0    50W / 250W |   9000MiB / 16000MiB |      0%      Default |\n"
		"+-------------------------------+----------------------+----------------------+\n"
		"| Processes:                                                                  |\n"
		"|  GPU   GI   CI        PID   Type   Process name                  GPU Memory |\n"
		"|=============================================================================|\n"
		"|    0   N/A  N/A      4711      C   python                           8000MiB |\n"
		"|    0   N/A  N/A      4712    C+G   /usr/bin/viewer                   900MiB |\n"
		"+-----------------------------------------------------------------------------+\n";
	gs_snapshot s;
	read_text(text, &s);
	ck_assert_uint_eq(s.nooms, 1);
	ck_assert_int_eq(s.ooms[0].capacity, GS_NONE);
	ck_assert_int_eq(s.devices[0].capacity, INT64_C(16000) << 20);
	ck_assert_uint_eq(s.noutsiders, 2);
	ck_assert_int_eq(s.outsiders[0].pid, 4711);
	ck_assert_int_eq(s.outsiders[0].bytes, INT64_C(8000) << 20);
	ck_assert_str_eq(gs_string_text(&s, s.outsiders[1].holder), "/usr/bin/viewer");
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_banner_tells_the_capacity)
{
	gs_snapshot s;
	read_text("Total VRAM 8192 MB, total RAM 32000 MB\nDevice: cuda:0 Some GPU : native\n"
			  "!!! Exception during processing !!! Allocation on device 0\n",
		&s);
	ck_assert_uint_eq(s.nooms, 1);
	ck_assert_int_eq(s.devices[0].capacity, INT64_C(8) << 30);
	gs_snapshot_release(&s);
}
END_TEST

/* What only speaks of failures. */
static const char *const spoken[] = {
	"throw std::runtime_error(\"CUDA error: out of memory\");\n",
	"    raise RuntimeError(\"CUDA out of memory\")\n",
	"LOG(ERROR) << \"x\"; printf(\"CUDA out of memory. Tried to allocate %.2f MiB\\n\", x);\n",
	"    msg = f\"CUDA out of memory. Tried to allocate {size} bytes\"\n",
	"// CUDA error: out of memory\n",
	"* Fixed RuntimeError: CUDA error: out of memory on resume\n",
	"3. catch cupy.cuda.memory.OutOfMemoryError and retry\n",
	"Handle RuntimeError: CUDA error: out of memory in the sampler\n",
	"If you get RuntimeError: CUDA error: out of memory, use a smaller batch.\n",
	"XLA:TPU compile permanent error. Ran out of memory in memory space hbm. Used 9.00G of 8.00G hbm. Exceeded hbm capacity by 1.00G.\n",
	"RESOURCE_EXHAUSTED: Error loading program: Attempting to reserve 3.00G at the bottom of memory. That was not possible. There are 1.00G free.\n",
};

START_TEST(what_only_speaks_of_failures_gives_no_row)
{
	gs_snapshot s;
	read_text(spoken[_i], &s);
	ck_assert_msg(s.nooms == 0, "%s: %s", spoken[_i], s.nooms ? s.ooms[0].message : "");
	ck_assert_uint_gt(s.nwarnings, 0);
	gs_snapshot_release(&s);
}
END_TEST

/* What only looks so, and is a failure. */
static const char *const said[] = {
	"Exception: RuntimeError('CUDA error: out of memory',)\n",
	"I got RuntimeError: CUDA error: out of memory\n",
	"  -> train.py failed with: CUDA error: out of memory\n",
	"{\"message\": \"CUDA out of memory. Tried to allocate 2.00 GiB\"}\n",
};

START_TEST(what_a_program_says_is_a_row)
{
	gs_snapshot s;
	read_text(said[_i], &s);
	ck_assert_msg(s.nooms == 1, "%s: %zu rows", said[_i], s.nooms);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_heading_is_the_failure_that_follows)
{
	static const char *const headings[] = {"# CUDA error: out of memory\n\n",
		"CUDA error: out of memory\n=========================\n\n", "Title: CUDA out of memory\n\n",
		"CUDA error: out of memory\n\n"};
	char text[400];
	gs_snapshot s;
	for (size_t i = 0; i < sizeof headings / sizeof *headings; i++) {
		snprintf(text, sizeof text,
			"%sSince yesterday:\n\ntensor.cu(4): GPUassert: out of memory\n"
			"ggml_backend_cuda_buffer_type_alloc_buffer: allocating 64.00 MiB on device 0: cudaMalloc failed: out of memory\n",
			headings[i]);
		read_text(text, &s);
		ck_assert_msg(s.nooms == 2, "%s: %zu rows", headings[i], s.nooms);
		gs_snapshot_release(&s);
		read_text(headings[i], &s);
		ck_assert_msg(s.nooms == 1, "%s alone: %zu rows", headings[i], s.nooms);
		gs_snapshot_release(&s);
	}
}
END_TEST

START_TEST(a_margin_of_bars_goes_on)
{
	static const char text[] =
		"10:00:00 | ERROR    | job:run:7 - torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 96.00 MiB. GPU 1 has a tot\n"
		"                    | al capacity of 31.36 GiB of which 4.69 MiB is free. Of the allocated memory 29.93 GiB is alloc\n"
		"                    | ated by PyTorch, and 200.00 MiB is reserved by PyTorch but unallocated.\n";
	gs_snapshot s;
	read_text(text, &s);
	ck_assert_uint_eq(s.nooms, 1);
	ck_assert_int_eq(s.ooms[0].capacity, 33672543601);
	ck_assert_int_eq(s.ooms[0].allocated, 32137092792);
	gs_snapshot_release(&s);
}
END_TEST

static bool warned(const gs_snapshot *s, const char *word)
{
	for (size_t i = 0; i < s->nwarnings; i++)
		if (strstr(s->warnings[i].text, word))
			return true;
	return false;
}

START_TEST(figures_that_cannot_be_are_told)
{
	gs_snapshot s;
	open_report("10-figures-contradict.txt", &s);
	ck_assert(warned(&s, "7.00 GiB free + 36.5 GiB in use > 40.0 GiB"));
	gs_snapshot_release(&s);
	open_report("31-allocated-exceeds-card.txt", &s);
	ck_assert(warned(&s, "memory of the system"));
	gs_snapshot_release(&s);
	open_report("01-free-exceeds-request-others.txt", &s);
	ck_assert_uint_eq(s.nwarnings, 0);
	gs_snapshot_release(&s);
}
END_TEST

Suite *suite_texts(void);

Suite *suite_texts(void)
{
	Suite *suite = suite_create("texts");
	TCase *all = tcase_create("reports");
	tcase_add_loop_test(all, a_report_tells_its_failure_and_what_its_figures_prove, 0,
		sizeof reports / sizeof *reports);
	tcase_add_test(all, all_failures_of_a_text_are_told_with_device_place_and_whether_they_are_cut);
	tcase_add_test(all, a_table_of_nvidia_smi_tells_capacity_and_holders);
	tcase_add_test(all, a_banner_tells_the_capacity);
	tcase_add_test(all, a_process_that_holds_what_is_reserved_is_not_another);
	tcase_add_loop_test(
		all, a_kind_of_text_is_judged_alike_with_other_figures, 0, sizeof kinds / sizeof *kinds);
	tcase_add_loop_test(
		all, what_only_speaks_of_failures_gives_no_row, 0, sizeof spoken / sizeof *spoken);
	tcase_add_loop_test(all, what_a_program_says_is_a_row, 0, sizeof said / sizeof *said);
	tcase_add_test(all, a_heading_is_the_failure_that_follows);
	tcase_add_test(all, a_margin_of_bars_goes_on);
	tcase_add_test(all, figures_that_cannot_be_are_told);
	suite_add_tcase(suite, all);
	return suite;
}
