/* Stacks and frames, shared by content between the snapshots of a database. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/model/frames.h"
#include "analyzer/store/store_internal.h"

/* Maps ids of the snapshot to those of the store; new content gets new ids. */
static gs_status map_frames(gs_fill *f, gs_id *frame_of)
{
	gs_snapshot *all = &f->store->shared;
	for (gs_id i = 1; i < f->s->nframes; i++) {
		const gs_frame *x = &f->s->frames[i];
		const gs_string *name = x->name < f->s->nstrings ? &f->s->strings[x->name] : NULL;
		const gs_string *file = x->file < f->s->nstrings ? &f->s->strings[x->file] : NULL;
		gs_id name_id = x->name && name ? gs_snapshot_string(all, name->text, name->length) : 0;
		gs_id file_id = x->file && file ? gs_snapshot_string(all, file->text, file->length) : 0;
		frame_of[i] = gs_snapshot_classed_frame(all, name_id, file_id, x->line, x->class);
		if (!frame_of[i])
			return GS_NO_MEMORY;
	}
	return GS_OK;
}

static gs_status map_stacks(gs_fill *f, const gs_id *frame_of)
{
	gs_snapshot *all = &f->store->shared;
	gs_id *frames = NULL;
	size_t cap = 0;
	gs_status status = GS_OK;
	for (gs_id i = 1; i < f->s->nstacks && !status; i++) {
		const gs_stack *k = &f->s->stacks[i];
		if (!GS_ARRAY_RESERVE(frames, cap, (size_t)k->n)) {
			status = GS_NO_MEMORY;
			break;
		}
		for (uint32_t n = 0; n < k->n; n++)
			frames[n] = frame_of[f->s->stack_frames[k->first + n]];
		f->stack_of[i] = gs_snapshot_stack(all, frames, k->n);
		if (!f->stack_of[i] && k->n)
			status = GS_NO_MEMORY;
	}
	free(frames);
	return status;
}

static gs_status map(gs_fill *f)
{
	f->stack_of = calloc((size_t)f->s->nstacks + 1, sizeof *f->stack_of);
	gs_id *frame_of = calloc((size_t)f->s->nframes + 1, sizeof *frame_of);
	gs_status status = f->stack_of && frame_of ? map_frames(f, frame_of) : GS_NO_MEMORY;
	if (!status)
		status = map_stacks(f, frame_of);
	free(frame_of);
	return status;
}

/* The package of a file under site-packages, else the file's name without folder and ending. */
static const char *module_of(const char *file, size_t *n)
{
	static const char *const roots[] = {"site-packages", "dist-packages"};
	const char *slashes = strchr(file, '/') ? "/" : "/\\"; /* a Windows path has the other ones */
	for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
		const char *at = strstr(file, roots[i]);
		if (at && at[strlen(roots[i])] && strchr(slashes, at[strlen(roots[i])])) {
			at += strlen(roots[i]) + 1;
			*n = strcspn(at, slashes);
			const char *dot = memchr(at, '.', *n);
			*n = dot ? (size_t)(dot - at) : *n;
			return at;
		}
	}
	const char *slash = strrchr(file, slashes[strlen(slashes) - 1]),
			   *name = slash ? slash + 1 : file;
	*n = strcspn(name, ".");
	return *n ? name : NULL;
}

static gs_status put_frames(gs_fill *f, gs_error *err)
{
	const gs_snapshot *all = &f->store->shared;
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(
		f->store->db, "INSERT INTO main.frame VALUES (?,?,?,?,?,?)", &q, err);
	for (gs_id i = f->store->frames_written + 1; i < all->nframes && !status; i++) {
		const gs_frame *x = &all->frames[i];
		const char *file = x->file ? gs_string_text(all, x->file) : NULL;
		size_t n = 0;
		const char *module = file ? module_of(file, &n) : NULL;
		gs_db_int(q, 1, i);
		gs_db_text(q, 2, x->name ? gs_string_text(all, x->name) : NULL);
		gs_db_text(q, 3, file);
		gs_db_int(q, 4, x->line);
		sqlite3_bind_text(q, 5, module, (int)n, SQLITE_STATIC);
		gs_db_int(q, 6, x->class ? (int64_t)x->class : GS_NONE);
		status = gs_db_do(q, err);
		f->store->frames_written = i;
	}
	sqlite3_finalize(q);
	return status;
}

/* Text that grows to what it needs. */
typedef struct text {
	char *buf;
	size_t cap;
} text;

static const char *stack_text(const gs_fill *f, text *t, gs_id stack)
{
	bool all_frames = f->options->all_frames;
	size_t need = gs_stack_text(&f->store->shared, stack, all_frames, t->buf, t->cap);
	if (need >= t->cap) {
		if (!GS_ARRAY_RESERVE(t->buf, t->cap, need + 1))
			return NULL;
		gs_stack_text(&f->store->shared, stack, all_frames, t->buf, t->cap);
	}
	return t->buf;
}

static gs_status put_stack_frames(gs_fill *f, sqlite3_stmt *q, gs_id stack, gs_error *err)
{
	const gs_snapshot *all = &f->store->shared;
	const gs_stack *k = &all->stacks[stack];
	gs_status status = GS_OK;
	for (uint32_t n = 0; n < k->n && !status; n++) {
		gs_db_int(q, 1, stack);
		gs_db_int(q, 2, n);
		gs_db_int(q, 3, all->stack_frames[k->first + n]);
		status = gs_db_do(q, err);
	}
	return status;
}

static gs_status put_stacks(gs_fill *f, gs_error *err)
{
	const gs_snapshot *all = &f->store->shared;
	text whole = {NULL, 0};
	char user[2048];
	sqlite3_stmt *q = NULL, *part = NULL;
	gs_status status = gs_db_prepare(
		f->store->db, "INSERT INTO main.stack VALUES (?,?,?,?)", &q, err);
	if (!status)
		status = gs_db_prepare(
			f->store->db, "INSERT INTO main.stack_frame VALUES (?,?,?)", &part, err);
	for (gs_id i = f->store->stacks_written + 1; i < all->nstacks && !status; i++) {
		gs_id frame = gs_stack_user_frame(all, i);
		const char *full = stack_text(f, &whole, i);
		if (!full) {
			status = gs_fail(err, GS_NO_MEMORY, "a stack's text");
			break;
		}
		gs_frame_text(all, frame, user, sizeof user);
		gs_db_int(q, 1, i);
		gs_db_text(q, 2, full);
		gs_db_text(q, 3, frame ? user : NULL);
		gs_db_int(q, 4, frame ? (int64_t)frame : GS_NONE);
		status = gs_db_do(q, err);
		if (!status && f->options->want & GS_WANT_STACK_FRAMES)
			status = put_stack_frames(f, part, i, err);
		f->store->stacks_written = i;
	}
	sqlite3_finalize(q);
	sqlite3_finalize(part);
	free(whole.buf);
	return status;
}

gs_status gs_fill_stacks(gs_fill *f, gs_error *err)
{
	if (!(f->options->want & GS_WANT_STACKS)) {
		f->stack_of = calloc((size_t)f->s->nstacks + 1, sizeof *f->stack_of);
		return f->stack_of ? GS_OK : gs_fail(err, GS_NO_MEMORY, "stacks");
	}
	if (map(f))
		return gs_fail(err, GS_NO_MEMORY, "stacks");
	gs_status status = put_frames(f, err);
	return status ? status : put_stacks(f, err);
}
