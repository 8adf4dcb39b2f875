/* Options of the interface, by yajl's tree: the parser that reads JSON inputs too. */
#include "analyzer/api/options.h"

#include <stdio.h>
#include <string.h>

#include "analyzer/replay/cards.h"
#include "schema/size.h"

static bool is_known(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

static gs_status unknown(const char *name, const char *const *names, gs_error *err)
{
	char list[300] = "";
	for (size_t n = 0; *names; names++)
		n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", *names);
	return gs_fail(err, GS_INVALID, "no option is called \"%.40s\"; there are %s", name, list);
}

gs_status gs_api_options_parse(
	gs_api_options *o, const char *text, const char *const *names, gs_error *err)
{
	char why[160] = "";
	o->object = NULL;
	if (!text || !*text)
		return GS_OK;
	o->object = yajl_tree_parse(text, why, sizeof why);
	if (!YAJL_IS_OBJECT(o->object)) {
		why[strcspn(why, "\n")] = 0;
		return gs_fail(err, GS_INVALID, "options are a JSON object%s%s", *why ? ": " : "", why);
	}
	for (size_t i = 0; i < o->object->u.object.len; i++)
		if (!is_known(o->object->u.object.keys[i], names))
			return unknown(o->object->u.object.keys[i], names, err);
	return GS_OK;
}

void gs_api_options_release(gs_api_options *o)
{
	yajl_tree_free(o->object);
	o->object = NULL;
}

/* NULL where the member is missing or null. */
static yajl_val member(const gs_api_options *o, const char *name)
{
	const char *path[] = {name, NULL};
	yajl_val v = o->object ? yajl_tree_get(o->object, path, yajl_t_any) : NULL;
	return v && !YAJL_IS_NULL(v) ? v : NULL;
}

static gs_status wrong(const char *name, const char *what, gs_error *err)
{
	return gs_fail(err, GS_INVALID, "the option %s wants %s", name, what);
}

gs_status gs_api_option_text(
	const gs_api_options *o, const char *name, const char **value, gs_error *err)
{
	yajl_val v = member(o, name);
	if (!v)
		return GS_OK;
	if (!YAJL_IS_STRING(v))
		return wrong(name, "a text", err);
	*value = YAJL_GET_STRING(v);
	return GS_OK;
}

gs_status gs_api_option_number(
	const gs_api_options *o, const char *name, int64_t *value, gs_error *err)
{
	yajl_val v = member(o, name);
	if (!v)
		return GS_OK;
	if (!YAJL_IS_INTEGER(v) || YAJL_GET_INTEGER(v) < 0)
		return wrong(name, "a whole number", err);
	*value = YAJL_GET_INTEGER(v);
	return GS_OK;
}

bool gs_api_option_given(const gs_api_options *o, const char *name) { return member(o, name); }

gs_status gs_api_option_real(
	const gs_api_options *o, const char *name, double *value, gs_error *err)
{
	yajl_val v = member(o, name);
	if (!v)
		return GS_OK;
	if (!YAJL_IS_NUMBER(v) || !(YAJL_IS_INTEGER(v) || YAJL_IS_DOUBLE(v)))
		return wrong(name, "a number", err);
	*value = YAJL_IS_INTEGER(v) ? (double)YAJL_GET_INTEGER(v) : YAJL_GET_DOUBLE(v);
	return GS_OK;
}

gs_status gs_api_option_size(
	const gs_api_options *o, const char *name, int64_t *value, gs_error *err)
{
	yajl_val v = member(o, name);
	uint64_t bytes;
	if (!v || !YAJL_IS_STRING(v))
		return gs_api_option_number(o, name, value, err);
	if (gs_size_parse(YAJL_GET_STRING(v), &bytes, err))
		return GS_INVALID;
	*value = (int64_t)bytes;
	return GS_OK;
}

gs_status gs_api_option_capacity(
	const gs_api_options *o, const char *name, int64_t *value, gs_error *err)
{
	yajl_val v = member(o, name);
	if (!v || !YAJL_IS_STRING(v))
		return gs_api_option_number(o, name, value, err);
	return gs_capacity_parse(YAJL_GET_STRING(v), value, err);
}

gs_status gs_api_option_flag(const gs_api_options *o, const char *name, bool *value, gs_error *err)
{
	yajl_val v = member(o, name);
	if (!v)
		return GS_OK;
	if (!YAJL_IS_TRUE(v) && !YAJL_IS_FALSE(v))
		return wrong(name, "true or false", err);
	*value = YAJL_IS_TRUE(v);
	return GS_OK;
}

gs_status gs_api_option_texts(const gs_api_options *o, const char *name, const char **values,
	size_t most, size_t *n, gs_error *err)
{
	yajl_val v = member(o, name);
	*n = 0;
	if (!v)
		return GS_OK;
	if (YAJL_IS_STRING(v)) {
		values[(*n)++] = YAJL_GET_STRING(v);
		return GS_OK;
	}
	if (!YAJL_IS_ARRAY(v) || v->u.array.len > most)
		return wrong(name, "a text or some texts", err);
	for (size_t i = 0; i < v->u.array.len; i++) {
		if (!YAJL_IS_STRING(v->u.array.values[i]))
			return wrong(name, "a text or some texts", err);
		values[(*n)++] = YAJL_GET_STRING(v->u.array.values[i]);
	}
	return GS_OK;
}
