#include "tools/browser.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

extern char **environ;

static bool is_set(const char *name)
{
	const char *value = getenv(name);
	return value && *value;
}

/* Its output stays away from the command's. */
static bool start(const char *program, const char *address)
{
	char *words[] = {(char *)(uintptr_t)program, (char *)(uintptr_t)address, NULL};
	posix_spawn_file_actions_t actions;
	pid_t child;
	if (posix_spawn_file_actions_init(&actions))
		return false;
	for (int fd = 0; fd < 3; fd++)
		posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", fd ? O_WRONLY : O_RDONLY, 0);
	bool started = !posix_spawnp(&child, program, &actions, NULL, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	return started;
}

bool gs_browser_open(const char *address)
{
	if (is_set("BROWSER"))
		return start(getenv("BROWSER"), address);
	return (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")) && start("xdg-open", address);
}
