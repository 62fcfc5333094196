package dependencies

import (
	"context"
	"slices"
	"strings"
	"testing"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/inspecttest"
)

func files(pairs ...string) map[string]string {
	out := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i]] = pairs[i+1]
	}
	return out
}

func TestCorpus(t *testing.T) {
	inspecttest.Corpus(t, Checks(), map[string]inspecttest.Facts{
		"scout/unpinned":   unpinnedFacts,
		"scout/lock-fit":   lockFitFacts,
		"scout/undeclared": undeclaredFacts,
	})
}

var unpinnedFacts = inspecttest.Facts{
	Planted: []inspecttest.Case{
		{Name: "star, latest and a git source", Files: files("package.json", "{\n \"dependencies\": {\n  \"a\": \"^1.0.0\",\n  \"b\": \"*\",\n  \"c\": \"latest\",\n  \"d\": \"github:who/d\"\n }\n}"), Want: []string{"package.json:4 medium candidate"}},
		{Name: "requirements of the documentation", Files: files("docs/requirements.txt", "flask==3.0.0\nrequests\nredis\n", "docs/conf.py", "import requests\n"), Want: []string{"docs/requirements.txt:2 medium candidate"}},
		{Name: "requirements without versions", Files: files("app/requirements.txt", "# web\nflask==3.0.0\nrequests\nredis[hiredis]\n", "app/main.py", "import flask\n"), Want: []string{"app/requirements.txt:3 medium candidate"}},
		{Name: "an image of others", Files: files("Dockerfile", "FROM other/base\n", "go.mod", "module github.com/acme/thing\n"), Want: []string{"Dockerfile:1 medium candidate"}},
		{Name: "base images", Files: files("Dockerfile", "FROM golang AS build\nRUN go build\nFROM debian:latest\nCOPY --from=build /x /x\n"), Want: []string{"Dockerfile:1 medium candidate"}},
		{Name: "replace outside", Files: files("go.mod", "module example.com/a\n\ngo 1.22\n\nrequire example.com/b v1.0.0\n\nreplace example.com/b => ../b\n"), Want: []string{"go.mod:7 high"}},
		{Name: "replace absolute", Files: files("sub/go.mod", "module example.com/a\n\nreplace example.com/b => /home/who/b\n"), Want: []string{"sub/go.mod:3 high"}},
		{Name: "cargo branch", Files: files("Cargo.toml", "[package]\nname = \"x\"\n[dependencies]\nserde = \"1\"\nfoo = { git = \"https://example.com/foo\", branch = \"main\" }\n\n[dependencies.bar]\ngit = \"https://example.com/bar\"\n"), Want: []string{"Cargo.toml:5 medium candidate", "Cargo.toml:8 medium candidate"}},
	},
	Silent: []inspecttest.Case{
		{Name: "a lock file above", Files: files("package-lock.json", "{}", "web/package.json", `{"dependencies": {"b": "*"}}`)},
		{Name: "workspace packages, peers and types", Files: files("package.json", `{"name": "root", "dependencies": {"ui": "*", "@types/node": "*"}, "peerDependencies": {"react": "*"}}`, "ui/package.json", `{"name": "ui"}`)},
		{Name: "for its developers", Files: files("package.json", `{"devDependencies": {"b": "*"}}`)},
		{Name: "a copy that npm made", Files: files("lib/a/package.json", `{"_resolved": "https://registry.npmjs.org/a/-/a-1.0.0.tgz", "dependencies": {"b": "*"}}`)},
		{Name: "a commit, a version's tag, a folder", Files: files("package.json", `{"dependencies": {"d": "github:who/d#`+strings.Repeat("0123456789", 4)+`", "e": "who/e#v1.2.0", "f": "../f", "g": "./g", "h": "git+https://x.y/h.git#semver:^1.2"}}`)},
		{Name: "a library's requirements", Files: files("requirements.txt", "requests\n", "setup.py", "from setuptools import setup\n")},
		{Name: "compiled requirements and constraints", Files: files("requirements.in", "requests\n", "requirements.txt", "requests\n", "web/requirements.txt", "-c constraints.txt\nflask\n")},
		{Name: "stages, scratch, digests, variables, SQL", Files: files("Dockerfile", "ARG BASE=x\nFROM golang:1.22 AS build\nRUN psql -c \"SELECT a \\\n  FROM users\"\nRUN <<EOF\nFROM nothing\nEOF\nFROM ${BASE}\nFROM build AS next\nFROM scratch\nFROM alpine@sha256:0000\nFROM localhost:5000/me/x:1\n")},
		{Name: "an image of the same people", Files: files("Dockerfile", "FROM acme/base\nFROM ghcr.io/acme/tool:latest\n", "go.mod", "module github.com/Acme/thing\n")},
		{Name: "an image made here", Files: files("Dockerfile", "FROM mybase\n", "Makefile", "base:\n\tdocker build -t mybase base\n")},
		{Name: "replace inside and by another module", Files: files("go.mod", "module example.com/a\n\nreplace example.com/b => ./b\n\nreplace example.com/c => example.com/d v1.2.3\n", "x/go.mod", "module example.com/a/x\n\nreplace example.com/a => ../\n")},
		{Name: "cargo rev, tag, lock", Files: files("Cargo.toml", "[dependencies]\nfoo = { git = \"https://example.com/foo\", rev = \"abc\" }\nbar = { git = \"https://example.com/bar\", tag = \"v1\" }\n# baz = { git = \"https://example.com/baz\" }\n", "y/Cargo.toml", "[dependencies]\nfoo = { git = \"https://example.com/foo\" }\n", "y/Cargo.lock", "")},
		{Name: "examples and templates", Files: files("examples/a/package.json", `{"dependencies": {"b": "latest"}}`, "template-react/package.json", `{"dependencies": {"b": "latest"}}`, "tests/Dockerfile", "FROM golang\n")},
	},
}

