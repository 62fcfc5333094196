package report

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

var now = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

func reviewed(t *testing.T) *world.World {
	t.Helper()
	w := world.New(world.Realm{ID: "r", Name: "Tools & <b>more</b>"})
	w.Findings = []world.Finding{
		{ID: "s-1", AgentID: "bard", Severity: "low", Title: "A link leads nowhere", Path: "README.md", Line: 3, Check: "bard/link", Evidence: "```\n# not a heading", Why: "w", Advice: "a"},
		{ID: "s-2", AgentID: "sentinel", Severity: "critical", Title: "<script>alert(1)</script> [x](y)", Path: "a b/ü.go", Line: 9, Check: "sentinel/key", Evidence: "e", Why: "w", Advice: "a"},
		{ID: "s-3", AgentID: "healer", Severity: "high", Title: "gone", Withdrawn: "it is not there any more", Check: "healer/x"},
		{ID: "f4", AgentID: "ada", Severity: "info", Title: "said by a person", Text: "**words**"},
	}
	w.Quests = []world.Quest{{ID: "q-2", Title: "mend", Status: world.QuestDone, Priority: "high", Owner: "Ada"}}
	return w
}

// source returns what a report of a world and a land is made from.
func source(w *world.World, l *world.Land) Source {
	return Source{World: w, Land: l, Checks: someChecks, Version: "1.0", Now: now}
}

func surveyed(t *testing.T) *world.Land {
	t.Helper()
	b := dungeon.NewBuilder("tools")
	b.File(b.Folder(dungeon.Root, "a\"<&\x1b"), "x.go", 1, false)
	tree, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return &world.Land{Country: dungeon.Country("r", tree)}
}

func TestMarkdownSaysAllAndNothingBecomesMarkup(t *testing.T) {
	text := Markdown(source(reviewed(t), surveyed(t)), "a (1)%-map.svg")
	for _, want := range []string{
		`# Tools \& \<b\>more\</b\>`, `\<script\>alert(1)\</script\> \[x\](y)`, "critical, `a b/ü.go:9`, by sentinel",
		"````text\n```\n# not a heading\n````", "| findings, critical | 1 |", "| findings withdrawn | 1 |", "it is not there any more",
		`\*\*words\*\*`, "- [x] mend (high priority, Ada)", "red where findings are](a%20%281%29%25-map.svg)", "1 of 1",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not say %q", want)
		}
	}
	if strings.Index(text, "script") > strings.Index(text, "A link leads nowhere") {
		t.Error("the critical finding does not come first")
	}
	for line := range strings.Lines(text) {
		if len(line) > 2_000 {
			t.Errorf("a line of %d bytes: %.60s", len(line), line)
		}
	}
	if text := Markdown(source(reviewed(t), surveyed(t)), ""); strings.Contains(text, "## Map") {
		t.Error("a report alone refers to a picture that nobody has")
	}
	if text := Markdown(source(world.New(world.Realm{ID: "r"}), world.NewLand()), "x.svg"); strings.Contains(text, "x.svg") {
		t.Error("a report refers to a picture of nothing")
	}
	if strings.Contains(text, "<script>") {
		t.Error("a title became markup")
	}
}

// The report of a review that proved nothing has no empty section of findings. Unless the process has left a text of
// its own, the report says that nothing is proved, and where the suspected findings are.
func TestMarkdownOfNoFindings(t *testing.T) {
	w := world.New(world.Realm{ID: "r", Name: "tools"})
	for _, c := range []struct {
		suspected int
		text      string // of the process
		want      string
	}{
		{0, "", "## Findings\n\nNone is proved.\n"},
		{1, "", "## Findings\n\nNone is proved.\n\n## Suspected\n\nNot proved and not counted: read the lines and judge. A language model in a review proves or withdraws such findings.\n\n- perhaps (`x.go`, critical)\n"},
		{1, "Nothing.", "UTC |\n\n## Suspected\n\nNot proved and not counted: read the lines and judge. A language model in a review proves or withdraws such findings.\n\n- perhaps (`x.go`, critical)\n"},
		{1, "Nothing.\n\n## Suspected\n\n- perhaps", "| written | 2026-11-21 09:00 UTC |\n"}, // the text lists them already
		{0, "Nothing.", "| written | 2026-11-21 09:00 UTC |\n"},
	} {
		w.Findings, w.Artifacts = nil, nil
		for range c.suspected {
			w.Findings = append(w.Findings, world.Finding{ID: "s-5", Severity: "critical", Confidence: "low", Title: "perhaps", Path: "x.go"})
		}
		if c.text != "" {
			w.ProcessState.Template = &world.Template{Stages: []world.Stage{{ID: "end"}}}
			collect(w, world.Artifact{ID: "a-1", Name: "final_report", StageID: "end", Text: c.text})
		}
		if text := Markdown(source(w, world.NewLand()), ""); !strings.HasSuffix(text, c.want) {
			t.Errorf("%d suspected, %q:\n%s", c.suspected, c.text, text)
		}
	}
}

