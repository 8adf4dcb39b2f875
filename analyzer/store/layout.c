/* One state of a device in tables: its totals, segments, blocks. */
#include "analyzer/store/store_internal.h"

static void bind_totals(const gs_fill *f, sqlite3_stmt *q, const gs_layout *l)
{
	uint64_t whole = 0;
	gs_totals t;
	if (!l)
		return;
	gs_layout_totals(l, &t);
	bool counted = gs_layout_counted(f->s, l);
	gs_db_int(q, 9, counted ? (int64_t)t.segments : GS_NONE);
	gs_db_int(q, 10, counted ? (int64_t)t.blocks : GS_NONE);
	gs_db_int(q, 11, (int64_t)t.reserved);
	gs_db_int(q, 12, (int64_t)t.allocated);
	gs_db_int(q, 13, (int64_t)t.pending);
	gs_db_int(q, 14, (int64_t)t.free);
	gs_db_int(q, 15, counted ? (int64_t)t.free_blocks : GS_NONE);
	gs_db_int(q, 16,
		!counted                    ? GS_NONE
			: t.largest == SIZE_MAX ? 0
									: (int64_t)l->blocks[t.largest].size);
	gs_db_int(q, 17, (int64_t)t.rounding);
	for (size_t i = 0; i < l->nsegments; i++)
		whole += gs_free_parts_of(&f->free_rules, l, &l->segments[i]).whole;
	gs_db_int(q, 18, (int64_t)whole);
}

static gs_status put_state(gs_fill *f, const gs_state_row *row, int64_t id, gs_error *err)
{
	gs_status status = f->state
		? GS_OK
		: gs_db_prepare(f->store->db,
			  "INSERT INTO main.state VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", &f->state,
			  err);
	if (status)
		return status;
	const gs_layout *l = row->layout;
	sqlite3_clear_bindings(f->state);
	gs_db_int(f->state, 1, f->id);
	gs_db_int(f->state, 2, id);
	gs_db_int(f->state, 3, gs_device_number(row->device->device));
	gs_db_text(f->state, 4, row->name);
	gs_db_int(f->state, 5, gs_event_number(&row->device->trace, row->idx));
	gs_db_int(f->state, 6, row->doubt ? 0 : l ? l->exact : 1);
	gs_db_text(f->state, 7, row->doubt ? row->doubt : l && l->note[0] ? l->note : NULL);
	gs_db_int(f->state, 8, row->device_free);
	bind_totals(f, f->state, l);
	if (!l) {
		gs_db_int(f->state, 11, row->reserved);
		gs_db_int(f->state, 12, row->allocated);
	}
	return gs_db_do(f->state, err);
}

/* What a segment's blocks add up to. */
typedef struct sums {
	uint64_t allocated, pending, free, largest;
} sums;

static sums sum_blocks(const gs_layout *l, const gs_segment *g)
{
	sums x = {0, 0, 0, 0};
	for (size_t i = g->first_block; i < g->first_block + g->nblocks; i++) {
		const gs_block *b = &l->blocks[i];
		if (b->state == GS_ACTIVE_ALLOCATED)
			x.allocated += b->size;
		else if (b->state == GS_ACTIVE_PENDING_FREE)
			x.pending += b->size;
		else {
			x.free += b->size;
			if (b->size > x.largest)
				x.largest = b->size;
		}
	}
	return x;
}

static gs_status put_segment(
	gs_fill *f, const gs_layout *l, const gs_segment *g, const char *pool_id, gs_error *err)
{
	sqlite3_stmt *q = f->segment;
	gs_id stack = gs_fill_stack(f, g->stack);
	sums x = sum_blocks(l, g);
	gs_db_int(q, 4, g->has_address ? (int64_t)g->address : GS_NONE);
	gs_db_int(q, 5, (int64_t)g->size);
	gs_db_text(q, 6, gs_class_text(g->pool));
	gs_db_text(q, 7, pool_id);
	sqlite3_bind_int64(q, 8, (int64_t)g->stream);
	gs_db_int(q, 9, g->expandable);
	gs_db_int(q, 10, stack ? (int64_t)stack : GS_NONE);
	gs_db_int(q, 11, (int64_t)x.allocated);
	gs_db_int(q, 12, (int64_t)x.pending);
	gs_db_int(q, 13, (int64_t)x.free);
	gs_db_int(q, 14, (int64_t)x.largest);
	gs_db_int(q, 15, (int64_t)g->nblocks);
	gs_free_parts parts = gs_free_parts_of(&f->free_rules, l, g);
	gs_db_int(q, 16, (int64_t)parts.whole);
	gs_db_int(q, 17, (int64_t)parts.largest_left);
	return gs_db_do(q, err);
}

