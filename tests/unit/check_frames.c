/* Which frames are hidden, which is the user's, and stacks as text. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/model/frame_class.h"
#include "analyzer/model/frames.h"
#include "analyzer/model/place.h"

static gs_id frame(gs_snapshot *s, const char *name, const char *file, int64_t line)
{
	return gs_snapshot_frame(s, gs_snapshot_string(s, name, strlen(name)),
		gs_snapshot_string(s, file, strlen(file)), line);
}

static const struct {
	const char *name, *file;
	bool plumbing, user;
} rows[] = {
	{"forward", "/home/someone/model.py", false, true},
	{"epoch_start", "train.py", true, true},
	{"jobs/train.py(14): step", "none", false, true},
	{"torch/nn/modules/linear.py(96): forward", "none", false, false},
	{"<built-in method relu of type object at 0x7f00>", "none", false, false},
	{"nn.Module: Linear_0", "none", false, false},
	{"/usr/lib/python3.11/runpy.py(88): _run_code", "none", false, false},
	{"<module>", "C:\\work\\run.py", false, true},
	{"cell", "<ipython-input-3-0a>", false, true},
	{"forward", "/usr/lib/python3/dist-packages/torch/nn/functional.py", false, false},
	{"forward", "/opt/conda/lib/python3.10/site-packages/torch/nn/modules/linear.py", false, false},
	{"run", "/usr/lib/python3.11/threading.py", false, false},
	{"run", "C:\\Users\\x\\AppData\\Local\\Programs\\Python\\Python310\\lib\\threading.py", false,
		false},
	{"forward", "C:\\py\\venv\\Lib\\site-packages\\torch\\nn\\modules\\conv.py", false, false},
	{"load", "C:\\work\\lib\\load.py", false, true},
	{"_call", "<frozen importlib._bootstrap>", false, false},
	{"at::native::add(at::Tensor)", "??", false, false},
	{"_object* torch::autograd::wrap_errors<&torch::autograd::add>(_object*)",
		"variable_methods.cpp", false, false},
	{"at::Tensor my::kernel<float>(at::Tensor)", "kernel.cu", false, true},
	{"my_op(at::Tensor)", "op.cpp", false, true},
	{"at::native::add(at::Tensor)", "/pytorch/aten/src/ATen/native/BinaryOps.cpp", false, false},
	{"c10::impl::call_functor", "/pytorch/aten/src/ATen/core/boxing/impl.h", true, false},
	{"_PyEval_EvalFrameDefault", "/python/Python/ceval.c", true, false},
	{"main", "/home/someone/solver.cu", false, true},
	{"cudaMalloc", "libcudart.so.12", false, false},
	{"_object* torch::autograd::wrap_<&torch::autograd::add>(_object*)",
		"python_variable_methods.cpp", false, false},
	{"(anonymous namespace)::THPFunction_apply(_object*)", "python_function.cpp", false, false},
	{"execute_native_thread_routine", "thread.cc", false, false},
	{"solve(at::Tensor const&)", "/home/someone/solver.cu", false, true},
	{"__clone3", "../sysdeps/unix/sysv/linux/x86_64/clone3.S", false, false},
	{"context_run", "/conda/python-3.11.8/Python/context.c", false, false},
	{"call", "/tmp/torchinductor_someone/ab/cabc.py", false, false},
	{"lost", "", false, false},
	{"_ZN5torch4cuda22CUDAPluggableAllocator22CUDAPluggableAllocator6mallocEmaP11CUstream_st",
		"/opt/server/bin/serve", false, false},
	{"_ZNK3c1010TensorImpl5sizesEv", "/opt/server/bin/serve", false, false},
	{"_ZN12_GLOBAL__N_14loadEv", "/opt/server/bin/serve", false, true},
	{"_ZN12_GLOBAL__N_117THPFunction_applyEP7_object", "serve.cpp", false, false},
	{"_ZNSt6vectorIfSaIfEE9push_backEOf", "/opt/server/bin/serve", false, false},
	{"_ZSt4moveIiEvv", "/opt/server/bin/serve", false, false},
	{"_Znwm", "/opt/server/bin/serve", false, false},
	{"_ZN6server5batchEv", "/opt/server/bin/serve", false, true},
	{"_ZN5torchEv", "/opt/server/bin/serve", false, false},
	{"_ZN8torchlet5batchEv", "/opt/server/bin/serve", false, true},
	{"_ZN99999999999999999999f", "/opt/server/bin/serve", false, true},
	{"libffi.so.8+0x6f7a", "/lib/x86_64-linux-gnu/libffi.so.8", false, false},
	{"ffi_call", "/lib/x86_64-linux-gnu/libffi.so.8", false, false},
	{"_ZN3rmm2mr6detail29callback_memory_resource_impl8allocateEmm", "/opt/r/lib/librmm.so", false,
		false},
	{"rmm::mr::device_memory_resource::allocate(unsigned long)", "/opt/r/serve", false, false},
	{"_Z5solvev", "/opt/server/bin/serve", false, true},
};

START_TEST(a_frame_is_judged_by_its_name_and_file)
{
	gs_snapshot s;
	gs_snapshot_init(&s);
	gs_id id = frame(&s, rows[_i].name, rows[_i].file, 7);
	ck_assert_msg(gs_frame_is_plumbing(&s, id) == rows[_i].plumbing, "plumbing: %s %s",
		rows[_i].name, rows[_i].file);
	ck_assert_msg(
		gs_frame_is_user(&s, id) == rows[_i].user, "user: %s %s", rows[_i].name, rows[_i].file);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_frame_that_was_judged_is_the_same_frame)
{
	gs_snapshot s;
	gs_snapshot_init(&s);
	gs_id user = frame(&s, "forward", "/home/someone/model.py", 12);
	gs_id other = frame(&s, "at::empty", "libtorch_cpu.so", 0);
	for (int twice = 0; twice < 2; twice++) {
		ck_assert(gs_frame_is_user(&s, user) && !gs_frame_is_user(&s, other));
		ck_assert(!gs_frame_is_plumbing(&s, user) && !gs_frame_is_library(&s, user));
		ck_assert(!gs_frame_is_compiled(&s, user) && !gs_frame_is_bare_node(&s, user));
	}
	ck_assert_uint_eq(frame(&s, "forward", "/home/someone/model.py", 12), user);
	ck_assert_uint_eq(frame(&s, "at::empty", "libtorch_cpu.so", 0), other);
	for (int i = 0; i < 5000; i++) { /* the table is made anew as it grows */
		char name[16];
		snprintf(name, sizeof name, "f%d", i);
		frame(&s, name, "/home/someone/model.py", i);
	}
	ck_assert_uint_eq(frame(&s, "forward", "/home/someone/model.py", 12), user);
	s.frames[user].class = GS_FRAME_CLASSED |
		GS_FRAME_LIBRARY; /* as where its words are taken out */
	ck_assert(!gs_frame_is_user(&s, user) && gs_frame_is_library(&s, user));
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(the_user_frame_is_the_innermost_of_the_users_own)
{
	gs_snapshot s;
	gs_snapshot_init(&s);
	gs_id torch = frame(&s, "linear", "/v/site-packages/torch/nn/functional.py", 1),
		  mine = frame(&s, "step", "train.py", 2), outer = frame(&s, "<module>", "train.py", 3);
	gs_id all[] = {torch, mine, outer}, none[] = {torch};
	ck_assert_uint_eq(gs_stack_user_frame(&s, gs_snapshot_stack(&s, all, 3)), mine);
	ck_assert_uint_eq(gs_stack_user_frame(&s, gs_snapshot_stack(&s, none, 1)), 0);
	ck_assert_uint_eq(gs_stack_user_frame(&s, 0), 0);
	gs_snapshot_release(&s);
}
END_TEST

