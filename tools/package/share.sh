#!/bin/sh
# Manual pages and completion as they lie below PREFIX/share. usage: share.sh COMMAND FOLDER
# tools/gpusnap.1 is the page of the whole, where the list of commands is put in; tools/man/NAME.mdoc is a command's prose,
# whose EXIT STATUS is put behind what all have in common, and whose EXAMPLES come after that.
set -e
gpusnap=$1 to=$2
rm -rf "$to/man" "$to/bash-completion" "$to/zsh" "$to/fish"
mkdir -p "$to/man/man1" "$to/bash-completion/completions" "$to/zsh/site-functions" "$to/fish/vendor_completions.d"
"$gpusnap" help --completion bash >"$to/bash-completion/completions/gpusnap"
"$gpusnap" help --completion zsh >"$to/zsh/site-functions/_gpusnap"
"$gpusnap" help --completion fish >"$to/fish/vendor_completions.d/gpusnap.fish"
"$gpusnap" help --man >"$to/commands"
version=$("$gpusnap" --version | sed 's/.* //')
sed -e "/^\.\\\\\" commands/{r $to/commands
d}" -e "s/^\.Os\$/.Os gpusnap $version/" tools/gpusnap.1 >"$to/man/man1/gpusnap.1"
for name in $(sed -n 's/^\.It Cm //p' "$to/commands"); do
	prose=tools/man/$name.mdoc
	[ -f "$prose" ] || prose=/dev/null
	sed '/^\.Sh EX/,$d' "$prose" >"$to/prose"
	sed -n '/^\.Sh EX/,$p' "$prose" | sed '/^\.Sh EXIT STATUS$/d' >"$to/examples"
	"$gpusnap" help --man "$name" | sed "/^\.\\\\\" prose/{r $to/prose
d}
/^\.\\\\\" examples/{r $to/examples
d}" >"$to/man/man1/gpusnap-$name.1"
done
rm "$to/commands" "$to/prose" "$to/examples"