static void bind_category(sqlite3_stmt *q, const gs_meaning *m, const gs_block *b)
{
	bool known = m && b->state != GS_INACTIVE;
	gs_categorization found = known ? gs_meaning_of(m, b)
									: (gs_categorization){GS_CATEGORY_UNKNOWN, 0};
	gs_db_text(q, 17, known ? gs_category_word(m->rules, found.category) : NULL);
	gs_db_text(q, 18, known ? gs_category_why(m->rules, found.rule) : NULL);
}

static gs_status put_block(
	gs_fill *f, const gs_state_row *row, const gs_segment *g, const gs_block *b, gs_error *err)
{
	sqlite3_stmt *q = f->block;
	gs_id stack = gs_fill_stack(f, b->stack);
	gs_db_int(q, 5, g->has_address ? (int64_t)b->address : GS_NONE);
	gs_db_int(q, 6, (int64_t)b->size);
	gs_db_int(q, 7, b->state == GS_INACTIVE ? GS_NONE : b->requested);
	gs_db_text(q, 8, gs_block_state_text(b->state));
	gs_db_int(q, 12, stack ? (int64_t)stack : GS_NONE);
	gs_db_text(q, 13, b->tag ? gs_string_text(f->s, b->tag) : NULL);
	gs_db_int(q, 14, gs_event_number(&row->device->trace, b->idx));
	gs_db_int(q, 15, b->stale && b->stale <= INT64_MAX ? (int64_t)b->stale : GS_NONE);
	gs_db_text(q, 16,
		b->more && f->s->strings[b->more].length <= GS_MOST_MORE ? gs_string_text(f->s, b->more)
																 : NULL);
	bind_category(q, row->meaning, b);
	return gs_db_do(q, err);
}

static gs_status put_segment_and_blocks(
	gs_fill *f, const gs_state_row *row, const gs_layout *l, const gs_segment *g, gs_error *err)
{
	char pool_id[44];
	gs_pool_text(pool_id, g->pool_id);
	gs_status status = put_segment(f, l, g, pool_id, err);
	sqlite3_stmt *q = f->block;
	gs_db_int(q, 4, g->has_address ? (int64_t)g->address : GS_NONE);
	gs_db_text(q, 9, gs_class_text(g->pool));
	gs_db_text(q, 10, pool_id);
	sqlite3_bind_int64(q, 11, (int64_t)g->stream);
	for (size_t i = g->first_block; i < g->first_block + g->nblocks && !status; i++)
		status = put_block(f, row, g, &l->blocks[i], err);
	return status;
}

static gs_status put_layout(
	gs_fill *f, const gs_state_row *row, const gs_layout *l, int64_t id, gs_error *err)
{
	const gs_device *d = row->device;
	gs_status status = f->segment
		? GS_OK
		: gs_db_prepare(f->store->db,
			  "INSERT INTO main.all_segment VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
			  &f->segment, err);
	if (!status && !f->block)
		status = gs_db_prepare(f->store->db,
			"INSERT INTO main.all_block VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", &f->block,
			err);
	if (status)
		return status;
	gs_db_int(f->segment, 1, f->id);
	gs_db_int(f->segment, 2, id);
	gs_db_int(f->segment, 3, gs_device_number(d->device));
	gs_db_int(f->block, 1, f->id);
	gs_db_int(f->block, 2, id);
	gs_db_int(f->block, 3, gs_device_number(d->device));
	for (size_t i = 0; i < l->nsegments && !status; i++)
		status = put_segment_and_blocks(f, row, l, &l->segments[i], err);
	return status;
}

gs_status gs_fill_state(gs_fill *f, const gs_state_row *row, int64_t *id, gs_error *err)
{
	*id = f->store->next_state++;
	gs_status status = put_state(f, row, *id, err);
	if (!status && row->layout && f->options->want & GS_WANT_LAYOUT)
		status = put_layout(f, row, row->layout, *id, err);
	if (!status && row->layout && row->meaning && f->options->want & GS_WANT_HOLDERS)
		status = gs_fill_holders(f, row->meaning, row->device, row->layout, *id, err);
	return status;
}
