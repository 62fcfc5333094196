package report

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/dungeon"
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
		`# Tools \& \<b\>more\</b\>`, `\<script\>alert(1)\</script\> \[x\](y)`, "critical, `a b/ü.go`:9, by sentinel",
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

// Every report counts what is only suspected, and only the JSON has it. A proved finding is one like any other. P7.2.
func TestSuspectedFindingsAreCounted(t *testing.T) {
	w := reviewed(t)
	w.Findings = append(w.Findings, []world.Finding{
		{ID: "s-5", AgentID: "sentinel", Severity: "critical", Confidence: "low", Title: "perhaps a hole", Path: "x_test.go", Line: 2, Check: "sentinel/key"},
		{ID: "s-6", AgentID: "sentinel", Severity: "low", Confidence: "low", Title: "surely a hole", Path: "y.go", Line: 2, Check: "sentinel/key", Evidence: "so", Why: "w", Advice: "a", Proof: "y.go:2: so"},
	}...)
	s := source(w, surveyed(t))
	sarif, err := SARIF(s)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"markdown": Markdown(s, ""), "text": Text(s), "sarif": string(sarif)} {
		if strings.Contains(text, "perhaps a hole") || !strings.Contains(text, "surely a hole") {
			t.Errorf("%s: %s", name, text)
		}
		if want := "1 finding of low confidence, only suspected"; name != "markdown" && !strings.Contains(text, want) {
			t.Errorf("%s does not say %q", name, want)
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
	for _, want := range []Want{{Format: "pdf"}, {}, {FormatJSON, "a.svg"}, {FormatMarkdown, "../a.svg"}, {FormatMarkdown, `a\b.svg`}, {FormatMarkdown, "a\nb"}, {FormatMarkdown, strings.Repeat("a", 256)}} {
		if _, err := Make(source(w, surveyed(t)), want); err == nil {
			t.Errorf("%+v is taken", want)
		}
	}
	empty, err := JSON(source(world.New(world.Realm{ID: "r"}), world.NewLand()))
	if err != nil || strings.Contains(string(empty), "null") {
		t.Errorf("%s, %v", empty, err)
	}
}

// Every export of a realm says what damage has cost it. P7.4a.
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
