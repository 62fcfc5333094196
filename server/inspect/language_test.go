package inspect

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func TestLanguageOfAName(t *testing.T) {
	for p, want := range map[string]string{
		"a/main.go": "Go", "a.ts": "TypeScript", "a.mts": "TypeScript", "a.d.ts": "TypeScript", "a.tsx": "TSX", "a.jsx": "JavaScript", "x/A.PY": "Python",
		"a.php": "PHP", "a.html": "HTML", "a.h": "C", "a.md": "Markdown", "tsconfig.json": "JSON", "a.yaml": "YAML", "Makefile": "Makefile", "x/Dockerfile": "Dockerfile",
		"go.mod": "Go Module", "CMakeLists.txt": "CMake", "notes.txt": "Text", "a.blade.php": "Blade", "a.tar.unknown": "", "LICENSE": "Text", "x/unknown": "", "a.go/b": "",
	} {
		if got := languageOf(p); got != want {
			t.Errorf("%s is %q, want %q", p, got, want)
		}
	}
}

func TestVendored(t *testing.T) {
	for p, want := range map[string]bool{
		"vendor/github.com/a/b.go": true, "client/node_modules/x/i.js": true, "third_party/zlib/a.c": true, "dist/app.js": true, "x/jquery.js": true, "x/jquery-migrate-3.0.1.js": true, "x/a-1.2.3.slim.js": true, "x/step-1.2.js": false, "static/app.min.js": true,
		"venv/lib/python3.11/site-packages/x/a.py": true, "node_modules/a/test/b.js": true,
		"src/types.d.ts": false, "internal/cache/lru.go": false, "pkg/env/env.go": false, ".gitignore": false, ".github/workflows/a.yml": false, "Jenkinsfile": false,
		"testdata/vendored.go": false, "test/fixtures/jquery.js": false, "src/effects.js": false, "main.go": false,
	} {
		if got := (vendored{}).is(p); got != want {
			t.Errorf("%s: vendored %v, want %v", p, got, want)
		}
	}
	asked := vendored{}
	if !asked.is("vendor/a.go") || !asked.is("vendor/b.go") || asked.is("a.go") || asked.is("b.go") {
		t.Error("a folder that was asked about is remembered wrongly")
	}
}

func TestWhatIsATest(t *testing.T) {
	for p, want := range map[string]bool{
		"a_test.go": true, "a.test.ts": true, "a.spec.tsx": true, "a.slow-spec.ts": true, "test_a.py": true, "x/testdata/a": true, "src/__tests__/a.js": true, "internal/testutil/a.go": true, "mocks/a.go": true,
		"pkg/fakes/store.go": true, "tests/a.rs": true,
		"examples/a/main.go": false, "mock/mock.go": false, "fake/name.go": false, "latest.go": false, "contest/a.go": false, "a.go": false,
	} {
		if got := isTest(p); got != want {
			t.Errorf("%s: test %v, want %v", p, got, want)
		}
	}
}

// TestIntegrationFolders asserts which files of folders named "integration" are tests.
func TestIntegrationFolders(t *testing.T) {
	files := map[string]string{ // a text that begins with + is that of a test
		"integration/server_test.go": "+", "integration/keys/server.key": "+", "integration/testutil/wait.go": "+", "integration/compose.yaml": "+", "integration/run.sh": "+",
		// code that is tested
		"pay/integration/slack.go": "", "pay/integration/slack_test.go": "+", "pay/integration/slack.key": "", "pay/integration/a_test.go": "+",
		// nothing is tested
		"docs/integration/guide.md": "", "docs/integration/client.key": "",
		"web/Integration/a.test.ts": "+", "web/Integration/deep/b.pem": "+",
		// other code
		"c/integration/a_test.py": "+", "c/integration/deep/main.py": "", "c/integration/deep/c.pem": "",
		// the folder has more other files than tests
		"d/integration/a_test.go": "+", "d/integration/b.go": "", "d/integration/c.go": "", "d/integration/d.key": "",
		// helpers that tests alone import
		"e/integration/a_test.go": "+", "e/integration/b_test.go": "+", "e/integration/try/try.go": "+", "e/integration/e.key": "+", "e/e_test.go": "+package e\nimport _ \"m/e/integration/try\"\n",
		"integration-tests/a/key.pem": "+", "integrations/key.pem": "", "integration.key": "",
		"a.go": "package a\n\n// See /integration/try.\nimport _ \"fmt\"\n",
	}
	look := func() *Repo {
		fsys := fstest.MapFS{}
		var entries []Entry
		for p, text := range files {
			fsys[p] = &fstest.MapFile{Data: []byte(strings.TrimPrefix(text, "+"))}
			entries = append(entries, Entry{Path: p})
		}
		return New("r", fsys, entries, nil, time.Time{})
	}
	r := look()
	for _, f := range r.Files {
		if want := strings.HasPrefix(files[f.Path], "+"); f.Test != want {
			t.Errorf("%s: test %v, want %v", f.Path, f.Test, want)
		}
	}
	// A second review examines only changed files. A file that was a test in the first review is a test in the
	// second.
	if f := r.Only([]string{"integration/keys/server.key"}).Files[0]; !f.Test {
		t.Error("the key is no test file if it is examined alone")
	}
	// A folder that the product imports belongs to the product.
	files["a.go"] = "package a\n\nimport _ \"m/e/integration\"\n"
	if f := look().File("e/integration/e.key"); f.Test {
		t.Error("the key counts as a test file although the product imports the folder")
	}
}

