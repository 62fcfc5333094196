#!/usr/bin/env bash
# Repeats the tests whose name contains Kill, Crash, Converge or Corrupt, those of the Makefile's
# EXHAUSTIVE and those of files that use server/soak, with the race detector, with all of their cases
# and with their files on the disk, until the time is up. Each round has another seed in
# AGENTDUNGEON_SEED. A failed round prints its seed; setting the variable to that seed repeats it.
#   soak.sh TIME    as in 90s, 5m, 2h
set -euo pipefail
cd "$(dirname "$0")/.."

if ! [[ ${1:-} =~ ^([0-9]+)([smh])$ ]]; then
  echo 'soak: for how long? say 90s, 5m or 2h' >&2
  exit 2
fi
limit=${BASH_REMATCH[1]}
case ${BASH_REMATCH[2]} in
  m) limit=$((limit * 60)) ;;
  h) limit=$((limit * 3600)) ;;
esac
pattern="Kill|Crash|Converge|Corrupt${EXHAUSTIVE_PATTERN:+|$EXHAUSTIVE_PATTERN}"
sampled=$(git grep -l '"agentdungeon/server/soak"' -- '*_test.go' | xargs -r sed -nE 's/^func ((Test|Fuzz)[A-Za-z0-9_]+)\(.*/\1/p' | sort -u | paste -sd '|')
pattern+=${sampled:+|^($sampled)$}
packages=$(go test -list "$pattern" ./... | awk '/^(Test|Fuzz)/ { n++ } /^ok/ { if (n) print $2; n = 0 }')
if [ -z "$packages" ]; then
  echo 'soak: no test is called Kill, Crash, Converge or Corrupt' >&2
  exit 1
fi
export AGENTDUNGEON_KILLS=${AGENTDUNGEON_KILLS:-100} AGENTDUNGEON_WHOLE=1 AGENTDUNGEON_DISK=1
rounds=0
SECONDS=0
while [ "$SECONDS" -lt "$limit" ]; do
  seed=${AGENTDUNGEON_SEED:-$((RANDOM << 15 | RANDOM))}
  printf 'soak: round %d, seed %d, %d of %d s\n' $((++rounds)) "$seed" "$SECONDS" "$limit"
  # shellcheck disable=SC2086 # one package a word
  if ! AGENTDUNGEON_SEED=$seed go test -race -count=1 -timeout 30m -run "$pattern" $packages; then
    echo "soak: failed in round $rounds; again with: AGENTDUNGEON_SEED=$seed make soak SOAK=1s" >&2
    exit 1
  fi
done
echo "soak: $rounds rounds, none failed"
