/* Opening, closing, and what every call needs. */
#include "recorder/api/recorder.h"

#include <string.h>

#include "recorder/api/fork.h"
#include "recorder/api/signal.h"
#include "recorder/capture/python_hook.h"

enum { PLACES_UNCHECKED = 64 }; /* a look at the clock costs as much as a stack that is known */

static _Atomic uint32_t last_serial;

static void on_signal(void *arg) { gs_recorder_dump_all(arg, GS_DUMP_SIGNAL); }

void gs_recorder_release(gs_recorder *r)
{
	if (r->listens)
		gs_signal_remove(on_signal, r);
	for (uint32_t i = 0; r->stream && i < GS_DEVICES_MAX; i++)
		if (r->heaps[i])
			gs_heap_end_stream(r->heaps[i]);
	gs_stream_close(r->stream);
	gs_fork_forget(r);
	for (uint32_t i = 0; i < GS_DEVICES_MAX; i++) {
		gs_heap *h = r->heaps[i];
		if (!h)
			continue;
		gs_heap_release(h);
		gs_pages_give(&r->pages, h, sizeof *h);
	}
	gs_dumper_release(&r->dumper);
	gs_tables_release(&r->tables);
	memset(r, 0, sizeof *r);
}

gs_status gs_recorder_init(
	gs_recorder *r, const gs_config *config, uint64_t manual_ns, gs_error *err)
{
	memset(r, 0, sizeof *r);
	r->config = *config;
	do
		r->serial = atomic_fetch_add(&last_serial, 1) + 1;
	while (!r->serial);
	if (manual_ns)
		gs_clock_init_manual(&r->clock, manual_ns);
	else
		gs_clock_init(&r->clock);
	if (config->disable)
		return GS_OK;
	gs_status status = gs_tables_init(&r->tables, &gs_tables_default, &r->pages);
	if (!status)
		status = gs_dumper_init(&r->dumper, &r->config, &r->tables, &r->clock, &r->pages);
	if (status) {
		gs_fail(err, status, "no memory for the recorder's tables");
		gs_recorder_release(r);
		return status;
	}
	if (config->stacks & GS_STACKS_C)
		gs_unwind_prepare();
	gs_fork_remember(r);
	if (config->signal && (status = gs_signal_add(config->signal, on_signal, r, err)))
		gs_recorder_release(r);
	r->listens = config->signal && !status;
	return status;
}

gs_stream *gs_recorder_stream(gs_recorder *r)
{
	if (r->stream || r->no_stream || !r->config.stream[0] || r->config.disable)
		return r->stream;
	gs_stream *stream = gs_stream_open(&r->config, &r->tables, &r->clock, &r->pages);
	r->no_stream = !stream;
	if (stream)
		gs_stream_watch_marks(stream, &r->dumper.marks);
	gs_fork_hold();
	r->stream = stream;
	gs_fork_let();
	return stream;
}

gs_status gs_recorder_add_device(gs_recorder *r, gs_heap_config *config, gs_error *err)
{
	if ((uint32_t)config->number >= GS_DEVICES_MAX)
		return gs_fail(err, GS_INVALID, "device number %d is not from 0 to %d", config->number,
			GS_DEVICES_MAX - 1);
	if (r->heaps[config->number])
		return gs_fail(err, GS_EXISTS, "device %d is there already", config->number);
	gs_heap *h = gs_pages_take(&r->pages, sizeof *h);
	if (!h)
		return gs_fail(err, GS_NO_MEMORY, "no memory for device %d", config->number);
	config->events = r->config.events;
	config->record = !r->config.disable;
	config->every_oom = r->config.every_oom;
	config->settings = r->config.conf;
	gs_status status = gs_heap_init(h, config, &r->dumper, &r->pages, err);
	if (status) {
		gs_pages_give(&r->pages, h, sizeof *h);
		return status;
	}
	if (gs_recorder_stream(r))
		gs_heap_stream(h, r->stream);
	gs_fork_hold();
	atomic_store_explicit(&r->heaps[config->number], h, memory_order_release);
	gs_fork_let();
	return GS_OK;
}

