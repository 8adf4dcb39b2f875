/* Taking out of a snapshot what tells whose it is. */
#ifndef GS_ANALYZER_EXPORT_REDACT_H
#define GS_ANALYZER_EXPORT_REDACT_H

#include "analyzer/model/snapshot.h"

enum { GS_SALT = 32 };

/* Host, arguments, process ids, message texts, notes and warnings go; names of functions, files,
 * tags and annotations become words made of a hash with the salt (equal names stay equal within the
 * file; other files have other words). Of settings, statistics, stages, devices, libraries, tool
 * and driver numbers stay and the words that known_words.h knows; others become hashes. Kept: the
 * layout, events, figures, what a message told (figures and what it says of limits), line numbers,
 * the rank, and of a frame whether it is the user's: files of the interpreter and of installed
 * packages still lie in `site-packages`. The snapshot must have been read whole. GS_NO_MEMORY
 * leaves it half done: to be thrown away. */
gs_status gs_redact(gs_snapshot *s, const unsigned char salt[GS_SALT], gs_error *err);

#endif
