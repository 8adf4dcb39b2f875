/* The rank that the name of a file tells. */
#include "analyzer/open/rank.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "schema/terms.h"

enum { DIGITS = 7 };

typedef struct part { /* a component of a path */
	const char *start, *end;
} part;

static bool digit(char c) { return isdigit((unsigned char)c); }
static bool alpha(char c) { return isalpha((unsigned char)c); }

/* The number at p, of at most DIGITS digits, or GS_NONE; *end is behind it. */
static int64_t number(const char *p, const char *limit, const char **end)
{
	int64_t n = 0;
	for (*end = p; *end < limit && digit(**end); (*end)++)
		if (*end - p < DIGITS)
			n = 10 * n + (**end - '0');
	return *end > p && *end - p <= DIGITS ? n : GS_NONE;
}

/* What stands between the word and its number: rank[3], rank = 3, rank_ 3 */
static const char *behind_separators(const char *p, const char *limit)
{
	const char *start = p;
	while (p < limit && p - start < 3 && *p && strchr(" _-=.:#[(", *p))
		p++;
	return p;
}

static bool preceded(const char *p, const char *start, const char *word)
{
	size_t n = strlen(word);
	while (p > start && (p[-1] == '_' || p[-1] == '-' || p[-1] == '.'))
		p--;
	return (size_t)(p - start) >= n && !strncasecmp(p - n, word, n);
}

/* "rank" of "frank3" is no word of its own; that of localRank3, global_rank3, node0rank3 is. */
static bool is_word(const char *p, const char *start)
{
	return p == start || !alpha(p[-1]) || (islower((unsigned char)p[-1]) && *p == 'R') ||
		preceded(p, start, "local") || preceded(p, start, "global") || preceded(p, start, "world");
}

static int64_t by_word(part in, bool local)
{
	for (const char *p = in.start; p + 5 <= in.end; p++) {
		const char *end;
		if (strncasecmp(p, "rank", 4) || !is_word(p, in.start) ||
			preceded(p, in.start, "local") != local)
			continue;
		int64_t rank = number(behind_separators(p + 4, in.end), in.end, &end);
		if (rank != GS_NONE && (end == in.end || !alpha(*end) || !strncasecmp(end, "of", 2)))
			return rank;
	}
	return GS_NONE;
}

/* A lone r, or with device what the recorder writes. The last one: what stands before may be a
 * host's name. */
static int64_t by_letter(part in, bool device)
{
	int64_t found = GS_NONE;
	for (const char *p = in.start; p + 2 <= in.end; p++) {
		const char *end;
		if ((*p != 'r' && *p != 'R') || (p > in.start && isalnum((unsigned char)p[-1])))
			continue;
		int64_t rank = number(p + 1, in.end, &end);
		bool told = end + 3 <= in.end && !strncmp(end, "-d", 2) && digit(end[2]);
		if (rank != GS_NONE && (end == in.end || !isalnum((unsigned char)*end)) &&
			(told || !device))
			found = rank;
	}
	return found;
}

static part last(const char *path, const char *end)
{
	const char *start = end;
	while (start > path && start[-1] != '/')
		start--;
	return (part){start, end};
}

static part folder_of(const char *path, part in)
{
	const char *end = in.start;
	while (end > path && end[-1] == '/')
		end--;
	return last(path, end);
}

/* …/attempt_0/3/stderr.log */
static int64_t by_torchrun(const char *path, part name)
{
	static const char *const logs[] = {"stdout.log", "stderr.log"};
	const char *end;
	part folder = folder_of(path, name), attempt = folder_of(path, folder);
	bool log = !strcmp(name.start, logs[0]) || !strcmp(name.start, logs[1]);
	if (!log || attempt.end - attempt.start < 8 || strncmp(attempt.start, "attempt_", 8))
		return GS_NONE;
	int64_t rank = number(folder.start, folder.end, &end);
	return end == folder.end ? rank : GS_NONE;
}

int64_t gs_rank_of_path(const char *path)
{
	part name = last(path, path + strlen(path)), folder = folder_of(path, name);
	int64_t rank = by_letter(name, true);
	if (rank == GS_NONE)
		rank = by_word(name, false);
	if (rank == GS_NONE)
		rank = by_word(name, true);
	if (rank == GS_NONE)
		rank = by_letter(name, false);
	if (rank == GS_NONE)
		rank = by_word(folder, false);
	if (rank == GS_NONE)
		rank = by_word(folder, true);
	return rank == GS_NONE ? by_torchrun(path, name) : rank;
}
