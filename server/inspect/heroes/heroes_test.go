package heroes

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"agentdungeon/server/inspect"
)

// TestEveryCheckHasAHero asserts that every check belongs to a hero and that its id is unique. A hero without checks is
// allowed: such a hero only tells what can be measured.
func TestEveryCheckHasAHero(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Checks() {
		if seen[c.ID] || !slices.Contains(roles, c.Hero) || !strings.HasPrefix(c.ID, c.Hero+"/") || c.Run == nil {
			t.Errorf("%+v", c)
		}
		seen[c.ID] = true
	}
}

// TestKindsOfChecksDiffer asserts that the texts by which people read checks are all different, and do not repeat
// the wording of an id that only insiders understand.
func TestKindsOfChecksDiffer(t *testing.T) {
	seen := map[string]string{}
	for _, c := range Checks() {
		kind := inspect.KindOf(c.ID)
		if other, ok := seen[kind]; ok {
			t.Errorf("%q says what both %s and %s find", kind, other, c.ID)
		}
		seen[kind] = c.ID
	}
	for id, want := range map[string]string{
		"sentinel/open-door": "insecure default", "healer/held-lock": "lock not released",
		"sentinel/sql-injection": "SQL injection",
	} {
		if got := inspect.KindOf(id); got != want || seen[got] != id {
			t.Errorf("%s finds %q, not %q", id, got, want)
		}
	}
}

// TestChecksSayWhatTheyRead asserts that every check has a ground, except the listed ones, which check
// names, sizes or any text. A review praises a repository only for what a check could examine in it.
func TestChecksSayWhatTheyRead(t *testing.T) {
	anywhere := []string{"sentinel/secret", "sentinel/private-key", "cartographer/conflict-marker"}
	fortran := inspect.New("f", fstest.MapFS{}, []inspect.Entry{{Path: "a.f90", Size: 1}}, nil, time.Now())
	for _, c := range Checks() {
		if _, ok := c.Ground(t.Context(), fortran); ok != slices.Contains(anywhere, c.ID) {
			t.Errorf("%s can find something in a file of Fortran: %v", c.ID, ok)
		}
	}
}

// names lists files that checks read; a fuzzed text is the content of one of them.
var names = []string{
	"main.go", "main_test.go", "go.mod", "app.ts", "app.test.ts", "app.js", "tool.py", "test_tool.py", "package.json", "package-lock.json", "README.md",
	"requirements.txt", "pyproject.toml", "Cargo.toml", "Dockerfile", "Makefile", ".github/workflows/ci.yml", "LICENSE", "config.yaml", "page.html", "setup.cfg", "go.sum",
}

// FuzzChecks asserts that no check fails on any content of a file.
func FuzzChecks(f *testing.F) {
	for i, text := range []string{
		"package main\n\nimport \"os/exec\"\n\nfunc main() { exec.Command(\"sh\", \"-c\", \"rm \"+x) }\n", "{\"name\": \"x\", \"dependencies\": {\"a\": \"*\"}}",
		"# x\n\n[a](b.md#c)\n\n```sh\nmake all\nnpm run x\n```\n", "try:\n    pass\nexcept:\n    pass\n", "it.only('x', () => { expect(1) })\n", "FROM x\n", "on:\n  pull_request_target:\n",
		"// TO" + "DO: x\n/* ", "`${`${`", "'''", "\"\"\"\\", "module x\n\nrequire (\n\ta v0.0.0-20100101000000-aaaaaaaaaaaa\n)\n",
	} {
		f.Add(uint8(i), text)
	}
	checks := Checks()
	f.Fuzz(func(t *testing.T, which uint8, text string) {
		name := names[int(which)%len(names)]
		fsys := fstest.MapFS{name: {Data: []byte(text)}, "other.go": {Data: []byte("package other\n")}}
		r := inspect.New("fuzz", fsys, []inspect.Entry{{Path: name, Size: int64(len(text))}, {Path: "other.go", Size: 14}}, nil, time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC))
		for i := range checks {
			res := inspect.Run(context.Background(), r, &checks[i])
			if res.Err != nil && strings.Contains(res.Err.Error(), "it failed") {
				t.Errorf("%s of %s: %v", checks[i].ID, name, res.Err)
			}
			if lacks, ok := checks[i].Ground(context.Background(), r); !ok && len(res.Findings) > 0 {
				t.Errorf("%s reports a finding in %s, but its Ground says that it needs one of %q", checks[i].ID, name, lacks)
			}
			for _, found := range res.Findings {
				if found.Title == "" || found.Evidence == "" || found.Why == "" || found.Advice == "" {
					t.Errorf("%s reports an incomplete finding: %+v", checks[i].ID, found)
				}
			}
		}
	})
}
