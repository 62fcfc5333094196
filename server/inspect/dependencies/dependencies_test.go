package dependencies

import (
	"context"
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
		"scout/undeclared": undeclaredFacts,
	})
}

var undeclaredFacts = inspecttest.Facts{
	Planted: []inspecttest.Case{
		{Name: "import", Files: files("package.json", `{"dependencies": {"a": "1"}}`, "src/x.ts", "import a from 'a'\nimport { b } from \"lodash/fp\"\n"), Want: []string{"src/x.ts:2 medium candidate"}},
		{Name: "require, not in the lock", Files: files("package.json", `{"dependencies": {"a": "1"}}`, "package-lock.json", `{"packages": {"": {}, "node_modules/a": {"version": "1.0.0"}, "node_modules/c": {"version": "1.0.0"}}}`, "lib/x.js", "const b = require('b');\nconst c = require('c')\n"), Want: []string{"lib/x.js:1 high", "lib/x.js:2 medium candidate"}},
		{Name: "export from, with a scope", Files: files("web/package.json", `{}`, "web/a.mjs", "/* import 'z' */\nexport * from '@scope/pkg/deep'\n", "web/b.mjs", "import '@scope/pkg'\n"), Want: []string{"web/a.mjs:2 medium candidate"}},
		{Name: "a workspace that the lock file covers", Files: files("package.json", `{}`, "web/package.json", `{}`, "package-lock.json", `{"packages": {"": {}, "web": {}, "web/node_modules/b": {}}}`, "web/x.js", "import 'b'\n", "web/y.js", "import 'c'\n"), Want: []string{"web/y.js:1 high", "web/x.js:1 medium candidate"}},
		{Name: "in a folder that the lock file above does not cover", Files: files("tool/package.json", `{}`, "package-lock.json", `{"packages": {"": {}}}`, "tool/x.js", "import 'b'\n"), Want: []string{"tool/x.js:1 medium candidate"}},
		{Name: "after a regular expression and a template", Files: files("package.json", `{}`, "x.js", "const r = /['\"`]/g, t = `${`import 'y'`} import 'z'`\nimport w from 'w'\n"), Want: []string{"x.js:2 medium candidate"}},
	},
	Silent: []inspecttest.Case{
		{Name: "builtins, relative, addresses, subpath imports", Files: files("package.json", `{}`, "x.js", "import fs from 'fs'\nimport 'node:test'\nimport './y'\nimport '#own'\nimport 'https://example.com/x.js'\nimport '@/x'\nimport '~/x'\nimport 'virtual:x'\nimport p from 'fs/promises'\n")},
		{Name: "a copy that npm made", Files: files("lib/a/package.json", `{"_resolved": "https://registry.npmjs.org/a/-/a-1.0.0.tgz"}`, "lib/a/x.js", "import 'b'\n")},
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

// TestHostile asserts that a check reports unreadable manifests and ends soon on input made to be slow.
func TestHostile(t *testing.T) {
	deep := strings.Repeat("[", 200_000)
	c := inspecttest.Case{Files: files(
		"package.json", deep, "a/package.json", `{"dependencies": `+strings.Repeat(`{"a":`, 9000)+"1"+strings.Repeat("}", 9001),
		"b/package.json", `{"name": 1, "private": "x", "license": [], "dependencies": [1, "x"], "overrides": {"a>b": {"**/@c/d": 1}}}`,
		"b/x.js", strings.Repeat("`${", 300_000), "b/y.js", strings.Repeat("/", 300_000)+"\n'", "b/z.js", strings.Repeat("import{try{", 50_000)+"require('",
		"package-lock.json", deep,
	)}
	r := c.Repo()
	for _, check := range Checks() {
		res := inspect.Run(context.Background(), r, &check)
		if res.Err == nil || !strings.Contains(res.Err.Error(), "could not be read") || strings.Contains(res.Err.Error(), "failed") {
			t.Errorf("%s: %v", check.ID, res.Err)
		}
	}
}

// FuzzManifests asserts that no text of a manifest or of a lock file makes a reader fail.
func FuzzManifests(f *testing.F) {
	for _, s := range []string{"[1]", `{"dependencies": {"a": "*"}}`, `{"packages": {"": {}}}`, `{"packages": [null]}`} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, s string) {
		r := inspecttest.Case{Files: files("package.json", s, "package-lock.json", s)}.Repo()
		readManifest(r, r.File("package.json"))
		if lock, _ := lockAbove(r, "a"); lock != nil {
			lock.lacks("a", "b")
		}
	})
}
