/* The tables of a .gsnap file: strings, frames, stacks, tags, segments, blocks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/model/memory.h"
#include "analyzer/read/gsnap/gsnap_internal.h"

enum { SYMBOLS_MAX = 100000000 }; /* looked at for one file: about half a second */

static bool map_add(gs_id_map *m, gs_id id)
{
	if (!GS_ARRAY_RESERVE(m->ids, m->cap, (size_t)m->n + 1))
		return false;
	m->ids[m->n++] = id;
	return true;
}

gs_status gs_gsnap_maps_init(gs_gsnap_reading *g)
{
	bool good = map_add(&g->strings, 0) && map_add(&g->frames, 0) && map_add(&g->stacks, 0) &&
		map_add(&g->tags, 0);
	g->symbols_left = SYMBOLS_MAX;
	g->frame_buffer = gs_memory_take(GS_GSNAP_DEPTH_MAX * sizeof *g->frame_buffer);
	return good && g->frame_buffer ? GS_OK : GS_NO_MEMORY;
}

void gs_gsnap_maps_release(gs_gsnap_reading *g)
{
	gs_memory_give(g->strings.ids);
	gs_memory_give(g->frames.ids);
	gs_memory_give(g->stacks.ids);
	gs_memory_give(g->tags.ids);
	for (uint32_t i = 0; i < g->nmodules; i++)
		gs_symbols_close(g->modules[i].symbols);
	gs_memory_give(g->modules);
	gs_memory_give(g->frame_buffer);
}

gs_status gs_gsnap_add_string(gs_gsnap_reading *g, uint32_t i, gs_error *err)
{
	gs_row_string row;
	gs_sections_row(g->sections, i, &row);
	gs_id id = gs_snapshot_string(g->snapshot, row.text.at ? row.text.at : "", row.text.n);
	return id && map_add(&g->strings, id) ? GS_OK : gs_no_memory(err);
}

gs_status gs_gsnap_add_module(gs_gsnap_reading *g, uint32_t i, gs_error *err)
{
	gs_row_module row;
	gs_sections_row(g->sections, i, &row);
	if (!GS_ARRAY_RESERVE(g->modules, g->cap_modules, (size_t)g->nmodules + 1))
		return gs_no_memory(err);
	const char *path = row.path.at ? row.path.at : "";
	uint32_t n = row.path.n, slash = n;
	while (slash && path[slash - 1] != '/')
		slash--;
	gs_module_names *m = &g->modules[g->nmodules++];
	memset(m, 0, sizeof *m);
	m->base = row.base;
	if (row.build_id.at && row.build_id.n <= sizeof m->build_id) {
		memcpy(m->build_id, row.build_id.at, row.build_id.n);
		m->build_id_length = row.build_id.n;
	}
	m->path = gs_snapshot_string(g->snapshot, path, n);
	m->base_name = gs_snapshot_string(g->snapshot, path + slash, n - slash);
	return m->path && m->base_name ? GS_OK : gs_no_memory(err);
}

/* The function, source file and line of a C frame, where its module is on this machine in the very
 * build. */
static bool symbol_of(gs_gsnap_reading *g, const gs_row_frame *row, gs_symbol *symbol)
{
	gs_module_names *m = row->module && row->module <= g->nmodules ? &g->modules[row->module - 1]
																   : NULL;
	if (!m)
		return false;
	if (!m->tried && g->symbols_left)
		m->symbols = gs_symbols_open(
			gs_string_text(g->snapshot, m->path), m->build_id, m->build_id_length);
	m->tried = true;
	if (!m->symbols || gs_symbols_cost(m->symbols) > g->symbols_left)
		return false;
	g->symbols_left -= gs_symbols_cost(m->symbols);
	return gs_symbols_find(m->symbols, row->address - m->base, symbol);
}

/* A C frame without a name is called after its place in its module. */
static gs_id name_of_address(gs_gsnap_reading *g, const gs_row_frame *row)
{
	char name[320];
	const gs_module_names *m = row->module && row->module <= g->nmodules
		? &g->modules[row->module - 1]
		: NULL;
	int n = m
		? snprintf(name, sizeof name, "%.280s+0x%llx", gs_string_text(g->snapshot, m->base_name),
			  (unsigned long long)(row->address - m->base))
		: snprintf(name, sizeof name, "0x%llx", (unsigned long long)row->address);
	return gs_snapshot_string(g->snapshot, name, (size_t)n);
}

