/* Who holds memory of a heap's device beside it. */
#ifndef GS_RECORDER_API_HEAP_OUTSIDERS_H
#define GS_RECORDER_API_HEAP_OUTSIDERS_H

#include "recorder/dump/staging.h"

/* Loads what is asked later, so that nothing is loaded at a failure or under a lock. Once, before
 * the heap is in use. */
void gs_heap_outsiders_prepare(void);

/* Fills s->outside with the other processes on the device at that PCI address ("0000:17:00.0"), as
 * NVML tells them; held: bytes that this process holds there at least. Thread-safe. */
void gs_staging_processes(gs_staging *s, int32_t device, const char *pci, int64_t held);

/* Fills s->outside of a copied state of the device at that PCI address: other
 * processes, where NVML tells, and the libraries whose driver calls the preload has seen. Takes
 * milliseconds. Thread-safe. */
void gs_heap_outsiders_ask(gs_staging *s, int32_t device, const char *pci, int64_t capacity);

/* The libraries alone, anew: no driver is asked, which may be gone where a process ends. */
void gs_heap_outsiders_again(gs_staging *s, int32_t device, int64_t capacity);

#endif
