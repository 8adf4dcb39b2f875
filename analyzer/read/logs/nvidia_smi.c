/* Lines of the tables are known by their bars and by what only they hold: a bus id, `2139MiB /
 * 22919MiB`, a process with its type. */
#include "analyzer/read/logs/nvidia_smi.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/read/text/ascii.h"
#include "analyzer/read/text/figure.h"

enum { LINES = 400 /* of one table and what stands behind it */, LINE = 300 };

/* A line between its outer bars, terminated; false where it has none. */
static bool cells_of(const char *line, size_t n, char out[LINE])
{
	const char *from = memchr(line, '|', n);
	while (n && line[n - 1] != '|')
		n--;
	if (!from || from + 2 >= line + n || (size_t)(line + n - from) >= LINE)
		return false;
	n = (size_t)(line + n - from) - 2;
	memcpy(out, from + 1, n);
	out[n] = 0;
	return true;
}

/* `00000000:03:00.0` */
static bool has_bus_id(const char *s)
{
	for (; (s = strchr(s, ':')); s++)
		if (s[1] && s[2] && s[3] == ':' && s[4] && s[5] && s[6] == '.')
			return true;
	return false;
}

/* The MiB in front of a word, 0 where there are none. */
static int64_t mib_before(const char *cells, const char *at)
{
	const char *from = at;
	while (from > cells && gs_ascii_digit(from[-1]))
		from--;
	return from < at ? (int64_t)(strtoull(from, NULL, 10) & 0xffffffff) << 20 : 0;
}

static void take_process(gs_smi *smi, int32_t device, const char *cells)
{
	char *end;
	int64_t pid = 0;
	const char *p = cells;
	while (*p == ' ' || !strncmp(p, "N/A", 3))
		p += *p == ' ' ? 1 : 3;
	pid = (int64_t)strtoll(p, &end, 10);
	const char *type = end + strspn(end, " "), *name = type + strcspn(type, " "),
			   *unit = strstr(cells, "MiB");
	if (end == p || pid <= 0 || !strchr("CGM", *type) || !unit)
		return;
	size_t at = 0;
	while (at < smi->nprocesses &&
		(smi->processes[at].pid != pid || smi->processes[at].device != device))
		at++;
	if (at == GS_SMI_PROCESSES)
		return;
	smi->nprocesses += at == smi->nprocesses;
	smi->processes[at].device = device;
	smi->processes[at].pid = pid;
	smi->processes[at].bytes = mib_before(cells, unit);
	name += strspn(name, " ");
	size_t n = strcspn(name, " ");
	n = n < GS_SMI_NAME ? n : GS_SMI_NAME - 1;
	memcpy(smi->processes[at].name, name, n);
	smi->processes[at].name[n] = 0;
}

static void take_line(gs_smi *smi, const char *line, size_t n)
{
	char cells[LINE], *end;
	if (!cells_of(line, n, cells))
		return;
	long device = strtol(cells, &end, 10);
	bool numbered = end > cells && *end == ' ' && device >= 0 && device < GS_SMI_DEVICES;
	const char *slash = strstr(cells, "MiB / "), *total = slash ? strstr(slash + 6, "MiB") : NULL;
	if (numbered && has_bus_id(cells))
		smi->device = (int32_t)device;
	else if (total && smi->device >= 0)
		smi->capacity[smi->device] = mib_before(cells, total);
	else if (numbered)
		take_process(smi, (int32_t)device, end);
}

void gs_smi_scan(gs_smi *smi, const gs_text *t, size_t from, size_t to)
{
	if (smi->done > t->base + from)
		from = (size_t)(smi->done - t->base);
	for (size_t i = from; (i = gs_text_find(t, i, to, "nvidia-smi")) != SIZE_MAX;) {
		size_t lines = 0, at = gs_text_line_start(t, i);
		smi->device = -1;
		for (; at < t->ntext && lines < LINES; lines++) {
			const char *line = t->text + at, *end = memchr(line, '\n', t->ntext - at);
			size_t n = end ? (size_t)(end - line) : t->ntext - at;
			if (lines > 1 && n > 2 && !memchr(line, '|', n) && !memchr(line, '+', n))
				break;
			take_line(smi, line, n);
			at += n + 1;
		}
		while (i < t->n && t->at[i] < at)
			i++;
		smi->done = t->base + i;
	}
}

/* The device that GPU k of the table is; NULL where no failure is of it. */
static gs_device *device_of(const gs_smi *smi, gs_snapshot *s, int32_t k)
{
	gs_device *d = gs_snapshot_find_device(s, k);
	size_t gpus = 0;
	for (size_t i = 0; i < GS_SMI_DEVICES; i++)
		gpus += smi->capacity[i] != 0;
	return d || gpus != 1 ? d : gs_snapshot_find_device(s, -1);
}

/* The process that holds what the failing one has reserved, and least beyond it, is taken for it.
 */
static int64_t own_of(const gs_smi *smi, const gs_device *d, int32_t k)
{
	int64_t pid = GS_NONE, least = INT64_MAX;
	for (size_t i = 0; i < smi->nprocesses && d->reserved > 0; i++)
		if (smi->processes[i].device == k && smi->processes[i].bytes >= d->reserved &&
			smi->processes[i].bytes < least) {
			least = smi->processes[i].bytes;
			pid = smi->processes[i].pid;
		}
	return pid;
}

static bool named_already(const gs_snapshot *s, int32_t device, int64_t pid)
{
	for (size_t i = 0; i < s->noutsiders; i++)
		if (s->outsiders[i].device == device && s->outsiders[i].pid == pid)
			return true;
	return false;
}

gs_status gs_smi_finish(const gs_smi *smi, gs_snapshot *s, gs_error *err)
{
	for (int32_t k = 0; k < GS_SMI_DEVICES; k++) {
		gs_device *d = smi->capacity[k] ? device_of(smi, s, k) : NULL;
		if (d && d->capacity == GS_NONE)
			d->capacity = smi->capacity[k];
	}
	for (size_t i = 0; i < smi->nprocesses; i++) {
		int32_t k = smi->processes[i].device;
		const gs_device *d = device_of(smi, s, k);
		int64_t pid = smi->processes[i].pid;
		if (!d || pid == own_of(smi, d, k) || named_already(s, d->device, pid))
			continue;
		const char *name = smi->processes[i].name;
		gs_outsider x = {.device = d->device,
			.pid = pid,
			.bytes = smi->processes[i].bytes,
			.holder = gs_snapshot_string(s, name, strlen(name)),
			.known = gs_snapshot_string(s, "nvidia-smi", 10)};
		if (!x.known || gs_snapshot_add_outsider(s, &x))
			return gs_fail(err, GS_NO_MEMORY, "no memory for processes");
	}
	return GS_OK;
}
