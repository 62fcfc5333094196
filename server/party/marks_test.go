package party

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"agentdungeon/shared/world"
)

func (m Marks) text() string {
	var out []string
	for _, a := range m.Next {
		out = append(out, "next "+a.Name+"!"+a.Intent)
	}
	if m.From != "" {
		out = append(out, "from "+m.From)
	}
	if m.Task != nil {
		out = append(out, fmt.Sprintf("task %q", *m.Task))
	}
	if m.DropAll {
		out = append(out, "drop all")
	}
	for _, d := range m.Drop {
		out = append(out, "drop "+d)
	}
	return strings.Join(out, ", ")
}

// S2-B8: for each text, Read finds the markers and returns the text to store, and Bare returns the text that prompts
// quote. P14.8.
func TestRead_S2_B8(t *testing.T) {
	for _, tc := range []struct{ text, marks, stored, bare string }{
		{"Hello.", "", "Hello.", "Hello."},
		{"  Hello \n", "", "  Hello \n", "  Hello \n"}, // a text without markers stays unchanged
		{"Look at it. [NEXT: bob]", "next bob!P2", "Look at it.", "Look at it."},
		{"Look at it.\n\n[NEXT: bob]\n", "next bob!P2", "Look at it.", "Look at it."},
		{"Hi [next: Bob , Carol Ann!p1,dave!P3]", "next Bob!P2, next Carol Ann!P1, next dave!P3", "Hi", "Hi"},
		{"Hi [NEXT: a][NEXT: b!P1] [NeXt:c]", "next a!P2, next b!P1, next c!P2", "Hi", "Hi"},
		{"Hi\n[NEXT: a]\n\n[NEXT: b]", "next a!P2, next b!P2", "Hi", "Hi"},
		{"Hi [NEXT: a]\n[NEXT: b]", "next a!P2, next b!P2", "Hi", "Hi"},
		{"[NEXT: a, a, A, a!P1]", "next a!P2, next A!P2, next a!P1", "", ""},
		{"Hi [NEXT: bob!P9, x!]", "next bob!P9!P2, next x!!P2", "Hi", "Hi"}, // no such intent: it is part of the name
		{"Hi [NEXT : bob! p1]", "next bob!P1", "Hi", "Hi"},
		{"Hi [NEXT:]", "", "Hi", "Hi"},
		{"Hi [NEXT: , ,]", "", "Hi", "Hi"},
		{`Hi [NEXT: @bob, "carol", *dave*]`, "next bob!P2, next carol!P2, next dave!P2", "Hi", "Hi"},
		{"你好 [NEXT：小明，小红、a]", "next 小明!P2, next 小红!P2, next a!P2", "你好", "你好"},
		{"I think [NEXT: bob] should look, [NEXT: carol].", "next bob!P2, next carol!P2", "I think should look,.", "I think should look,."},
		{"Please look [NEXT: bob].", "next bob!P2", "Please look.", "Please look."},
		{"**[NEXT: bob]**", "next bob!P2", "", ""},
		{"Done.\n- [NEXT: bob]", "next bob!P2", "Done.", "Done."},
		{"[FROM: ada] Hello [NEXT: bob]", "next bob!P2, from ada", "[FROM: ada] Hello", "Hello"},
		{"[FROM: ada] [FROM: ben] Hello", "from ben", "[FROM: ada] [FROM: ben] Hello", "Hello"},
		{"Go.\n[TEAM_TASK: one]\n[TEAM_TASK: mend the build][NEXT: bob]", `next bob!P2, task "mend the build"`, "Go.\n[TEAM_TASK: one]\n[TEAM_TASK: mend the build]", "Go."},
		{"Go. [team_task: ]", `task ""`, "Go. [team_task: ]", "Go."},
		{`Go. [TEAM_TASK: write "hello [NEXT: x]" to a file]`, `task "write \"hello [NEXT: x]\" to a file"`, `Go. [TEAM_TASK: write "hello [NEXT: x]" to a file]`, "Go."},
		{"Go. [TEAM_TASK: mend a[0] of [NEXT: x]]", `task "mend a[0] of [NEXT: x]"`, "Go. [TEAM_TASK: mend a[0] of [NEXT: x]]", "Go."},
		{"Stop. [DROP: ALL]", "drop all", "Stop.", "Stop."},
		{"Stop. [drop: bob, carol] [NEXT: dave]", "next dave!P2, drop bob, drop carol", "Stop.", "Stop."},
		{"a\r\nb [NEXT: bob]\r\n", "next bob!P2", "a\r\nb", "a\r\nb"},
	} {
		m, stored := Read(tc.text)
		if m.text() != tc.marks || stored != tc.stored || Bare(tc.text) != tc.bare || Bare(stored) != tc.bare {
			t.Errorf("%q:\n marks %s, want %s\n stored %q, want %q\n bare %q and %q, want %q", tc.text, m.text(), tc.marks, stored, tc.stored, Bare(tc.text), Bare(stored), tc.bare)
		}
	}
}

