/* Walking Python's frames and interning them. */
#include "recorder/capture/python_stack.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#include "recorder/capture/python_table.h"

/* The few functions of the C API that are used; all found or Python counts as absent. */
typedef void object;
static struct {
	int (*is_initialized)(void);
	int (*is_finalizing)(void); /* may be absent */
	object *(*this_thread_state)(void);
	int (*gil_check)(void);
	void (*restore_thread)(object *);
	object *(*save_thread)(void);
	object *(*get_frame)(void); /* borrowed */
	object *(*frame_code)(object *);
	object *(*frame_back)(object *);
	int (*frame_line)(object *);
	int (*frame_lasti)(object *); /* 3.11 and later */
	int (*code_line)(object *, int);
	object *(*get_attribute)(object *, const char *);
	const char *(*utf8)(object *);
	void (*incref)(object *);
	void (*decref)(object *);
	void (*clear_error)(void);
	const char *(*version)(void);
} py;

enum {
	UNTRIED,
	ABSENT,
	FOUND,
	PUBLIC,
	DIRECT
};                       /* FOUND: its functions are known, how to walk is not yet */
static _Atomic int walk; /* guarded by the interpreter lock once Python runs */

static void find_symbol(const char *name, void *slot)
{
	void *f = dlsym(RTLD_DEFAULT, name);
	memcpy(slot, &f, sizeof f);
}

static bool find_all(void)
{
	find_symbol("Py_IsInitialized", &py.is_initialized);
	find_symbol("Py_IsFinalizing", &py.is_finalizing);
	if (!py.is_finalizing)
		find_symbol("_Py_IsFinalizing", &py.is_finalizing);
	find_symbol("PyGILState_GetThisThreadState", &py.this_thread_state);
	find_symbol("PyGILState_Check", &py.gil_check);
	find_symbol("PyEval_RestoreThread", &py.restore_thread);
	find_symbol("PyEval_SaveThread", &py.save_thread);
	find_symbol("PyEval_GetFrame", &py.get_frame);
	find_symbol("PyFrame_GetCode", &py.frame_code);
	find_symbol("PyFrame_GetBack", &py.frame_back);
	find_symbol("PyFrame_GetLineNumber", &py.frame_line);
	find_symbol("PyFrame_GetLasti", &py.frame_lasti);
	find_symbol("PyCode_Addr2Line", &py.code_line);
	find_symbol("PyObject_GetAttrString", &py.get_attribute);
	find_symbol("PyUnicode_AsUTF8", &py.utf8);
	find_symbol("Py_IncRef", &py.incref);
	find_symbol("Py_DecRef", &py.decref);
	find_symbol("PyErr_Clear", &py.clear_error);
	find_symbol("Py_GetVersion", &py.version);
	return py.is_initialized && py.this_thread_state && py.gil_check && py.restore_thread &&
		py.save_thread && py.get_frame && py.frame_code && py.frame_back && py.frame_line &&
		py.code_line && py.get_attribute && py.utf8 && py.incref && py.decref && py.clear_error &&
		py.version;
}

/* Python may be loaded at any time later, so its absence is looked at again now and then. */
static bool found(void)
{
	enum { AGAIN = 1024 };
	static _Atomic unsigned asked;
	if (atomic_fetch_add_explicit(&asked, 1, memory_order_relaxed) % AGAIN ||
		!dlsym(RTLD_DEFAULT, "Py_IsInitialized"))
		return false;
	bool all = find_all(); /* an older Python lacks some */
	atomic_store_explicit(&walk, all ? FOUND : ABSENT, memory_order_release);
	return all;
}

bool gs_python_present(void)
{
	int how = atomic_load_explicit(&walk, memory_order_acquire);
	return how != UNTRIED ? how != ABSENT && py.is_initialized()
						  : dlsym(RTLD_DEFAULT, "Py_IsInitialized") != NULL;
}

/* --- interning: the interpreter lock is held
 * --------------------------------------------------------- */

static const char *attribute(object *code, const char *name, object **keep)
{
	*keep = py.get_attribute(code, name);
	const char *text = *keep ? py.utf8(*keep) : NULL;
	if (!text)
		py.clear_error();
	return text ? text : "?";
}

