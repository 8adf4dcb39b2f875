/* The few questions the preload asks of the driver itself, by the functions that the program's
 * libcuda.so.1 has. Thread-safe; no call is recorded. */
#ifndef GS_RECORDER_PRELOAD_DRIVER_QUERY_H
#define GS_RECORDER_PRELOAD_DRIVER_QUERY_H

#include <stdint.h>

typedef struct gs_driver_device {
	char name[128];
	char driver[16];  /* "13.0" */
	char pci[16];     /* "0000:17:00.0" */
	int64_t capacity; /* GS_NONE unknown */
} gs_driver_device;

/* The calling thread's current device, −1 where there is none (no driver, no context). */
int gs_driver_current_device(void);

/* Name, driver version, capacity; what cannot be told is empty. */
void gs_driver_read(gs_driver_device *c, int device);

/* Free and total bytes of the current device; left as they are where the driver does not tell. */
void gs_driver_memory(uint64_t *free_bytes, uint64_t *total);

/* Waits for all work of the current context. */
void gs_driver_synchronize(void);

#endif