void gs_recorder_set_hook(gs_recorder *r, gs_stack_hook *hook, void *arg)
{
	r->hook_arg = arg;
	atomic_store_explicit(&r->hook, hook, memory_order_release);
}

void gs_recorder_hook_python(gs_recorder *r)
{
	gs_python_hook_prepare();
	gs_recorder_set_hook(r, gs_python_stack, (void *)(uintptr_t)r->serial);
}

/* The C stack as it was interned when first seen. */
static gs_id c_stack(gs_recorder *r, gs_thread *t, const gs_regs *from)
{
	uint64_t frames[GS_UNWIND_MAX];
	gs_id id = gs_unwind_known(&t->unwinder, from);
	if (__builtin_expect(id != 0, 1))
		return id;
	uint32_t n = gs_unwind(&t->unwinder, from, frames, r->config.depth), own = 0;
	while (own < n && gs_tables_is_ours(&r->tables, frames[own]))
		own++;
	id = gs_tables_stack(&r->tables, NULL, 0, frames + own, n - own, 0);
	if (id)
		gs_unwind_remember(&t->unwinder, id);
	return id;
}

/* The thread's own frames, and the work that it does. */
static gs_id stack_of(gs_recorder *r, gs_thread *t, const gs_regs *from)
{
	gs_id tail = t->work.owner == r->serial ? t->work.stack : 0, stack = tail;
	if (from && (r->config.stacks & GS_STACKS_C)) {
		stack = c_stack(r, t, from);
		stack = tail ? gs_tables_onto(&r->tables, stack, tail) : stack;
	}
	gs_stack_hook *hook = atomic_load_explicit(&r->hook, memory_order_acquire);
	return hook ? hook(r->hook_arg, &r->tables, r->config.depth, stack) : stack;
}

void gs_recorder_call(gs_recorder *r, const gs_regs *from, gs_call *call)
{
	*call = (gs_call){0, 0, 0};
	if (r->config.disable)
		return;
	gs_thread *t = gs_thread_self();
	call->ticks = gs_clock_ticks(&r->clock);
	if (!t)
		return;
	if (r->config.stacks)
		gs_unwind_check(&t->unwinder, r->serial, call->ticks, r->clock.millisecond);
	call->stack = stack_of(r, t, from);
	call->tag = gs_thread_tag(t, r->serial);
}

gs_id gs_recorder_place(gs_recorder *r, const gs_regs *from)
{
	gs_thread *t = r->config.stacks ? gs_thread_self() : NULL;
	if (!t)
		return 0;
	/* rules of C code hold until it is unloaded; a Python that comes may be seen a little later */
	if ((r->config.stacks & GS_STACKS_C) || t->places++ % PLACES_UNCHECKED == 0)
		gs_unwind_check(&t->unwinder, r->serial, gs_clock_ticks(&r->clock), r->clock.millisecond);
	return stack_of(r, t, from);
}

void gs_recorder_work_for(gs_recorder *r, const char *name, gs_id place)
{
	gs_thread *t = gs_thread_self();
	if (!t)
		return;
	t->work.owner = r->serial;
	t->work.stack = 0;
	if (!name || !r->config.stacks)
		return;
	gs_id frame = gs_tables_frame(
		&r->tables, gs_tables_text(&r->tables, name, strlen(name)), 0, -1);
	t->work.stack = gs_tables_stack(&r->tables, &frame, frame ? 1 : 0, NULL, 0, place);
}

void gs_recorder_call_free(gs_recorder *r, gs_call *call)
{
	*call = (gs_call){0, 0, 0};
	if (!r->config.disable)
		call->ticks = gs_clock_ticks(&r->clock);
}

void gs_recorder_push_tag(gs_recorder *r, const char *name)
{
	gs_thread *t = gs_thread_self();
	if (t && !r->config.disable)
		gs_thread_push_tag(t, r->serial, gs_tables_tag(&r->tables, name, strlen(name)));
}

gs_status gs_recorder_pop_tag(gs_recorder *r)
{
	gs_thread *t = gs_thread_self();
	return r->config.disable || (t && gs_thread_pop_tag(t, r->serial)) ? GS_OK : GS_STATE;
}

uint64_t gs_recorder_bytes(const gs_recorder *r) { return r->pages.bytes + gs_thread_bytes(); }
