/* Completion for shells, from the tables that --help prints. What the scripts hold is fixed when
 * they are made: pressing the key starts no process. */
#include <string.h>

#include "analyzer/query/query.h"
#include "tools/describe.h"

typedef struct shell {
	const char *name;
	void (*begin)(FILE *out);
	void (*command)(FILE *out, const gs_command *c, const gs_option_table *t);
	void (*end)(FILE *out);
} shell;

/* The words of choices, or the names of queries, topics or commands, each by put. */
typedef void put_word(FILE *out, const char *word, const char *about);

static void each_query(FILE *out, put_word *put)
{
	gs_query q;
	for (size_t i = 0; gs_query_at(i, &q); i++) {
		for (char *p = q.name; *p; p++)
			if (*p == ' ')
				*p = '-';
		put(out, q.name, q.description);
	}
}

static const char *const *help_topics;

static void each_topic(FILE *out, put_word *put)
{
	for (const gs_command *c = gs_commands; c->name; c++)
		if (c->run)
			put(out, c->name, c->summary);
	for (const char *const *t = help_topics; *t; t++)
		if (!gs_command_find(*t))
			put(out, *t, "a topic");
}

/* Which words beside files the arguments of a command may be. */
static void each_argument(FILE *out, const gs_command *c, put_word *put)
{
	if (!strcmp(c->name, "query"))
		each_query(out, put);
	else if (!strcmp(c->name, "help"))
		each_topic(out, put);
}

static bool takes_files(const gs_command *c) { return strcmp(c->name, "help") != 0; }

/* --- bash ----------------------------------------------------------------------------------------
 */

static void bash_word(FILE *out, const char *word, const char *about)
{
	(void)about;
	fprintf(out, "%s\n", word);
}

static void bash_begin(FILE *out)
{
	fputs(
		"# bash completion for gpusnap, made by `gpusnap help --completion bash`\n"
		"_gpusnap_words() { # one a line, as they are typed\n"
		"\tlocal IFS=$'\\n' word=$1 w\n"
		"\tfor w in $2; do [[ $w == \"$word\"* ]] && COMPREPLY+=(\"${w// /\\\\ }\"); done\n"
		"}\n"
		"_gpusnap_files() { compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen \"$1\" -- \"$2\")); }\n"
		"_gpusnap() {\n"
		"\tlocal IFS=$'\\n' word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} i\n"
		"\tCOMPREPLY=()\n"
		"\tif [ \"$previous\" = = ]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
		"\tif [ \"$word\" = = ]; then word=; fi\n"
		"\tcase $COMP_CWORD:${COMP_WORDS[1]} in\n"
		"\t1:*) _gpusnap_words \"$word\" '",
		out);
	for (const gs_command *c = gs_commands; c->name; c++)
		if (c->run)
			fprintf(out, "%s\n", c->name);
	fputs("--help\n--version'; return ;;\n", out);
}

static void bash_value(FILE *out, const gs_option *o)
{
	gs_choices c;
	gs_choices_of(o, &c);
	fprintf(out, "\t\t--%s", o->name);
	if (o->letter)
		fprintf(out, "|-%c", o->letter);
	fputs(") ", out);
	if (c.kind == GS_VALUE_WORDS || c.kind == GS_VALUE_LIST) {
		bool list = c.kind == GS_VALUE_LIST;
		fputs(list
				? "local done=; [[ $word == *,* ]] && done=${word%,*},; _gpusnap_words \"$word\" \""
				: "_gpusnap_words \"$word\" '",
			out);
		for (int i = 0; i < c.n; i++)
			fprintf(out, "%s%s%s", i ? "\n" : "", list ? "${done}" : "", c.words[i]);
		fputs(list ? "\"" : "'", out);
	} else if (c.kind == GS_VALUE_FILE || c.kind == GS_VALUE_FOLDER) {
		fprintf(out, "_gpusnap_files -%c \"$word\"", c.kind == GS_VALUE_FILE ? 'f' : 'd');
	} else {
		fputs(":", out);
	}
	fputs("; return ;;\n", out);
}

