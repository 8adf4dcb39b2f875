#include "analyzer/export/protobuf.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/model/memory.h"
#include "schema/printable.h"

enum { VARINT = 0, LENGTH = 2 };

void gs_proto_clear(gs_proto *p)
{
	p->n = 0;
	p->failed = false;
}

void gs_proto_release(gs_proto *p)
{
	gs_memory_give(p->bytes);
	memset(p, 0, sizeof *p);
}

static unsigned char *room(gs_proto *p, size_t n)
{
	if (!GS_ARRAY_RESERVE(p->bytes, p->cap, p->n + n)) {
		p->failed = true;
		return NULL;
	}
	p->n += n;
	return p->bytes + p->n - n;
}

static void varint(gs_proto *p, uint64_t value)
{
	unsigned char bytes[10];
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[n++] = (unsigned char)(value | 0x80);
	bytes[n++] = (unsigned char)value;
	unsigned char *at = room(p, n);
	if (at)
		memcpy(at, bytes, n);
}

void gs_proto_number(gs_proto *p, unsigned field, uint64_t value)
{
	varint(p, field << 3 | VARINT);
	varint(p, value);
}

static void put_bytes(gs_proto *p, unsigned field, const void *bytes, size_t n)
{
	varint(p, field << 3 | LENGTH);
	varint(p, n);
	unsigned char *at = room(p, n);
	if (at && n)
		memcpy(at, bytes, n);
}

/* A string must be UTF-8; what is not becomes a question mark. */
void gs_proto_text(gs_proto *p, unsigned field, const char *text)
{
	size_t n = strlen(text);

	put_bytes(p, field, text, n);
	if (p->failed)
		return;
	for (size_t i = p->n - n; i < p->n;) {
		size_t length = gs_utf8_length((const char *)p->bytes + i, p->n - i);
		if (!length)
			p->bytes[i] = '?';
		i += length ? length : 1;
	}
}

void gs_proto_message(gs_proto *p, unsigned field, const gs_proto *message)
{
	p->failed |= message->failed;
	put_bytes(p, field, message->bytes, message->n);
}
