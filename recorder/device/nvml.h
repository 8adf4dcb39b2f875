/* Who holds memory of a device, as NVIDIA's management library tells. */
#ifndef GS_RECORDER_DEVICE_NVML_H
#define GS_RECORDER_DEVICE_NVML_H

#include <stdbool.h>
#include <stdint.h>

enum { GS_NVML_PROCESSES = 256 };

typedef struct gs_nvml_process {
	uint32_t pid;
	int64_t bytes; /* GS_NONE: not told */
	bool own;      /* this process */
	char name[96]; /* of its program, "" unknown */
} gs_nvml_process;

/* Loads the library now: it may take memory and milliseconds. Thread-safe. */
void gs_nvml_load(void);

/* Fills at most cap (≤ GS_NVML_PROCESSES) rows; returns how many, or -1 where nothing is told or
 * where this process is not known among them. uuid: "GPU-…"; pci: "0000:17:00.0"; each may be NULL
 * or
 * "". held: bytes that this process holds at least.
 *
 * In a container the library tells the host's process ids. This process is then the only one that
 * holds that much, or the only one at all; where several may be, none is taken for it. Loads the
 * library at first use. Thread-safe. */
int gs_nvml_processes(
	const char *uuid, const char *pci, int64_t held, gs_nvml_process *rows, int cap);

#endif
