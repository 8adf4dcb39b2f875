/* Settings and annotations. */
#include "analyzer/export/pytorch_internal.h"

#include <stdlib.h>
#include <string.h>

/* `{"1":0,"2":0}` back to a dictionary of integers; false if it is anything else. */
static bool put_divisions(gs_pytorch_writer *x, const char *text)
{
	const char *c = text;
	for (c++; *c == '"';) { /* first look, then write */
		c += 1 + strspn(c + 1, "0123456789");
		if (c[0] != '"' || c[1] != ':')
			return false;
		c += 2 + strspn(c + 2, "0123456789");
		c += *c == ',';
	}
	if (strcmp(c, "}"))
		return false;
	gs_pickler_dict(&x->p);
	for (c = text + 1; *c == '"';) {
		size_t n = strspn(c + 1, "0123456789");
		char *end;
		gs_pickler_text(&x->p, c + 1, n);
		gs_pickler_integer(&x->p, strtoll(c + n + 3, &end, 10));
		c = end + (*end == ',');
	}
	gs_pickler_dict_end(&x->p);
	return true;
}

static void setting(gs_pytorch_writer *x, const gs_setting *set)
{
	const char *name = gs_string_text(x->s, set->name), *value = gs_string_text(x->s, set->value);
	char *end;
	gs_pytorch_string(x, set->name);
	if (!strcmp(value, "True") || !strcmp(value, "False")) {
		gs_pickler_boolean(&x->p, *value == 'T');
		return;
	}
	if (*value == '{' && put_divisions(x, value))
		return;
	long long i = strtoll(value, &end, 10);
	if (*value && !*end && strcmp(name, "PYTORCH_CUDA_ALLOC_CONF")) {
		gs_pickler_integer(&x->p, i);
		return;
	}
	double f = strtod(value, &end);
	if (*value && !*end && strcmp(name, "PYTORCH_CUDA_ALLOC_CONF"))
		gs_pickler_real(&x->p, f);
	else
		gs_pytorch_string(x, set->value);
}

void gs_pytorch_facts(gs_pytorch_writer *x)
{
	if (x->s->nsettings) {
		gs_pytorch_key(x, "allocator_settings");
		gs_pickler_dict(&x->p);
		for (size_t i = 0; i < x->s->nsettings; i++)
			setting(x, &x->s->settings[i]);
		gs_pickler_dict_end(&x->p);
	}
	if (!x->s->nannotations)
		return;
	gs_pytorch_key(x, "external_annotations");
	gs_pickler_list(&x->p);
	for (size_t i = 0; i < x->s->nannotations; i++) {
		const gs_annotation *a = &x->s->annotations[i];
		gs_pickler_dict(&x->p);
		gs_pytorch_key(x, "stage");
		gs_pytorch_string(x, a->stage);
		gs_pytorch_key(x, "name");
		gs_pytorch_string(x, a->name);
		gs_pytorch_key(x, "device");
		gs_pickler_integer(&x->p, a->device);
		if (a->time_us != GS_NONE) {
			gs_pytorch_key(x, "time_us");
			gs_pickler_integer(&x->p, a->time_us);
		}
		gs_pickler_dict_end(&x->p);
	}
	gs_pickler_list_end(&x->p);
}
