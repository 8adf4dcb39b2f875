/* Whose code a frame is, by the words of its name and file. */
#include "analyzer/model/frame_origin.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The lists of torch/cuda/_memory_viz.py (a frame is hidden if its name or file contains one of
 * these). */
static const char *const hidden_names[] = {"unwind::unwind", "CapturedTraceback::gather",
	"gather_with_cpp", "_start", "__libc_start_main", "PyEval_", "PyObject_", "PyFunction_", NULL};

static const char *const hidden_files[] = {"core/boxing", "/Register", "/Redispatch", "pythonrun.c",
	"Modules/main.c", "Objects/call.c", "Objects/methodobject.c", "pycore_ceval.h", "ceval.c",
	"cpython/abstract.h", NULL};

/* Native code that belongs to a framework, the C and C++ libraries, the interpreter or to our own
 * recorder. */
static const char *const native_prefixes[] = {"__clone", "__GI_", "__libc_",
	"c10::", "c10d::", "at::", "torch::", "pybind11::", "std::", "rmm::", "caffe2::", "Py", "_Py",
	"cuda", "cuMem", "start_thread", "clone", "gpusnap_", "THP", "THCP",
	"execute_native_thread_routine", "method_vectorcall", "cfunction_", "_object_call",
	"context_run", "pymain_", "slot_tp_", "vectorcall_", "builtin_", "type_call", NULL};

static const char *const native_files[] = {"torch/csrc/", "aten/src/", "/c10/", "c10/core",
	"c10/cuda", "pybind11", "libtorch", "libc10", "libpython", "libstdc++", "libffi", "librmm",
	"libc.so", "libc-start", "libpthread", "libcudart", "libcuda.so", "libgpusnap", "/include/c++/",
	"Objects/", "Python/ceval", "Python/bltinmodule", "Python/context.c", "Python/pylifecycle",
	"Python/import.c", "Modules/", NULL};

static bool contains_any(const char *text, const char *const *list)
{
	for (; *list; list++)
		if (strstr(text, *list))
			return true;
	return false;
}

static bool starts_with_any(const char *text, const char *const *list)
{
	for (; *list; list++)
		if (!strncmp(text, *list, strlen(*list)))
			return true;
	return false;
}

/* Libraries whose frames name no place of a model: PyTorch's own. */
static const char *const torch_files[] = {
	"-packages/torch/", "-packages/functorch/", "-packages/torch_xla/", "-packages/triton/", NULL};

/* Lower case, one kind of slash, so that Windows paths are judged by the same words. */
static void plain_path(const char *file, char *buf, size_t cap)
{
	size_t i = 0;
	for (; file[i] && i + 1 < cap; i++)
		buf[i] = file[i] == '\\' ? '/' : (char)tolower((unsigned char)file[i]);
	buf[i] = 0;
}

/* A path of the standard library: …/lib/python3.11/…, …/python311.zip/…, and on Windows …/lib/…
 * below a folder of Python, conda or an environment. */
static bool in_standard_library(const char *path, bool windows)
{
	const char *p = strstr(path, "/lib/python");
	if (p && isdigit((unsigned char)p[11]))
		return true;
	if ((p = strstr(path, "/lib64/python")) && isdigit((unsigned char)p[13]))
		return true;
	if ((p = strstr(path, "python3")) && strstr(p, ".zip/"))
		return true;
	const char *lib = windows ? strstr(path, "/lib/") : NULL;
	if (!lib)
		return false;
	for (p = path; p < lib; p++)
		if (!strncmp(p, "python", 6) || !strncmp(p, "conda", 5) || !strncmp(p, "/envs/", 6))
			return true;
	return false;
}

static bool is_python_file(const char *path)
{
	size_t n = strlen(path);
	return (n > 3 && !strcmp(path + n - 3, ".py")) || (n > 4 && !strcmp(path + n - 4, ".pyx")) ||
		path[0] == '<';
}

/* A C++ name without the return type that a template's carries: "_object* torch::f<…>(…)" from
 * torch on. */
static const char *without_type(const char *name)
{
	static const char nameless[] = "(anonymous namespace)::";
	name += strncmp(name, nameless, sizeof nameless - 1) ? 0 : sizeof nameless - 1;
	const char *start = name, *end = name + strcspn(name, "(<");
	for (const char *p = name; p < end; p++)
		if (*p == ' ' && p + 1 < end)
			start = p + 1;
	return start;
}

/* One name of a mangled C++ one: its length in digits, then itself. NULL where there is none. */
static const char *mangled_part(const char *p, size_t *n)
{
	for (*n = 0; isdigit((unsigned char)*p) && *n < 1000; p++)
		*n = *n * 10 + (size_t)(*p - '0');
	return *n && strlen(p) >= *n ? p : NULL;
}