static void bash_command(FILE *out, const gs_command *c, const gs_option_table *t)
{
	fprintf(out, "\t*:%s)\n", c->name);
	if (!strcmp(c->name, "run"))
		fputs(
			"\t\tfor ((i = 2; i < COMP_CWORD; i++)); do # the program's own words begin where ours end\n"
			"\t\t\tcase ${COMP_WORDS[i]} in --dir|--stacks|--record) i=$((i + 1)) ;; -*) ;; *) "
			"declare -F _command_offset >/dev/null && _command_offset $i || _gpusnap_files -f \"$word\"; return ;; esac\n"
			"\t\tdone\n",
			out);
	fputs("\t\tcase $previous in\n", out);
	for (const gs_option *o = t->options; o->type != GS_OPT_END; o++)
		if (o->argument)
			bash_value(out, o);
	fputs("\t\tesac\n\t\tcase $word in\n\t\t-*) _gpusnap_words \"$word\" '", out);
	for (const gs_option *o = t->options; o->type != GS_OPT_END; o++)
		fprintf(out, "--%s\n", o->name);
	fputs("--help'; return ;;\n\t\tesac\n\t\t_gpusnap_words \"$word\" '", out);
	each_argument(out, c, bash_word);
	fputs("'\n", out);
	if (!strcmp(c->name, "run"))
		fputs("\t\tCOMPREPLY+=($(compgen -c -- \"$word\"))\n", out);
	if (takes_files(c))
		fputs("\t\t_gpusnap_files -f \"$word\"\n", out);
	fputs("\t\t;;\n", out);
}

static void bash_end(FILE *out) { fputs("\tesac\n}\ncomplete -F _gpusnap gpusnap\n", out); }

/* --- zsh -----------------------------------------------------------------------------------------
 */

/* Inside single quotes, where brackets and colons mean something to _arguments. */
static void zsh_text(FILE *out, const char *text)
{
	for (const char *p = text; *p; p++)
		if (*p == '\'')
			fputs("'\\''", out);
		else if (strchr("[]:\\", *p))
			fprintf(out, "\\%c", *p);
		else
			putc(*p, out);
}

static void zsh_word(FILE *out, const char *word, const char *about)
{
	fputs("\t\t\t'", out);
	zsh_text(out, word);
	putc(':', out);
	for (const char *p = about; *p; p++) /* _describe splits at the first colon alone */
		if (*p == '\'')
			fputs("'\\''", out);
		else
			putc(*p, out);
	fputs("'\n", out);
}

static void zsh_begin(FILE *out)
{
	fputs(
		"#compdef gpusnap\n# zsh completion for gpusnap, made by `gpusnap help --completion zsh`\n"
		"_gpusnap() {\n\tlocal -a words_of\n\tif (( CURRENT == 2 )); then\n\t\twords_of=(\n",
		out);
	for (const gs_command *c = gs_commands; c->name; c++)
		if (c->run)
			zsh_word(out, c->name, c->summary);
	fputs(
		"\t\t\t'--help:the commands' '--version:the release'\n\t\t)\n\t\t_describe command words_of\n\t\treturn\n\tfi\n"
		"\tlocal command=$words[2]\n\tshift words\n\t(( CURRENT-- ))\n\tcase $command in\n",
		out);
}

static void zsh_value(FILE *out, const gs_option *o)
{
	gs_choices c;
	gs_choices_of(o, &c);
	putc(':', out);
	zsh_text(out, o->argument);
	putc(':', out);
	if (c.kind == GS_VALUE_FILE || c.kind == GS_VALUE_FOLDER)
		fputs(c.kind == GS_VALUE_FILE ? "_files" : "_files -/", out);
	if (c.kind != GS_VALUE_WORDS && c.kind != GS_VALUE_LIST)
		return;
	fputs(c.kind == GS_VALUE_LIST ? "_sequence compadd - " : "(", out);
	for (int i = 0; i < c.n; i++)
		for (const char *p = i ? (putc(' ', out), c.words[i]) : c.words[i]; *p; p++)
			fprintf(out, *p == ' ' ? "\\ " : "%c", *p);
	if (c.kind == GS_VALUE_WORDS)
		putc(')', out);
}

static void zsh_option(FILE *out, const gs_option *o)
{
	bool repeats = o->type == GS_OPT_TEXTS;
	if (o->letter) {
		fprintf(
			out, "\t\t\t'(-%c --%s)-%c%s[", o->letter, o->name, o->letter, o->argument ? "+" : "");
		zsh_text(out, o->help);
		putc(']', out);
		if (o->argument)
			zsh_value(out, o);
		fputs("' \\\n", out);
	}
	fputs("\t\t\t'", out);
	if (o->letter)
		fprintf(out, "(-%c --%s)", o->letter, o->name);
	fprintf(out, "%s--%s%s[", repeats ? "*" : "", o->name, o->argument ? "=" : "");
	zsh_text(out, o->help);
	putc(']', out);
	if (o->argument)
		zsh_value(out, o);
	fputs("' \\\n", out);
}

