#!/usr/bin/env bash
# Reports the missing tools before anything is built, and how to install them.
#   preflight.sh        Go, Node and npm
#   preflight.sh race   also a C compiler, which Go's race detector needs
set -euo pipefail
cd "$(dirname "$0")/.."

missing=0
lacks() {
  missing=1
  printf 'missing: %s\n         %s\n' "$1" "$2" >&2
}

# at_least HAVE WANT: succeeds if the version HAVE is WANT or newer.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

want_go=$(awk '$1 == "go" { print $2; exit }' go.mod)
if ! command -v go >/dev/null; then
  lacks "Go $want_go or newer" "get it from https://go.dev/dl/ and put its bin folder into PATH"
elif ! have_go=$(go env GOVERSION 2>&1); then
  lacks "Go $want_go or newer" "go says: $have_go"
else
  have_go=${have_go#go}
  have_go=${have_go%%[!0-9.]*}
  at_least "$have_go" "$want_go" || lacks "Go $want_go or newer (this is $have_go)" "get it from https://go.dev/dl/"
fi

node_help='get it from https://nodejs.org/en/download or with a version switcher such as nvm'
if ! command -v node >/dev/null; then
  lacks 'Node 20.19 or newer' "$node_help"
else
  have_node=$(node --version)
  have_node=${have_node#v}
  case $have_node in
    21.* | 22.[0-9].* | 22.1[01].*) node_ok=no ;;
    *) node_ok=yes ;;
  esac
  { at_least "$have_node" 20.19.0 && [ "$node_ok" = yes ]; } ||
    lacks "Node 20.19 or newer of 20, or 22.12 and newer (this is $have_node)" "$node_help"
fi
command -v npm >/dev/null || lacks 'npm' 'it comes with Node; on Debian: apt-get install npm'

if [ "${1:-}" = race ] && command -v go >/dev/null; then
  # CC may carry flags; its first word is the program.
  read -r cc _ <<<"$(go env CC)"
  if ! command -v "${cc:-gcc}" >/dev/null; then
    lacks "a C compiler (${cc:-gcc})" "Go's race detector needs one; on Debian: apt-get install gcc libc6-dev; on macOS: xcode-select --install"
  elif [ "$(go env CGO_ENABLED)" != 1 ]; then
    lacks 'cgo' "Go's race detector needs it, and CGO_ENABLED=$(go env CGO_ENABLED): unset it for the tests"
  fi
fi

exit "$missing"
