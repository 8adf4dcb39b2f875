/* Who wrote a line of a log that several processes write to in turns: what stands before their
 * records and differs from one to the other, `[rank1]: `, `1: `, `(Worker pid=22) `, the thread of
 * glog. */
#ifndef GS_ANALYZER_READ_TEXT_SPEAKER_H
#define GS_ANALYZER_READ_TEXT_SPEAKER_H

#include "analyzer/read/text/window.h"

/* A hash of the words of the prefix of the line that holds squeezed position i, but for times,
 * levels and source positions, which change while one speaks. 0: nothing is left, or i is far from
 * its line's beginning. Thread-safe on a window at rest (gs_text_line_start's mark apart). */
uint64_t gs_text_speaker(const gs_text *t, size_t i);

#endif
