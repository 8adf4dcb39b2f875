/* What a question is about: one set of bits for readers, which may leave out what nobody looks at,
 * for the store, which fills just the tables that are read, and for SQL's authorizer, which finds
 * the bits of a statement. */
#ifndef GS_ANALYZER_MODEL_WANT_H
#define GS_ANALYZER_MODEL_WANT_H

enum gs_want {
	/* what inputs record; a reader that leaves out events sets events_skipped */
	GS_WANT_LAYOUT = 1 << 0, /* segments and blocks; in SQL those of the selected state */
	GS_WANT_EVENTS = 1 << 1,
	GS_WANT_STACKS = 1 << 2,
	GS_WANT_HISTORY = GS_WANT_LAYOUT | GS_WANT_EVENTS | GS_WANT_STACKS,
	GS_WANT_SUM = 1 << 3, /* the file's SHA-256: a sixth of the time that reading takes */
	GS_WANT_ALL = GS_WANT_HISTORY | GS_WANT_SUM,
	GS_WANT_SETTINGS = 1 << 4, /* these are always read; a cut file may lack them */
	GS_WANT_STATS = 1 << 5,
	/* how much of a .gsnap that was cut will do */
	GS_WANT_PARTS = 1 << 6,    /* one cut before its layout is whole, without layout */
	GS_WANT_FAILURES = 1 << 7, /* not one cut before what it tells of failures */

	/* what is made of it */
	GS_WANT_STATE = 1 << 8,         /* the selected state */
	GS_WANT_STATES = 1 << 9,        /* every state that a database keeps */
	GS_WANT_BLOCK_IDX = 1 << 10,    /* block.idx of captured states, which no input tells */
	GS_WANT_STACK_FRAMES = 1 << 11, /* the table of which frame stands where */
	GS_WANT_CATEGORIES = 1 << 12,   /* of blocks */
	GS_WANT_HOLDERS = 1 << 13,
	GS_WANT_STEPS = 1 << 14,     /* step, peak */
	GS_WANT_SERIES = 1 << 15,    /* timeline, growth, varying_size */
	GS_WANT_OOM = 1 << 16,       /* its rows: all of them are known when the events are */
	GS_WANT_OOM_FACTS = 1 << 17, /* more than how many there are */
	GS_WANT_OOM_SUMS = 1 << 18,  /* allocated and reserved then, which need the states */
	GS_WANT_FIT = 1 << 19,       /* the ladder */
	GS_WANT_EVICTION = 1 << 20,
	GS_WANT_TABLES = 1 << 21, /* the list of tables and columns itself */
	GS_WANT_STORED = GS_WANT_HISTORY | GS_WANT_STATES | GS_WANT_BLOCK_IDX | GS_WANT_STACK_FRAMES |
		GS_WANT_CATEGORIES | GS_WANT_HOLDERS | GS_WANT_STEPS | GS_WANT_SERIES |
		GS_WANT_OOM_SUMS /* what `gpusnap load` keeps */
};

/* What a reader has to read for that: always the layout. The selected state may need events too;
 * whether it does is known when the input has been read without (events_skipped). */
unsigned gs_want_recorded(unsigned want);

#endif
