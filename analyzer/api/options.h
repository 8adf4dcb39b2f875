/* Options of the interface: a JSON object in a text. */
#ifndef GS_ANALYZER_API_OPTIONS_H
#define GS_ANALYZER_API_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <yajl/yajl_tree.h>

#include "schema/status.h"

/* An object of options; parsed once, asked by name. Release in any case. */
typedef struct gs_api_options {
	yajl_val object; /* NULL: none were given */
} gs_api_options;

/* names: what the function knows, ended by NULL. GS_INVALID: no JSON object, or a member of another
 * name (it is told, with those that there are). */
gs_status gs_api_options_parse(
	gs_api_options *o, const char *text, const char *const *names, gs_error *err);
void gs_api_options_release(gs_api_options *o);

/* A member, or `otherwise` where it is missing or null. GS_INVALID where it is of another type.
 * Texts are borrowed from the options. */
gs_status gs_api_option_text(
	const gs_api_options *o, const char *name, const char **value, gs_error *err);
gs_status gs_api_option_number(
	const gs_api_options *o, const char *name, int64_t *value, gs_error *err);
gs_status gs_api_option_size(
	const gs_api_options *o, const char *name, int64_t *value, gs_error *err);
/* A size, or a card's name (analyzer/replay/cards.h). */
gs_status gs_api_option_capacity(
	const gs_api_options *o, const char *name, int64_t *value, gs_error *err);
gs_status gs_api_option_flag(const gs_api_options *o, const char *name, bool *value, gs_error *err);

/* Whether there is such a member; any number. */
bool gs_api_option_given(const gs_api_options *o, const char *name);
gs_status gs_api_option_real(
	const gs_api_options *o, const char *name, double *value, gs_error *err);

/* A text or an array of at most `most` texts. */
gs_status gs_api_option_texts(const gs_api_options *o, const char *name, const char **values,
	size_t most, size_t *n, gs_error *err);

#endif
