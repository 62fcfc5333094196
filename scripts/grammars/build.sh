#!/usr/bin/env bash
# Makes server/syntax/parsers.wasm.gz: tree-sitter and the grammars of JavaScript, TypeScript, TSX and Python, compiled
# to one WASI module. Needs clang, lld, wasi-libc and the clang runtime for wasm32 (Debian: clang lld wasi-libc
# libclang-rt-dev-wasm32) and npm, which brings the C sources at the versions and checksums of package-lock.json. The
# result is committed, because few machines have these tools: run this script after a change of parsers.c or a version.
set -euo pipefail
cd "$(dirname "$0")"
npm ci --ignore-scripts --no-audit --no-fund --legacy-peer-deps --silent
to=../../server/syntax
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
core=node_modules/tree-sitter/vendor/tree-sitter/lib
flags=(--target=wasm32-wasi --sysroot=/usr -O3 -DNDEBUG -D_DEFAULT_SOURCE -fno-exceptions -mbulk-memory
  -ffile-prefix-map="$PWD"=.)
# With -flto the linker inlines the count of steps (parsers.c), which then costs a quarter of the time instead of two
# thirds.
clang "${flags[@]}" -flto -fsanitize-coverage=bb,trace-pc -I$core/include -I$core/src -c $core/src/lib.c -o "$made/core.o"
clang "${flags[@]}" -flto -Wall -Wextra -Werror -I$core/include -c parsers.c -o "$made/parsers.o"
n=0
for source in node_modules/tree-sitter-{javascript,python,typescript/typescript,typescript/tsx}/src/{parser,scanner}.c; do
  n=$((n + 1))
  clang "${flags[@]}" -Wno-unused -I"$(dirname "$source")" -c "$source" -o "$made/grammar$n.o"
done
clang --target=wasm32-wasi --sysroot=/usr -mexec-model=reactor -O3 "$made"/*.o -o "$made/parsers.wasm" \
  -Wl,--lto-O3,--strip-all,--gc-sections,-z,stack-size=1048576
gzip -9nc "$made/parsers.wasm" >$to/parsers.wasm.gz
{
  echo "# What scripts/grammars/build.sh made server/syntax/parsers.wasm.gz of, and its checksum."
  (cd $to && sha256sum parsers.wasm.gz)
  sha256sum parsers.c package-lock.json
  clang --version | head -1
  dpkg-query -W -f '${Package} ${Version}\n' wasi-libc libclang-rt-dev-wasm32
  for name in tree-sitter tree-sitter-javascript tree-sitter-python tree-sitter-typescript; do
    node -p "const p = require('./node_modules/$name/package.json'); [p.name, p.version, p.license].join(' ')"
  done
} >$to/parsers.sum
{
  for name in tree-sitter tree-sitter-javascript tree-sitter-python tree-sitter-typescript; do
    echo "$name:"
    echo
    cat node_modules/$name/LICENSE
    echo
  done
  # Of wasi-libc its allocator and musl's functions of strings and characters are linked.
  echo "wasi-libc: https://creativecommons.org/publicdomain/zero/1.0/"
  echo
  echo "musl, in wasi-libc:"
  echo
  echo "Copyright 2005-2019 Rich Felker, et al."
  echo
  awk '/^$/ { in_mit = 0 } /^License:/ { in_mit = $0 == "License: MIT" } in_mit && /^ / { sub(/^ \.?/, ""); print }' \
    /usr/share/doc/wasi-libc/copyright
} >$to/LICENSE.parsers
