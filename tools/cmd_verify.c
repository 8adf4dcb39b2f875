/* gpusnap verify: checks files for damage. */
#include <stdio.h>

#include "analyzer/input.h"
#include "analyzer/verify.h"
#include "schema/plain.h"
#include "tools/command.h"
#include "tools/inputs.h"
#include "tools/message.h"
#include "tools/options.h"

/* A database holds several snapshots of one path; its pages are checked by reading each. */
static gs_status verify(const gs_input_entry *entry, gs_verified *v, gs_error *err)
{
	gs_snapshot s;
	if (!entry->id && !entry->part)
		return gs_verify_path(entry->path, gs_inputs_note, NULL, v, err);
	*v = (gs_verified){ .kind = entry->id ? "stored snapshot" : "part of a page" };
	gs_status status = gs_input_read(entry, GS_WANT_ALL, &s, err);
	for (size_t i = 0; !status && i < s.ndevices; i++) {
		v->blocks += s.devices[i].captured.nblocks;
		v->events += s.devices[i].trace.n;
	}
	gs_snapshot_release(&s);
	return status;
}

static void tell(const char *path, const gs_verified *v)
{
	char plain[4096];
	printf("%s: whole: %s, %llu blocks, %llu events", gs_plain(plain, sizeof plain, path), v->kind, (unsigned long long)v->blocks,
	       (unsigned long long)v->events);
	if (v->sections)
		printf(", %llu sections, %llu bytes", (unsigned long long)v->sections, (unsigned long long)v->bytes);
	printf("\n");
}

static int verify_all(const gs_input_list *list)
{
	int status = GS_EXIT_DONE;
	for (size_t i = 0; i < list->n; i++) {
		const gs_input_entry *entry = &list->entries[i];
		gs_verified v;
		gs_error err = GS_ERROR_INIT;
		gs_status damaged = verify(entry, &v, &err);
		if (!damaged)
			tell(entry->path, &v);
		else if (damaged == GS_UNKNOWN_KIND && entry->in_folder)
			gs_warn(entry->path, "left out: not a kind of file gpusnap knows");
		else
			status = gs_fail_file(entry->path, &err, NULL);
	}
	return status;
}

int gs_cmd_verify(int argc, char **argv)
{
	gs_common common = GS_COMMON_INIT;
	const gs_option options[] = {
		GS_OPTIONS_QUIET(common),
		GS_OPTIONS_END
	};
	gs_arguments arguments;
	gs_input_list list = GS_INPUT_LIST_INIT;
	gs_error err = GS_ERROR_INIT;
	int status = gs_options_parse(options, argc, argv, 0, GS_ANY_NUMBER, &arguments);
	if (status >= 0)
		return status;
	if (gs_input_expand((const char *const *)arguments.text, (size_t)arguments.n, gs_inputs_note, NULL, &list, &err))
		status = gs_fail_file(list.failed, &err, NULL);
	else
		status = verify_all(&list);
	gs_input_list_release(&list);
	return gs_finish_stdout(status);
}
