/* The columns of every section. Ids are in files: a retired one is never used again. */
#include "schema/gsnap_columns.h"

#include "schema/bytes.h"
#include "schema/gsnap_format.h"

/* COLUMN(id, struct, field, cell, what it refers to); ASIDE: one that the analyzer has no use for;
 * NEEDED: 0 is not allowed; SMALL: a number up to most. */
#define COLUMN(id, row, field, cell, refers)                                       \
	{                                                                              \
		id, GS_CELL_##cell, refers, 0, 0, 0, offsetof(gs_row_##row, field), #field \
	}
#define ASIDE(id, row, field, cell)                                           \
	{                                                                         \
		id, GS_CELL_##cell, 0, 0, 0, 1, offsetof(gs_row_##row, field), #field \
	}
#define NEEDED(id, row, field, cell, refers)                                       \
	{                                                                              \
		id, GS_CELL_##cell, refers, 1, 0, 0, offsetof(gs_row_##row, field), #field \
	}
#define SMALL(id, row, field, most)                                          \
	{                                                                        \
		id, GS_CELL_U8, 0, 0, most, 0, offsetof(gs_row_##row, field), #field \
	}

static const gs_file_column process[] = {
	COLUMN(1, process, host, TEXT, 0),
	COLUMN(2, process, tool, TEXT, 0),
	COLUMN(3, process, argv, TEXT, 0),
	COLUMN(4, process, rules, TEXT, 0),
	COLUMN(5, process, library, TEXT, 0),
	COLUMN(6, process, driver, TEXT, 0),
	COLUMN(7, process, origin, TEXT, 0),
	COLUMN(8, process, pid, OPT, 0),
	COLUMN(9, process, rank, OPT, 0),
	COLUMN(10, process, time_us, OPT, 0),
	COLUMN(11, process, incomplete, BOOL, 0),
	COLUMN(12, process, release_min, TEXT, 0),
	COLUMN(13, process, release_max, TEXT, 0),
	COLUMN(GS_COLUMN_MAY_SKIP, process, reason, TEXT, 0),
	COLUMN(GS_COLUMN_MAY_SKIP + 1, process, above, TEXT, 0),
};

static const gs_file_column device[] = {
	COLUMN(1, device, device, I32, 0),
	COLUMN(2, device, name, TEXT, 0),
	COLUMN(3, device, capacity, OPT, 0),
	COLUMN(4, device, device_free, OPT, 0),
	COLUMN(5, device, allowed, OPT, 0),
	COLUMN(6, device, reserved, OPT, 0),
	COLUMN(7, device, allocated, OPT, 0),
	COLUMN(8, device, others, OPT, 0),
	COLUMN(9, device, idx, OPT, 0),
	COLUMN(10, device, dropped, U64, 0),
	COLUMN(11, device, complete, I32, 0),
	COLUMN(12, device, no_layout, BOOL, 0),
	COLUMN(13, device, inexact, BOOL, 0),
	COLUMN(14, device, layout_at_oom, BOOL, 0),
	COLUMN(15, device, note, TEXT, 0),
};

static const gs_file_column setting[] = {
	COLUMN(1, setting, name, TEXT, 0),
	COLUMN(2, setting, value, TEXT, 0),
};

static const gs_file_column string[] = {
	COLUMN(1, string, text, TEXT, 0),
};

static const gs_file_column module[] = {
	COLUMN(1, module, path, TEXT, 0),
	COLUMN(2, module, build_id, TEXT, 0),
	COLUMN(3, module, base, U64, 0),
	COLUMN(4, module, size, U64, 0),
};

static const gs_file_column frame[] = {
	COLUMN(1, frame, name, U32, GS_SECTION_STRING),
	COLUMN(2, frame, file, U32, GS_SECTION_STRING),
	COLUMN(3, frame, line, OPT, 0),
	COLUMN(4, frame, address, U64, 0),
	COLUMN(5, frame, module, U32, GS_SECTION_MODULE),
	COLUMN(GS_COLUMN_MAY_SKIP, frame, class, U32, 0),
};

static const gs_file_column stack[] = {
	COLUMN(1, stack, frames, IDS, GS_SECTION_FRAME),
};

static const gs_file_column tag[] = {
	NEEDED(1, tag, name, U32, GS_SECTION_STRING),
};

static const gs_file_column segment[] = {
	COLUMN(1, segment, address, U64, 0),
	COLUMN(2, segment, size, U64, 0),
	COLUMN(3, segment, stream, U64, 0),
	COLUMN(4, segment, pool_id.a, U64, 0),
	COLUMN(5, segment, pool_id.b, U64, 0),
	COLUMN(6, segment, stack, U32, GS_SECTION_STACK),
	SMALL(7, segment, pool, GS_CLASS_UNKNOWN),
	COLUMN(8, segment, expandable, BOOL, 0),
	COLUMN(9, segment, no_address, BOOL, 0),
};

static const gs_file_column block[] = {
	NEEDED(1, block, segment, U64, GS_SECTION_SEGMENT),
	COLUMN(2, block, address, U64, 0),
	COLUMN(3, block, size, U64, 0),
	COLUMN(4, block, requested, OPT, 0),
	COLUMN(5, block, idx, OPT, 0),
	COLUMN(6, block, stack, U32, GS_SECTION_STACK),
	COLUMN(7, block, tag, U32, GS_SECTION_TAG),
	SMALL(8, block, state, GS_INACTIVE),
	COLUMN(GS_COLUMN_MAY_SKIP, block, stale, U64, 0),
	COLUMN(GS_COLUMN_MAY_SKIP + 1, block, more, U32, GS_SECTION_STRING),
};

static const gs_file_column stat[] = {
	COLUMN(1, stat, device, I32, 0),
	COLUMN(2, stat, name, U32, GS_SECTION_STRING),
	COLUMN(3, stat, pool, U32, GS_SECTION_STRING),
	COLUMN(4, stat, current, OPT, 0),
	COLUMN(5, stat, peak, OPT, 0),
	COLUMN(6, stat, allocated, OPT, 0),
	COLUMN(7, stat, freed, OPT, 0),
};

static const gs_file_column oom[] = {
	COLUMN(1, oom, device, I32, 0),
	COLUMN(2, oom, idx, OPT, 0),
	COLUMN(3, oom, time_us, OPT, 0),
	COLUMN(4, oom, requested, OPT, 0),
	COLUMN(5, oom, needed, OPT, 0),
	COLUMN(6, oom, stream, OPT, 0),
	COLUMN(7, oom, has_pool_id, BOOL, 0),
	COLUMN(8, oom, pool_id.a, U64, 0),
	COLUMN(9, oom, pool_id.b, U64, 0),
	SMALL(10, oom, pool, GS_CLASS_UNKNOWN),
	COLUMN(11, oom, device_free, OPT, 0),
	COLUMN(12, oom, capacity, OPT, 0),
	COLUMN(13, oom, allocated, OPT, 0),
	COLUMN(14, oom, reserved, OPT, 0),
	COLUMN(15, oom, allowed, OPT, 0),
	COLUMN(16, oom, library, TEXT, 0),
	COLUMN(17, oom, message, TEXT, 0),
	COLUMN(18, oom, stack, U32, GS_SECTION_STACK),
	COLUMN(128, oom, others, OPT, 0),
	COLUMN(129, oom, own, OPT, 0),
	COLUMN(130, oom, counted, OPT, 0),
	COLUMN(131, oom, private_free, OPT, 0),
	COLUMN(132, oom, pool_free, OPT, 0),
	COLUMN(133, oom, pool_largest, OPT, 0),
	COLUMN(134, oom, line, OPT, 0),
	COLUMN(135, oom, says, U32, 0),
};

static const gs_file_column annotation[] = {
	COLUMN(1, annotation, device, I32, 0),
	COLUMN(2, annotation, name, U32, GS_SECTION_STRING),
	COLUMN(3, annotation, stage, U32, GS_SECTION_STRING),
	COLUMN(4, annotation, time_us, OPT, 0),
};

static const gs_file_column warning[] = {
	COLUMN(1, warning, text, TEXT, 0),
};

static const gs_file_column event[] = {
	SMALL(1, event, action, 255),
	COLUMN(2, event, address, U64, 0),
	COLUMN(3, event, size, U64, 0),
	COLUMN(4, event, time_us, OPT, 0),
	COLUMN(5, event, stream, U64, 0),
	COLUMN(6, event, has_pool_id, BOOL, 0),
	COLUMN(7, event, pool_id.a, U64, 0),
	COLUMN(8, event, pool_id.b, U64, 0),
	COLUMN(9, event, stack, U32, GS_SECTION_STACK),
	COLUMN(10, event, tag, U32, GS_SECTION_TAG),
	ASIDE(GS_COLUMN_MAY_SKIP, event, nanos, U64),
	COLUMN(GS_COLUMN_MAY_SKIP + 1, event, extra, U64, 0),
	COLUMN(GS_COLUMN_MAY_SKIP + 2, event, more, U32, GS_SECTION_STRING),
	COLUMN(GS_COLUMN_MAY_SKIP + 3, event, device_free, OPT, 0),
};

static const gs_file_column end[] = {
	COLUMN(1, end, sections, U64, 0),
	COLUMN(2, end, events, U64, 0),
	COLUMN(GS_COLUMN_MAY_SKIP, end, index, U64, 0),
};

static const gs_file_column index_[] = {
	COLUMN(1, index, device, I32, 0),
	COLUMN(2, index, idx, OPT, 0),
	COLUMN(3, index, offset, U64, 0),
	COLUMN(4, index, kind, U32, 0),
	COLUMN(5, index, before, U64, 0),
};

static const gs_file_column figures[] = {
	COLUMN(1, figures, device, I32, 0),
	COLUMN(2, figures, first, U64, 0),
	COLUMN(3, figures, events, U64, 0),
	COLUMN(4, figures, from_us, OPT, 0),
	COLUMN(5, figures, until_us, OPT, 0),
	COLUMN(6, figures, allocated, U64, 0),
	COLUMN(7, figures, pending, U64, 0),
	COLUMN(8, figures, reserved, U64, 0),
	COLUMN(9, figures, most_allocated, U64, 0),
	COLUMN(10, figures, allocated_idx, U64, 0),
	COLUMN(11, figures, most_reserved, U64, 0),
	COLUMN(12, figures, reserved_idx, U64, 0),
	COLUMN(13, figures, reserved_then, U64, 0),
	COLUMN(14, figures, ooms, U64, 0),
	COLUMN(15, figures, retries, U64, 0),
};

#define FORM(name, cost) \
#name, name, sizeof name / sizeof *name, 0, false, false, false, sizeof(gs_row_##name), cost
#define FORM_WITH(name, cost, flags, by_device, always, once)                \
#name, name, sizeof name / sizeof *name, flags, by_device, always, once, \
		sizeof(gs_row_##name), cost

const gs_section_form gs_section_forms[GS_SECTION_KINDS] = {
	[GS_SECTION_PROCESS] = {FORM_WITH(process, 256, 0, false, false, true)},
	[GS_SECTION_DEVICE] = {FORM_WITH(device, 512, 0, false, true, false)},
	[GS_SECTION_SETTING] = {FORM(setting, 32)},
	[GS_SECTION_STRING] = {FORM(string, 40)},
	[GS_SECTION_MODULE] = {FORM(module, 64)},
	[GS_SECTION_FRAME] = {FORM(frame, 40)},
	[GS_SECTION_STACK] = {FORM(stack, 40)},
	[GS_SECTION_TAG] = {FORM(tag, 8)},
	[GS_SECTION_SEGMENT] = {FORM_WITH(segment, 96, 0, true, true, false)},
	[GS_SECTION_BLOCK] = {FORM_WITH(block, 88, 0, true, true, false)},
	[GS_SECTION_STAT] = {FORM(stat, 48)},
	[GS_SECTION_OOM] = {FORM(oom, 192)},
	[GS_SECTION_ANNOTATION] = {FORM_WITH(annotation, 32, GS_SECTION_MAY_SKIP, false, false, false)},
	[GS_SECTION_WARNING] = {FORM_WITH(warning, 256, GS_SECTION_MAY_SKIP, false, false, false)},
	[GS_SECTION_EVENT] = {FORM_WITH(event, 48, 0, true, false, false)},
	[GS_SECTION_INDEX] = {"index", index_, sizeof index_ / sizeof *index_, GS_SECTION_MAY_SKIP,
		false, false, false, sizeof(gs_row_index), 32},
	[GS_SECTION_FIGURES] = {FORM_WITH(figures, 128, GS_SECTION_MAY_SKIP, false, false, false)},
	[GS_SECTION_END] = {FORM_WITH(end, 16, 0, false, true, true)},
};

static uint64_t optional(int64_t v) { return v == GS_NONE ? 0 : gs_zigzag(v) + 1; }

uint64_t gs_column_get(const gs_file_column *column, const void *row)
{
	const char *field = (const char *)row + column->offset;
	switch ((gs_cell)column->cell) {
	case GS_CELL_U64: return *(const uint64_t *)(const void *)field;
	case GS_CELL_U32: return *(const uint32_t *)(const void *)field;
	case GS_CELL_U8: return *(const uint8_t *)field;
	case GS_CELL_BOOL: return *(const bool *)field;
	case GS_CELL_I32: return gs_zigzag(*(const int32_t *)(const void *)field);
	case GS_CELL_OPT: return optional(*(const int64_t *)(const void *)field);
	case GS_CELL_TEXT: {
		const gs_span *text = (const void *)field;
		return text->at ? (uint64_t)text->n + 1 : 0;
	}
	case GS_CELL_IDS: return ((const gs_ids *)(const void *)field)->n;
	}
	return 0;
}

void gs_column_set(const gs_file_column *column, void *row, uint64_t cell)
{
	char *field = (char *)row + column->offset;
	switch ((gs_cell)column->cell) {
	case GS_CELL_U64: *(uint64_t *)(void *)field = cell; break;
	case GS_CELL_U32: *(uint32_t *)(void *)field = (uint32_t)cell; break;
	case GS_CELL_U8: *(uint8_t *)field = (uint8_t)cell; break;
	case GS_CELL_BOOL: *(bool *)field = cell != 0; break;
	case GS_CELL_I32: *(int32_t *)(void *)field = (int32_t)gs_unzigzag(cell); break;
	case GS_CELL_OPT: *(int64_t *)(void *)field = cell ? gs_unzigzag(cell - 1) : GS_NONE; break;
	case GS_CELL_TEXT:
	case GS_CELL_IDS: break; /* the reader has the bytes */
	}
}

uint64_t gs_column_most(const gs_file_column *column, const uint64_t *rows)
{
	if (column->cell == GS_CELL_TEXT)
		return GS_GSNAP_TEXT_MAX + 1;
	if (column->cell == GS_CELL_IDS)
		return GS_GSNAP_DEPTH_MAX;
	if (column->refers)
		return rows[column->refers];
	switch (column->cell) {
	case GS_CELL_U8: return column->max;
	case GS_CELL_BOOL: return 1;
	case GS_CELL_U32:
	case GS_CELL_I32: return UINT32_MAX;
	default: return UINT64_MAX;
	}
}
