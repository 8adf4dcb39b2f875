/* The reader of texts: logs, mails, bug reports. Whatever is not one of the formats and reads like
 * text is one. */
#include "analyzer/read/open/reader.h"
#include "analyzer/read/logs/log.h"

/* Length of a well-formed UTF-8 sequence at p, 0 if it is none. */
static size_t utf8(const unsigned char *p, size_t n)
{
	size_t length = *p < 0x80     ? 1
		: *p >= 0xc2 && *p < 0xe0 ? 2
		: *p >= 0xe0 && *p < 0xf0 ? 3
		: *p >= 0xf0 && *p < 0xf5 ? 4
								  : 0;
	for (size_t i = 1; i < length; i++)
		if (i >= n || (p[i] & 0xc0) != 0x80)
			return i >= n ? length : 0;
	return length;
}

/* UTF-16 with its mark: a third of the units are printable ASCII, none is a control character but
 * blanks and line ends. */
static int wide_likeness(const unsigned char *head, size_t n)
{
	size_t ascii = 0, units = 0;
	for (size_t i = 2; i + 1 < n; i += 2, units++) {
		unsigned c = head[0] == 0xff ? head[i] | (unsigned)head[i + 1] << 8
									 : head[i + 1] | (unsigned)head[i] << 8;
		if (c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != 0x1b)
			return 0;
		ascii += c < 0x7f;
	}
	return units && ascii * 3 >= units ? 20 : 0;
}

static bool is_ordinary(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ' ||
		c == '\n';
}

int gs_text_likeness(const unsigned char *head, size_t n)
{
	size_t odd = 0, bad = 0, words = 0;
	if (n >= 2 && ((head[0] == 0xff && head[1] == 0xfe) || (head[0] == 0xfe && head[1] == 0xff)))
		return wide_likeness(head, n);
	for (size_t i = 0; i < n;) {
		size_t length = utf8(head + i, n - i);
		if (head[i] < ' ' && head[i] != '\t' && head[i] != '\n' && head[i] != '\r' &&
			head[i] != '\b' && head[i] != '\f' && head[i] != 0x1b)
			odd++;
		if (head[i] == 0 || head[i] == 0x7f)
			odd++;
		bad += !length;
		words += is_ordinary(head[i]);
		i += length ? length : 1;
	}
	if (!odd && n >= 64 && words * 3 >= n) /* also in an encoding of one's own country */
		return 10;
	return n && odd * 200 <= n && bad * 10 <= n ? 10 : 0;
}

static gs_status read_text(gs_source *source, unsigned want, gs_snapshot *s, gs_error *err)
{
	(void)want;
	return gs_text_log_read(source, s, err);
}

const gs_reader gs_reader_text = {"text", gs_text_likeness, read_text};
