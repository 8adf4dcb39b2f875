/* Interning in fixed memory. */
#include "recorder/capture/tables.h"

#include <string.h>

const gs_tables_limits gs_tables_default = {1 << 23, 1 << 17, 1 << 17, 1 << 16, 1 << 20, 1 << 14};

static uint32_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(h >> 32);
}

static uint32_t hash_bytes(const char *text, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u;
	for (size_t i = 0; i < n; i++)
		h = (h ^ (uint8_t)text[i]) * 0x100000001b3u;
	return (uint32_t)(h >> 32 ^ h);
}

/* One list for taking and giving, so that they agree. */
/* clang-format off: it never settles on one layout of a list of macro calls */
#define EACH_ARRAY(DO)                 \
	DO(text_bytes, max.text_bytes)     \
	DO(texts, max.texts)               \
	DO(frames, max.frames)             \
	DO(stacks, max.stacks)             \
	DO(stack_frames, max.stack_frames) \
	DO(text_slots, max.texts * 2)      \
	DO(frame_slots, max.frames * 2)    \
	DO(stack_slots, max.stacks * 2)    \
	DO(tags, max.tags)                 \
	DO(tag_of_text, max.texts)
/* clang-format on */

void gs_tables_release(gs_tables *t)
{
	if (!t->pages)
		return;
#define GIVE(array, count) \
	gs_pages_give(t->pages, (void *)t->array, (size_t)t->count * sizeof *t->array);
	EACH_ARRAY(GIVE)
#undef GIVE
	gs_modules_release(&t->modules);
	pthread_mutex_destroy(&t->lock);
	memset(t, 0, sizeof *t);
}

gs_status gs_tables_init(gs_tables *t, const gs_tables_limits *limits, gs_pages *pages)
{
	memset(t, 0, sizeof *t);
	t->max = *limits;
	t->pages = pages;
	pthread_mutex_init(&t->lock, NULL);
	bool short_of = false;
#define TAKE(array, count) \
	short_of |= !(t->array = gs_pages_take(pages, (size_t)t->count * sizeof *t->array));
	EACH_ARRAY(TAKE)
#undef TAKE
	if (short_of || gs_modules_init(&t->modules, pages)) {
		gs_tables_release(t);
		return GS_NO_MEMORY;
	}
	atomic_store(&t->ntexts, 1);
	atomic_store(&t->nframes, 1);
	atomic_store(&t->nstacks, 1);
	atomic_store(&t->ntags, 1);
	gs_modules_refresh(&t->modules);
	return GS_OK;
}

static gs_id count_dropped(gs_tables *t)
{
	atomic_fetch_add_explicit(&t->dropped, 1, memory_order_relaxed);
	return 0;
}

/* --- texts --- */

static gs_id find_text(gs_tables *t, const char *text, size_t n, uint32_t hash, uint32_t *slot)
{
	uint32_t mask = t->max.texts * 2 - 1;
	for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
		gs_id id = atomic_load_explicit(&t->text_slots[i], memory_order_acquire);
		*slot = i;
		if (!id)
			return 0;
		const gs_table_text *e = &t->texts[id];
		if (e->hash == hash && e->n == n && !memcmp(t->text_bytes + e->at, text, n))
			return id;
	}
}

gs_id gs_tables_text(gs_tables *t, const char *text, size_t n)
{
	uint32_t slot, hash = hash_bytes(text, n);
	gs_id id = find_text(t, text, n, hash, &slot);
	if (id)
		return id;
	pthread_mutex_lock(&t->lock);
	id = find_text(t, text, n, hash, &slot);
	uint32_t count = atomic_load_explicit(&t->ntexts, memory_order_relaxed);
	if (!id && count < t->max.texts && n <= t->max.text_bytes - t->text_used) {
		memcpy(t->text_bytes + t->text_used, text, n);
		t->texts[count] = (gs_table_text){t->text_used, (uint32_t)n, hash};
		t->text_used += (uint32_t)n;
		id = count;
		atomic_store_explicit(&t->ntexts, count + 1, memory_order_release);
		atomic_store_explicit(&t->text_slots[slot], id, memory_order_release);
	}
	pthread_mutex_unlock(&t->lock);
	return id ? id : count_dropped(t);
}

