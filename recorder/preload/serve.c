/* Serving from the pool. */
#include "recorder/preload/serve.h"

bool gs_serve_alloc(size_t bytes, unsigned long long *address, int *result) { (void)bytes; (void)address; (void)result; return false; }
bool gs_serve_free(uint64_t address, int *result) { (void)address; (void)result; return false; }
bool gs_serve_range(uint64_t address, uint64_t *start, uint64_t *bytes) { (void)address; (void)start; (void)bytes; return false; }
bool gs_serve_refuses_export(uint64_t address) { (void)address; return false; }