static void zsh_command(FILE *out, const gs_command *c, const gs_option_table *t)
{
	bool words = !strcmp(c->name, "query") || !strcmp(c->name, "help");
	fprintf(out, "\t%s)\n", c->name);
	if (words) {
		fputs("\t\twords_of=(\n", out);
		each_argument(out, c, zsh_word);
		fputs("\t\t)\n", out);
	}
	fputs("\t\t_arguments -s \\\n", out);
	for (const gs_option *o = t->options; o->type != GS_OPT_END; o++)
		zsh_option(out, o);
	if (!strcmp(c->name, "run"))
		fputs(
			"\t\t\t'--help[the options]' '(-)1:program:_command_names -e' '*::argument:_normal'\n",
			out);
	else
		fprintf(out, "\t\t\t'--help[the options]' '*:: :->rest'\n\t\t%s%s\n",
			words ? "[[ $state == rest ]] && _describe -V word words_of\n\t\t" : "",
			takes_files(c) ? "[[ $state == rest ]] && _files" : ":");
	fputs("\t\t;;\n", out);
}

static void zsh_end(FILE *out) { fputs("\tesac\n}\n_gpusnap \"$@\"\n", out); }

/* --- fish ----------------------------------------------------------------------------------------
 */

static void fish_text(FILE *out, const char *text)
{
	putc('\'', out);
	for (const char *p = text; *p; p++) {
		if (*p == '\'' || *p == '\\')
			putc('\\', out);
		putc(*p, out);
	}
	putc('\'', out);
}

static const char *fish_of; /* the command whose words are written */

static void fish_word(FILE *out, const char *word, const char *about)
{
	fprintf(
		out, "complete -c gpusnap -n '__fish_seen_subcommand_from %s' -a %s -d ", fish_of, word);
	fish_text(out, about);
	putc('\n', out);
}

static void fish_begin(FILE *out)
{
	fputs("# fish completion for gpusnap, made by `gpusnap help --completion fish`\n"
		  "complete -c gpusnap -n __fish_use_subcommand -f -l help -d 'the commands'\n"
		  "complete -c gpusnap -n __fish_use_subcommand -f -l version -d 'the release'\n",
		out);
	for (const gs_command *c = gs_commands; c->name; c++) {
		if (!c->run)
			continue;
		fprintf(out, "complete -c gpusnap -n __fish_use_subcommand -f -a %s -d ", c->name);
		fish_text(out, c->summary);
		putc('\n', out);
	}
}

static void fish_value(FILE *out, const gs_option *o)
{
	gs_choices c;
	gs_choices_of(o, &c);
	if (c.kind == GS_VALUE_FILE) {
		fputs(" -r -F", out);
	} else if (c.kind == GS_VALUE_FOLDER) {
		fputs(" -x -a '(__fish_complete_directories)'", out);
	} else if (c.kind == GS_VALUE_ANY) {
		fputs(" -x", out);
	} else {
		fprintf(out, " -x -a \"%s", c.kind == GS_VALUE_LIST ? "(__fish_append , " : "");
		for (int i = 0; i < c.n; i++)
			for (const char *p = i ? (putc(' ', out), c.words[i]) : c.words[i]; *p; p++)
				fprintf(out, *p == ' ' ? "\\\\ " : "%c", *p);
		fputs(c.kind == GS_VALUE_LIST ? ")\"" : "\"", out);
	}
}

static void fish_command(FILE *out, const gs_command *c, const gs_option_table *t)
{
	for (const gs_option *o = t->options; o->type != GS_OPT_END; o++) {
		fprintf(
			out, "complete -c gpusnap -n '__fish_seen_subcommand_from %s' -l %s", c->name, o->name);
		if (o->letter)
			fprintf(out, " -s %c", o->letter);
		if (o->argument)
			fish_value(out, o);
		fputs(" -d ", out);
		fish_text(out, o->help);
		putc('\n', out);
	}
	fprintf(out,
		"complete -c gpusnap -n '__fish_seen_subcommand_from %s' -l help -d 'the options'\n",
		c->name);
	fish_of = c->name;
	each_argument(out, c, fish_word);
	if (!takes_files(c))
		fprintf(out, "complete -c gpusnap -n '__fish_seen_subcommand_from %s' -f\n", c->name);
	if (!strcmp(c->name, "run"))
		fputs(
			"complete -c gpusnap -n '__fish_seen_subcommand_from run' -x -a '(__fish_complete_subcommand)'\n",
			out);
}

static void fish_end(FILE *out) { (void)out; }

bool gs_describe_completion(const char *name, const char *const *topics, FILE *out)
{
	static const shell shells[] = {{"bash", bash_begin, bash_command, bash_end},
		{"zsh", zsh_begin, zsh_command, zsh_end}, {"fish", fish_begin, fish_command, fish_end}};
	help_topics = topics;
	for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
		if (strcmp(shells[i].name, name))
			continue;
		shells[i].begin(out);
		for (const gs_command *c = gs_commands; c->name; c++) {
			gs_option_table table;
			if (!c->run)
				continue;
			gs_table_of(c, &table);
			shells[i].command(out, c, &table);
		}
		shells[i].end(out);
		return true;
	}
	return false;
}