// Markdown and the text for a terminal list the suspected findings apart, each on one line with its reason, and count
// none of them as proved; SARIF only counts them. A finding of low confidence that was proved is listed like any other.
// P7.2.
func TestSuspectedFindingsAreListedApart(t *testing.T) {
	w := reviewed(t)
	w.Findings = append(w.Findings, []world.Finding{
		{ID: "s-5", AgentID: "sentinel", Severity: "critical", Confidence: "low", Title: "perhaps a <hole>", Path: "x_test.go", Line: 2, Check: "sentinel/key", Why: "It harms. It is only suspected, because it is in a *test*."},
		{ID: "s-6", AgentID: "sentinel", Severity: "low", Confidence: "low", Title: "surely a hole", Path: "y.go", Line: 2, Check: "sentinel/key", Evidence: "so", Why: "w", Advice: "a", Proof: "y.go:2: so"},
	}...)
	s := source(w, surveyed(t))
	sarif, err := SARIF(s)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(sarif); strings.Contains(text, "perhaps a") || !strings.Contains(text, "surely a hole") || !strings.Contains(text, "1 finding of low confidence, only suspected") {
		t.Error(text)
	}
	for name, c := range map[string]struct {
		text, list string
		count      string // of the proved findings
	}{
		"markdown": {Markdown(s, ""), "\n\n- perhaps a \\<hole\\> (`x_test.go:2`, critical): it is in a \\*test\\*\n\n", "| findings, critical | 1 |"},
		"text":     {Text(s), "Only suspected, not proved and not counted:\n  x_test.go:2: perhaps a <hole> (critical): it is in a *test*\n\n", "4 findings: 1 critical"},
	} {
		if strings.Count(c.text, "perhaps a") != 1 || !strings.Contains(c.text, c.list) || !strings.Contains(c.text, c.count) {
			t.Errorf("%s does not have %q once, or not %q:\n%s", name, c.list, c.count, c.text)
		}
		if strings.Index(c.text, "perhaps a") < strings.Index(c.text, "surely a hole") {
			t.Errorf("%s: the suspected finding is among the proved ones", name)
		}
	}
	if text := Markdown(s, ""); !strings.Contains(text, "| findings suspected | 1 |") || !strings.Contains(text, "y.go:2: so") {
		t.Error(text)
	}
	data, err := JSON(s)
	var out struct{ Findings, Suspected []world.Finding }
	if err != nil || json.Unmarshal(data, &out) != nil || len(out.Findings) != 4 || len(out.Suspected) != 1 || out.Suspected[0].ID != "s-5" {
		t.Errorf("%s, %v", data, err)
	}
}

// A list of suspected findings ends after 12 lines.
func TestManySuspectedFindings(t *testing.T) {
	w := world.New(world.Realm{ID: "r", Name: "tools"})
	for i := range 15 {
		w.Findings = append(w.Findings, world.Finding{ID: fmt.Sprint("s-", i), Severity: "low", Confidence: "low", Title: "perhaps", Path: "x.go", Line: i + 1})
	}
	s := source(w, world.NewLand())
	if text := Markdown(s, ""); strings.Count(text, "- perhaps (") != 12 || !strings.HasSuffix(text, "`x.go:12`, low)\n\n3 more are in the list of findings.\n") {
		t.Error(text)
	}
	if text := Text(s); strings.Count(text, ": perhaps (") != 12 || !strings.Contains(text, "  x.go:12: perhaps (low)\n  3 more are in the report in JSON.\n\n0 findings. Only suspected: 15.\n") {
		t.Error(text)
	}
}

// A report shows for a finding its CWE numbers, its steps, its patch and the line that accepts it, in Markdown and in
// a terminal.
func TestFindingsShowWaysAndPatches(t *testing.T) {
	w := reviewed(t)
	f := &w.Findings[1]
	f.CWE, f.Patch, f.Accept = []int{89}, "-old `x`\n+new\n", "sentinel/key a b/ü.go:t -- REASON"
	f.Steps = []world.Step{{Path: "in.go", Line: 1, Quote: "q := r.URL"}, {Path: "out.go", Line: 2, Quote: "db.Query(q)", Note: "reaches db.Query"}}
	way := []string{"1. in.go:1: q := r.URL\n", "2. out.go:2: db.Query(q) (reaches db.Query)\n"}
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"markdown": {Markdown(source(w, world.NewLand()), ""), append(way, "[CWE-89](https://cwe.mitre.org/data/definitions/89.html)",
			"```diff\n-old `x`\n+new\n```", "To accept it, add to `.agentdungeon-review` with a reason: `sentinel/key a b/ü.go:t -- REASON`")},
		"text": {Text(source(w, world.NewLand())), append(way, ", CWE-89]\n", "To accept a finding, add a line to .agentdungeon-review")},
	} {
		for _, want := range c.want {
			if !strings.Contains(c.text, want) {
				t.Errorf("%s does not say %q:\n%s", name, want, c.text)
			}
		}
	}
}

