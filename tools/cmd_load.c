/* gpusnap load: snapshots into an SQLite database. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/open/walk.h"
#include "analyzer/query/part.h"
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
	int64_t from, to; /* GS_UNSET: not asked for */
	char selector[24];
	gs_part_wanted part;
} load;

static gs_status read_entry(void *user, const gs_input_entry *entry, gs_snapshot *s, gs_error *err)
{
	const load *l = user;
	gs_status status = gs_part_read(entry, GS_WANT_ALL, &l->part, s, err);
	for (size_t i = 0; !status && l->to == GS_UNSET && s->excerpt && i < s->ndevices; i++)
		if (s->devices[i].trace.n && s->devices[i].trace.skipped) {
			gs_note(
				"%s is too long to be loaded whole; other events: --from and --to", entry->path);
			break;
		}
	return status;
}

/* Which events of a run too long to be loaded whole: those up to the last, or as asked for. */
static int choose_part(load *l)
{
	l->part = (gs_part_wanted){
		.whole_below = GS_INPUT_WHOLE_EVENTS, .reach = GS_INPUT_WHOLE_EVENTS / 2, .course = true};
	if (l->to == GS_UNSET && l->from == GS_UNSET)
		return -1;
	if (l->to == GS_UNSET || l->to < 0 || (l->from != GS_UNSET && (l->from < 0 || l->from > l->to)))
		return gs_fail_usage("load", "for example --from 1000000 --to 2000000",
			"--from and --to are the first and the last event of a part");
	snprintf(l->selector, sizeof l->selector, "%lld", (long long)l->to);
	l->part.selector = l->selector;
	l->part.whole_below = 1; /* a part that is told of */
	if (l->from != GS_UNSET)
		l->part.reach = (uint64_t)(l->to - l->from) + 1;
	return -1;
}

static gs_status add_snapshot(void *user, gs_snapshot *s, gs_error *err)
{
	const load *l = user;
	gs_store_options options = GS_STORE_OPTIONS_ALL;
	options.rules = l->rules;
	options.all_frames = l->all_frames;
	gs_progress_begin(s->path);
	gs_status status = gs_store_add(l->store, s, &options, NULL, err);
	gs_progress_end();
	return status;
}

static int add_all(load *l, gs_input_list *list, const char *first)
{
	gs_input_walk walk = {.list = list,
		.rank = l->common->rank,
		.all_named = true,
		.first = first,
		.note = gs_inputs_note,
		.read = read_entry,
		.each = add_snapshot,
		.user = l};
	gs_error err = GS_ERROR_INIT;
	gs_progress_begin(first);
	gs_status status = gs_input_walk_run(&walk, &err);
	gs_progress_end();
	gs_inputs_tell_losses(&list->losses);
	l->loaded = walk.n;
	int code = status ? gs_fail_file(walk.failed, &err, NULL) : -1;
	free(walk.failed);
	return code;
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
	load l = {.common = &common, .from = GS_UNSET, .to = GS_UNSET};
	const char *rules_file = NULL;
	const gs_option options[] = {GS_OPTIONS_OUTPUT(common),
		{"rank", 0, GS_OPT_INT, &common.rank, "RANK", "only the snapshots of this rank"},
		{"from", 0, GS_OPT_INT, &l.from, "IDX",
			"with --to: of a whole run's stream the events from this one on (or a few earlier ones)"},
		{"to", 0, GS_OPT_INT, &l.to, "IDX", "to this one (default: the last two million events)"},
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
	if ((status = choose_part(&l)) >= 0 || (status = gs_inputs_rules(rules_file, &l.rules)) >= 0)
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
