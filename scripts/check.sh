#!/usr/bin/env bash
# Runs every check of "make check", also after one has failed, and exits with 1 if any
# failed. The Makefile installs node_modules and bin/staticcheck before.
set -uo pipefail
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
beside= # the process group that runs the checks of the page
trap '[ -z "$beside" ] || kill -- "-$beside" 2>/dev/null; rm -rf "$scratch"' EXIT
failed=()
exec 3>&1 # the real standard output, for notes from inside of check

# tell NAME STATUS OUTPUT: a line for a check that has ended. Its output is shown only if it failed.
tell() {
  if [ "$2" = 0 ]; then
    printf 'ok    %s\n' "$1"
  else
    printf 'FAIL  %s\n' "$1"
    sed 's/^/      /' "$3"
    failed+=("$1")
  fi
}

# check NAME COMMAND...: runs the command and tells.
check() {
  local name=$1 status=0
  shift
  "$@" >"$scratch/out" 2>&1 || status=$?
  tell "$name" "$status" "$scratch/out"
}

# The checks of the page run beside those of Go: each takes one core, and those of Go cannot always use two.
# start_page begins them, one after the other; tell_page waits for all of them and tells about one.
start_page() {
  set -m # a process group of their own, for the trap
  for script in check lint formatted; do
    status=0
    npm --prefix client run --silent "$script" >"$scratch/page.$script" 2>&1 || status=$?
    echo "$status" >"$scratch/page.$script.status"
  done </dev/null &
  beside=$!
  set +m
}

# A check without a status was killed.
tell_page() {
  local name=$1 script=$2
  [ -z "$beside" ] || wait "$beside"
  beside=
  tell "$name" "$(cat "$scratch/page.$script.status" 2>/dev/null || echo killed)" "$scratch/page.$script"
}

formatted() {
  local files
  files=$(git ls-files -co --exclude-standard '*.go' | while read -r f; do [ ! -f "$f" ] || echo "$f"; done | xargs -r gofmt -l) || return 1
  [ -z "$files" ] || { printf 'not formatted, run gofmt -w:\n%s\n' "$files"; return 1; }
}

generated() {
  go run ./scripts/schema -o "$scratch/schema.json" &&
    go run ./scripts/languages -o "$scratch/languages_gen.go" &&
    go run ./scripts/personas -o "$scratch/code_review.json" &&
    go -C scripts/tools run ./secrets -o "$scratch/rules_gen.go" -record "$scratch/secrets.json" &&
    node client/scripts/protocol.mjs "$scratch/schema.json" "$scratch/protocol.gen.ts" || return 1
  cmp "$scratch/schema.json" shared/schema.json &&
    cmp "$scratch/languages_gen.go" server/inspect/languages_gen.go &&
    cmp "$scratch/code_review.json" server/template/templates/code_review.json &&
    cmp "$scratch/rules_gen.go" server/inspect/secrets/rules_gen.go &&
    cmp "$scratch/secrets.json" server/inspect/secrets/testdata/secrets.json &&
    cmp "$scratch/protocol.gen.ts" client/src/net/protocol.gen.ts ||
    { echo 'generated files are stale, run: make generate'; return 1; }
}

# Every cited rule is defined, a test cites every rule, and shared/RULES.md is up to date.
rules() {
  go run ./scripts/rows -o "$scratch/RULES.md" || return 1
  cmp "$scratch/RULES.md" shared/RULES.md || { echo 'shared/RULES.md is stale, run: make generate'; return 1; }
}

# go mod tidy also downloads modules that no build needs. If a download fails (no network,
# a proxy that lacks the module), the check is skipped with a note.
tidy() {
  local status=0
  (cd "$1" && go mod tidy -diff) >"$scratch/diff" 2>"$scratch/err" || status=$?
  if [ -s "$scratch/diff" ]; then
    echo 'go.mod or go.sum is not tidy, run: go mod tidy'
    head -n 40 "$scratch/diff"
    return 1
  fi
  [ "$status" = 0 ] && return 0
  if grep -qE 'dial tcp|no such host|connection refused|i/o timeout|proxyconnect|TLS handshake|module lookup disabled|reading https?://|: (403|404|410|5[0-9][0-9]) ' "$scratch/err"; then
    printf 'note  %s/go.mod could not be checked for tidiness: %s\n' "$1" "$(tail -n 1 "$scratch/err")" >&3
    return 0
  fi
  cat "$scratch/err"
  return 1
}

start_page
check 'gofmt' formatted
check 'go vet' go vet ./...
check 'go vet of scripts/tools' go -C scripts/tools vet ./...
check 'staticcheck' bin/staticcheck ./...
check 'generated files' generated
check 'licences' go run ./scripts/licences
# -count=1: the go command's cache does not notice that git lists a new file.
check 'house rules' go test -count=1 ./scripts/house
check 'rules' rules
check 'mutants fit' go test -count=1 -run FitTheTree ./scripts/mutants
check 'some mutants' go run ./scripts/mutants -sample
check 'go.mod' tidy .
check 'scripts/tools/go.mod' tidy scripts/tools
tell_page 'tsc' check
tell_page 'eslint' lint
tell_page 'prettier' formatted

if [ ${#failed[@]} -gt 0 ]; then
  printf 'check failed: %s\n' "$(IFS=,; echo "${failed[*]}")" >&2
  exit 1
fi
