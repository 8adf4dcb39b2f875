/* Cards by name. */
#include "analyzer/replay/cards.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "schema/size.h"

static const struct {
	const char *name;
	int64_t mib;
} cards[] = {
#define GS_CARD(name, mib) {name, mib},
#include "analyzer/replay/cards.def"
#undef GS_CARD
};

/* Lower case letters and digits alone, without the maker. */
static void plain(const char *text, char *out, size_t cap)
{
	static const char *const makers[] = {"nvidia", "geforce", "tesla", "amd", "quadro"};
	size_t n = 0;
	for (const char *p = text; *p && n + 1 < cap; p++)
		if (isalnum((unsigned char)*p))
			out[n++] = (char)tolower((unsigned char)*p);
	out[n] = 0;
	for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
		size_t length = strlen(makers[i]);
		if (!strncmp(out, makers[i], length))
			memmove(out, out + length, n - length + 1), n -= length;
	}
}

/* ", t4, p100-16gb…" */
#define GS_CARD(name, mib) ", " name
static const char *const listed =
#include "analyzer/replay/cards.def"
	;
#undef GS_CARD

/* "t4, p100-16gb, …": all of them. */
static const char *card_names(void) { return listed + 2; }

gs_status gs_capacity_parse(const char *text, int64_t *bytes, gs_error *err)
{
	char typed[40], name[40];
	uint64_t size;
	plain(text, typed, sizeof typed);
	for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) {
		plain(cards[i].name, name, sizeof name);
		if (!strcmp(typed, name)) {
			*bytes = cards[i].mib << 20;
			return GS_OK;
		}
	}
	if (gs_size_parse(text, &size, NULL))
		return gs_fail(err, GS_INVALID, "\"%.30s\" is neither a size (as 40GiB) nor a card: %s",
			text, card_names());
	*bytes = (int64_t)size;
	return GS_OK;
}

static int is_decimal_size(const char *text)
{
	size_t n = strlen(text);
	return n > 2 && isdigit((unsigned char)text[0]) && tolower((unsigned char)text[n - 1]) == 'b' &&
		strchr("kmgtKMGT", text[n - 2]) != NULL;
}

int gs_capacity_is_worth_telling(const char *text)
{
	return is_decimal_size(text) || !isdigit((unsigned char)text[0]);
}
