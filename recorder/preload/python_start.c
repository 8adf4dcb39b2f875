/* Python programs under `gpusnap run`: our package is told before the program's first line.
 *
 * Asked for through Python's audit hooks (PEP 578), which may be added before the interpreter
 * begins: so neither the program's variables nor its paths are changed, and `python -E`, `-I` and
 * `-S` make no difference. The hook waits for the event that the interpreter raises before it runs
 * the program; where a program embeds Python and has no such event, for the first import of torch.
 * Python is not linked: its functions are looked up in the process. */
#include <dlfcn.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/preload/hook.h"

typedef void object;
typedef int audit_hook(const char *event, object *arguments, void *user);

enum { FILE_INPUT = 257 }; /* Py_file_input */

static char package[PATH_MAX]; /* where it lies */
static _Atomic bool begun;

static struct {
	int (*add)(audit_hook *, void *);
	object *(*item)(object *, ssize_t); /* borrowed */
	const char *(*utf8)(object *);
	object *(*new_dict)(void);
	int (*put)(object *, const char *, object *);
	object *(*decode)(const char *);
	object *(*run)(const char *, int, object *, object *, void *);
	void (*decref)(object *);
	void (*clear_error)(void);
} py;

static bool find_symbol(const char *name, void *slot)
{
	void *f = gs_hook_dlsym(RTLD_DEFAULT, name);
	memcpy(slot, &f, sizeof f);
	return f != NULL;
}

static bool find_all(void)
{
	return find_symbol("PySys_AddAuditHook", &py.add) && find_symbol("PyTuple_GetItem", &py.item) &&
		find_symbol("PyUnicode_AsUTF8", &py.utf8) && find_symbol("PyDict_New", &py.new_dict) &&
		find_symbol("PyDict_SetItemString", &py.put) &&
		find_symbol("PyUnicode_DecodeFSDefault", &py.decode) &&
		find_symbol("PyRun_StringFlags", &py.run) && find_symbol("Py_DecRef", &py.decref) &&
		find_symbol("PyErr_Clear", &py.clear_error);
}

/* Runs start.py's begin(). Whatever goes wrong there is the package's to tell. */
static void begin(void)
{
	static const char code[] =
		"import os\n"
		"with open(os.path.join(folder, 'start.py'), encoding='utf-8') as f:\n"
		"    exec(compile(f.read(), f.name, 'exec'))\n"
		"begin(folder)\n";
	object *names = py.new_dict(), *folder = names ? py.decode(package) : NULL, *done = NULL;
	if (folder && !py.put(names, "folder", folder))
		done = py.run(code, FILE_INPUT, names, names, NULL);
	if (!done)
		py.clear_error();
	if (done)
		py.decref(done);
	if (folder)
		py.decref(folder);
	if (names)
		py.decref(names);
}

static bool imports_torch(object *arguments)
{
	object *first = py.item(arguments, 0);
	const char *name = first ? py.utf8(first) : NULL;
	if (!name)
		py.clear_error();
	return name && !strcmp(name, "torch");
}

/* The interpreter lock is held, and an error set here would reach the program. */
static int on_event(const char *event, object *arguments, void *user)
{
	(void)user;
	if (atomic_load_explicit(&begun, memory_order_relaxed) || (event[0] != 'c' && event[0] != 'i'))
		return 0;
	bool now = !strncmp(event, "cpython.run_", 12) ||
		(!strcmp(event, "import") && imports_torch(arguments));
	if (now && !atomic_exchange(&begun, true))
		begin();
	return 0;
}

/* The package: beside the build folder, as make install puts it below this library, as pip puts
 * this library into it, as Debian has it. */
static bool find_package(void)
{
	static const char *const places[] = {"../tools/python/gpusnap", "python/gpusnap", "../gpusnap",
		"../python3/dist-packages/gpusnap"};
	Dl_info about;
	char start[PATH_MAX + 16];
	const char *end;
	if (!dladdr((void *)package, &about) || !about.dli_fname ||
		!(end = strrchr(about.dli_fname, '/')))
		return false;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		snprintf(package, sizeof package, "%.*s/%s", (int)(end - about.dli_fname), about.dli_fname,
			places[i]);
		snprintf(start, sizeof start, "%s/start.py", package);
		if (!access(start, R_OK))
			return true;
	}
	return false;
}

__attribute__((constructor)) static void listen_to_python(void)
{
	const char *off = getenv("GPUSNAP_DISABLE");
	if ((!off || !*off || !strcmp(off, "0")) && find_all() && find_package())
		py.add(on_event, NULL);
}
