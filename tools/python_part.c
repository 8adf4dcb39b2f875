#include "tools/python_part.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/beside.h"
#include "tools/message.h"

/* Arguments: the module, what to install, the package beside the command ("" none), the rest. The
 * folder that the user stands in is no place to import from. */
static const char start[] =
	"import importlib, sys\n"
	"sys.path[:] = [p for p in sys.path if p]\n"
	"_, module, what, folder, *rest = sys.argv\n"
	"if folder: sys.path.append(folder)\n"
	"try:\n"
	"    part = importlib.import_module('gpusnap.' + module)\n"
	"except ImportError as e:\n"
	"    if sys.version_info < (3, 9): e = 'it is older than 3.9'\n"
	"    sys.exit(f\"gpusnap: {module}: {sys.executable} lacks gpusnap's Python package ({e}): "
	"pip install '{what}'\")\n"
	"sys.argv[:] = ['gpusnap ' + module, *rest]\n"
	"sys.exit(part.main(rest))\n";

static const char *const pythons[] = {"python3", "python", NULL};

/* As built; as make install puts it. pip's and Debian's Python know it themselves. */
static const char *const packages[] = {
	"../tools/python/gpusnap/__init__.py", "../lib/gpusnap/python/gpusnap/__init__.py", NULL};

static const char *package_folder(char path[PATH_MAX])
{
	if (!gs_beside_command(packages, path, PATH_MAX))
		return "";
	for (int up = 0; up < 2; up++)
		*strrchr(path, '/') = '\0';
	return path;
}

int gs_python_part(const char *module, const char *what, int n, char **arguments)
{
	char python[PATH_MAX], package[PATH_MAX];
	const char *fixed[] = {"python3", "-c", start, module, what, package_folder(package)};
	size_t nfixed = sizeof fixed / sizeof *fixed;
	char **all = calloc(nfixed + (size_t)n + 1, sizeof *all);
	gs_error err = GS_ERROR_INIT;
	if (all) {
		memcpy(all, fixed, sizeof fixed);
		memcpy(all + nfixed, arguments, (size_t)n * sizeof *all);
		if (gs_beside_command(pythons, python, sizeof python)) {
			all[0] = python;
			execv(python, all);
		}
		execvp("python3", all);
		free(all);
	}
	gs_fail(&err, GS_IO, "it needs Python and its package (pip install '%s'), and python3: %s",
		what, strerror(errno));
	return gs_fail_file(module, &err, NULL);
}
