/* The bounded table of Python frames. */
#include "recorder/capture/python_table.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "recorder/capture/python_stack.h"

enum { MAX_FRAMES = 1 << 16, SLOTS = MAX_FRAMES * 2, TEXT_BYTES = 16 << 20, MAX_TEXT = 1024 };

typedef struct entry {
	uintptr_t code, place;
	const char *name, *file;
	int32_t line;
	gs_python_kind kind;
} entry;

static struct table {
	_Atomic uint32_t slots[SLOTS]; /* keys; 0 empty */
	entry entries[MAX_FRAMES];
	char text[TEXT_BYTES];
} * table;
static size_t text_used;
static const char *last_file = "";
static _Atomic uint32_t count; /* entries up to it are whole */

bool gs_python_table_init(void)
{
	if (table)
		return true;
	void *m = mmap(NULL, sizeof *table, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (m == MAP_FAILED)
		return false;
	table = m;
	return true;
}

static uint32_t slot_of(uintptr_t code, uintptr_t place)
{
	uint64_t h = (code ^ place * 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull;
	return (uint32_t)(h >> 40) & (SLOTS - 1);
}

uint32_t gs_python_table_find(uintptr_t code, uintptr_t place)
{
	for (uint32_t i = slot_of(code, place);; i = (i + 1) & (SLOTS - 1)) {
		uint32_t key = atomic_load_explicit(&table->slots[i], memory_order_acquire);
		if (!key)
			return 0;
		const entry *e = &table->entries[key - 1];
		if (e->code == code && e->place == place)
			return key;
	}
}

static const char *copy(const char *text)
{
	size_t n = strnlen(text, MAX_TEXT);
	if (TEXT_BYTES - text_used < n + 1)
		return "?";
	char *to = table->text + text_used;
	memcpy(to, text, n);
	text_used += n + 1;
	return to;
}

static char hidden[1024]; /* the folder, with a slash at its end */

void gs_python_table_hide(const char *folder)
{
	size_t n = strlen(folder);
	if (n + 2 > sizeof hidden)
		return;
	memcpy(hidden, folder, n);
	hidden[n] = '/';
}

static gs_python_kind kind_of(const char *file)
{
	static const char *const libraries[] = {
		"site-packages", "dist-packages", "/lib/python3", "/lib64/python3"};
	if (hidden[0] && !strncmp(file, hidden, strlen(hidden)))
		return GS_PYTHON_OURS;
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
		if (strstr(file, libraries[i]))
			return GS_PYTHON_LIBRARY;
	return strncmp(file, "<frozen", 7) ? GS_PYTHON_USER : GS_PYTHON_LIBRARY;
}

gs_python_kind gs_python_table_kind(uint32_t key) { return table->entries[key - 1].kind; }

uint32_t gs_python_table_add(
	uintptr_t code, uintptr_t place, const char *name, const char *file, int line)
{
	uint32_t n = atomic_load_explicit(&count, memory_order_relaxed);
	if (n == MAX_FRAMES)
		return 0;
	if (strncmp(last_file, file, MAX_TEXT)) /* neighbours mostly share it */
		last_file = copy(file);
	table->entries[n] = (entry){
		code, place, copy(name), last_file, line < 0 ? 0 : line, kind_of(file)};
	uint32_t i = slot_of(code, place);
	while (atomic_load_explicit(&table->slots[i], memory_order_relaxed))
		i = (i + 1) & (SLOTS - 1);
	atomic_store_explicit(&count, n + 1, memory_order_release);
	atomic_store_explicit(&table->slots[i], n + 1, memory_order_release);
	return n + 1;
}

uint32_t gs_python_frame_count(void) { return atomic_load_explicit(&count, memory_order_acquire); }

gs_python_frame gs_python_frame_of(uint32_t key)
{
	if (!key || key > gs_python_frame_count())
		return (gs_python_frame){"?", "", 0};
	const entry *e = &table->entries[key - 1];
	return (gs_python_frame){e->name, e->file, e->line};
}
