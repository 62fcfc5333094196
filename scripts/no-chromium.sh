#!/usr/bin/env bash
# Warns that the browser tests are skipped; fails if AGENTDUNGEON_REQUIRE_BROWSER is 1.
set -euo pipefail
cat >&2 <<'EOF'
**********************************************************************
*  NO CHROMIUM WAS FOUND: the browser tests are NOT run.             *
*  Get one (on Debian:                                               *
*  apt-get install chromium-headless-shell fonts-dejavu-core)        *
*  or name one: make test CHROMIUM=/path/to/chrome                   *
**********************************************************************
EOF
[ "${AGENTDUNGEON_REQUIRE_BROWSER:-}" != 1 ] || {
  echo 'AGENTDUNGEON_REQUIRE_BROWSER=1: a browser is required here' >&2
  exit 1
}
