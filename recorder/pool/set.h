/* An ordered set of nodes that live inside their owners: a red-black tree with parent links. O(log
 * n); takes no memory.
 *
 * Order: (stream, size, order, address), each unsigned; with by_place the order is (stream,
 * address) alone. Keys must not change while a node is in a set. The set knows nothing of what its
 * nodes mean. */
#ifndef GS_RECORDER_POOL_SET_H
#define GS_RECORDER_POOL_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gs_node {
	struct gs_node *child[2];
	uintptr_t up; /* parent, and the colour in its lowest bit (1: red) */
	uint64_t stream, size, address;
	uint32_t order;
	uint32_t note; /* the owner's; the set leaves it alone */
} gs_node;

typedef struct gs_set {
	gs_node *root;
	size_t count;
	bool by_place;
} gs_set;

void gs_set_insert(gs_set *set, gs_node *node); /* not in it yet */
void gs_set_erase(gs_set *set, gs_node *node);  /* in it */
/* Makes node the only one of a tree; is it so. */
static inline void gs_node_alone(gs_node *node)
{
	node->child[0] = node->child[1] = NULL;
	node->up = 0;
}
static inline bool gs_node_is_alone(const gs_node *node)
{
	return !node->up && !node->child[0] && !node->child[1];
}
/* The first node at or behind (stream, size), resp. (stream, address 0 by place); NULL at the end.
 */
gs_node *gs_set_at_least(const gs_set *set, uint64_t stream, uint64_t size);
/* The last node before it. */
gs_node *gs_set_before(const gs_set *set, uint64_t stream, uint64_t size);
/* The last node of a stream at or below an address; by_place only. NULL when there is none. */
gs_node *gs_set_covering(const gs_set *set, uint64_t stream, uint64_t address);
gs_node *gs_set_first(const gs_set *set);
gs_node *gs_set_last(const gs_set *set);
gs_node *gs_set_next(const gs_node *node);
gs_node *gs_set_prev(const gs_node *node);
/* Gives node, which is in the set, the key (size, address), moving it only where its place changes.
 */
void gs_set_rekey(gs_set *set, gs_node *node, uint64_t size, uint64_t address);
/* Is the tree well formed (colours, links, order, count)? For self-checks. */
bool gs_set_is_sound(const gs_set *set);

#endif
