#include "recorder/pool/sim_device.h"

#include <stdlib.h>

#include "recorder/pool/set.h"

#define FIRST_ADDRESS UINT64_C(0x7f0000000000)
#define DEVICE_STEP (UINT64_C(1) << 40)
#define FIRST_RESERVATION UINT64_C(0x600000000000)
#define RESERVATION_STEP (UINT64_C(1) << 32)
#define PAGE (UINT64_C(2) << 20)

typedef struct range {
	gs_node node; /* by address */
	uint64_t size;
} range;

typedef struct sim_event {
	struct sim_event *next, *prev; /* of those in use */
	bool ready;
} sim_event;

struct gs_sim {
	gs_sim_config config;
	gs_set ranges;
	uint64_t used;
	uint64_t next_reservation;
	uint64_t hint; /* no gap of a page or more lies before it */
	sim_event *events;
	sim_event *spare;
	uint32_t refuse;
};

static uint64_t up(uint64_t n, uint64_t to) { return (n + to - 1) / to * to; }

gs_status gs_sim_init(gs_sim **sim, const gs_sim_config *config)
{
	gs_sim *s = calloc(1, sizeof *s);
	if (!s)
		return GS_NO_MEMORY;
	s->config = *config;
	s->ranges.by_place = true;
	s->next_reservation = FIRST_RESERVATION;
	s->hint = FIRST_ADDRESS + (uint64_t)config->number * DEVICE_STEP;
	*sim = s;
	return GS_OK;
}

static void free_events(sim_event *e)
{
	while (e) {
		sim_event *next = e->next;
		free(e);
		e = next;
	}
}

void gs_sim_release(gs_sim *s)
{
	if (!s)
		return;
	for (gs_node *n; (n = gs_set_first(&s->ranges));) {
		gs_set_erase(&s->ranges, n);
		free(n);
	}
	free_events(s->events);
	free_events(s->spare);
	free(s);
}

static bool is_short(gs_sim *s, uint64_t bytes)
{
	uint64_t taken = s->used + s->config.other;
	if (taken > s->config.capacity || bytes > s->config.capacity - taken)
		return true;
	if (!s->refuse)
		return false;
	s->refuse--;
	return true;
}

static gs_status add_range(gs_sim *s, uint64_t address, uint64_t bytes)
{
	range *r = malloc(sizeof *r);
	if (!r)
		return GS_NO_MEMORY;
	*r = (range){.node = {.address = address}, .size = bytes};
	gs_set_insert(&s->ranges, &r->node);
	s->used += up(bytes, PAGE);
	return GS_OK;
}

static uint64_t end_of(const gs_node *n) { return up(n->address + ((const range *)n)->size, PAGE); }

/* The first gap of bytes at or behind `at`. */
static uint64_t first_fit(gs_sim *s, uint64_t at, uint64_t bytes)
{
	gs_node *n = gs_set_covering(&s->ranges, 0, at);
	if (n && end_of(n) > at)
		at = end_of(n);
	n = n ? gs_set_next(n) : gs_set_first(&s->ranges);
	for (; n && n->address < at + bytes; n = gs_set_next(n))
		if (end_of(n) > at)
			at = end_of(n);
	return at;
}

static gs_status sim_mem_alloc(void *device, uint64_t bytes, uint64_t *address)
{
	gs_sim *s = device;
	uint64_t need = up(bytes, PAGE);
	if (is_short(s, need))
		return GS_DEVICE_MEMORY;
	s->hint = first_fit(s, s->hint, PAGE);
	uint64_t at = first_fit(s, s->hint, need);
	gs_status status = add_range(s, at, bytes);
	if (!status)
		*address = at;
	return status;
}

static gs_status sim_mem_free(void *device, uint64_t address, uint64_t bytes)
{
	gs_sim *s = device;
	(void)bytes;
	gs_node *n = gs_set_covering(&s->ranges, 0, address);
	if (!n || n->address != address)
		return GS_DEVICE;
	gs_set_erase(&s->ranges, n);
	s->used -= up(((range *)n)->size, PAGE);
	if (address >= FIRST_ADDRESS + (uint64_t)s->config.number * DEVICE_STEP && address < s->hint)
		s->hint = address;
	free(n);
	return GS_OK;
}

static gs_status sim_mem_info(void *device, uint64_t *free_bytes, uint64_t *total_bytes)
{
	gs_sim *s = device;
	uint64_t taken = s->used + s->config.other;
	*total_bytes = s->config.capacity;
	*free_bytes = taken < s->config.capacity ? s->config.capacity - taken : 0;
	return GS_OK;
}