/* A pair not seen before: its strings, and a reference on the code. */
static uint32_t intern_new(object *code, uintptr_t where, int line)
{
	object *name, *file;
	const char *name_text = attribute(code, "co_name", &name),
			   *file_text = attribute(code, "co_filename", &file);
	uint32_t key = gs_python_table_add((uintptr_t)code, where, name_text, file_text, line);
	if (key)
		py.incref(code);
	if (name)
		py.decref(name);
	if (file)
		py.decref(file);
	return key;
}

/* --- the walk by public calls
 * ---------------------------------------------------------------------- */

/* The frames found so far, and how many may come. */
typedef struct walked {
	uint32_t *keys;
	unsigned n, cap, users;
	gs_python_trail *trail;
} walked;

static bool wants_more(const walked *w) { return w->n < w->cap && w->users; }

static void keep(walked *w, uint32_t key)
{
	gs_python_kind kind = key ? gs_python_table_kind(key) : GS_PYTHON_OURS;
	if (kind == GS_PYTHON_OURS)
		return;
	w->keys[w->n++] = key;
	w->users -= kind == GS_PYTHON_USER;
}

static void walk_public(walked *w)
{
	object *frame = py.get_frame();
	if (frame)
		py.incref(frame);
	while (frame && wants_more(w)) {
		object *code = py.frame_code(frame), *back = py.frame_back(frame);
		/* without lasti (3.9, 3.10) the line itself tells pairs apart */
		int at = py.frame_lasti ? py.frame_lasti(frame) : py.frame_line(frame);
		uint32_t key = gs_python_table_find((uintptr_t)code, (uintptr_t)at + 1);
		if (!key)
			key = intern_new(code, (uintptr_t)at + 1, py.frame_lasti ? py.code_line(code, at) : at);
		py.decref(code);
		py.decref(frame);
		keep(w, key);
		frame = back;
	}
	if (frame)
		py.decref(frame);
}

/* --- the direct walk: offsets in bytes, calibrated
 * --------------------------------------------------- */

static struct {
	unsigned state, via; /* thread state → (via a C frame at offset `via`, if not NONE) → frame */
	unsigned code, previous, instr; /* in a frame */
	unsigned code_start;            /* in a code object: its first instruction */
	unsigned owner;                 /* in a frame: who owns it; 3 and more are not Python's */
} at;
enum { NONE = 0xffff, STATE_WORDS = 48, OWNED_BY_C = 3, MAX_CALIBRATED = 64 };

static uintptr_t word(uintptr_t base, unsigned offset)
{
	uintptr_t w;
	memcpy(&w, (const char *)base + offset, sizeof w);
	return w;
}

static uintptr_t current_frame(uintptr_t state)
{
	uintptr_t p = word(state, at.state);
	return at.via == NONE ? p : p ? word(p, at.via) : 0;
}

static bool is_python_frame(uintptr_t frame)
{
	unsigned char owner;
	memcpy(&owner, (const char *)frame + at.owner, 1);
	return owner < OWNED_BY_C;
}

/* Python 3.13 and later tag the lowest bits of the code pointer. */
static uintptr_t frame_code(uintptr_t frame) { return word(frame, at.code) & ~(uintptr_t)3; }

/* The frame itself, or the next one outwards that is Python's. */
static uintptr_t python_frame(uintptr_t frame)
{
	while (frame && !is_python_frame(frame))
		frame = word(frame, at.previous);
	return frame;
}

static uintptr_t next_frame(uintptr_t frame) { return python_frame(word(frame, at.previous)); }

/* A trail that grew too long, or has a frame that the table had no room for, is of no use. */
static void leave_trail(gs_python_trail *t, unsigned *walked_over, uintptr_t instr, uint32_t key)
{
	if (key && *walked_over < GS_PYTHON_TRAIL)
		t->at[(*walked_over)++] = instr;
	else
		*walked_over = GS_PYTHON_TRAIL + 1;
}

