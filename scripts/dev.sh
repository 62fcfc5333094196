#!/usr/bin/env bash
# Serves the page with live reload, and rebuilds and restarts the server whenever a Go file
# or a template changes. The page's server forwards /ws and /api to the server.
#   dev.sh [FLAGS OF THE SERVER]
set -euo pipefail
cd "$(dirname "$0")/.."

# Each job is a process group of its own: ^C reaches only this script, which then sends the
# server one signal. A second signal would make the server exit without saving.
set -m

binary=bin/agentdungeon-dev
stamp=bin/.dev-built
mkdir -p bin
rm -f "$stamp"
server=
page=

stop() {
  trap - EXIT INT TERM
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  [ -z "$page" ] || kill "$page" 2>/dev/null || true
  wait
}
trap stop EXIT
trap 'exit 0' INT TERM

(cd client && exec node_modules/.bin/vite --clearScreen false </dev/null) &
page=$!

while kill -0 "$page" 2>/dev/null; do
  if [ ! -e "$stamp" ] || [ -n "$(find server shared client/embed.go go.mod \( -name '*.go' -o -name '*.json' -o -name go.mod \) -newer "$stamp" -print -quit)" ]; then
    touch "$stamp"
    if go build -o "$binary.new" ./server; then
      if [ -n "$server" ]; then
        kill "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
      fi
      mv "$binary.new" "$binary"
      "$binary" serve "$@" </dev/null &
      server=$!
    fi
  fi
  sleep 1
done