var npmV3 = `{"lockfileVersion": 3, "packages": {"": {"name": "x"}, "web": {"name": "web"},
 "node_modules/a": {"version": "1.4.0"}, "node_modules/b": {"version": "2.0.1"}, "web/node_modules/a": {"version": "3.1.0"},
 "node_modules/web": {"resolved": "web", "link": true}}}`

const pnpm = `lockfileVersion: '9.0'

settings:
  autoInstallPeers: true

importers:

  .:
    dependencies:
      '@s/b':
        specifier: ^2.0.0
        version: 2.1.0
      a:
        specifier: ^1.0.0
        version: 1.0.0(react@18.0.0)

  web:
    devDependencies:
      c:
        specifier: ^2.0.0
        version: 2.0.0

packages:

  a@1.0.0:
    resolution: {integrity: x}
`

var lockFitFacts = inspecttest.Facts{
	Planted: []inspecttest.Case{
		{Name: "not in the lock", Files: files("package.json", "{\n\"dependencies\": {\"a\": \"^1.0.0\",\n\"gone\": \"^1.0.0\"}}", "package-lock.json", npmV3), Want: []string{"package.json:3 high"}},
		{Name: "another version is locked", Files: files("package.json", "{\n\"devDependencies\": {\n\"b\": \"^3.0.0\"}}", "package-lock.json", npmV3), Want: []string{"package.json:3 high"}},
		{Name: "a stale one beside another", Files: files("package.json", `{"dependencies": {"b": "~2.1"}}`, "package-lock.json", npmV3, "yarn.lock", "b@~2.1:\n  version \"2.1.0\"\n"), Want: []string{"package.json:1 medium"}},
		{Name: "yarn", Files: files("package.json", "{\"dependencies\": {\"a\": \"^1.0.0\",\n \"@s/b\": \"^2.0.0\"}}", "yarn.lock", "# yarn lockfile v1\n\n\na@^1.0.0, a@^1.1.0:\n  version \"1.1.0\"\n\n\"@s/b@^1.0.0\":\n  version \"1.0.0\"\n"), Want: []string{"package.json:2 high"}},
		{Name: "yarn in a workspace", Files: files("package.json", `{"workspaces": {"packages": ["packages/*"]}}`, "packages/x/package.json", `{"dependencies": {"a": "^1.0.0"}}`, "yarn.lock", "a@^2.0.0:\n  version \"2.0.0\"\n"), Want: []string{"packages/x/package.json:1 medium"}},
		{Name: "pnpm", Files: files("package.json", "{\"dependencies\": {\"a\": \"^1.0.0\",\n\"@s/b\": \"^2.0.0\"}}", "web/package.json", "{\"devDependencies\": {\"c\": \"^3.0.0\"}}", "pnpm-lock.yaml", pnpm), Want: []string{"web/package.json:1 high"}},
		{Name: "none for a private package", Files: files("web/package.json", "{\"private\": true, \"dependencies\": {\n \"a\": \"^1.0.0\"}}", "web/main.js", "import 'a'\n"), Want: []string{"web/package.json:2 medium"}},
		{Name: "go.sum", Files: files("go.mod", "module example.com/a\n\ngo 1.22\n\nrequire (\n\texample.com/b v1.0.0\n\texample.com/c v1.0.0\n)\n", "go.sum", "example.com/b v1.0.0 h1:x\nexample.com/b v1.0.0/go.mod h1:x\nexample.com/c v1.0.0/go.mod h1:x\n", "a.go", "package a\n\nimport (\n\t_ \"example.com/b\"\n\t_ \"example.com/c/d\"\n)\n"), Want: []string{"go.mod:7 high"}},
		{Name: "go.sum for tests, before Go 1.17", Files: files("go.mod", "module example.com/a\n\nrequire example.com/b v1.0.0\n", "a_test.go", "package a\n\nimport _ \"example.com/b\"\n"), Want: []string{"go.mod:3 high"}},
		{Name: "go.sum for tests", Files: files("go.mod", "module example.com/a\n\nrequire example.com/b v1.0.0\n\ngo 1.22\n", "a_test.go", "package a\n\nimport _ \"example.com/b\"\n"), Want: []string{"go.mod:3 medium"}},
	},
	Silent: []inspecttest.Case{
		{Name: "a module in a GOPATH", Files: files("usr/src/example.com/a/go.mod", "module example.com/a\n\ngo 1.22\n\nrequire example.com/b v1.0.0\n", "usr/src/example.com/a/a.go", "package a\n\nimport _ \"example.com/b\"\n")},
		{Name: "ranges of all kinds", Files: files("package.json", `{"dependencies": {"a": "^1.2 || ^2", "b": ">=2.0.0 <3"}}`, "package-lock.json", npmV3)},
		{Name: "a workspace's own version", Files: files("package.json", `{"dependencies": {"a": "1.x", "web": "^1.0.0"}}`, "web/package.json", `{"name": "web", "dependencies": {"a": "3 - 4", "b": "2"}}`, "package-lock.json", npmV3)},
		{Name: "optional, tags, aliases, overrides", Files: files("package.json", `{"dependencies": {"a": "next", "b": "npm:other@^9"}, "optionalDependencies": {"gone": "1"}, "overrides": {"c": "1"}}`, "package-lock.json", npmV3)},
		{Name: "a lock file of another folder", Files: files("package-lock.json", npmV3, "package.json", "{}", "tool/package.json", `{"dependencies": {"gone": "^1.0.0"}}`)},
		{Name: "pnpm: a folder it does not know, an older format, catalogs", Files: files("package.json", `{"dependencies": {"a": "^1.0.0", "x": "catalog:"}}`, "pnpm-lock.yaml", pnpm, "tool/package.json", `{"dependencies": {"gone": "^1.0.0"}}`)},
		{Name: "yarn above, but no workspace", Files: files("package.json", `{"workspaces": ["packages/*"]}`, "tools/package.json", `{"dependencies": {"a": "^1.0.0"}}`, "yarn.lock", "a@^2.0.0:\n  version \"2.0.0\"\n")},
		{Name: "yarn berry", Files: files("package.json", `{"dependencies": {"a": "^1.0.0", "b": "workspace:^"}, "resolutions": {"c": "2.0.0"}, "devDependencies": {"c": "^1.0.0"}}`, "yarn.lock", "__metadata:\n  version: 8\n\n\"a@npm:^1.0.0\":\n  version: 1.0.0\n")},
		{Name: "no lock file on purpose", Files: files("package.json", `{"private": true, "dependencies": {"a": "^1.0.0"}}`, "main.js", "", ".npmrc", "package-lock = false\n")},
		{Name: "a library, an example", Files: files("package.json", `{"name": "lib", "dependencies": {"a": "^1.0.0"}}`, "main.js", "", "examples/x/package.json", `{"private": true, "dependencies": {"a": "^1.0.0"}}`, "examples/x/main.js", "")},
		{Name: "vendored, replaced, not imported", Files: files("go.mod", "module example.com/a\n\nrequire (\n\texample.com/b v1.0.0\n\texample.com/c v1.0.0\n)\n\nreplace example.com/b => ./b\n", "b/go.mod", "module example.com/b\n", "b/b.go", "package b\n", "a.go", "package a\n\nimport _ \"example.com/b\"\n// import \"example.com/c\"\n", "v/go.mod", "module example.com/v\n\nrequire example.com/b v1.0.0\n", "v/v.go", "package v\n\nimport _ \"example.com/b\"\n", "v/vendor/modules.txt", "")},
		{Name: "a workspace", Files: files("go.work", "use (\n\t./a\n\t./b\n)\n", "a/go.mod", "module example.com/a\n\nrequire example.com/b v1.0.0\n", "a/a.go", "package a\n\nimport _ \"example.com/b\"\n", "b/go.mod", "module example.com/b\n", "b/b.go", "package b\n")},
	},
}

