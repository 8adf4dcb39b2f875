#include "tools/export_tables.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/query/query.h"
#include "schema/outfile.h"
#include "tools/inputs.h"
#include "tools/message.h"

enum { NAMES = 1000, PATH_ROOM = 4400 };

typedef struct tables {
	const gs_input *input;
	const gs_arguments *files;
	const gs_common *common;
	gs_format format;
	size_t n;
} tables;

static void path_of(const tables *t, const char *name, char path[PATH_ROOM])
{
	snprintf(path, PATH_ROOM, "%.4096s/%.100s.%s", t->common->output, name,
		t->format == GS_FORMAT_CSV ? "csv" : "jsonl");
}

/* One snapshot is asked where it is in memory (it may have come through a pipe); several are read
 * anew for each table, so that only one of them is in memory. */
static gs_status write_rows(const tables *t, const char *name, FILE *out, gs_error *err)
{
	char sql[160];
	uint64_t left = 0;
	gs_session *session = NULL;
	bool one = t->input->n == 1;
	const gs_session_options from = {.paths = one ? NULL : (const char *const *)t->files->text,
		.npaths = one ? 0 : (size_t)t->files->n,
		.state = t->common->state,
		.device = t->common->device,
		.rank = t->common->rank,
		.given = one ? &t->input->snapshots[0] : NULL};
	snprintf(sql, sizeof sql, "SELECT * FROM %.100s", name);
	const gs_query_options wanted = {.sql = sql, .format = t->format};
	gs_status status = gs_session_open(&from, &session, err);
	if (!status)
		status = gs_query_answer(session, &wanted, out, &left, NULL, err);
	gs_session_close(session);
	return status;
}

static int write_table(const tables *t, const char *name)
{
	gs_outfile file = GS_OUTFILE_INIT;
	gs_error err = GS_ERROR_INIT;
	char path[PATH_ROOM];
	path_of(t, name, path);
	gs_status status = gs_outfile_open(&file, path, t->common->force ? GS_OUTFILE_FORCE : 0, &err);
	if (!status)
		status = write_rows(t, name, file.stream, &err);
	if (!status)
		status = gs_outfile_commit(&file, &err);
	gs_outfile_drop(&file);
	return status ? gs_fail_file(path, &err, NULL) : -1;
}

/* What holds the same again, or tells of the database itself. */
static bool is_left_out(const char *name)
{
	return !strncmp(name, "all_", 4) || !strcmp(name, "table_column");
}

static int make_folder(const gs_common *common, bool *made)
{
	gs_error err = GS_ERROR_INIT;
	struct stat st;
	*made = !mkdir(common->output, 0777);
	if (*made ||
		(errno == EEXIST && common->force && !stat(common->output, &st) && S_ISDIR(st.st_mode)))
		return -1;
	gs_fail(&err, GS_IO, "%s", strerror(errno));
	return gs_fail_file(common->output, &err,
		errno == EEXIST && !common->force ? "-f writes into a folder that exists" : NULL);
}

static void take_away(const tables *t, char *names)
{
	char path[PATH_ROOM], *next = NULL;
	for (char *name = strtok_r(names, ", ", &next); name; name = strtok_r(NULL, ", ", &next)) {
		path_of(t, name, path);
		unlink(path);
	}
	rmdir(t->common->output);
}

int gs_export_tables(
	const gs_input *input, const gs_arguments *files, const gs_common *common, gs_format format)
{
	tables t = {input, files, common, format, 0};
	char names[NAMES], again[NAMES], *next = NULL;
	bool made = false;
	int status = make_folder(common, &made);
	gs_query_tables(names, sizeof names);
	memcpy(again, names, sizeof again);
	for (char *name = strtok_r(names, ", ", &next); name && status < 0;
		 name = strtok_r(NULL, ", ", &next)) {
		if (is_left_out(name))
			continue;
		status = write_table(&t, name);
		t.n++;
	}
	if (status >= 0 && made)
		take_away(&t, again);
	if (status >= 0)
		return status;
	gs_note("%zu tables in %s", t.n, common->output);
	return GS_EXIT_DONE;
}