/* Of a mangled C++ name the outermost part as source has it: "torch::" of _ZN5torch4cuda…, "std::"
 * of _ZSt…, "f" of _Z1fv. False where it is none of these. */
static bool mangled_start(const char *name, char *buf, size_t cap)
{
	static const char nameless[] = "_GLOBAL__N_1";
	if (strncmp(name, "_Z", 2))
		return false;
	const char *p = name + 2 + strspn(name + 2, "L");
	bool nested = *p == 'N';
	p += nested ? 1 + strspn(p + 1, "KVrRO") : 0;
	if (!strncmp(p, "St", 2))
		return (size_t)snprintf(buf, cap, "std::") < cap;
	size_t n;
	p = mangled_part(p + strspn(p, "L"), &n);
	if (p && nested && n == sizeof nameless - 1 && !strncmp(p, nameless, n))
		p = mangled_part(p + n, &n);
	return p && (size_t)snprintf(buf, cap, "%.*s%s", (int)n, p, nested ? "::" : "") < cap;
}

/* Whether the code belongs to a framework, the C or C++ libraries, the interpreter or to us, by its
 * name, which a recorder that has no symbols at hand leaves mangled. */
static bool is_native_name(const char *name)
{
	char start[256];
	if (!strncmp(name, "operator new", 12) || !strncmp(name, "_Znw", 4) ||
		!strncmp(name, "_Zna", 4))
		return true;
	return starts_with_any(
		mangled_start(name, start, sizeof start) ? start : without_type(name), native_prefixes);
}

/* torch.profiler writes `file(line): function` as the function and "none" as the file, without the
 * folder in which Python found the file. */
static bool is_profiled_user(const char *name)
{
	char path[1024];
	const char *end = strstr(name, "): "), *open = end;
	while (open && open > name && *open != '(')
		open--;
	if (!open || *open != '(' || (size_t)(open - name) >= sizeof path)
		return false;
	memcpy(path, name, (size_t)(open - name));
	path[open - name] = 0;
	return is_python_file(path) && strncmp(path, "torch/", 6) && strncmp(path, "<built-in", 9) &&
		strncmp(path, "<frozen", 7) && !strstr(path, "site-packages") &&
		!in_standard_library(path, false);
}

bool gs_origin_is_plumbing(const char *name, const char *file)
{
	return contains_any(name, hidden_names) || contains_any(file, hidden_files);
}

/* Python that no file of the user's holds: installed, of a debugger that an editor brings along, or
 * made as the program runs. */
static bool is_others_python(const char *path, bool windows)
{
	return strstr(path, "site-packages") || strstr(path, "dist-packages") ||
		in_standard_library(path, windows) || strstr(path, "/pydev_") || strstr(path, "/pydevd") ||
		strstr(path, "/debugpy/") || !strncmp(path, "<frozen", 7) ||
		!strncmp(path, "<eval_with_key", 14) || !strncmp(path, "<__array_function__", 19) ||
		strstr(path, "/torchinductor_");
}

bool gs_origin_is_user(const char *name, const char *file)
{
	char path[1024];
	if (!*file || !strcmp(file, "??"))
		return false;
	if (!strcmp(file, "none"))
		return is_profiled_user(name);
	plain_path(file, path, sizeof path);
	if (is_others_python(path, strchr(file, '\\') != NULL))
		return false;
	if (is_python_file(path))
		return true;
	return !gs_origin_is_plumbing(name, file) && !is_native_name(name) &&
		!contains_any(file, native_files);
}

bool gs_origin_is_compiled(const char *file)
{
	char path[1024];
	plain_path(file, path, sizeof path);
	return is_python_file(path) && strstr(path, "/torchinductor_");
}

bool gs_origin_is_library(const char *file)
{
	char path[1024];
	plain_path(file, path, sizeof path);
	return is_python_file(path) && path[0] != '<' &&
		(strstr(path, "site-packages/") || strstr(path, "dist-packages/")) &&
		!contains_any(path, torch_files);
}

/* Of functions that programs define the class and "Backward"; templates keep their arguments. */
size_t gs_origin_bare_node(const char *name, const char *file)
{
	static const char *const others[] = {"AccumulateGrad", "CopySlices", "CopyBackwards"};
	const char *end = strstr(name, "Backward");
	if (*file || !*name)
		return 0;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!strcmp(name, others[i]))
			return strlen(name);
	if (!strncmp(name, "CppNode<", 8))
		return strlen(name);
	if (!end || strpbrk(name, ":(. "))
		return 0;
	for (const char *next; (next = strstr(end + 1, "Backward"));)
		end = next; /* TanhBackwardBackward0 */
	end += 8 + strspn(end + 8, "0123456789");
	return *end ? 0 : (size_t)(end - name);
}