var undeclaredFacts = inspecttest.Facts{
	Planted: []inspecttest.Case{
		{Name: "import", Files: files("package.json", `{"dependencies": {"a": "1"}}`, "src/x.ts", "import a from 'a'\nimport { b } from \"lodash/fp\"\n"), Want: []string{"src/x.ts:2 medium candidate"}},
		{Name: "require, not in the lock", Files: files("package.json", `{"dependencies": {"a": "1"}}`, "package-lock.json", `{"packages": {"": {}, "node_modules/a": {"version": "1.0.0"}, "node_modules/c": {"version": "1.0.0"}}}`, "lib/x.js", "const b = require('b');\nconst c = require('c')\n"), Want: []string{"lib/x.js:1 high", "lib/x.js:2 medium candidate"}},
		{Name: "export from, with a scope", Files: files("web/package.json", `{}`, "web/a.mjs", "/* import 'z' */\nexport * from '@scope/pkg/deep'\n", "web/b.mjs", "import '@scope/pkg'\n"), Want: []string{"web/a.mjs:2 medium candidate"}},
		{Name: "after a regular expression and a template", Files: files("package.json", `{}`, "x.js", "const r = /['\"`]/g, t = `${`import 'y'`} import 'z'`\nimport w from 'w'\n"), Want: []string{"x.js:2 medium candidate"}},
	},
	Silent: []inspecttest.Case{
		{Name: "builtins, relative, addresses, subpath imports", Files: files("package.json", `{}`, "x.js", "import fs from 'fs'\nimport 'node:test'\nimport './y'\nimport '#own'\nimport 'https://example.com/x.js'\nimport '@/x'\nimport '~/x'\nimport 'virtual:x'\nimport p from 'fs/promises'\n")},
		{Name: "folders in which a bundler looks", Files: files("package.json", `{}`, "web/app/x.js", "import 'action/load'\nimport 'util'\n", "web/app/action/load.js", "a()\n")},
		{Name: "the other packages of an optional scope", Files: files("package.json", `{}`, "x.js", "let sdk; try { sdk = require('@trace/sdk') } catch {}\nconst api = () => require('@trace/api')\n")},
		{Name: "for one loader of several", Files: files("package.json", `{}`, "x.js", "if (typeof define === 'function' && define.amd) define(['a'], factory)\nelse module.exports = factory(require('a'))\n")},
		{Name: "comments, texts, templates", Files: files("package.json", `{}`, "x.js", "// import 'a'\n/* require('b') */\nconst s = \"import 'c'\", t = `\nimport d from 'd'\nrequire('e')\n`\nfoo.require('f')\n")},
		{Name: "types, optional, dynamic", Files: files("package.json", `{"devDependencies": {"@types/estree": "1"}}`, "x.ts", "import type { A } from 'a'\nimport { B } from 'estree'\nlet c; try { c = require('c') } catch {}\nawait import('d')\nexport type { E } from 'e'\n")},
		{Name: "workspace, root, self, peers", Files: files("package.json", `{"name": "root", "devDependencies": {"tool": "1"}}`, "ui/package.json", `{"name": "@me/ui", "peerDependencies": {"react": "*"}}`, "ui/x.tsx", "import '@me/ui/y'\nimport 'tool'\nimport 'react'\nimport 'root'\n")},
		{Name: "aliases and folders", Files: files("package.json", `{}`, "tsconfig.json", "{ // own names\n \"compilerOptions\": {\"paths\": {\"lib/*\": [\"./l/*\"]}}}", "src/components/a.ts", "import 'lib/x'\nimport 'components/b'\n", "vite.config.ts", "export default { resolve: { alias: { assets: '/a' } } }", "src/b.ts", "import 'assets/x.png'\n", "src/types.d.ts", "declare module 'ambient'\n", "src/c.ts", "import 'ambient'\n")},
		{Name: "tests, examples, no package.json, minified", Files: files("a/package.json", `{}`, "a/x.test.js", "import 'a'\n", "a/examples/y.js", "import 'b'\n", "b/z.js", "import 'c'\n", "a/m.js", "import 'd';"+strings.Repeat("x();", 1000))},
	},
}

