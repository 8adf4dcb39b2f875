/* What was asked for, and how the devices' memory is divided. */
#include "analyzer/advice/answer_internal.h"

#include <string.h>

#include "schema/printable.h"

static void say_pool(gs_prose *p, const gs_diagnosis *d)
{
	if (d->stream >= 0)
		gs_say(p, "stream %lld", (long long)d->stream);
	if (d->pool != GS_CLASS_UNKNOWN) {
		gs_say_between(p, ", ");
		gs_say(p, "%s pool", d->pool == GS_SMALL ? "small" : "large");
	}
	if (d->has_pool_id && (d->pool_id.a || d->pool_id.b))
		gs_say(p, " %llu,%llu", (unsigned long long)d->pool_id.a, (unsigned long long)d->pool_id.b);
}

/* TensorFlow's message names the operation instead of a stack: "requested by op Mul". */
static void say_operation(gs_prose *p, const gs_answer *a)
{
	static const char by[] = "requested by op ";
	const gs_diagnosis *d = a->d;
	const char *message = d->oom == SIZE_MAX ? NULL : d->snapshot->ooms[d->oom].message;
	const char *at = message ? strstr(message, by) : NULL;
	char name[128];
	if (!at)
		return;
	at += sizeof by - 1;
	snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " \n"), at);
	gs_say(p, " for operation ");
	gs_say_code(p, a->voice, name);
}

void gs_answer_request(gs_answer *a)
{
	const gs_diagnosis *d = a->d;
	gs_prose p, pool;
	char remark[128] = "";
	if (d->requested < 0 && !d->stack)
		return;
	gs_prose_clear(&p);
	gs_prose_clear(&pool);
	gs_say_size(&p, d->requested);
	gs_say_request_place(&p, a->voice, d, " for ");
	if (!d->stack)
		say_operation(&p, a);
	say_pool(&pool, d);
	if (pool.n)
		snprintf(remark, sizeof remark, "(%.120s)", pool.text);
	gs_answer_put_row(a, "request", &p, remark);
	gs_answer_stack(a, d->stack);
}

/* One part of a device's memory; nothing is said of what is nothing. */
static void say_part(gs_prose *p, int64_t bytes, const char *what)
{
	if (bytes <= 0)
		return;
	gs_say_between(p, " + ");
	gs_say_size(p, bytes);
	gs_say(p, " %s", what);
}

/* Blocks whose free waits for other streams are in use until then, whatever the program thinks. */
static void say_in_use(gs_prose *p, int64_t allocated, int64_t pending)
{
	if (pending <= 0) {
		say_part(p, allocated, "in use");
		return;
	}
	say_part(p, allocated + pending, "in use (");
	if (allocated)
		gs_say_size_beside(p, pending, allocated + pending);
	gs_say(p, allocated ? " of it waiting to be freed)" : "all waiting to be freed)");
}

int64_t gs_answer_outside_of(const gs_diagnosis *d)
{
	if (d->capacity < 0 || d->reserved < 0 || d->device_free < 0 ||
		d->capacity < d->reserved + d->device_free)
		return GS_NONE;
	return d->capacity - d->reserved - d->device_free;
}

void gs_answer_parts_of(const gs_diagnosis *d, int64_t *in_use, int64_t *pending, int64_t *cached)
{
	const gs_oom *oom = d->oom == SIZE_MAX ? NULL : &d->snapshot->ooms[d->oom];
	*pending = GS_NONE;
	*in_use = oom ? oom->allocated : GS_NONE;
	*cached = *in_use >= 0 && d->reserved >= *in_use ? d->reserved - *in_use : GS_NONE;
	if (!d->has_layout)
		return;
	*in_use = (int64_t)d->totals.allocated;
	*pending = (int64_t)d->totals.pending;
	*cached = (int64_t)d->totals.free;
}

/* "device 0"; pinned host memory by its name. */
static void write_label(char *label, size_t cap, const gs_snapshot *s, const gs_device *d)
{
	if (gs_device_is_host(s, d))
		snprintf(label, cap, "%s", GS_HOST);
	else if (d->device >= 0)
		snprintf(label, cap, "device %d", d->device);
}

void gs_answer_device(gs_answer *a)
{
	const gs_diagnosis *d = a->d;
	int64_t in_use, pending, cached, outside = gs_answer_outside_of(d), whole = d->capacity;
	gs_prose p, parts;
	char label[32] = "device";
	gs_prose_clear(&p);
	gs_prose_clear(&parts);
	gs_answer_parts_of(d, &in_use, &pending, &cached);
	say_in_use(&parts, in_use, pending);
	say_part(&parts, cached, "cached");
	say_part(&parts, outside, "outside the allocator");
	say_part(&parts, d->device_free, "free");
	if (!parts.n && whole < 0)
		return;
	/* without the capacity nobody knows what is outside */
	if (whole < 0 && d->device_free >= 0 && d->reserved >= 0) {
		whole = d->reserved + d->device_free;
		gs_say(&p, "at least ");
	}
	if (whole >= 0)
		gs_say_size(&p, whole);
	/* the parts make the whole only where all of them are known */
	if (parts.n)
		gs_say(&p, "%s%s", !p.n ? "" : outside >= 0 ? " = " : ": ", parts.text);
	if (d->device)
		write_label(label, sizeof label, d->snapshot, d->device);
	gs_answer_put_row(a, label, &p, NULL);
}

