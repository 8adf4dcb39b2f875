/* The numbers of the .gsnap format, as FORMAT.md gives them. Nothing here is a matter of taste: a
 * change makes another format. */
#ifndef GS_SCHEMA_GSNAP_FORMAT_H
#define GS_SCHEMA_GSNAP_FORMAT_H

#include <stdint.h>

#define GS_GSNAP_MAGIC \
	"GSNAP\r\n\x1a" /* 8 bytes, after the 8 of the skippable frame's own header */
#define GS_GSNAP_SKIPPABLE 0x184D2A57u /* zstd's magic of our skippable frames */

enum {
	GS_GSNAP_VERSION = 1,       /* of a dump */
	GS_GSNAP_OLDEST_READER = 1, /* a reader of this version or later understands what is written */
	GS_GSNAP_STREAM = 2,        /* version, and oldest reader, of a stream; the newest one known */

	GS_GSNAP_HEADER_SIZE = 32,  /* whole first frame */
	GS_GSNAP_SECTION_SIZE = 44, /* whole section header frame */
	GS_GSNAP_FRAME_MAX = 4096,  /* payload of a skippable frame, for readers */

	GS_GSNAP_ROWS_MAX = 65536,  /* rows of a section */
	GS_GSNAP_RAW_MAX = 2 << 20, /* bytes of a section, unpacked */
	GS_GSNAP_PACKED_MAX = GS_GSNAP_RAW_MAX + (GS_GSNAP_RAW_MAX >> 8) + 64,
	GS_GSNAP_DEVICES_MAX = 1024,
	GS_GSNAP_TEXT_MAX = 65535, /* bytes of a text */
	GS_GSNAP_DEPTH_MAX = 4096, /* frames of a stack */
	GS_GSNAP_DICT_MAX = 128    /* entries of a column's dictionary */
};
#define GS_GSNAP_COUNT_MAX (UINT32_MAX - 1u) /* rows of one kind in a file, but for events */

/* Bits of a section header's flags; of the others none may be set. */
enum {
	GS_SECTION_LAST = 1,    /* no further section of this kind follows */
	GS_SECTION_MAY_SKIP = 2 /* a reader that does not know the kind goes on without it */
};

/* Columns from this id on may be skipped by a reader that does not know them. */
enum { GS_COLUMN_MAY_SKIP = 128 };

/* How a column's values are laid down. */
enum {
	GS_ENCODING_CONSTANT = 0, /* one value for all rows */
	GS_ENCODING_VARINT = 1,   /* each value */
	GS_ENCODING_DELTA = 2,    /* the first value, then zigzag differences >> shift */
	GS_ENCODING_DICT = 3,     /* distinct values, then a byte a row */
	GS_ENCODING_TEXT = 4,     /* lengths + 1 (0: none), then the bytes */
	GS_ENCODING_LIST = 5,     /* counts, then the members as varints */
	GS_ENCODINGS
};

#endif