static gs_status sim_reserve(void *device, uint64_t bytes, uint64_t *address)
{
	gs_sim *s = device;
	*address = s->next_reservation;
	s->next_reservation += up(bytes, RESERVATION_STEP);
	return GS_OK;
}

static gs_status sim_map(
	void *device, uint64_t address, uint64_t page, uint32_t pages, uint64_t *handles)
{
	gs_sim *s = device;
	(void)address;
	if (is_short(s, page * pages))
		return GS_DEVICE_MEMORY;
	s->used += page * pages;
	for (uint32_t i = 0; i < pages; i++)
		handles[i] = 1;
	return GS_OK;
}

static gs_status sim_unmap(
	void *device, uint64_t address, uint64_t page, uint32_t pages, const uint64_t *handles)
{
	gs_sim *s = device;
	(void)address;
	for (uint32_t i = 0; i < pages; i++)
		if (handles[i] != 1)
			return GS_DEVICE;
	s->used -= page * pages;
	return GS_OK;
}

static gs_status sim_unreserve(void *device, uint64_t address, uint64_t bytes)
{
	(void)device;
	(void)address;
	(void)bytes;
	return GS_OK;
}

static gs_status sim_event_record(void *device, uint64_t stream, uint64_t *event)
{
	gs_sim *s = device;
	(void)stream;
	sim_event *e = s->spare;
	if (e)
		s->spare = e->next;
	else if (!(e = malloc(sizeof *e)))
		return GS_NO_MEMORY;
	*e = (sim_event){.next = s->events, .ready = !s->config.lazy_events};
	if (e->next)
		e->next->prev = e;
	s->events = e;
	*event = (uintptr_t)e;
	return GS_OK;
}

static gs_status sim_event_query(void *device, uint64_t event, bool *ready)
{
	(void)device;
	*ready = ((sim_event *)(uintptr_t)event)->ready;
	return GS_OK;
}

static gs_status sim_event_sync(void *device, uint64_t event)
{
	(void)device;
	((sim_event *)(uintptr_t)event)->ready = true;
	return GS_OK;
}

static void sim_event_release(void *device, uint64_t event)
{
	gs_sim *s = device;
	sim_event *e = (sim_event *)(uintptr_t)event;
	if (e->prev)
		e->prev->next = e->next;
	else
		s->events = e->next;
	if (e->next)
		e->next->prev = e->prev;
	e->next = s->spare;
	s->spare = e;
}

void gs_sim_complete(gs_sim *s)
{
	for (sim_event *e = s->events; e; e = e->next)
		e->ready = true;
}

static gs_status sim_stream_sync(void *device, uint64_t stream)
{
	(void)stream;
	gs_sim_complete(device);
	return GS_OK;
}

uint64_t gs_sim_used(const gs_sim *s) { return s->used; }

gs_status gs_sim_adopt(gs_sim *s, uint64_t address, uint64_t bytes)
{
	const gs_node *n = gs_set_covering(&s->ranges, 0, address);
	const gs_node *next = n ? gs_set_next(n) : gs_set_first(&s->ranges);
	if ((n && n->address + ((const range *)n)->size > address) ||
		(next && next->address < address + bytes))
		return GS_EXISTS;
	return add_range(s, address, bytes);
}

gs_status gs_sim_adopt_reservation(gs_sim *s, uint64_t address, uint64_t bytes, uint64_t mapped)
{
	s->used += mapped;
	if (address + bytes > s->next_reservation &&
		address < s->next_reservation + (bytes > RESERVATION_STEP ? bytes : RESERVATION_STEP))
		s->next_reservation = up(address + bytes, RESERVATION_STEP);
	return GS_OK;
}

void gs_sim_refuse(gs_sim *s, uint32_t n) { s->refuse = n; }

const gs_device_ops gs_sim_ops = {
	.name = "simulated",
	.mem_alloc = sim_mem_alloc,
	.mem_free = sim_mem_free,
	.mem_info = sim_mem_info,
	.reserve = sim_reserve,
	.map = sim_map,
	.unmap = sim_unmap,
	.unreserve = sim_unreserve,
	.event_record = sim_event_record,
	.event_query = sim_event_query,
	.event_sync = sim_event_sync,
	.event_release = sim_event_release,
	.stream_sync = sim_stream_sync,
};
