/* Which snapshots a command line names: files, the files of folders, the snapshots of databases,
 * the newest dump. */
#include "analyzer/model/array.h"
#include "analyzer/open/input.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/open/piped.h"
#include "analyzer/read/html/html.h"
#include "analyzer/store/store.h"

enum { MAX_ENTRIES = 100000, MAX_DEPTH = 16 };

static gs_status append_entry(gs_input_list *list, gs_input_entry entry, gs_error *err)
{
	if (list->n >= MAX_ENTRIES)
		return gs_fail(err, GS_LIMIT, "more than %d snapshots", MAX_ENTRIES);
	if (!GS_ARRAY_ONE_MORE(list->entries, list->n))
		return gs_fail(err, GS_NO_MEMORY, "%zu snapshots", list->n);
	char *copy = strdup(entry.path);
	if (!copy)
		return gs_fail(err, GS_NO_MEMORY, "a path");
	entry.path = copy;
	list->entries[list->n++] = entry;
	return GS_OK;
}

/* Only of a plain file: what is read from a pipe here would be missing later. */
static size_t look_at(const char *path, void *head, size_t n)
{
	struct stat st;
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return 0;
	ssize_t got = read(fd, head, n);
	close(fd);
	return got > 0 ? (size_t)got : 0;
}

/* How many snapshots a file holds if it is a page; 0 if it is none or cannot be read. */
static unsigned parts_of_page(const char *path)
{
	gs_source *source = NULL;
	const gs_reader *reader = NULL;
	if (gs_source_open(path, &source, NULL))
		return 0;
	bool page = !gs_reader_pick(source, &reader, NULL) && reader == &gs_reader_html;
	unsigned parts = page ? gs_html_parts(source) : 0;
	gs_source_close(source);
	return parts;
}

/* A page may hold several snapshots. Only what begins like one, or is packed, is looked through. */
static gs_status append_file(gs_input_list *list, const char *path, bool in_folder, gs_error *err)
{
	char head[64] = "";
	gs_input_entry entry = {.path = (char *)(uintptr_t)path, .in_folder = in_folder};
	size_t n = look_at(path, head, sizeof head - 1),
		   i = n >= 3 && !memcmp(head, "\xef\xbb\xbf", 3) ? 3 : 0;
	i += strspn(head + i, " \t\r\n");
	bool packed = n >= 4 &&
		(!memcmp(head, "\x1f\x8b\x08", 3) || !memcmp(head, "\x28\xb5\x2f\xfd", 4));
	unsigned parts = packed || head[i] == '<' ? parts_of_page(path) : 0;
	if (parts < 2)
		return append_entry(list, entry, err);
	gs_status status = parts > GS_HTML_PARTS
		? gs_fail(err, GS_LIMIT, "a page of more than %d snapshots", GS_HTML_PARTS)
		: GS_OK;
	for (entry.part = 1; entry.part <= parts && !status; entry.part++)
		status = append_entry(list, entry, err);
	return status;
}

bool gs_input_is_database(const char *path)
{
	static const char magic[16] = "SQLite format 3";
	char head[16];
	return look_at(path, head, sizeof head) == sizeof head && !memcmp(head, magic, sizeof head);
}

bool gs_input_may_skip_events(const gs_input_entry *entry)
{
	unsigned char head[4] = {0};
	if (entry->id)
		return true;
	return look_at(entry->path, head, sizeof head) == sizeof head && (head[0] & 0xf0) == 0x50 &&
		head[1] == 0x2a && head[2] == 0x4d && head[3] == 0x18;
}

static gs_status expand_database(const char *path, gs_input_list *list, gs_error *err)
{
	gs_store *store = NULL;
	int64_t *ids = NULL;
	size_t n = 0;
	gs_status status = gs_store_open(path, &store, err);
	if (!status)
		status = gs_store_ids(store, &ids, &n, err);
	for (size_t i = 0; i < n && !status; i++)
		status = append_entry(
			list, (gs_input_entry){.path = (char *)(uintptr_t)path, .id = ids[i]}, err);
	free(ids);
	gs_store_close(store);
	return status;
}

/* What is done with each folder on the way. */
typedef struct walk {
	gs_input_list *list;
	int depth;
} walk;

/* Hidden files are somebody's temporary ones. */
static int is_candidate(const struct dirent *d) { return d->d_name[0] != '.'; }

static gs_status leave_out(walk *w)
{
	w->list->losses.skipped++;
	return GS_OK;
}

static gs_status expand_folder(walk *w, const char *path, gs_error *err);

/* A folder in a folder; links to folders may lead back to where they are. */
static gs_status add_folder(walk *w, const char *path, gs_error *err)
{
	struct stat st;
	gs_error why = GS_ERROR_INIT;
	if (lstat(path, &st))
		return leave_out(w);
	if (S_ISLNK(st.st_mode) || w->depth == MAX_DEPTH)
		return leave_out(w);
	w->depth++;
	gs_status status = expand_folder(w, path, &why);
	w->depth--;
	if (status == GS_IO)
		return leave_out(w);
	return status ? gs_fail(err, status, "%s", why.text) : GS_OK;
}

/* A database of a folder would show the same snapshots twice. */
static gs_status add_of_folder(walk *w, const char *path, gs_error *err)
{
	struct stat st;
	if (stat(path, &st))
		return leave_out(w);
	if (S_ISDIR(st.st_mode))
		return add_folder(w, path, err);
	if (!S_ISREG(st.st_mode) || gs_input_is_database(path))
		return leave_out(w);
	return append_file(w->list, path, true, err);
}