// A finding of a check that was posted to a realm converts back to the same finding, except for Reach and Fresh,
// which the next review sets again.
func TestPostedFindings(t *testing.T) {
	f := inspect.Finding{
		Check: "sentinel/key", Hero: "sentinel", CWE: []int{321}, Severity: inspect.High, Confidence: inspect.Likely,
		Title: "t", Path: "a%\xff.go", Line: 3, Evidence: "e", Why: "w", Advice: "a", Known: "s-1", Patch: "p",
		Steps: []inspect.Step{{Path: "b\\c.go", Line: 1, Quote: "q", Note: "n"}},
	}
	if got := Posted(Found(&f)); !reflect.DeepEqual(got, f) {
		t.Errorf("%+v\nwant %+v", got, f)
	}
	f.Reach, f.Fresh = inspect.ReachTest, now
	if got := Found(&f); got.Reach != "test" || got.ChangedAt != world.TimeOf(now) || got.Accept != f.Excuse() || !strings.Contains(got.Text, "1. b%5Cc.go:1: q (n)") {
		t.Errorf("%+v", got)
	}
}

func TestPictureIsSoundXML(t *testing.T) {
	d := xml.NewDecoder(strings.NewReader(Picture(reviewed(t), surveyed(t))))
	names := ""
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if c, ok := tok.(xml.CharData); ok {
			names += string(c) + "|"
		}
	}
	if !strings.Contains(names, `a"<&`) || !strings.Contains(names, "(1)") {
		t.Errorf("names %q", names)
	}
	if Picture(world.New(world.Realm{ID: "r"}), world.NewLand()) != "" {
		t.Error("a picture of nothing")
	}
}

func TestMake(t *testing.T) {
	w := reviewed(t)
	for format, name := range map[string]string{FormatMarkdown: "tools----b-more--b-2026-11-21.md", FormatJSON: "tools----b-more--b-2026-11-21.json", FormatSARIF: "tools----b-more--b-2026-11-21.sarif", FormatSVG: "tools----b-more--b-2026-11-21-map.svg"} {
		f, err := Make(source(w, surveyed(t)), Want{Format: format})
		if err != nil || len(f.Data) == 0 || f.Name != name {
			t.Errorf("%s: %+v, %v", format, f, err)
		}
	}
	if _, err := Make(source(world.New(world.Realm{ID: "r"}), world.NewLand()), Want{Format: FormatSVG}); !errors.Is(err, ErrNoPicture) {
		t.Errorf("a picture of nothing: %v", err)
	}
	for _, want := range []Want{{Format: "pdf"}, {}, {Format: FormatJSON, Picture: "a.svg"}, {Format: FormatMarkdown, Picture: "../a.svg"}, {Format: FormatMarkdown, Picture: `a\b.svg`}, {Format: FormatMarkdown, Picture: "a\nb"}, {Format: FormatMarkdown, Picture: strings.Repeat("a", 256)}} {
		if _, err := Make(source(w, surveyed(t)), want); err == nil {
			t.Errorf("%+v is taken", want)
		}
	}
	empty, err := JSON(source(world.New(world.Realm{ID: "r"}), world.NewLand()))
	if err != nil || strings.Contains(string(empty), "null") {
		t.Errorf("%s, %v", empty, err)
	}
}

// Every export of a realm says what was lost when its database was damaged. P7.4a.
func TestSalvageIsToldInEveryFormat(t *testing.T) { // S3-17
	w := reviewed(t)
	w.Salvage = &world.Salvage{At: world.TimeOf(now), Messages: 155, MessagesKnown: 167, Events: 638, EventsKnown: 665}
	for _, format := range []string{FormatMarkdown, FormatJSON, FormatSARIF} {
		f, err := Make(source(w, surveyed(t)), Want{Format: format})
		if err != nil {
			t.Fatal(err)
		}
		want := "155 of 167 messages, 638 of 665 events"
		if format == FormatJSON {
			want = `"messages": 155`
		}
		if !strings.Contains(string(f.Data), want) {
			t.Errorf("%s does not say %q", format, want)
		}
	}
}