// S2-B8: a marker counts only on the last line, and not in code or quotes.
func TestReadNothingWhereItIsNotMeant_S2_B8(t *testing.T) {
	for _, text := range []string{
		"[NEXT: bob]\nThat was it.",
		"[NEXT: bob] and so on\n\nThat was it.",
		"[TEAM_TASK: x]\n[NEXT: bob]\nThat was it.",
		"```\n[NEXT: bob]\n```",
		"[NEXT: bob]\n```\ncode\n```",
		"[NEXT: bob]\n> so she said",
		"```\n[NEXT: bob]",                    // a fence that is never closed
		"~~~ text\n```\n[NEXT: bob]\n",        // another fence inside
		"````\n```\n[NEXT: bob]",              // a shorter one closes nothing
		"- ```\n  [NEXT: bob]",                // in a list
		"1. step\n   ```sh\n   [NEXT: bob]",   //
		"Like this:\n\n    [NEXT: bob]",       // indented code
		"Like this:\n\n\t[NEXT: bob]",         //
		"Write `[NEXT: bob]`",                 // inline code
		"Write ``a ` [NEXT: bob]``",           //
		"Write `a\nb [NEXT: bob]` at the end", // over two lines
		"`[NEXT:` bob]",                       // half of it in code
		"[NEXT: `bob`]",                       //
		"> [NEXT: bob]",                       // quoted
		"She said:\n> so\n> [NEXT: bob]",      //
		`She said "[NEXT: bob]"`,              //
		`"Then write [NEXT: bob] there," she said`,
		"She said “[NEXT: bob]”, „[NEXT: bob]“ and «[NEXT: bob]».",
		"She said 「[NEXT: bob]」, 『Then [NEXT: bob]』 and ‹[NEXT: bob]›.",
		"Write '[NEXT: bob]' to ask", "Write ‘[NEXT: bob]’ to ask", "or ‚[NEXT: bob]‘",
		`Write \[NEXT: bob] to ask`, // escaped
		`Write [NEXT: bob\] to ask`,
		"[[NEXT: bob]]", "[see [NEXT: bob] there]", "[NE[NEXT: a]XT: b]",
		"[NEXT bob]", "[NEXTS: bob]", "NEXT: bob", "(NEXT: bob)", "[NEXT: bob", "NEXT: bob]", "[NEXT:\nbob]", "[TEAM TASK: x]",
	} {
		if m, stored := Read(text); m.text() != "" || stored != text || Bare(text) != text {
			t.Errorf("%q: %s, stored %q, bare %q", text, m.text(), stored, Bare(text))
		}
	}
	for _, text := range []string{ // similar to the texts above, and real markers
		"```\n[NEXT: x]\n```\n[NEXT: bob]",
		"Use `[NEXT: x]` [NEXT: bob]",
		"> [NEXT: x]\n[NEXT: bob]",
		`She said "[NEXT: x]" [NEXT: bob]`,
		`5" are enough [NEXT: bob]`,
		"A lone ` is none [NEXT: bob]",
		"A paragraph\n    goes on [NEXT: bob]",
		"~~ no fence [NEXT: bob]",
		"`` [ ` [NEXT: bob]",
		"It isn't, isn't it [NEXT: bob]", "the agents' [NEXT: bob]", "'twas so [NEXT: bob]", "'x' [NEXT: bob]",
		"a] [b [NEXT: bob]",
		`\\[NEXT: bob]`,
		"[a] [link](x) [NEXT: bob]",
	} {
		if m, _ := Read(text); m.text() != "next bob!P2" {
			t.Errorf("%q: %s", text, m.text())
		}
	}
}

// The number of names in a message is bounded, and so is the time to read it.
func TestReadIsBounded(t *testing.T) {
	var many []string
	for i := range 500 {
		many = append(many, fmt.Sprint("n", i))
	}
	list := strings.Join(many, ",")
	m, _ := Read("[NEXT: " + list + "] [DROP: " + list + "] [TEAM_TASK: " + strings.Repeat("é", maxTask) + "]")
	if len(m.Next) != maxNames || len(m.Drop) != maxNames || len(*m.Task) > maxTask || !utf8.ValidString(*m.Task) {
		t.Fatalf("%d, %d, %d", len(m.Next), len(m.Drop), len(*m.Task))
	}
	// An algorithm of quadratic time would need seconds for each of these texts.
	for _, unit := range []string{"[NEXT: a]", "x[NEXT: a]", "[", "]", "`", "` ``", `"`, "“", "„", "«", "\\", "[NEXT: a]\n", "\n", "x ", "[NEXT:"} {
		Read("x " + strings.Repeat(unit, world.MaxMessageText/len(unit)))
	}
}

func TestMarksOfSeveralRows(t *testing.T) {
	a, _ := Read("x [NEXT: a] [TEAM_TASK: one] [FROM: p]")
	b, _ := Read("y [NEXT: b!P1, a] [DROP: c]")
	c, _ := Read("z [TEAM_TASK: two] [DROP: ALL]")
	both := a.and(b).and(c)
	if got := both.text(); got != `next a!P2, next b!P1, from p, task "two", drop all, drop c` {
		t.Fatal(got)
	}
	if a.text() != `next a!P2, from p, task "one"` {
		t.Fatalf("changed: %s", a.text())
	}
}

