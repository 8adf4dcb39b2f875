/* Events. */
#include "analyzer/export/pytorch_internal.h"

enum { MOST_DEVICE = 1023 };

static bool has_action(gs_action a)
{
	return a != GS_ACTION_REFUSED && a != GS_ACTION_RECORD_STREAM && a != GS_ACTION_EMPTY_CACHE &&
		a != GS_ACTION_UNKNOWN;
}

void gs_pytorch_event(gs_pytorch_writer *x, const gs_event *e)
{
	gs_action action = gs_event_action(e);
	bool named = has_action(
		action); /* what the original called it otherwise is among the members */
	if (!named && !(action == GS_ACTION_UNKNOWN && e->more)) {
		x->left_out++;
		return;
	}
	gs_pickler_dict(&x->p);
	if (named) {
		gs_pytorch_key(x, "action");
		gs_pytorch_key(x, gs_action_text(action));
	}
	gs_pytorch_key(x, action == GS_ACTION_OOM ? "device_free" : "addr");
	if (action == GS_ACTION_OOM)
		gs_pickler_integer(&x->p, (int64_t)e->address == GS_NONE ? -1 : (int64_t)e->address);
	else
		gs_pickler_unsigned(&x->p, e->address);
	gs_pytorch_unsigned(x, "size", e->size);
	gs_pytorch_key(x, "stream");
	gs_pickler_integer(&x->p, (int64_t)x->s->streams[e->stream]);
	if (e->time_us != GS_NONE) {
		gs_pytorch_key(x, "time_us");
		gs_pickler_integer(&x->p, e->time_us);
	}
	gs_pytorch_more(x, e->more);
	if (gs_event_tag(e)) {
		gs_pytorch_key(x, "user_metadata");
		gs_pytorch_string(x, gs_event_tag(e));
	}
	if (e->pool)
		gs_pytorch_pool(x, "pool_id", x->s->pools[e->pool - 1]);
	if (e->stack)
		gs_pytorch_frames(x, e->stack);
	gs_pickler_dict_end(&x->p);
}

void gs_pytorch_traces(gs_pytorch_writer *x)
{
	int32_t next = 0;
	gs_pytorch_key(x, "device_traces");
	gs_pickler_list(&x->p);
	for (size_t i = 0; i < x->s->ndevices; i++) {
		const gs_device *d = &x->s->devices[i];
		if (d->device < 0 || d->device > MOST_DEVICE || gs_device_is_host(x->s, d))
			continue;
		for (; next < d->device; next++)
			gs_pickler_raw(&x->p, "]", 1);
		gs_pickler_list(&x->p);
		for (size_t k = 0; k < d->trace.n; k++)
			gs_pytorch_event(x, &d->trace.events[k]);
		gs_pickler_list_end(&x->p);
		next++;
	}
	gs_pickler_list_end(&x->p);
}