uint16_t gs_tables_tag(gs_tables *t, const char *name, size_t n)
{
	gs_id text = gs_tables_text(t, name, n);
	uint16_t tag = text ? atomic_load_explicit(&t->tag_of_text[text], memory_order_acquire) : 0;
	if (tag || !text)
		return tag;
	pthread_mutex_lock(&t->lock);
	uint32_t count = atomic_load_explicit(&t->ntags, memory_order_relaxed);
	tag = atomic_load_explicit(&t->tag_of_text[text], memory_order_relaxed);
	if (!tag && count < t->max.tags) {
		tag = (uint16_t)count;
		t->tags[tag] = text;
		atomic_store_explicit(&t->ntags, count + 1, memory_order_release);
		atomic_store_explicit(&t->tag_of_text[text], tag, memory_order_release);
	}
	pthread_mutex_unlock(&t->lock);
	return tag ? tag : (uint16_t)count_dropped(t);
}

/* --- frames --- */

static uint32_t hash_frame(const gs_table_frame *f)
{
	return mix(mix(f->address + f->module, ((uint64_t)f->name << 32) + f->file), (uint32_t)f->line);
}

static gs_id find_frame(gs_tables *t, const gs_table_frame *f, uint32_t *slot)
{
	uint32_t mask = t->max.frames * 2 - 1;
	for (uint32_t i = hash_frame(f) & mask;; i = (i + 1) & mask) {
		gs_id id = atomic_load_explicit(&t->frame_slots[i], memory_order_acquire);
		*slot = i;
		if (!id)
			return 0;
		const gs_table_frame *e = &t->frames[id];
		if (e->address == f->address && e->module == f->module && e->name == f->name &&
			e->file == f->file && e->line == f->line)
			return id;
	}
}

/* With the lock held. */
static gs_id add_frame(gs_tables *t, const gs_table_frame *f)
{
	uint32_t slot, count = atomic_load_explicit(&t->nframes, memory_order_relaxed);
	gs_id id = find_frame(t, f, &slot);
	if (id || count >= t->max.frames)
		return id;
	t->frames[count] = *f;
	atomic_store_explicit(&t->nframes, count + 1, memory_order_release);
	atomic_store_explicit(&t->frame_slots[slot], count, memory_order_release);
	return count;
}

gs_id gs_tables_frame(gs_tables *t, gs_id name, gs_id file, int32_t line)
{
	gs_table_frame f = {.name = name, .file = file, .line = line};
	uint32_t slot;
	gs_id id = find_frame(t, &f, &slot);
	if (id)
		return id;
	pthread_mutex_lock(&t->lock);
	id = add_frame(t, &f);
	pthread_mutex_unlock(&t->lock);
	return id ? id : count_dropped(t);
}

/* --- stacks --- */

/* A stack as it is asked for. */
typedef struct wanted {
	const gs_id *named;
	const uint64_t *addresses;
	uint32_t n, naddresses;
	gs_id tail;
	uint32_t generation; /* of the modules: an address means another thing after one went away */
} wanted;

static uint32_t hash_stack(const wanted *w)
{
	uint64_t h = w->tail * UINT64_C(0x2545f4914f6cdd1d) + w->generation;
	for (uint32_t i = 0; i < w->n; i++)
		h = (h ^ w->named[i]) * 0x9e3779b97f4a7c15u;
	for (uint32_t i = 0; i < w->naddresses; i++) {
		h = (h ^ w->addresses[i]) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	return (uint32_t)(h >> 32);
}

static bool same_stack(const gs_tables *t, const gs_table_stack *e, const wanted *w)
{
	if (e->n != w->n + w->naddresses || e->tail != w->tail)
		return false;
	const gs_id *frames = t->stack_frames + e->first;
	for (uint32_t i = 0; i < w->n; i++)
		if (frames[i] != w->named[i])
			return false;
	for (uint32_t i = 0; i < w->naddresses; i++)
		if (t->frames[frames[w->n + i]].address != w->addresses[i])
			return false;
	return true;
}

static gs_id find_stack(gs_tables *t, const wanted *w, uint32_t hash, uint32_t *slot)
{
	uint32_t mask = t->max.stacks * 2 - 1;
	for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
		gs_id id = atomic_load_explicit(&t->stack_slots[i], memory_order_acquire);
		*slot = i;
		if (!id)
			return 0;
		if (t->stacks[id].hash == hash && same_stack(t, &t->stacks[id], w))
			return id;
	}
}