gs_status gs_gsnap_add_frame(gs_gsnap_reading *g, uint32_t i, gs_error *err)
{
	gs_row_frame row;
	gs_sections_row(g->sections, i, &row);
	gs_id name = g->strings.ids[row.name], file = g->strings.ids[row.file];
	gs_symbol symbol;
	if (!row.name && row.address && symbol_of(g, &row, &symbol)) {
		name = gs_snapshot_string(g->snapshot, symbol.function, strlen(symbol.function));
		if (symbol.file && row.line == GS_NONE) {
			file = gs_snapshot_string(g->snapshot, symbol.file, strlen(symbol.file));
			row.file = file; /* known now */
			row.line = symbol.line;
		}
		if (!name || (symbol.file && !file))
			return gs_no_memory(err);
	} else if (!row.name && row.address && !(name = name_of_address(g, &row))) {
		return gs_no_memory(err);
	}
	if (!row.file && row.module && row.module <= g->nmodules)
		file = g->modules[row.module - 1].path;
	gs_id id = gs_snapshot_classed_frame(g->snapshot, name, file, row.line, row.class);
	return id && map_add(&g->frames, id) ? GS_OK : gs_no_memory(err);
}

gs_status gs_gsnap_add_stack(gs_gsnap_reading *g, uint32_t i, gs_error *err)
{
	gs_row_stack row;
	gs_sections_row(g->sections, i, &row);
	for (uint32_t k = 0; k < row.frames.n; k++)
		g->frame_buffer[k] = g->frames.ids[row.frames.at[k]];
	gs_id id = row.frames.n ? gs_snapshot_stack(g->snapshot, g->frame_buffer, row.frames.n) : 0;
	return (id || !row.frames.n) && map_add(&g->stacks, id) ? GS_OK : gs_no_memory(err);
}

gs_status gs_gsnap_add_tag(gs_gsnap_reading *g, uint32_t i, gs_error *err)
{
	gs_row_tag row;
	gs_sections_row(g->sections, i, &row);
	gs_id id = g->strings.ids[row.name];
	if (id >> 24)
		return gs_fail(err, GS_LIMIT, "tag %u is string %u: more than 2^24 strings before a tag",
			g->tags.n, id);
	return map_add(&g->tags, id) ? GS_OK : gs_no_memory(err);
}

/* The device of the current section; remembers how many segments the devices before it have. */
static gs_device *device_of(gs_gsnap_reading *g)
{
	gs_snapshot *s = g->snapshot;
	if (g->device && g->device->device == g->section.device)
		return g->device;
	g->device = gs_snapshot_find_device(s, g->section.device);
	g->segments_before = 0;
	for (const gs_device *d = s->devices; d < g->device && !g->stream; d++)
		g->segments_before += d->captured.nsegments;
	if (g->stream) /* sections before it may have been passed over */
		g->segments_before = g->section.kind == GS_SECTION_SEGMENT ? g->section.first
																   : g->layout_before;
	g->cap_segments = g->device->captured.nsegments;
	g->cap_blocks = g->device->captured.nblocks;
	return g->device;
}

gs_status gs_gsnap_add_segment(gs_gsnap_reading *g, uint32_t i, gs_error *err)
{
	gs_row_segment row;
	gs_device *d = device_of(g);
	gs_layout *l = &d->captured;
	gs_sections_row(g->sections, i, &row);
	if (!GS_ARRAY_RESERVE(l->segments, g->cap_segments, l->nsegments + 1))
		return gs_no_memory(err);
	l->segments[l->nsegments++] = (gs_segment){.address = row.address,
		.size = row.size,
		.stream = row.stream,
		.pool_id = row.pool_id,
		.stack = gs_gsnap_stack(g, row.stack),
		.pool = row.pool,
		.expandable = row.expandable,
		.has_address = !row.no_address};
	return GS_OK;
}

static gs_status place_block(
	gs_gsnap_reading *g, gs_layout *l, gs_block *b, uint64_t segment, uint32_t i, gs_error *err)
{
	uint64_t number = segment - 1 - g->segments_before;
	if (segment <= g->segments_before || number >= l->nsegments ||
		(l->nblocks && number < b[-1].segment))
		return gs_fail(err, GS_FORMAT,
			"section %u (block) at byte %llu: row %u is of segment %llu, which is another device's or behind",
			g->section.sequence, (unsigned long long)g->section.offset, i,
			(unsigned long long)segment);
	b->segment = (uint32_t)number;
	if (!l->segments[number].nblocks++)
		l->segments[number].first_block = l->nblocks;
	return GS_OK;
}

gs_status gs_gsnap_add_block(gs_gsnap_reading *g, uint32_t i, gs_error *err)
{
	gs_row_block row;
	gs_layout *l = &device_of(g)->captured;
	gs_sections_row(g->sections, i, &row);
	if (!GS_ARRAY_RESERVE(l->blocks, g->cap_blocks, l->nblocks + 1))
		return gs_no_memory(err);
	gs_block *b = &l->blocks[l->nblocks];
	*b = (gs_block){.address = row.address,
		.size = row.size,
		.requested = row.state == GS_INACTIVE ? GS_NONE : row.requested,
		.idx = row.idx,
		.stack = gs_gsnap_stack(g, row.stack),
		.tag = g->tags.ids[row.tag],
		.state = row.state,
		.stale = row.stale,
		.more = g->strings.ids[row.more]};
	gs_status status = place_block(g, l, b, row.segment, i, err);
	l->nblocks += !status;
	return status;
}
