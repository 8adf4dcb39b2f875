/* How sentences for people are written: what the terminal and the environment say of it. */
#include "tools/voice.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "tools/output.h"

static bool locale_is_utf8(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	bool utf8 = locale && !strcmp(nl_langinfo_l(CODESET, locale), "UTF-8");
	if (locale)
		freelocale(locale);
	return utf8;
}

static bool may_be_bold(const gs_common *common)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	return !common->output && gs_output_is_terminal() && (!no_color || !*no_color) &&
		(!term || strcmp(term, "dumb"));
}

gs_voice gs_voice_of(const gs_common *common, bool verbose)
{
	gs_voice voice = GS_VOICE_INIT;
	int width = gs_output_width();
	voice.width = width ? width : voice.width;
	voice.utf8 = locale_is_utf8();
	voice.bold = may_be_bold(common);
	voice.markdown = common->format == GS_FORMAT_MARKDOWN;
	voice.verbose = verbose;
	return voice;
}
