package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	// The module has the schema of SARIF 2.1.0 as a constant that it does not export.
	_ "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

// someChecks are checks whose findings the tests report.
var someChecks = []inspect.Check{
	{ID: "sentinel/key", Hero: "sentinel", CWE: []int{321}, Looks: "keys in the *open*", Rule: "Critical."},
	{ID: "bard/link", Hero: "bard", Looks: strings.Repeat("long ", 400), Rule: "Low.", Precision: "high"},
	{ID: "warden/many", Hero: "warden", Looks: "many weaknesses", Rule: "High.", CWE: slices.Repeat([]int{79}, 40)},
}

// logOf has the properties of a SARIF file that the tests look at, under the names of the standard.
type logOf struct {
	Version string
	Runs    []struct {
		Tool struct {
			Driver struct {
				Rules []struct {
					ID, Name                                string
					ShortDescription, FullDescription, Help struct{ Text, Markdown string }
					Properties                              map[string]any
				}
			}
		}
		Results     []resultIn
		Properties  map[string]any
		Invocations []struct {
			ToolExecutionNotifications []struct{ Message struct{ Text string } }
		}
	}
}

type resultIn struct {
	RuleID    string
	RuleIndex int
	Level     string
	Message   struct{ Text string }
	Locations []locationIn
	CodeFlows []struct {
		ThreadFlows []struct {
			Locations []struct{ Location locationIn }
		}
	}
	Fixes               []fixIn
	PartialFingerprints map[string]string
	Suppressions        []struct{ Kind, Status, Justification string }
}

type locationIn struct {
	PhysicalLocation struct {
		ArtifactLocation struct{ URI string }
		Region           struct {
			StartLine int
			Snippet   struct{ Text string }
		}
	}
	Message struct{ Text string }
}

type fixIn struct {
	Description     struct{ Text string }
	ArtifactChanges []struct {
		ArtifactLocation struct{ URI string }
		Replacements     []struct {
			DeletedRegion   struct{ StartLine int }
			InsertedContent struct{ Text string }
		}
	}
}

