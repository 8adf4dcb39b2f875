/* The browser of the machine that the command runs on. */
#ifndef GS_TOOLS_BROWSER_H
#define GS_TOOLS_BROWSER_H

#include <stdbool.h>

/* Opens an address or a file: by $BROWSER, else by the desktop's opener where there is a display.
 * Returns false where there is neither. It does not wait for the browser. */
bool gs_browser_open(const char *address);

#endif
