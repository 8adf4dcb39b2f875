/* The reader of texts: logs, mails, bug reports. Whatever is not one of the formats and reads like text is one. */
#include "analyzer/read/reader.h"
#include "analyzer/read/text_log.h"

/* Length of a well-formed UTF-8 sequence at p, 0 if it is none. */
static size_t utf8(const unsigned char *p, size_t n)
{
	size_t length = *p < 0x80 ? 1 : *p >= 0xc2 && *p < 0xe0 ? 2 : *p >= 0xe0 && *p < 0xf0 ? 3 : *p >= 0xf0 && *p < 0xf5 ? 4 : 0;
	for (size_t i = 1; i < length; i++)
		if (i >= n || (p[i] & 0xc0) != 0x80)
			return i >= n ? length : 0;
	return length;
}

int gs_text_likeness(const unsigned char *head, size_t n)
{
	size_t odd = 0, bad = 0;
	if (n >= 2 && ((head[0] == 0xff && head[1] == 0xfe) || (head[0] == 0xfe && head[1] == 0xff)))
		return n >= 4 && (head[2] == 0 || head[3] == 0) ? 20 : 0; /* UTF-16 of mostly ASCII */
	for (size_t i = 0; i < n;) {
		size_t length = utf8(head + i, n - i);
		if (head[i] < ' ' && head[i] != '\t' && head[i] != '\n' && head[i] != '\r' && head[i] != '\b' && head[i] != '\f' && head[i] != 0x1b)
			odd++;
		if (head[i] == 0 || head[i] == 0x7f)
			odd++;
		bad += !length;
		i += length ? length : 1;
	}
	return n && odd * 200 <= n && bad * 10 <= n ? 10 : 0;
}

static gs_status read_text(gs_source *source, unsigned want, gs_snapshot *s, gs_error *err)
{
	(void)want;
	return gs_text_log_read(source, s, err);
}

const gs_reader gs_reader_text = { "text", gs_text_likeness, read_text };