// S2-B8: the team task of a session is the last one that a row sets.
func TestTaskOf(t *testing.T) {
	row := func(role, text string) world.Message {
		return world.Message{Role: role, Status: world.MessageDone, Content: text}
	}
	rows := []world.Message{
		row("user", "[TEAM_TASK: one]"), row("assistant", "ok [TEAM_TASK: two]"), row("user", "like `[TEAM_TASK: three]`"), row("system", "[TEAM_TASK: four]"),
	}
	rows = append(rows, world.Message{Role: "assistant", Status: world.MessageInterrupted, Content: "[TEAM_TASK: five]"})
	if got := taskOf(rows); got != "two" {
		t.Errorf("%q", got)
	}
	if got := taskOf(append(rows, row("user", "[TEAM_TASK:]"))); got != "" {
		t.Errorf("taken away, and still %q", got)
	}
	if got := taskOf(nil); got != "" {
		t.Errorf("%q", got)
	}
}

// FuzzRead: Read never panics; stripping twice equals stripping once; a stored text has no marker that
// routes, a bare text no marker at all; code stays unchanged.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"Hi [NEXT: a, b!P1]\n[TEAM_TASK: x] [FROM: y]\n[DROP: ALL]", "`a [NEXT: b]` [NEXT: c]", "[NE[NEXT: a]XT: b]", `"x [NEXT: a" b]`,
		"[NEXT: a]```\n[TEAM_TASK: x]", "``[NEXT: a]`", "\\[NEXT: a] [NEXT: b]", "> q\n[NEXT: a]\n    [TEAM_TASK: t]", "[NEXT: a]> [FROM: b]\n[DROP: c]",
		"- ```\n[NEXT: a]", "“[NEXT: a” b] «[NEXT: c]»", "x [NEXT: a,\v b]", "x `\n[NEXT: a`]\n\n[TEAM_TASK: `]", "[NEXT:]\n\v[TEAM_TASK:]",
	} {
		f.Add(s)
	}
	f.Fuzz(holds)
}

// Texts that are composed of pieces of markers, code and quotations have the properties that FuzzRead checks.
func TestReadAnyPieces_S2_B8(t *testing.T) {
	pieces := []string{
		"[NEXT: a]", "[next:b!P1]", "[FROM: c]", "[TEAM_TASK: d]", "[DROP: ALL]", "[NEXT: `a`]", `[NEXT: "a"]`, `[TEAM_TASK: 5" e]`, "[NEXT: a“]", "[NEXT: a`]",
		"[", "]", "[NEXT:", "NEXT: a]", "`", "``", "```", "~~~", `"`, "“", "”", "„", "«", "»", "'", "'", "‘", "’", "「", "」", "\\", "\n", "\n", "\n", "\n\n", "\r\n", " ", " ", "    ", "\t",
		">", "- ", "1. ", "*", ".", "x", "word", "é", "小", "\xff",
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 60_000 {
		var b strings.Builder
		for range 1 + r.IntN(14) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		holds(t, b.String())
	}
}

func holds(t *testing.T, s string) {
	t.Helper()
	m, stored := Read(s)
	again, twice := Read(stored)
	if twice != stored || len(again.Next) > 0 || len(again.Drop) > 0 || again.DropAll {
		t.Fatalf("%q stored as %q reads as %s, %q", s, stored, again.text(), twice)
	}
	bare := Bare(s)
	if none, _ := Read(bare); Bare(bare) != bare || none.text() != "" {
		t.Fatalf("%q bare is %q, of which remains %s, %q", s, bare, none.text(), Bare(bare))
	}
	if utf8.ValidString(s) && !(utf8.ValidString(stored) && utf8.ValidString(bare)) {
		t.Fatalf("%q: a character was cut", s)
	}
	if len(stored) > len(s) || len(bare) > len(s) {
		t.Fatalf("%q grew", s)
	}
	for _, a := range m.Next {
		if a.Name == "" || a.Name != strings.TrimSpace(a.Name) || !slices.Contains([]string{P1, P2, P3}, a.Intent) {
			t.Fatalf("%q: %+v", s, a)
		}
	}
	code := strings.ReplaceAll(s, "`", "'")
	for _, text := range []string{
		"````\n" + code + "\n````", "````\n" + code,
		"Like `" + strings.NewReplacer("\n", " ", "\r", " ").Replace(code) + "`",
		"> " + strings.ReplaceAll(s, "\n", "\n> "),
		"    " + strings.ReplaceAll(s, "\n", "\n    "),
	} {
		if got, stored := Read(text); got.text() != "" || stored != text || Bare(text) != text {
			t.Fatalf("%q: code reads as %s, stored %q", text, got.text(), stored)
		}
	}
}