/* Frames outside a node of autograd made it; they do not run. */
START_TEST(memory_of_the_backward_pass_is_the_gradient_of_a_forward_line)
{
	gs_snapshot s;
	gs_snapshot_init(&s);
	gs_id node = frame(&s, "AddmmBackward0", "", GS_NONE),
		  torch = frame(&s, "forward", "/v/site-packages/torch/nn/modules/linear.py", 134),
		  attend = frame(&s, "attend", "/srv/app/model.py", 49),
		  outer = frame(&s, "forward", "/srv/app/model.py", 53),
		  own = frame(&s, "backward", "/srv/app/ops.py", 12),
		  adds = frame(&s, "AccumulateGrad", "", GS_NONE),
		  twice = frame(&s, "TanhBackwardBackward0", "", GS_NONE),
		  scale = frame(&s, "CppNode<(anonymous namespace)::Scale>", "", GS_NONE),
		  word = frame(&s, "run", "/srv/my app/a b.py", 3);
	const struct {
		gs_id frames[4];
		size_t n;
		const char *where, *called_by;
	} stacks[] = {
		{{node, torch, attend, outer}, 4, "gradient of attend (model.py:49)", "AddmmBackward0"},
		{{node}, 1, "AddmmBackward0 (backward pass)", ""},
		{{twice, attend}, 2, "gradient of attend (model.py:49)", "TanhBackwardBackward0"},
		{{node, torch}, 2, "AddmmBackward0 (backward pass)", ""},
		{{adds}, 1, "AccumulateGrad (backward pass)", ""},
		{{scale, outer}, 2, "gradient of forward (model.py:53)",
			"CppNode<(anonymous namespace)::Scale>"},
		{{own, node, attend}, 3, "ops.py:12 backward", "gradient of attend (model.py:49)"},
		{{own, outer, node, attend}, 4, "ops.py:12 backward", "model.py:53 forward"},
		{{torch, node, word}, 3, "gradient of run (a b.py:3)", "AddmmBackward0"},
	};
	for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) {
		char where[GS_PLACE_TEXT], called_by[GS_PLACE_TEXT];
		ck_assert(gs_stack_place(
			&s, gs_snapshot_stack(&s, stacks[i].frames, stacks[i].n), where, called_by));
		ck_assert_str_eq(where, stacks[i].where);
		ck_assert_str_eq(called_by, stacks[i].called_by);
	}
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_stack_is_written_innermost_first_without_plumbing)
{
	gs_snapshot s;
	gs_snapshot_init(&s);
	gs_id a = frame(&s, "f", "a.py", 1), hidden = frame(&s, "PyObject_Call", "", GS_NONE),
		  b = frame(&s, "g", "b.py", GS_NONE);
	gs_id frames[] = {hidden, a, b}, only[] = {hidden};
	gs_id stack = gs_snapshot_stack(&s, frames, 3);
	char buf[64], small[8];

	ck_assert_uint_eq(gs_stack_text(&s, stack, false, buf, sizeof buf), 19);
	ck_assert_str_eq(buf, "f (a.py:1)\ng (b.py)");
	gs_stack_text(&s, stack, true, buf, sizeof buf);
	ck_assert_str_eq(buf, "PyObject_Call\nf (a.py:1)\ng (b.py)");
	gs_stack_text(&s, gs_snapshot_stack(&s, only, 1), false, buf, sizeof buf);
	ck_assert_str_eq(buf, "PyObject_Call");
	ck_assert_uint_eq(gs_stack_text(&s, stack, false, small, sizeof small), 19);
	ck_assert_str_eq(small, "f (a.py");
	ck_assert_uint_eq(gs_stack_text(&s, stack, false, NULL, 0), 19);
	gs_snapshot_release(&s);
}
END_TEST