func TestSatisfies(t *testing.T) {
	for _, x := range []struct {
		locked, want string
		ok, known    bool
	}{
		{"1.2.3", "^1.2.0", true, true},
		{"2.0.0", "^1.2.0", false, true},
		{"0.3.0", "^0.2.1", false, true},
		{"0.0.3", "^0.0.3", true, true},
		{"0.0.4", "^0.0.3", false, true},
		{"0.9.0", "^0", true, true},
		{"1.2.9", "~1.2.3", true, true},
		{"1.3.0", "~1.2.3", false, true},
		{"1.9.0", "~1", true, true},
		{"1.2.3", "1.2.3", true, true},
		{"1.2.4", "=1.2.3", false, true},
		{"1.2.4", "1.2.x", true, true},
		{"9.0.0", "*", true, true},
		{"9.0.0", "", true, true},
		{"2.0.0", ">1", true, true},
		{"1.5.0", ">1", false, true},
		{"2.0.0", ">=1 <2", false, true},
		{"2.5.0", "<=2", true, true},
		{"3.0.0", "1.0.0 - 2", false, true},
		{"2.9.0", "1.0.0 - 2", true, true},
		{"3.0.0", "^1 || >= 3.0.0", true, true},
		{"1.0.0-rc.1", "^1.0.0", false, false},
		{"1.0.0", "^1.0.0-rc.1", false, false},
		{"1.0.0", "latest", false, false},
		{"1.0.0", "github:a/b", false, false},
	} {
		if ok, known := satisfies(x.locked, x.want); ok != x.ok || known != x.known {
			t.Errorf("satisfies(%q, %q) = %v, %v", x.locked, x.want, ok, known)
		}
	}
}