// TestSuitesAreTests asserts that a finding in a Go package is a candidate if the package uses what only tests use and
// no product code imports it.
func TestSuitesAreTests(t *testing.T) {
	check := Check{ID: "a/b", Run: func(_ context.Context, r *Repo, tell func(Finding)) error {
		for i := range r.Files {
			tell(Finding{Path: r.Files[i].Path, Severity: High, Title: "a", Evidence: r.Files[i].Path, Why: "a", Advice: "a"})
		}
		return nil
	}}
	suite := "package suites\n\nimport \"testing\"\n\nfunc Run(t *testing.T) {}\n"
	for _, c := range []struct {
		dir, importer, text string
		want                bool
	}{
		{"suites", "a/a_test.go", "package a\n\nimport _ \"m/suites\"\n", true},
		{"suites", "a/a.go", "package a\n\nimport _ \"m/suites\"\n", false},
		{"src/m/suites", "src/m/a/a.go", "package a\n\nimport _ \"m/suites\"\n", false},
		{"src/m/suites", "src/m/a/a.go", "package a\n\nimport _ \"n/suites\"\n", true},
	} {
		files := map[string]string{c.dir + "/suites.go": suite, c.importer: c.text}
		if c.dir == "suites" {
			files["go.mod"] = "module m\n"
		}
		fsys := fstest.MapFS{}
		var entries []Entry
		for p, text := range files {
			fsys[p] = &fstest.MapFile{Data: []byte(text)}
			entries = append(entries, Entry{Path: p, Size: int64(len(text))})
		}
		got := false
		for _, f := range Run(t.Context(), New("r", fsys, entries, nil, time.Time{}), &check).Findings {
			got = got || f.Path == c.dir+"/suites.go" && f.Confidence == Doubtful && f.Reach == ReachTest
		}
		if got != c.want {
			t.Errorf("%s beside %s is a suite of tests: %v, want %v", c.dir, c.importer, got, c.want)
		}
	}
}

func TestGenerated(t *testing.T) {
	long := "a(1);"
	for len(long) < 400 {
		long += long
	}
	for _, c := range []struct {
		path, text string
		want       bool
	}{
		{"www/assets/Field-BAHubPX9.js", "a()\n", true},
		{"www/assets/key-handlers.js", "a()\n", false},
		{"a.go", "// Code generated by x. DO NOT EDIT.\r\n\r\npackage a\n", true},
		{"a.go", "// Code generated by protoc-gen-go.\npackage a\n", true},
		{"a.go", "/* Generated from b. Do not edit. */\npackage a\n", true},
		{"a.go", "package a\n\nconst head = `\n// Code generated by x. DO NOT EDIT.\n`\n", false},
		{"a.go", "// Package a reads code generated by others.\npackage a\n", false},
		{"a.ts", "// Generated from schema.json by make. Do not edit.\nexport {}\n", true},
		{"a.ts", "// It edits what was not generated.\nexport {}\n", false},
		{"a.py", "# Generated by the protocol buffer compiler.  DO NOT EDIT!\nx = 1\n", true},
		{"a.js", long, true},
		{"a.ts", long, false},
		{"a.js", "f()\n//# sourceMappingURL=a.js.map\n", true},
		{"a.js", "f()\n", false},
		{"a.rb", "#\n# DO NOT MODIFY!!!!\n# This file is automatically generated by Racc 1.4\n", true},
		{"a.css.map", "{}", true},
		{"x/go.sum", "", true},
		{"x/package-lock.json", "{}", true},
		{"x/__generated__/q.ts", "a", true},
		{"package.json", "{}", false},
		{"bin/a", "#!/usr/bin/env node\n" + long, true},
		{"bin/a", "#!/bin/sh\n" + long, false},
		{"a.mjs", long, true},
	} {
		r := New("r", fstest.MapFS{c.path: {Data: []byte(c.text)}}, []Entry{{c.path, int64(len(c.text))}}, nil, time.Time{})
		for range 2 { // the second answer is the cached one
			if got := r.Generated(r.File(c.path)); got != c.want {
				t.Errorf("%s %.60q: generated %v, want %v", c.path, c.text, got, c.want)
			}
		}
	}
}