func sarifOf(t *testing.T, s Source) (out logOf) {
	t.Helper()
	data, err := SARIF(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	for _, why := range refused(data) {
		t.Errorf("GitHub refuses the file: %s", why)
	}
	if len(out.Runs) != 1 {
		t.Fatalf("%d runs", len(out.Runs))
	}
	return out
}

var (
	number   = regexp.MustCompile(`^(10|[0-9])(\.[0-9]+)?$`)
	cweTag   = regexp.MustCompile(`^external/cwe/cwe-[0-9]{3,}$`)
	absolute = regexp.MustCompile(`^(/|[a-zA-Z]+:)|(^|/)\.\.(/|$)`)
)

// refused returns why GitHub code scanning would refuse a file or cut it, judging by its documentation.
func refused(data []byte) (why []string) {
	no := func(format string, args ...any) { why = append(why, fmt.Sprintf(format, args...)) }
	var log logOf
	if err := json.Unmarshal(data, &log); err != nil {
		return []string{err.Error()}
	}
	if log.Version != "2.1.0" || len(log.Runs) == 0 || len(log.Runs) > 20 {
		no("version %s, %d runs", log.Version, len(log.Runs))
	}
	for _, run := range log.Runs {
		rules := run.Tool.Driver.Rules
		if len(run.Results) > 5_000 || len(rules) > 25_000 {
			no("%d results, %d rules", len(run.Results), len(rules))
		}
		for _, r := range rules {
			tags, _ := r.Properties["tags"].([]any)
			precision, _ := r.Properties["precision"].(string)
			switch {
			case r.ID == "" || r.Name == "" || len(r.Name) > 255 || r.Help.Text == "" || r.Help.Markdown == "":
				no("rule %q has no name or no help", r.ID)
			case r.ShortDescription.Text == "" || r.FullDescription.Text == "" || len(r.ShortDescription.Text) > 1024 ||
				len(r.FullDescription.Text) > 1024:
				no("rule %q has no description, or one that is too long", r.ID)
			case len(tags) == 0 || len(tags) > 10:
				no("rule %q has %d tags", r.ID, len(tags))
			case !slices.Contains([]string{"very-high", "high", "medium", "low"}, precision):
				no("rule %q has precision %q", r.ID, precision)
			}
			score, scored := r.Properties["security-severity"]
			text, _ := score.(string)
			if scored && !number.MatchString(text) || scored != slices.Contains(tags, any("security")) {
				no("rule %q has security-severity %v and tags %q", r.ID, score, tags)
			}
		}
		for _, r := range run.Results {
			if r.RuleIndex >= len(rules) || rules[r.RuleIndex].ID != r.RuleID || r.Message.Text == "" {
				no("result of rule %q, index %d, says %q", r.RuleID, r.RuleIndex, r.Message.Text)
			}
			if len(r.Locations) == 0 || len(r.Locations) > 100 {
				no("a result has %d locations: %s", len(r.Locations), r.Message.Text)
			}
			locations, steps := slices.Clone(r.Locations), 0
			for _, flow := range r.CodeFlows {
				for _, thread := range flow.ThreadFlows {
					for _, s := range thread.Locations {
						locations, steps = append(locations, s.Location), steps+1
						if s.Location.Message.Text == "" {
							no("a step says nothing: %+v", s.Location)
						}
					}
				}
			}
			if len(r.CodeFlows) > 0 && (steps == 0 || steps > 1_000) {
				no("%d steps", steps)
			}
			for _, l := range locations {
				if p := l.PhysicalLocation; p.ArtifactLocation.URI == "" || absolute.MatchString(p.ArtifactLocation.URI) ||
					p.Region.StartLine < 1 {
					no("location %+v", p)
				}
			}
			if r.PartialFingerprints["agentDungeon/v1"] == "" {
				no("no fingerprint: %s", r.Message.Text)
			}
		}
	}
	return why
}

// schema compiles the official schema of SARIF 2.1.0, which the source of a module holds.
func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	const module = "github.com/owenrumney/go-sarif/v3"
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		t.Fatalf("the module with the schema: %v", err)
	}
	file := filepath.Join(strings.TrimSpace(string(dir)), "pkg", "report", "v210", "sarif", "schema.go")
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var text string
	ast.Inspect(parsed, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && len(l.Value) > len(text) {
			text = l.Value
		}
		return true
	})
	text, err = strconv.Unquote(text)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("sarif.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// SARIF follows the official schema, also for a realm with a damaged database, a finding of the whole repository, and
// no findings at all.
func TestSARIFFollowsTheSchema(t *testing.T) {
	s := schema(t)
	valid := func(data []byte) error {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			return err
		}
		return s.Validate(doc)
	}
	damaged := reviewed(t)
	damaged.Salvage = &world.Salvage{At: world.TimeOf(now), Messages: 1, MessagesKnown: 2}
	damaged.Findings[0].Steps = []world.Step{{Path: "a.go", Line: 1, Quote: "q", Note: "n"}}
	damaged.Findings[0].Patch = "--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-a\n+b\n"
	for name, w := range map[string]*world.World{
		"findings": reviewed(t), "damage": damaged, "nothing": world.New(world.Realm{ID: "r"}),
	} {
		data, err := SARIF(source(w, world.NewLand()))
		if err != nil {
			t.Fatal(err)
		}
		if err := valid(data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, want := range []string{"codeFlows", "fixes"} {
			if (name == "damage") != bytes.Contains(data, []byte(want)) {
				t.Errorf("%s: %s", name, want)
			}
		}
		if err := valid(bytes.Replace(data, []byte(`"ruleId"`), []byte(`"rule_id"`), 1)); err == nil && name != "nothing" {
			t.Error("the schema takes a property that it does not know")
		}
	}
}

func TestSARIFSaysWhatGitHubReads(t *testing.T) {
	w := reviewed(t)
	w.Findings = append(w.Findings, world.Finding{ID: "s-5", Severity: "high", Title: "t", Path: "x", Check: "warden/many"},
		world.Finding{ID: "s-6", Severity: "high", Title: "t", Check: "healer/x", Withdrawn: "accepted" + world.AcceptedIn + "ours"})
	run := sarifOf(t, source(w, world.NewLand())).Runs[0]
	if len(run.Results) != 5 { // without the one that is mended
		t.Fatalf("%d results: %+v", len(run.Results), run.Results)
	}
	for i, want := range []struct {
		rule, level, uri string
		line             int
		snippet          string
	}{
		{"sentinel/key", "error", "a%20b/%C3%BC.go", 9, "e"}, {"warden/many", "error", "x", 1, ""},
		{"bard/link", "note", "README.md", 3, "```"}, {unruled, "note", "README.md", 1, ""},
		{"healer/x", "error", "README.md", 1, ""},
	} {
		r := run.Results[i]
		at := r.Locations[0].PhysicalLocation
		if r.RuleID != want.rule || r.Level != want.level || at.ArtifactLocation.URI != want.uri ||
			at.Region.StartLine != want.line || at.Region.Snippet.Text != want.snippet {
			t.Errorf("%d: %+v", i, r)
		}
		if s := r.Suppressions; want.rule != "healer/x" && len(s) != 0 || want.rule == "healer/x" &&
			(len(s) != 1 || s[0].Kind != "external" || s[0].Status != "accepted" || s[0].Justification != "accepted in .agentdungeon-review: ours") {
			t.Errorf("%d: suppressions %+v", i, s)
		}
	}
	rules := run.Tool.Driver.Rules
	if r := rules[0]; r.Name != "Key" || r.Properties["security-severity"] != "9.5" || !strings.Contains(r.Help.Markdown, `keys in the \*open\*`) {
		t.Errorf("%+v", r)
	}
	if tags := rules[0].Properties["tags"].([]any); !slices.ContainsFunc(tags, func(v any) bool { return cweTag.MatchString(v.(string)) }) {
		t.Errorf("tags %v name no CWE", tags)
	}
	if r := rules[2]; r.Properties["precision"] != "high" || r.Properties["security-severity"] != nil {
		t.Errorf("%+v", r)
	}
}

// The SARIF result of a finding has the finding's steps as a code flow, and its patch as a fix of one line.
func TestSARIFHasWaysAndFixes(t *testing.T) {
	w := reviewed(t)
	for n := range world.MaxSteps {
		w.Findings[1].Steps = append(w.Findings[1].Steps, world.Step{Path: "a b/ü.go", Line: n + 1, Quote: "q", Note: "n"})
	}
	w.Findings[1].Steps[0].Note = ""
	w.Findings[1].Patch = "--- a/x\n+++ b/x\n@@ -7,3 +7,3 @@\n one\n two\n-three\n+  four\n"
	r := sarifOf(t, source(w, world.NewLand())).Runs[0].Results[0]
	if len(r.CodeFlows) != 1 || len(r.CodeFlows[0].ThreadFlows) != 1 {
		t.Fatalf("%+v", r.CodeFlows)
	}
	steps := r.CodeFlows[0].ThreadFlows[0].Locations
	last := steps[len(steps)-1].Location
	if at := last.PhysicalLocation; len(steps) != world.MaxSteps || steps[0].Location.Message.Text != "q" || last.Message.Text != "n" ||
		at.ArtifactLocation.URI != "a%20b/%C3%BC.go" || at.Region.StartLine != world.MaxSteps || at.Region.Snippet.Text != "q" {
		t.Errorf("%d steps: %+v", len(steps), steps)
	}
	if len(r.Fixes) != 1 || r.Fixes[0].Description.Text != "a" {
		t.Fatalf("%+v", r.Fixes)
	}
	change := r.Fixes[0].ArtifactChanges[0]
	if got := change.Replacements[0]; change.ArtifactLocation.URI != "a%20b/%C3%BC.go" || got.DeletedRegion.StartLine != 9 || got.InsertedContent.Text != "  four" {
		t.Errorf("%+v", change)
	}
}

// The fingerprint of a finding stays the same when lines move, and different findings have different fingerprints.
func TestFingerprintsDoNotCountLines(t *testing.T) {
	prints := func(move int) (out []string) {
		w := reviewed(t)
		for i := range w.Findings {
			w.Findings[i].Line += move
			if w.Findings[i].Check == "" {
				w.Findings[i].ID = fmt.Sprintf("f%d", 4+move) // counted anew in each realm
			}
		}
		for _, r := range sarifOf(t, source(w, world.NewLand())).Runs[0].Results {
			out = append(out, r.PartialFingerprints["agentDungeon/v1"])
		}
		return out
	}
	before, after := prints(0), prints(40)
	if !slices.Equal(before, after) || len(slices.Compact(slices.Sorted(slices.Values(before)))) != len(before) {
		t.Errorf("%q, then %q", before, after)
	}
}

// SARIF has no more results than GitHub shows, and no result without a file. A notification says what was left out.
func TestSARIFSaysWhatItLeavesOut(t *testing.T) {
	w := world.New(world.Realm{ID: "r"})
	for i := range maxResults + 7 {
		severity := "low"
		if i > maxResults {
			severity = "high"
		}
		w.Findings = append(w.Findings, world.Finding{ID: fmt.Sprint("s-", i), Severity: severity, Title: "t", Path: "a", Check: "bard/link"})
	}
	run := sarifOf(t, source(w, world.NewLand())).Runs[0]
	if len(run.Results) != maxResults || run.Results[0].Level != "error" {
		t.Errorf("%d results, the first %s", len(run.Results), run.Results[0].Level)
	}
	w.Findings = []world.Finding{{ID: "s-1", Severity: "low", Title: "No licence", Check: "bard/link"}}
	lost := sarifOf(t, source(w, world.NewLand())).Runs[0]
	if len(lost.Results) != 0 {
		t.Errorf("a result without a file: %+v", lost.Results)
	}
	for want, run := range map[string][]struct{ Message struct{ Text string } }{
		"7 findings are left out": run.Invocations[0].ToolExecutionNotifications,
		"No licence":              lost.Invocations[0].ToolExecutionNotifications,
	} {
		if len(run) != 1 || !strings.Contains(run[0].Message.Text, want) {
			t.Errorf("notifications %+v do not say %q", run, want)
		}
	}
}

// The function refused, which other tests use, notices each fault for which GitHub refuses a file.
func TestRefusals(t *testing.T) {
	w := reviewed(t)
	w.Findings[1].Steps = []world.Step{{Path: "way.go", Line: 77, Quote: "q", Note: "first step"}}
	data, err := SARIF(source(w, world.NewLand()))
	if err != nil {
		t.Fatal(err)
	}
	for _, broken := range []struct{ old, by string }{
		{`"locations"`, `"elsewhere"`}, {`"a%20b/%C3%BC.go"`, `"/etc/passwd"`}, {`"README.md"`, `"../README.md"`},
		{`"startLine": 9`, `"startLine": 0`}, {`"9.5"`, `9.5`}, {`"precision": "high"`, `"precision": "great"`},
		{`"agentDungeon/v1"`, `"other"`}, {`"way.go"`, `"/way.go"`}, {`"startLine": 77`, `"startLine": 0`}, {`"first step"`, `""`}, {`"name": "Key"`, `"name": ""`}, {`"security",`, ``},
	} {
		if got := bytes.Replace(data, []byte(broken.old), []byte(broken.by), 1); len(refused(got)) == 0 || bytes.Equal(got, data) {
			t.Errorf("%s for %s is taken", broken.by, broken.old)
		}
	}
}
