package hints_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"agentdungeon/server/hints"
)

func TestHintsOf(t *testing.T) {
	paths := []string{".github/workflows/ci.yml", "LICENSE.md", "README.md", "docs/a/deep.md", "docs/release.md", "scripts/notes.sh", "src/main.go", "tools/x.py"}
	for i := range 60 {
		paths = append(paths, fmt.Sprintf("docs/many%02d.md", i))
	}
	h := hints.Of("shop", paths, map[string]string{
		"Makefile":     "VAR := x\ntest: build\n\tgo test\nbuild:\nlint :\nrun:= no target\nother:\n",
		"package.json": `{"scripts":{"test":"vitest","build":"vite build","dev":"vite","evil":"rm"}}`,
		"go.mod":       "module x", "pyproject.toml": "[tool.pytest]\n[tool.ruff]\n[build-system]", "Cargo.toml": "", "other": "x",
	})
	want := []hints.Command{{Does: "test", Run: "make test", From: "Makefile"}, {Does: "build", Run: "make build", From: "Makefile"}, {Does: "lint", Run: "make lint", From: "Makefile"}, {Does: "run", Run: "npm run dev", From: "package.json"}, {Does: "other", Run: "make other", From: "Makefile"}, {Does: "other", Run: "npm run evil", From: "package.json"}}
	if !reflect.DeepEqual(h.Commands, want) {
		t.Errorf("%v", h.Commands)
	}
	if h.CI[0] != ".github/workflows/ci.yml" || !slices.Equal(h.Scripts, []string{"scripts/notes.sh", "tools/x.py"}) || h.Docs[0] != "README.md" || len(h.Docs) != 40 || slices.Contains(h.Docs, "LICENSE.md") {
		t.Errorf("%+v", h)
	}
	if h := hints.Of("x", nil, map[string]string{"package.json": "{", "pyproject.toml": "pytest"}); !reflect.DeepEqual(h.Commands, []hints.Command{{Does: "test", Run: "python -m pytest", From: "pyproject.toml"}}) {
		t.Errorf("%v", h.Commands)
	}
}

// Hints has the targets, scripts and recipes whose names say what they do, and the linters and tools whose settings are
// in the repository. It leaves out the ones that other tools run by themselves.
func TestHintsOfWhatIsThere(t *testing.T) {
	paths := []string{".golangci.yml", ".prettierrc", "eslint.config.mjs", "justfile", "pnpm-lock.yaml", "sub/ruff.toml", "tsconfig.json"}
	h := hints.Of("shop", paths, map[string]string{
		"Makefile":     ".PHONY: all\nall: build\nbuild: x\n\tgo build\nrelease-notes docs:\nrelease-notes:\n%.o: %.c\nmain.o: x\nclean:\nX ::= y\nnotes:: x\n",
		"justfile":     "set shell := [\"sh\"]\nx := \"1\"\nbench n='1' :\n  go test\n@deploy:\n",
		"package.json": `{"scripts":{"typecheck":"tsc","prelint":"x","lint":"eslint","prettify":"prettier","prepare":"husky","a b":"c","n":1}}`,
	})
	want := []hints.Command{{Does: "build", Run: "make build", From: "Makefile"}, {Does: "bench", Run: "just bench", From: "justfile"}, {Does: "release", Run: "just deploy", From: "justfile"}, {Does: "lint", Run: "pnpm run lint", From: "package.json"}, {Does: "types", Run: "pnpm run typecheck", From: "package.json"},
		{Does: "format", Run: "npx prettier --check .", From: ".prettierrc"}, {Does: "other", Run: "make release-notes", From: "Makefile"}, {Does: "other", Run: "make notes", From: "Makefile"}, {Does: "other", Run: "pnpm run n", From: "package.json"}, {Does: "other", Run: "pnpm run prettify", From: "package.json"}}
	if !reflect.DeepEqual(h.Commands, want) {
		t.Errorf("%v", h.Commands)
	}
	if h := hints.Of("x", paths, nil); !slices.Contains(h.Commands, hints.Command{Does: "lint", Run: "golangci-lint run", From: ".golangci.yml"}) || slices.ContainsFunc(h.Commands, func(c hints.Command) bool { return c.Run == "ruff check" }) {
		t.Errorf("%v", h.Commands)
	}
}