// TestHostile asserts that checks report unreadable manifests and end soon on input made to be slow.
func TestHostile(t *testing.T) {
	deep := strings.Repeat("[", 200_000)
	c := inspecttest.Case{Files: files(
		"package.json", deep, "a/package.json", `{"dependencies": `+strings.Repeat(`{"a":`, 9000)+"1"+strings.Repeat("}", 9001),
		"b/package.json", `{"name": 1, "private": "x", "license": [], "dependencies": [1, "x"], "overrides": {"a>b": {"**/@c/d": 1}}}`,
		"b/x.js", strings.Repeat("`${", 300_000), "b/y.js", strings.Repeat("/", 300_000)+"\n'", "b/z.js", strings.Repeat("import{try{", 50_000)+"require('",
		"go.mod", "module", "c/go.mod", "module \"\n", "package-lock.json", deep, "Dockerfile", "FROM\nFROM "+strings.Repeat("a ", 400_000),
		"requirements.txt", strings.Repeat("[", 500_000), "Cargo.toml", strings.Repeat("{", 500_000), "LICENSE", strings.Repeat("gpl ", 200_000),
	)}
	r := c.Repo()
	for _, check := range Checks() {
		res := inspect.Run(context.Background(), r, &check)
		if slices.Contains([]string{"scout/twice", "scout/undeclared", "scout/lock-fit"}, check.ID) && (res.Err == nil || !strings.Contains(res.Err.Error(), "could not be read")) {
			t.Errorf("%s: %v", check.ID, res.Err)
		}
		if res.Err != nil && strings.Contains(res.Err.Error(), "failed") {
			t.Errorf("%s: %v", check.ID, res.Err)
		}
	}
}

// FuzzManifests asserts that no text of a manifest makes a reader fail.
func FuzzManifests(f *testing.F) {
	for _, s := range []string{"a==1", "[dependencies]\na = { git = \"x\" }", "FROM x", "{\"dependencies\": {\"a\": \"*\"}}"} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, s string) {
		pipLoose([]byte(s))
		cargoGit([]byte(s))
		looseImages([]byte(s))
		depsOf([]byte(s))
	})
}
