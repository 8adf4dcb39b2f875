/* gpusnap load: snapshots into an SQLite database. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/store/store.h"
#include "schema/outfile.h"
#include "tools/command.h"
#include "tools/inputs.h"
#include "tools/message.h"
#include "tools/options.h"
#include "tools/output_name.h"

typedef struct load {
	gs_store *store;
	const gs_common *common;
	bool all_frames;
	gs_category_rules *rules;
	size_t loaded;
	gs_ranks ranks; /* of all that were read */
} load;

static int add_reading(load *l, gs_reading *x, gs_input_losses *losses)
{
	gs_store_options wanted = GS_STORE_OPTIONS_ALL;
	gs_status status = x->status;
	wanted.rules = l->rules;
	wanted.all_frames = l->all_frames;
	if (status && x->entry->in_folder && gs_input_lose(losses, x->entry->path, true, &x->why))
		return -1;
	if (!status)
		gs_ranks_add(&l->ranks, x->rank);
	if (!status && (l->common->rank == GS_UNSET || l->common->rank == x->rank)) {
		gs_input_tell(&x->snapshot, gs_inputs_note, NULL);
		gs_progress_begin(x->entry->path);
		status = gs_store_add(l->store, &x->snapshot, &wanted, NULL, &x->why);
		gs_progress_end();
		l->loaded += !status;
	}
	return status ? gs_fail_file(x->entry->path, &x->why, NULL) : -1;
}

/* Read many at once, stored one after the other. */
static int add_some(load *l, gs_reading *some, size_t n, gs_input_losses *losses)
{
	int status = -1;
	gs_progress_begin(some[0].entry->path);
	gs_input_read_many(some, n);
	gs_progress_end();
	for (size_t i = 0; i < n; i++) {
		if (status < 0)
			status = add_reading(l, &some[i], losses);
		if (!some[i].status)
			gs_snapshot_release(&some[i].snapshot);
	}
	return status;
}

static int add_all(load *l, gs_input_list *list, const char *first)
{
	gs_error err = GS_ERROR_INIT;
	gs_reading *some = calloc(GS_INPUT_AT_ONCE, sizeof *some);
	int status = -1;
	if (!some) {
		gs_fail(&err, GS_NO_MEMORY, "%zu snapshots", list->n);
		return gs_fail_file(first, &err, NULL);
	}
	for (size_t at = 0, n; at < list->n && status < 0; at += n) {
		n = gs_input_at_once(&list->entries[at], list->n - at);
		for (size_t i = 0; i < n; i++)
			some[i] = (gs_reading){
				.entry = &list->entries[at + i], .want = GS_WANT_ALL, .only = l->common->rank};
		status = add_some(l, some, n, &list->losses);
	}
	free(some);
	if (status >= 0)
		return status;
	gs_inputs_tell_losses(&list->losses);
	if (l->loaded)
		return -1;
	gs_input_none(l->common->rank, &l->ranks, &err);
	return gs_fail_file(first, &err, NULL);
}

/* All that was named or nothing: a database from which one is missing would look whole. It is made
 * under its temporary name, so that nobody sees a half-filled one. */
static int make_database(load *l, gs_input_list *list, const char *first)
{
	gs_outfile file = GS_OUTFILE_INIT;
	gs_error err = GS_ERROR_INIT;
	const char *path = l->common->output;
	int status = -1;
	unsigned flags = GS_OUTFILE_BY_NAME | (l->common->force ? GS_OUTFILE_FORCE : 0);
	if (gs_outfile_open(&file, path, flags, &err))
		return gs_fail_file(strcmp(path, "-") ? path : "standard output", &err, NULL);
	if (gs_store_create(file.temporary, &l->store, &err))
		status = gs_fail_file(path, &err, NULL);
	if (status < 0)
		status = add_all(l, list, first);
	if (status < 0 && gs_store_finish(l->store, &err))
		status = gs_fail_file(path, &err, NULL);
	gs_store_close(l->store);
	if (status < 0 && gs_outfile_commit(&file, &err))
		status = gs_fail_file(path, &err, NULL);
	gs_outfile_drop(&file);
	return status;
}

int gs_cmd_load(int argc, char **argv)
{
	gs_common common = GS_COMMON_INIT;
	load l = {.common = &common, .ranks = GS_RANKS_INIT};
	const char *rules_file = NULL;
	const gs_option options[] = {GS_OPTIONS_OUTPUT(common),
		{"rank", 0, GS_OPT_INT, &common.rank, "RANK", "only the snapshots of this rank"},
		{"all-frames", 0, GS_OPT_FLAG, &l.all_frames, 0,
			"texts of stacks with the interpreter's frames too"},
		GS_OPTION_RULES(rules_file), GS_OPTIONS_JSON(common), GS_OPTIONS_QUIET(common),
		GS_OPTIONS_END};
	gs_arguments arguments;
	gs_input_list list = GS_INPUT_LIST_INIT;
	gs_error err = GS_ERROR_INIT;
	int status = gs_options_parse(options, argc, argv, 1, GS_ANY_NUMBER, &arguments);
	if (status >= 0)
		return status;
	if (!common.output)
		return gs_fail_usage("load", NULL, "-o FILE.db is missing");
	if ((status = gs_output_name_check("load", common.output, "db sqlite sqlite3", "a database")) >=
		0)
		return status;
	if ((status = gs_inputs_rules(rules_file, &l.rules)) >= 0)
		return status;
	if (gs_input_expand((const char *const *)arguments.text, (size_t)arguments.n, gs_inputs_note,
			NULL, &list, &err) ||
		gs_input_losses_fail(&list.losses, &list.failed, &err))
		status = gs_fail_file(list.failed, &err, NULL);
	else
		status = make_database(&l, &list, arguments.text[0]);
	gs_input_list_release(&list);
	gs_category_rules_free(l.rules);
	if (status >= 0)
		return status;
	gs_note("%zu snapshot%s in %s", l.loaded, l.loaded == 1 ? "" : "s", common.output);
	return GS_EXIT_DONE;
}