/* With the lock held. */
static gs_id add_stack(gs_tables *t, const wanted *w, uint32_t hash, uint32_t slot)
{
	uint32_t count = atomic_load_explicit(&t->nstacks, memory_order_relaxed);
	uint32_t first = atomic_load_explicit(&t->nstack_frames, memory_order_relaxed), n = 0;
	if (count >= t->max.stacks || w->n + w->naddresses > t->max.stack_frames - first)
		return 0;
	for (; n < w->n; n++)
		t->stack_frames[first + n] = w->named[n];
	for (uint32_t i = 0; i < w->naddresses; i++, n++) {
		gs_table_frame f = {.address = w->addresses[i], .line = -1};
		f.module = gs_modules_find(&t->modules, f.address);
		if (!(t->stack_frames[first + n] = add_frame(t, &f)))
			return 0;
	}
	t->stacks[count] = (gs_table_stack){first, n, w->tail, hash};
	atomic_store_explicit(&t->nstack_frames, first + n, memory_order_release);
	atomic_store_explicit(&t->nstacks, count + 1, memory_order_release);
	atomic_store_explicit(&t->stack_slots[slot], count, memory_order_release);
	return count;
}

gs_id gs_tables_stack(gs_tables *t, const gs_id *named, uint32_t n, const uint64_t *addresses,
	uint32_t naddresses, gs_id tail)
{
	wanted w = {named, addresses, n, naddresses, tail,
		__atomic_load_n(&t->modules.generation, __ATOMIC_RELAXED)};
	uint32_t slot, hash = hash_stack(&w);
	if (!n && !naddresses)
		return tail;
	gs_id id = find_stack(t, &w, hash, &slot);
	if (id)
		return id;
	pthread_mutex_lock(&t->lock);
	if (naddresses)
		gs_modules_refresh(&t->modules);
	w.generation = t->modules.generation;
	hash = hash_stack(&w);
	id = find_stack(t, &w, hash, &slot);
	if (!id)
		id = add_stack(t, &w, hash, slot);
	pthread_mutex_unlock(&t->lock);
	return id ? id : count_dropped(t);
}

gs_id gs_tables_onto(gs_tables *t, gs_id stack, gs_id tail)
{
	if (!stack)
		return tail;
	const gs_table_stack *s = &t->stacks[stack];
	tail = s->tail ? gs_tables_onto(t, s->tail, tail) : tail;
	return gs_tables_stack(t, t->stack_frames + s->first, s->n, NULL, 0, tail);
}

void gs_tables_refresh_modules(gs_tables *t)
{
	pthread_mutex_lock(&t->lock);
	gs_modules_refresh(&t->modules);
	pthread_mutex_unlock(&t->lock);
}

bool gs_tables_is_ours(gs_tables *t, uint64_t address)
{
	static const char prefix[] = "libgpusnap";
	pthread_mutex_lock(&t->lock);
	gs_modules_refresh(&t->modules); /* it may have been loaded just now */
	uint32_t id = gs_modules_find(&t->modules, address);
	const gs_module *m = id ? &t->modules.list[id - 1] : NULL;
	const char *path = m ? t->modules.text + m->path : "", *name = path;
	for (uint32_t i = 0; m && i < m->path_length; i++)
		if (path[i] == '/')
			name = path + i + 1;
	bool ours = m && (size_t)(path + m->path_length - name) >= sizeof prefix - 1 &&
		!memcmp(name, prefix, sizeof prefix - 1);
	pthread_mutex_unlock(&t->lock);
	return ours;
}
