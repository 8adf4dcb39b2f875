#include "tools/page_file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/export/gsnap.h"
#include "tools/beside.h"

/* --- reading -------------------------------------------------------------------------------------
 */

/* As built, as installed, in a wheel. */
static const char *const places[] = {
	"page/gpusnap.html", "../share/gpusnap/gpusnap.html", "gpusnap.html", NULL};

enum { MOST = 64 << 20 };

static gs_status read_file(const char *path, char **text, gs_error *err)
{
	size_t n = 0, got = 0;
	FILE *in = fopen(path, "rb");
	if (!in)
		return gs_fail(err, GS_IO, "the page %.200s cannot be read: %s", path, strerror(errno));
	FILE *memory = open_memstream(text, &n);
	char part[65536];
	while (memory && n < MOST && (got = fread(part, 1, sizeof part, in)) > 0 &&
		fwrite(part, 1, got, memory) == got && !fflush(memory))
		;
	bool failed = ferror(in), large = n >= MOST;
	fclose(in);
	if (!memory || fclose(memory))
		return gs_fail(err, GS_NO_MEMORY, "no memory for the page");
	if (failed || large)
		return gs_fail(err, GS_IO, "the page %.200s cannot be read", path);
	return GS_OK;
}

/* Ends the part before a comment of the page's, and gives what follows it; NULL: it is not there.
 */
static char *cut_at(char *text, const char *comment)
{
	char *at = text ? strstr(text, comment) : NULL;
	if (!at)
		return NULL;
	*at = '\0';
	return at + strlen(comment);
}

/* The sources of scripts in its policy: "script-src X;". */
static bool find_script(gs_page_file *p)
{
	const char *at = strstr(p->head, "script-src ");
	size_t n = at ? strcspn(at + 11, ";\"") : 0;
	if (!n || n >= sizeof p->script)
		return false;
	memcpy(p->script, at + 11, n);
	p->script[n] = '\0';
	return true;
}

static gs_status split(gs_page_file *p, const char *path, gs_error *err)
{
	char *before = cut_at(p->text, "<!-- gpusnap: begin -->"),
		 *after = cut_at(before, "<!-- gpusnap: recordings -->"),
		 *tail = cut_at(after, "<!-- gpusnap: end -->");
	p->head = p->text;
	p->before = before;
	p->after = after;
	p->tail = tail;
	return tail && find_script(p)
		? GS_OK
		: gs_fail(err, GS_INVALID, "%.200s is not the page of this program", path);
}

gs_status gs_page_file_open(gs_page_file *p, gs_error *err)
{
	char found[PATH_MAX];
	const char *path = getenv("GPUSNAP_PAGE");
	*p = (gs_page_file)GS_PAGE_FILE_INIT;
	if ((!path || !*path) && gs_beside_command(places, found, sizeof found))
		path = found;
	if (!path || !*path)
		return gs_fail(err, GS_NOT_FOUND,
			"this build came without the page: the wheel and the package of Debian bring it, "
			"`make deps-page page` makes it, and $GPUSNAP_PAGE names one");
	gs_status status = read_file(path, &p->text, err);
	return status ? status : split(p, path, err);
}

void gs_page_file_release(gs_page_file *p)
{
	free(p->text);
	*p = (gs_page_file)GS_PAGE_FILE_INIT;
}

/* --- writing -------------------------------------------------------------------------------------
 */

static gs_status to_stream(void *arg, const void *data, size_t n)
{
	return fwrite(data, 1, n, arg) == n ? GS_OK : GS_NO_MEMORY;
}

static gs_status pack(const gs_snapshot *s, char **bytes, size_t *n, gs_error *err)
{
	FILE *memory = open_memstream(bytes, n);
	if (!memory)
		return gs_fail(err, GS_NO_MEMORY, "no memory for a recording");
	gs_status status = gs_export_gsnap(s, 3, to_stream, memory, err);
	if (fclose(memory) && !status)
		status = gs_fail(err, GS_NO_MEMORY, "no memory for a recording");
	return status;
}

/* The file's own name, without its folders. */
static const char *name_of(const gs_snapshot *s)
{
	const char *path = s->path ? s->path : "", *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	return *name && strcmp(name, "-") ? name : "recording";
}

gs_status gs_page_file_put(FILE *out, const gs_snapshot *snapshots, size_t n, gs_error *err)
{
	gs_status status = GS_OK;
	for (size_t i = 0; i < n && !status; i++) {
		char *bytes = NULL;
		size_t length = 0;
		gs_markup m;
		status = pack(&snapshots[i], &bytes, &length, err);
		if (!status) {
			gs_markup_init(&m, out, true);
			gs_markup_open(&m, "script");
			gs_markup_attr(&m, "type", "text/plain");
			gs_markup_attr(&m, "class", "gpusnap-recording");
			gs_markup_attr(&m, "data-name", "%s", name_of(&snapshots[i]));
			gs_markup_raw(&m, "");
			gs_base64_write(out, (const unsigned char *)bytes, length);
			gs_markup_close(&m);
			fputc('\n', out);
		}
		free(bytes);
	}
	return status;
}

gs_status gs_page_file_write(
	const gs_page_file *p, FILE *out, const gs_snapshot *snapshots, size_t n, gs_error *err)
{
	fprintf(out, "%s<!-- gpusnap: begin -->%s<!-- gpusnap: recordings -->", p->head, p->before);
	gs_status status = gs_page_file_put(out, snapshots, n, err);
	fprintf(out, "%s<!-- gpusnap: end -->%s", p->after, p->tail);
	return status;
}