static int sign(int order) { return (order > 0) - (order < 0); }

/* Every stack of up to three of these frames against every other: frames whose texts begin with
 * each other's, that are hidden, that hold what joins frames. */
START_TEST(stacks_are_in_the_order_of_their_texts)
{
	enum { FRAMES = 7, STACKS = FRAMES + FRAMES * FRAMES + FRAMES * FRAMES * FRAMES };
	static const char *names[FRAMES][2] = {{"f", ""}, {"f", "a.py"}, {"f\ng", ""}, {"g", ""},
		{"PyObject_Call", ""}, {"f\t", ""}, {"f\xc3\xa9", ""}};
	static char texts[STACKS][64];
	gs_id frames[FRAMES], stacks[STACKS];
	size_t n = 0;
	gs_snapshot s;
	gs_snapshot_init(&s);
	for (int i = 0; i < FRAMES; i++)
		frames[i] = frame(&s, names[i][0], names[i][1], i % 2 ? i : GS_NONE);
	for (int a = 0; a < FRAMES; a++)
		for (int b = -1; b < FRAMES; b++)
			for (int c = -1; c < (b < 0 ? 0 : FRAMES); c++) {
				gs_id of[] = {frames[a], frames[b < 0 ? 0 : b], frames[c < 0 ? 0 : c]};
				stacks[n++] = gs_snapshot_stack(&s, of, 1 + (b >= 0) + (c >= 0));
			}
	ck_assert_uint_eq(n, STACKS);
	for (size_t i = 0; i < n; i++)
		gs_stack_text(&s, stacks[i], false, texts[i], sizeof texts[i]);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++) {
			int wanted = sign(strcmp(texts[i], texts[k])),
				got = sign(gs_stack_order(&s, stacks[i], stacks[k]));
			if (wanted ? got != wanted : (got == 0) != (i == k))
				ck_abort_msg("\"%s\" and \"%s\": %d", texts[i], texts[k], got);
		}
	gs_snapshot_release(&s);
}
END_TEST

Suite *suite_frames(void);
Suite *suite_frames(void)
{
	Suite *s = suite_create("frames");
	TCase *t = tcase_create("frames");
	tcase_add_loop_test(t, a_frame_is_judged_by_its_name_and_file, 0, sizeof rows / sizeof *rows);
	tcase_add_test(t, a_frame_that_was_judged_is_the_same_frame);
	tcase_add_test(t, the_user_frame_is_the_innermost_of_the_users_own);
	tcase_add_test(t, memory_of_the_backward_pass_is_the_gradient_of_a_forward_line);
	tcase_add_test(t, a_stack_is_written_innermost_first_without_plumbing);
	tcase_add_test(t, stacks_are_in_the_order_of_their_texts);
	suite_add_tcase(s, t);
	return s;
}
