#include "analyzer/api/put.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "schema/json.h"
#include "schema/terms.h"

void gs_put_text(FILE *out, const char *text)
{
	size_t n = text ? strlen(text) : 0, cap = 6 * n + 3;
	char *quoted = text ? malloc(cap) : NULL;
	fputs(quoted ? gs_json_quote(quoted, cap, text, n) : "null", out);
	free(quoted);
}

void gs_put_key(FILE *out, const char *key, bool first)
{
	fprintf(out, "%s\"%s\":", first ? "" : ",", key);
}

void gs_put_text_member(FILE *out, const char *key, const char *text)
{
	gs_put_key(out, key, false);
	gs_put_text(out, text);
}

void gs_put_number_member(FILE *out, const char *key, int64_t number)
{
	gs_put_key(out, key, false);
	if (number == GS_NONE)
		fputs("null", out);
	else
		fprintf(out, "%" PRId64, number);
}

void gs_put_address_member(FILE *out, const char *key, uint64_t number)
{
	gs_put_key(out, key, false);
	fprintf(out, "%" PRIu64, number);
}

void gs_put_flag_member(FILE *out, const char *key, bool value)
{
	gs_put_key(out, key, false);
	fputs(value ? "true" : "false", out);
}
