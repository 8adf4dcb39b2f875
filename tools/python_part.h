/* Commands that live in the Python package: the process becomes Python. */
#ifndef GS_TOOLS_PYTHON_PART_H
#define GS_TOOLS_PYTHON_PART_H

/* Ends as `python -m gpusnap.MODULE ARGUMENT…` does. Python is the one beside the command (pip puts
 * both into one folder), else python3 on PATH; the package the one that this Python has, else the
 * one that was installed with the command. module, which is also the command's name, has a function
 * main(arguments) that returns the exit status. Returns only, with GS_EXIT_FAILED and a line on
 * stderr, where there is no Python; without the package Python itself says how to get it, `pip
 * install 'WHAT'`, and ends with 1. */
int gs_python_part(const char *module, const char *what, int n, char **arguments);

#endif
