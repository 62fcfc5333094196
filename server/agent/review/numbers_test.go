package review

import (
	"strings"
	"testing"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/inspecttest"
)

// The condition of a repository is told in numbers at the end of the report, one line a kind, and is no finding.
func TestReportEndsWithNumbers(t *testing.T) {
	s := &shelf{files: map[string]string{
		"README.md": "# Tools\n", "a/a.go": "// Package a is one.\npackage a\n\n// TO" + "DO: more\n", "tool.py": "x = 1\n# FIX" + "ME\n", "b/b.go": "package b\n\nvar s = \"TO" + "DO\"\n",
		"b/long.go": "package b\n" + strings.Repeat("var _ = 1 // HA"+"CK\n", 2000), "b/b_test.go": "package b\n\n// TO" + "DO: test\n",
	}}
	old := inspect.Past{Commits: 3, First: now.AddDate(-4, 0, 0), Last: now.AddDate(-3, 0, 0), Authors: 1}
	s.history = &inspecttest.History{Count: 9, Files: map[string]inspect.Past{"a/a.go": old, "b/b.go": {Commits: 7, First: now, Last: now, Authors: 1}}}
	_, report := reviewOf(t, s)
	_, got, _ := strings.Cut(report, "## In numbers\n")
	for _, want := range []string{
		"- TO" + "DO comments: 2,002 in 3 files.\n",
		"- Source files over 1,500 lines: 1 of 4; the longest is `b/long.go` with 2,001.\n",
		"- Source files untouched for two years: 1 of 4.\n",
		"- Source file that changes most: `b/b.go`, in 7 of 9 commits.\n",
		"- Go packages without a package comment: 1 of 2.\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it does not say %q:\n%s", want, report)
		}
	}
	if before, _, _ := strings.Cut(report, "## In numbers\n"); strings.Contains(before, "long.go") {
		t.Errorf("a number is a finding too:\n%s", report)
	}
}
