/* How another process sees that this one dumps when it is sent a signal, and where the dumps went:
 * a page of shared memory behind a descriptor without a name, /proc/PID/fd/N → /memfd:gpusnap.
 *
 * A round is one answer to a signal: begin, the path of each dump, end. The owner's functions are
 * for one thread at a time; what readers look at is atomic. */
#ifndef GS_RECORDER_DUMP_ASKED_H
#define GS_RECORDER_DUMP_ASKED_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#define GS_ASKED_NAME "gpusnap"                     /* of the memory */
#define GS_ASKED_MAGIC UINT64_C(0x31444b4153415347) /* "GSASAKD1" */

/* Little-endian as the machine; append only. */
typedef struct gs_asked {
	uint64_t magic;
	int32_t pid, number;           /* the process, the signal; 0: it is caught no more */
	_Atomic uint32_t listeners;    /* whoever would dump; 0: nothing is recorded yet */
	_Atomic uint32_t begun, ended; /* rounds */
	uint32_t npaths;               /* of the last round; each ends with a NUL in text */
	uint32_t length;
	char text[32 << 10];
} gs_asked;

/* Makes the page for this process, or makes it anew (in a forked child). Where there is no memory
 * for it the process just cannot be asked. */
void gs_asked_open(int number);
void gs_asked_close(void);           /* the signal is caught no more */
void gs_asked_listeners(uint32_t n); /* so many would dump */

/* A round; paths beyond what the text has room for are left out. */
void gs_asked_begin(void);
void gs_asked_path(const char *path);
void gs_asked_end(void);

#endif
