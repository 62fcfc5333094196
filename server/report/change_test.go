package report

import (
	"encoding/json"
	"strings"
	"testing"

	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

// A report of a change begins with the base, and lists new findings before worse ones that the base had. It shows
// texts of others, such as the titles of mended findings, so that they cannot become markup.
func TestReportsOfAChange(t *testing.T) {
	s := source(reviewed(t), world.NewLand())
	s.Change = &Change{
		Rev: "<main>", Commit: strings.Repeat("ab", 20), Files: 3, Mended: 7,
		Marks: map[string]inspect.Mark{
			"s-1": {State: inspect.StateNew, Place: "in a changed line"}, "s-2": {State: inspect.StateUnchanged, Place: "in the changed function f"},
		},
		Shown: []world.Finding{{ID: "s-9", Title: "[was](x)", Path: "gone.go", Line: 2, Check: "bard/link"}},
	}
	const base, counted = "<main> (ababababab)", "1 new finding, 2 older in changed code, 7 mended. Older findings elsewhere are not shown."
	in := func(text string, words ...string) {
		t.Helper()
		at := 0
		for _, want := range words {
			i := strings.Index(text[at:], want)
			if i < 0 {
				t.Fatalf("it does not say %q after the others:\n%s", want, text)
			}
			at += i
		}
	}
	in(Text(s), "Since "+base+": 3 files differ.", "A link leads nowhere", "  Since "+base+": new, in a changed line.", "alert(1)",
		": unchanged, in the changed function f.", "Mended: gone.go:2: [was](x) [bard/link]", counted)
	in(Markdown(s, ""), `Since \<main\> (ababababab): 3 files differ.`, "### 1. A link leads nowhere", "new, in a changed line.",
		`### 2. \<script\>`, "## Mended", counted, `\[was\](x) (`+"`gone.go:2`)")
	data, err := JSON(s)
	if err != nil {
		t.Fatal(err)
	}
	in(string(data), `"rev": "\u003cmain\u003e"`, `"files": 3`, `"mended": 7`, `"path": "gone.go"`, `"id": "s-1"`, `"baselineState": "new"`,
		`"change": "in a changed line"`, `"id": "s-2"`, `"baselineState": "unchanged"`)
	data, err = SARIF(s)
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	if err := schema(t).Validate(doc); err != nil {
		t.Error(err)
	}
	in(string(data), counted, "bard/link", "new, in a changed line.", `"baselineState": "new"`, `"baselineState": "unchanged"`, `"since": {`)
	for _, why := range refused(data) {
		t.Errorf("GitHub refuses the file: %s", why)
	}
}
