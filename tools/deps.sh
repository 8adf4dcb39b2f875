#!/bin/sh
# Installs the Debian packages that building and testing need and that are missing; says which before it does.
# usage: deps.sh PACKAGE…   (as root, or with sudo)
missing=
for p in "$@"; do
	case $(dpkg-query -W -f '${Status}' "$p" 2>/dev/null) in
	"install ok installed") ;;
	*) missing="$missing $p" ;;
	esac
done
[ -n "$missing" ] || exit 0
if ! command -v apt-get >/dev/null; then
	echo "deps: this system has no apt-get; install by hand what these Debian packages hold:$missing" >&2
	exit 1
fi
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
if [ -n "$sudo" ] && ! command -v sudo >/dev/null; then
	echo "deps: needs root (or sudo) to install:$missing" >&2
	exit 1
fi
echo "deps: installing Debian packages:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
$sudo apt-get update >"$log" 2>&1 || { echo "deps: apt-get update failed: $(tail -n 1 "$log")" >&2; }
if $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing >"$log" 2>&1; then
	exit 0
fi
for p in $missing; do
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$p" >"$log" 2>&1 ||
		{ echo "deps: cannot install $p: $(grep '^E:' "$log" | head -n 1)" >&2; exit 1; }
done