static gs_status expand_folder(walk *w, const char *path, gs_error *err)
{
	struct dirent **names = NULL;
	int n = scandir(path, &names, is_candidate, versionsort);
	if (n < 0)
		return gs_fail(err, GS_IO, "%s", strerror(errno));
	gs_status status = GS_OK;
	for (int i = 0; i < n; i++) {
		size_t size = strlen(path) + strlen(names[i]->d_name) + 2;
		char *file = malloc(size);
		if (!file && !status)
			status = gs_fail(err, GS_NO_MEMORY, "a path");
		if (file && !status) {
			bool slash = *path && path[strlen(path) - 1] == '/';
			snprintf(file, size, "%s%s%s", path, slash ? "" : "/", names[i]->d_name);
			status = add_of_folder(w, file, err);
		}
		free(file);
		free(names[i]);
	}
	free(names);
	return status;
}

static gs_status expand_one(const char *path, gs_input_list *list, gs_error *err)
{
	struct stat st;
	if (!strcmp(path, "-"))
		return append_entry(list, (gs_input_entry){.path = (char *)(uintptr_t)path}, err);
	if (stat(path, &st))
		return gs_fail(err, errno == ENOENT ? GS_NOT_FOUND : GS_IO, "%s", strerror(errno));
	if (S_ISDIR(st.st_mode)) {
		size_t before = list->n;
		walk w = {list, 0};
		gs_status status = expand_folder(&w, path, err);
		if (!status && list->n == before)
			return gs_fail(err, GS_NOT_FOUND, "the directory holds no file");
		return status;
	}
	if (gs_input_is_database(path))
		return expand_database(path, list, err);
	return append_file(list, path, false, err);
}

static const char *dump_folder(void)
{
	const char *dir = getenv("GPUSNAP_DIR");
	return dir && *dir ? dir : "./gpusnap-dumps";
}

/* Newer by time of change, then by name: several dumps of one moment are numbered. */
static bool is_newer(const struct stat *a, const char *name, const struct stat *b, const char *best)
{
	if (a->st_mtim.tv_sec != b->st_mtim.tv_sec)
		return a->st_mtim.tv_sec > b->st_mtim.tv_sec;
	if (a->st_mtim.tv_nsec != b->st_mtim.tv_nsec)
		return a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
	return strverscmp(name, best) > 0;
}

gs_status gs_input_newest(char **path, gs_error *err)
{
	const char *dir = dump_folder();
	char best[256] = "";
	struct stat st, top = {0};
	DIR *d = opendir(dir);
	if (!d)
		return gs_fail(err, GS_NOT_FOUND, "no file is named and there are no dumps in %s: %s", dir,
			strerror(errno));
	for (struct dirent *e; (e = readdir(d));) {
		size_t n = strlen(e->d_name);
		if (n < 7 || e->d_name[0] == '.' || strcmp(e->d_name + n - 6, ".gsnap") || n >= sizeof best)
			continue;
		if (!fstatat(dirfd(d), e->d_name, &st, 0) && S_ISREG(st.st_mode) &&
			(!*best || is_newer(&st, e->d_name, &top, best))) {
			top = st;
			memcpy(best, e->d_name, n + 1);
		}
	}
	closedir(d);
	if (!*best)
		return gs_fail(err, GS_NOT_FOUND, "no file is named and there is no dump in %s", dir);
	size_t size = strlen(dir) + strlen(best) + 2;
	*path = malloc(size);
	if (!*path)
		return gs_fail(err, GS_NO_MEMORY, "a path");
	snprintf(*path, size, "%s/%s", dir, best);
	return GS_OK;
}

static void note_newest(const char *path, gs_input_note *note, void *context)
{
	char text[4200];
	snprintf(text, sizeof text, "reading the newest dump, %s", path);
	note(context, NULL, text);
}

static gs_status expand_newest(
	gs_input_list *list, gs_input_note *note, void *context, gs_error *err)
{
	char *path = NULL;
	gs_status status = gs_input_newest(&path, err);
	if (!status)
		status = append_entry(list, (gs_input_entry){.path = path}, err);
	if (!status && note)
		note_newest(path, note, context);
	free(path);
	return status;
}

gs_status gs_input_expand(const char *const *paths, size_t n, gs_input_note *note, void *context,
	gs_input_list *list, gs_error *err)
{
	gs_status status = GS_OK;
	*list = (gs_input_list)GS_INPUT_LIST_INIT;
	if (!n && gs_input_piped(note, context))
		return expand_one("-", list, err);
	if (!n)
		return expand_newest(list, note, context, err);
	for (size_t i = 0; i < n && !status; i++) {
		gs_error why = GS_ERROR_INIT;
		status = expand_one(paths[i], list, &why);
		if (status && status != GS_LIMIT && gs_input_lose(&list->losses, paths[i], false, &why)) {
			status = GS_OK;
		} else if (status) {
			list->failed = strdup(paths[i]);
			gs_fail(err, status, "%s", why.text);
		}
	}
	return status || list->n ? status : gs_input_losses_fail(&list->losses, &list->failed, err);
}

void gs_input_list_release(gs_input_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->entries[i].path);
	free(list->entries);
	free(list->failed);
	gs_input_losses_release(&list->losses);
	*list = (gs_input_list)GS_INPUT_LIST_INIT;
}