/* Adds what is new, for which the interpreter lock is held; without it (known) it fails there. */
static bool walk_direct(uintptr_t state, walked *w, bool known)
{
	unsigned over = 0;
	uintptr_t f = python_frame(current_frame(state));
	for (; f && wants_more(w); f = next_frame(f)) {
		uintptr_t code = frame_code(f), instr = word(f, at.instr);
		uint32_t key = gs_python_table_find(code, instr);
		if (!key && known)
			return false;
		if (!key)
			key = intern_new((object *)code, instr,
				py.code_line((object *)code, (int)(instr - code - at.code_start)));
		leave_trail(w->trail, &over, instr, key);
		keep(w, key);
	}
	w->trail->n = over > GS_PYTHON_TRAIL ? 0 : over;
	w->trail->whole = !f;
	return true;
}

/* Where the thread state keeps its innermost frame: a word that is the frame, or a pointer to a C
 * frame that holds it. The C frame lies on a stack or in the thread state, so only pointers near
 * either are followed. */
static bool calibrate_state(uintptr_t state, uintptr_t frame)
{
	uintptr_t here = (uintptr_t)&frame;
	for (unsigned i = 0; i < STATE_WORDS; i++) {
		uintptr_t w = word(state, i * sizeof w);
		at.state = i * (unsigned)sizeof w;
		at.via = NONE;
		if (w == frame)
			return true;
		bool near = (w > here && w - here < (1u << 20)) || (w >= state && w - state < 1024);
		for (unsigned k = 0; near && !(w & 7) && k < 4; k++) {
			at.via = k * (unsigned)sizeof w;
			if (word(w, at.via) == frame)
				return true;
		}
	}
	return false;
}

/* The stack by public calls agrees with the one read directly, frame by frame. */
static bool agrees(uintptr_t state)
{
	object *frame = py.get_frame();
	uintptr_t f = current_frame(state);
	bool good = frame != NULL;
	if (frame)
		py.incref(frame);
	for (unsigned n = 0; frame && good && n < MAX_CALIBRATED; n++) {
		while (f && !is_python_frame(f))
			f = word(f, at.previous);
		object *code = py.frame_code(frame), *back = py.frame_back(frame);
		good = f && frame_code(f) == (uintptr_t)code &&
			word(f, at.instr) - (uintptr_t)code - at.code_start == (uintptr_t)py.frame_lasti(frame);
		py.decref(code);
		py.decref(frame);
		frame = back;
		f = f ? word(f, at.previous) : 0;
	}
	if (frame)
		py.decref(frame);
	return good;
}

static bool calibrate(object *state)
{
	/* frame layouts of 3.11, and of 3.12 to 3.14 */
	static const struct {
		unsigned code, previous, instr, owner;
	} layouts[] = {
		{32, 48, 56, 69},
		{0, 8, 56, 70},
		{0, 8, 56, 74},
	};
	enum { FRAME_OBJECT_INNER = 24 }; /* PyFrameObject: header, f_back, f_frame */
	object *frame = py.get_frame();
	if (!frame || !py.frame_lasti || sizeof(void *) != 8)
		return false;
	uintptr_t inner = word((uintptr_t)frame, FRAME_OBJECT_INNER);
	if (!inner || !calibrate_state((uintptr_t)state, inner))
		return false;
	object *code = py.frame_code(frame);
	bool good = false;
	for (size_t i = 0; i < sizeof layouts / sizeof *layouts && !good; i++) {
		at.code = layouts[i].code;
		at.previous = layouts[i].previous;
		at.instr = layouts[i].instr;
		at.owner = layouts[i].owner;
		if (frame_code(inner) != (uintptr_t)code)
			continue;
		uintptr_t start = word(inner, at.instr) - (uintptr_t)py.frame_lasti(frame) -
			(uintptr_t)code;
		at.code_start = (unsigned)start;
		good = start < 512 && agrees((uintptr_t)state);
	}
	py.decref(code);
	return good;
}