void gs_answer_outside(gs_answer *a)
{
	const gs_diagnosis *d = a->d;
	const gs_snapshot *s = d->snapshot;
	int64_t rest = gs_answer_outside_of(d);
	gs_prose p;
	gs_prose_clear(&p);
	if (rest < 0 || s->kind == GS_KIND_TEXT || !d->device)
		return;
	for (size_t i = 0; i < s->noutsiders; i++) {
		const gs_outsider *x = &s->outsiders[i];
		char name[96];
		int64_t bytes = 0;
		bool first = x->device == d->device->device;
		for (size_t k = 0; k < s->noutsiders; k++) {
			const gs_outsider *y = &s->outsiders[k];
			bool same = y->device == x->device && y->holder == x->holder && y->pid == x->pid;
			first &= !same || k >= i;
			bytes += same ? y->bytes : 0;
		}
		if (!first)
			continue;
		gs_printable(name, sizeof name, gs_string_text(s, x->holder));
		gs_say(&p, "%s%s ", p.n ? ", " : "", name);
		if (x->pid != GS_NONE)
			gs_say(&p, "%lld ", (long long)x->pid);
		gs_say_size(&p, bytes);
		rest -= bytes;
	}
	if (!p.n)
		return;
	if (rest > 0) {
		gs_say(
			&p, d->device->others >= 0 ? ", CUDA context " : ", CUDA context and other processes ");
		gs_say_size(&p, rest);
	}
	gs_answer_put_row(a, "outside", &p, NULL);
}

enum { MOST_DEVICES = 3 }; /* that get a row each beside a failure */

/* The last out-of-memory of a device, or NULL. */
static const gs_oom *failure_of(const gs_snapshot *s, const gs_device *device)
{
	for (size_t i = s->nooms; i-- > 0;)
		if (s->ooms[i].device == device->device)
			return &s->ooms[i];
	return NULL;
}

static void say_held(gs_prose *p, const gs_totals *t)
{
	gs_say_size(p, (int64_t)(t->allocated + t->pending));
	gs_say(p, " in use of ");
	gs_say_size(p, (int64_t)t->reserved);
	gs_say(p, " reserved");
}

static void write_other_device(gs_answer *a, const gs_device *other, const gs_totals *t)
{
	const gs_snapshot *s = a->d->snapshot;
	const gs_oom *oom = failure_of(s, other);
	char label[32], remark[48];
	gs_prose p;
	gs_prose_clear(&p);
	say_held(&p, t);
	gs_say(&p, "%s", gs_device_is_host(s, other) ? ", pinned" : "");
	if (oom) {
		gs_say(&p, "; it ran out of memory");
		if (oom->number != GS_NONE)
			gs_say(&p, " at event %lld", (long long)oom->number);
	} else if (a->d->oom != SIZE_MAX && !gs_device_is_host(s, other)) {
		gs_say(&p, ", no failure");
	}
	write_label(label, sizeof label, s, other);
	snprintf(remark, sizeof remark, "(-d %d tells of it)", other->device);
	gs_answer_put_row(a, label, &p, remark);
}

void gs_answer_other_devices(gs_answer *a)
{
	const gs_diagnosis *d = a->d;
	bool failure = d->oom != SIZE_MAX;
	gs_totals sum = {0};
	size_t n = 0;
	for (int round = failure ? 0 : 1; round < 2; round++)
		for (size_t i = 0; i < d->snapshot->ndevices && (!round || !failure || n <= MOST_DEVICES);
			 i++) {
			const gs_device *other = &d->snapshot->devices[i];
			gs_totals t;
			gs_layout_totals(&other->captured, &t);
			if (other == d->device || !t.segments || (failure && failure_of(d->snapshot, other)))
				continue;
			if (round) {
				write_other_device(a, other, &t);
				continue;
			}
			n++;
			sum.allocated += t.allocated + t.pending;
			sum.reserved += t.reserved;
		}
	if (!failure || n <= MOST_DEVICES)
		return;
	gs_prose p;
	gs_prose_clear(&p);
	say_held(&p, &sum);
	gs_say(&p, " on %zu others, no failure", n);
	gs_answer_put_row(a, "devices", &p, NULL);
}
