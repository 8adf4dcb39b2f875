#include "recorder/pool/set.h"

static gs_node *parent(const gs_node *n) { return (gs_node *)(n->up & ~(uintptr_t)1); }
static bool is_red(const gs_node *n) { return n && (n->up & 1); }
static void set_parent(gs_node *n, gs_node *p) { n->up = (uintptr_t)p | (n->up & 1); }
static void paint(gs_node *n, bool red) { n->up = (n->up & ~(uintptr_t)1) | red; }

static bool less(const gs_set *set, const gs_node *a, const gs_node *b)
{
	if (a->stream != b->stream)
		return a->stream < b->stream;
	if (!set->by_place) {
		if (a->size != b->size)
			return a->size < b->size;
		if (a->order != b->order)
			return a->order < b->order;
	}
	return a->address < b->address;
}

static void replace_child(gs_set *set, gs_node *p, gs_node *old, gs_node *new)
{
	if (!p)
		set->root = new;
	else
		p->child[p->child[1] == old] = new;
}

/* Moves n down to side, its other child up. */
static void rotate(gs_set *set, gs_node *n, int side)
{
	gs_node *c = n->child[!side], *p = parent(n);
	n->child[!side] = c->child[side];
	if (c->child[side])
		set_parent(c->child[side], n);
	c->child[side] = n;
	set_parent(c, p);
	replace_child(set, p, n, c);
	set_parent(n, c);
}

static void mend_insert(gs_set *set, gs_node *n)
{
	gs_node *p;
	while ((p = parent(n)) && is_red(p)) {
		gs_node *g = parent(p);
		int side = g->child[1] == p;
		gs_node *uncle = g->child[!side];
		if (is_red(uncle)) {
			paint(p, false);
			paint(uncle, false);
			paint(g, true);
			n = g;
			continue;
		}
		if (p->child[!side] == n) {
			rotate(set, p, side);
			p = n;
		}
		paint(p, false);
		paint(g, true);
		rotate(set, g, !side);
		break;
	}
	paint(set->root, false);
}

void gs_set_insert(gs_set *set, gs_node *node)
{
	gs_node *p = NULL, **link = &set->root;
	while (*link) {
		p = *link;
		link = &p->child[!less(set, node, p)];
	}
	node->child[0] = node->child[1] = NULL;
	node->up = (uintptr_t)p | 1;
	*link = node;
	set->count++;
	mend_insert(set, node);
}

/* One black is missing below p on side, whose child is n (maybe NULL). */
static void mend_erase(gs_set *set, gs_node *n, gs_node *p)
{
	while (n != set->root && !is_red(n)) {
		int side = p->child[1] == n;
		gs_node *s = p->child[!side];
		if (is_red(s)) {
			paint(s, false);
			paint(p, true);
			rotate(set, p, side);
			s = p->child[!side];
		}
		if (!is_red(s->child[0]) && !is_red(s->child[1])) {
			paint(s, true);
			n = p;
			p = parent(n);
			continue;
		}
		if (!is_red(s->child[!side])) {
			paint(s->child[side], false);
			paint(s, true);
			rotate(set, s, !side);
			s = p->child[!side];
		}
		paint(s, is_red(p));
		paint(p, false);
		paint(s->child[!side], false);
		rotate(set, p, side);
		n = set->root;
	}
	if (n)
		paint(n, false);
}

void gs_set_erase(gs_set *set, gs_node *node)
{
	gs_node *n, *p;
	bool black;
	set->count--;
	if (node->child[0] && node->child[1]) {
		gs_node *s = node->child[1];
		while (s->child[0])
			s = s->child[0];
		n = s->child[1];
		p = parent(s);
		black = !is_red(s);
		if (p == node) {
			p = s;
		} else {
			p->child[0] = n;
			if (n)
				set_parent(n, p);
			s->child[1] = node->child[1];
			set_parent(s->child[1], s);
		}
		s->child[0] = node->child[0];
		set_parent(s->child[0], s);
		replace_child(set, parent(node), node, s);
		s->up = node->up;
	} else {
		n = node->child[0] ? node->child[0] : node->child[1];
		p = parent(node);
		black = !is_red(node);
		replace_child(set, p, node, n);
		if (n)
			set_parent(n, p);
	}
	if (black)
		mend_erase(set, n, p);
}

gs_node *gs_set_at_least(const gs_set *set, uint64_t stream, uint64_t size)
{
	gs_node *n = set->root, *best = NULL;
	while (n) {
		bool behind = n->stream > stream ||
			(n->stream == stream && (set->by_place || n->size >= size));
		if (behind)
			best = n;
		n = n->child[!behind];
	}
	return best;
}

gs_node *gs_set_before(const gs_set *set, uint64_t stream, uint64_t size)
{
	gs_node *n = set->root, *best = NULL;
	while (n) {
		bool before = n->stream < stream ||
			(n->stream == stream && !set->by_place && n->size < size);
		if (before)
			best = n;
		n = n->child[before];
	}
	return best;
}

gs_node *gs_set_covering(const gs_set *set, uint64_t stream, uint64_t address)
{
	gs_node *n = set->root, *best = NULL;
	while (n) {
		bool below = n->stream < stream || (n->stream == stream && n->address <= address);
		if (below)
			best = n;
		n = n->child[below];
	}
	return best && best->stream == stream ? best : NULL;
}

static gs_node *outermost(gs_node *n, int side)
{
	while (n && n->child[side])
		n = n->child[side];
	return n;
}

static gs_node *neighbour(const gs_node *n, int side)
{
	if (n->child[side])
		return outermost(n->child[side], !side);
	gs_node *p = parent(n);
	while (p && p->child[side] == n) {
		n = p;
		p = parent(n);
	}
	return p;
}

gs_node *gs_set_first(const gs_set *set) { return outermost(set->root, 0); }
gs_node *gs_set_last(const gs_set *set) { return outermost(set->root, 1); }
gs_node *gs_set_next(const gs_node *node) { return neighbour(node, 1); }
gs_node *gs_set_prev(const gs_node *node) { return neighbour(node, 0); }

void gs_set_rekey(gs_set *set, gs_node *node, uint64_t size, uint64_t address)
{
	const gs_node *lo = neighbour(node, 0), *hi = neighbour(node, 1);
	node->size = size;
	node->address = address;
	if ((!lo || less(set, lo, node)) && (!hi || less(set, node, hi)))
		return;
	gs_set_erase(set, node);
	gs_set_insert(set, node);
}

/* Black height below n, or -1 when something is wrong; counts nodes. */
static int measure(const gs_set *set, const gs_node *n, const gs_node *p, size_t *count)
{
	if (!n)
		return 0;
	if (parent(n) != p || (is_red(n) && is_red(p)))
		return -1;
	if ((n->child[0] && !less(set, n->child[0], n)) || (n->child[1] && !less(set, n, n->child[1])))
		return -1;
	++*count;
	int left = measure(set, n->child[0], n, count), right = measure(set, n->child[1], n, count);
	return left < 0 || left != right ? -1 : left + !is_red(n);
}

bool gs_set_is_sound(const gs_set *set)
{
	size_t count = 0;
	if (is_red(set->root) || measure(set, set->root, NULL, &count) < 0 || count != set->count)
		return false;
	const gs_node *last = NULL;
	for (const gs_node *n = gs_set_first(set); n; last = n, n = gs_set_next(n))
		if (last && !less(set, last, n))
			return false;
	return true;
}
