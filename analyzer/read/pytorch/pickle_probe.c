/* Whether an input is a pickle, and what its opcodes would do. */
#include "analyzer/read/pytorch/pickle_probe.h"

#include <stddef.h>
#include <string.h>

/* Whether the line that begins at *i is what opcode has as its argument in protocol 0; *i moves
 * behind it (n where the head ends before it). */
static bool text_argument(const unsigned char *head, size_t n, size_t *i, char opcode)
{
	static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.<>";
	const char *of = opcode == 'c'       ? word
		: opcode == 'F'                  ? "0123456789+-.einfa"
		: opcode == 'p' || opcode == 'g' ? "0123456789"
										 : "0123456789-L";
	bool any = opcode == 'V' || opcode == 'S';
	size_t from = *i;
	for (; *i < n && head[*i] != '\n'; ++*i)
		if (any ? head[*i] < ' ' : !head[*i] || !strchr(of, head[*i]))
			return false;
	if (opcode == 'S' && from < n && head[from] != '\'' && head[from] != '"')
		return false;
	bool empty = *i == from && *i < n;
	*i = *i < n ? *i + 1 : n;
	return opcode == 'V' || !empty;
}

/* Follows opcodes of protocol 0. A log may well begin with a bracket and a capital letter, on every
 * line: something that builds must be among them. */
static bool begins_as_protocol_0(const unsigned char *head, size_t n)
{
	bool builds = false;
	size_t i = 0, known = 0;
	if (n < 3 || (head[0] != '(' && head[0] != 'c'))
		return false;
	while (i < n && known < 24) {
		char opcode = (char)head[i++];
		if (!opcode)
			return false;
		if (strchr("VSILFpgc", opcode)) {
			if (!text_argument(head, n, &i, opcode) ||
				(opcode == 'c' && i < n && !text_argument(head, n, &i, opcode)))
				return false;
		} else if (strchr("dltsaue.Rb", opcode)) {
			builds = true;
		} else if (!strchr("(}])N", opcode)) {
			return false;
		}
		builds |= opcode == 'p' || opcode == 'g';
		known++;
		if (opcode == '.')
			return i == n || (i + 1 == n && head[i] == '\n');
	}
	return builds;
}

int gs_pickle_probe(const unsigned char *head, size_t n)
{
	if (n >= 2 && head[0] == 0x80 && head[1] >= 2 && head[1] < 16)
		return 90;
	if (begins_as_protocol_0(head, n))
		return 80;
	if (n >= 3 && (head[0] == '}' || head[0] == ']') &&
		(head[1] == 'q' || head[1] == '.' || head[1] == '('))
		return 80; /* protocol 1 */
	return 0;
}

const char *gs_pickle_unsafe(unsigned char op)
{
	static const struct {
		unsigned char op;
		const char *name;
	} names[] = {
		{'c', "GLOBAL"},
		{0x93, "STACK_GLOBAL"},
		{'R', "REDUCE"},
		{'b', "BUILD"},
		{'i', "INST"},
		{'o', "OBJ"},
		{0x81, "NEWOBJ"},
		{0x92, "NEWOBJ_EX"},
		{'P', "PERSID"},
		{'Q', "BINPERSID"},
		{0x82, "EXT1"},
		{0x83, "EXT2"},
		{0x84, "EXT4"},
		{0x97, "NEXT_BUFFER"},
		{0x98, "READONLY_BUFFER"},
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].op == op)
			return names[i].name;
	return NULL;
}