static int choose(object *state)
{
	const char *v = py.version();
	int minor = v[0] == '3' && v[1] == '.' ? (v[2] - '0') * (v[3] >= '0' && v[3] <= '9' ? 10 : 1) +
			(v[3] >= '0' && v[3] <= '9' ? v[3] - '0' : 0)
										   : 0;
	if (minor < 9 || !gs_python_table_init())
		return ABSENT;
	return minor >= 11 && minor <= 14 && calibrate(state) ? DIRECT : PUBLIC;
}

/* With the interpreter lock. */
static void walk_anew(object *state, walked *w)
{
	int how = atomic_load_explicit(&walk, memory_order_relaxed);
	if (how == FOUND && py.get_frame()) /* calibration wants a stack */
		atomic_store_explicit(&walk, how = choose(state), memory_order_release);
	if (how == DIRECT)
		walk_direct((uintptr_t)state, w, false);
	else if (how == PUBLIC)
		walk_public(w);
}

unsigned gs_python_capture(uint32_t *keys, unsigned cap, unsigned users, gs_python_trail *trail)
{
	walked w = {keys, 0, cap, users, trail};
	int how = atomic_load_explicit(&walk, memory_order_acquire);
	trail->n = 0;
	if (how == ABSENT || (how == UNTRIED && !found()))
		return 0;
	if (!py.is_initialized() || (py.is_finalizing && py.is_finalizing()))
		return 0;
	object *state = py.this_thread_state();
	if (!state || (how == DIRECT && walk_direct((uintptr_t)state, &w, true)))
		return w.n;
	w = (walked){keys, 0, cap, users, trail};
	bool held = py.gil_check();
	if (!held)
		py.restore_thread(state);
	walk_anew(state, &w);
	if (!held)
		py.save_thread();
	return w.n;
}

/* --- walks that were made before
 * ------------------------------------------------------------------ */

/* How many frames, from the innermost on, are as the trail has them; its n + 1: all of it is. The
 * instruction is enough: no frame that is not Python's has one of those. */
static uint32_t follow(const gs_python_trail *t, uintptr_t frame, uintptr_t *differs)
{
	uint32_t i = 0;
	while (i < t->n && frame) {
		if (word(frame, at.instr) == t->at[i])
			i++;
		else if (is_python_frame(frame))
			break;
		frame = word(frame, at.previous);
	}
	if (i == t->n && !t->whole)
		return i + 1;
	frame = python_frame(frame);
	*differs = frame ? word(frame, at.instr) : 0;
	return i == t->n && !frame ? i + 1 : i;
}

uint32_t gs_python_known(gs_python_memos *m, uint32_t owner, uint32_t under)
{
	m->next = NULL;
	if (atomic_load_explicit(&walk, memory_order_acquire) != DIRECT || !py.is_initialized() ||
		(py.is_finalizing && py.is_finalizing()))
		return 0;
	uintptr_t state = (uintptr_t)py.this_thread_state();
	uintptr_t frame = state ? python_frame(current_frame(state)) : 0;
	if (!frame)
		return 0;
	uintptr_t differs = word(frame, at.instr);
	uint32_t slot = gs_python_memo_slot(((uint64_t)owner << 32) + under, differs);
	for (unsigned tries = 0; tries < GS_PYTHON_TRIES; tries++) {
		m->next = &m->memos[slot];
		if (m->next->owner != owner || m->next->under != under)
			return 0;
		uint32_t alike = follow(&m->next->trail, frame, &differs);
		if (alike > m->next->trail.n)
			return m->next->result;
		slot = gs_python_memo_slot((uint64_t)slot << 32 | alike, differs);
	}
	return 0;
}

void gs_python_remember(gs_python_memos *m, uint32_t owner, uint32_t under, uint32_t result,
	const gs_python_trail *trail)
{
	if (!m->next || !trail->n)
		return;
	m->next->owner = owner;
	m->next->under = under;
	m->next->result = result;
	m->next->trail.n = trail->n;
	m->next->trail.whole = trail->whole;
	memcpy(m->next->trail.at, trail->at, trail->n * sizeof *trail->at);
	m->next = NULL;
}

void gs_python_hide(const char *folder) { gs_python_table_hide(folder); }
