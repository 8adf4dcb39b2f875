# bash completion for gpusnap: commands, options and named queries come from the command itself.
_gpusnap()
{
	local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} gpusnap=${COMP_WORDS[0]}
	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		COMPREPLY=($(compgen -W "$("$gpusnap" help 2>/dev/null | sed -n 's/^  \([a-z]*\) .*/\1/p') --help --version" -- "$word"))
		return
	fi
	case $previous in
	--format) COMPREPLY=($(compgen -W 'table tsv csv json jsonl markdown pytorch gsnap flamegraph speedscope perfetto' -- "$word")); return ;;
	--state) COMPREPLY=($(compgen -W 'captured oom peak' -- "$word")); return ;;
	--by) COMPREPLY=($(compgen -W 'stack function file line module holder category tag stream size' -- "$word")); return ;;
	--color) COMPREPLY=($(compgen -W 'holder category state tag stream age size' -- "$word")); return ;;
	esac
	case $word in
	-*) COMPREPLY=($(compgen -W "$("$gpusnap" help "$command" 2>/dev/null | sed -n 's/^ *\(-[a-zA-Z], \)\{0,1\}\(--[a-z-]*\).*/\2/p')" -- "$word")); return ;;
	esac
	case $command in
	help) COMPREPLY=($(compgen -W "$("$gpusnap" help 2>/dev/null | sed -n 's/^  \([a-z]*\) .*/\1/p') env size state query" -- "$word")) ;;
	query) COMPREPLY=($(compgen -f -- "$word") $(compgen -W "$("$gpusnap" query --list --format tsv 2>/dev/null | sed '1d;s/\t.*//;s/ /-/g')" -- "$word")) ;;
	*) COMPREPLY=($(compgen -f -- "$word")) ;;
	esac
}
complete -o filenames -F _gpusnap gpusnap
