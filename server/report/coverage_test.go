package report

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"agentdungeon/shared/world"
)

// seen is what a review has read of a repository in two languages, one of which no check knows.
var seen = &world.Coverage{
	Languages: []world.Covered{
		{Lang: "Go", Code: true, Parsed: world.Amount{Files: 2, Lines: 40}, Unread: world.Amount{Files: 1}, Trees: []string{"dropped error"}, Texts: []string{"z"}},
		{Lang: "PHP", Code: true, Matched: world.Amount{Files: 1, Lines: 9}},
		{Lang: "C", Code: true, Unread: world.Amount{Files: 1}, Texts: []string{"y"}},
		{Lang: "TSX", Code: true, Matched: world.Amount{Files: 1, Lines: 3}, Trees: []string{"t"}},
		{Lang: "JavaScript", Code: true, Parsed: world.Amount{Files: 1, Lines: 4}, Trees: []string{"t"}},
		{Lang: "JSON", Matched: world.Amount{Files: 1, Lines: 2}},
		{Lang: "", Unread: world.Amount{Files: 3}},
	},
	General: []string{"private key"}, Limits: []string{"link: 3 more."}, Root: "docs/Überblick.md",
}

func TestCoverageLines(t *testing.T) {
	want := []string{
		"Go: 2 files, 40 lines read as syntax; 1 file not read.",
		"PHP: 1 file, 9 lines read as text. No check knows PHP: what its code does is unknown, not clean.",
		"C: 1 file not read. What is in C is unknown, not clean.",
		"TSX: 1 file, 3 lines read as text.",
		"JavaScript: 1 file, 4 lines read as syntax.",
		"Other files: 1 file, 2 lines read as text; 3 files not read.",
		"Looked for in the syntax of Go: dropped error.", "Looked for in the syntax of TSX, JavaScript: t.",
		"Looked for in the text of Go: z.",
		"In names, sizes and any text that was read: private key.", "link: 3 more.",
	}
	if got := CoverageLines(seen); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// A language that no check knows is named with its share, so that a short script does not look like a large gap.
func TestUnknownLanguagesHaveShares(t *testing.T) {
	c := &world.Coverage{Languages: []world.Covered{
		{Lang: "Go", Code: true, Parsed: world.Amount{Files: 9, Lines: 3_000}, Trees: []string{"t"}},
		{Lang: "Shell", Code: true, Matched: world.Amount{Files: 1, Lines: 17}}, {Lang: "PHP", Code: true, Matched: world.Amount{Files: 1, Lines: 1}},
	}}
	want := "99 % of the lines of code are in languages that a check knows. What the code in Shell (17 lines) and PHP (1 line) does is unknown: "
	if text := coverageText(c); !strings.Contains(text, want) {
		t.Errorf("%q", text)
	}
	c.Languages = c.Languages[1:]
	if text := coverageText(c); strings.Contains(text, "%") || !strings.Contains(text, "Shell (17 lines) and PHP (1 line)") {
		t.Errorf("%q", text)
	}
}

// Every report says first what was read. In SARIF a finding of the whole repository is at the file that stands for it.
func TestReportsSayWhatWasRead(t *testing.T) {
	w := reviewed(t)
	w.Artifacts = []world.Artifact{{Name: CoverageArtifact, Coverage: seen}, {Name: CoverageArtifact, Text: "of a script"}}
	text := Markdown(source(w, world.NewLand()), "")
	brief := "## Coverage\n\nRead: 2 Go files, 1 PHP file, 1 TSX file, 1 JavaScript file and 1 other file. Not read: 5 files (links, too large, or not text). " +
		"What the code in PHP (9 lines) and C (1 file) does is unknown: "
	if at := strings.Index(text, brief); at < 0 || at > strings.Index(text, "## Numbers") {
		t.Errorf("it does not say first what was read:\n%s", text)
	}
	if at := strings.Index(text, "## Coverage in detail\n\n- Go: 2 files"); at < strings.Index(text, "## Findings") {
		t.Errorf("it does not say at its end what was read in detail:\n%s", text)
	}
	w.ProcessState.Template = &world.Template{Stages: []world.Stage{{ID: "end"}}}
	collect(w, world.Artifact{ID: "a-9", Name: "final_report", StageID: "end", Text: Coverage(seen) + "\n## Executive Summary\n"})
	if text := Markdown(source(w, world.NewLand()), ""); strings.Count(text, "## Coverage\n") != 1 || strings.Contains(text, "in detail") {
		t.Errorf("it does not say once what was read:\n%s", text)
	}
	run := sarifOf(t, source(w, world.NewLand())).Runs[0]
	if uri := run.Results[2].Locations[0].PhysicalLocation.ArtifactLocation.URI; uri != "docs/%C3%9Cberblick.md" {
		t.Errorf("a finding of the whole repository is at %q", uri)
	}
	if n := run.Invocations[0].ToolExecutionNotifications; run.Properties["coverage"] == nil || len(n) != 11 {
		t.Errorf("%v, %v", run.Properties, n)
	}
	var out struct{ Coverage *world.Coverage }
	if data, err := JSON(source(w, world.NewLand())); err != nil || json.Unmarshal(data, &out) != nil || len(out.Coverage.Languages) != 7 {
		t.Errorf("%+v, %v", out, err)
	}
}
