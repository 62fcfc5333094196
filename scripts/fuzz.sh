#!/usr/bin/env bash
# Runs every fuzz target of the packages, one after the other.
#   fuzz.sh TIME    time of each, as for go test -fuzztime
set -euo pipefail
cd "$(dirname "$0")/.."

time=${1:?for how long, as in 20s}
# go test -list prints the names of a package's targets, then a line with the package.
targets=$(go test -list '^Fuzz' ./... | awk '/^Fuzz/ { names[n++] = $1 } /^ok/ { for (i = 0; i < n; i++) print $2, names[i]; n = 0 }')
if [ -z "$targets" ]; then
  echo 'there is no fuzz target'
  exit 1
fi
while read -r package name; do
  printf '\n== %s %s\n' "$package" "$name"
  go test -run '^$' -fuzz "^$name\$" -fuzztime "$time" "$package" </dev/null
done <<<"$targets"
