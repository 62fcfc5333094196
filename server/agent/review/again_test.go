package review

import (
	"strings"
	"testing"

	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

// The second review withdraws findings that it does not find again. It names the commit that it reviewed,
// and says what happens to their quests. It also settles a quest that an older version did not.
func TestSecondReviewTellsOfQuests(t *testing.T) {
	s := &shelf{
		files: map[string]string{"a.go": "package a // bad\n", "b.go": "package a // bad\n", "c.go": "package a // bad\n", "d.go": "package a // bad\n"},
		past:  &past{head: "abcdef1", changed: map[string][]string{"abcdef1": nil, "abcdef2": nil}},
	}
	b := newBoard(t, s)
	review := func() {
		b.heroes(reconnaissance, 2)
		b.heroes(deepAnalysis, 3)
		b.heroes(crossReference, 1)
		b.play(oracle, oracleReview, 1)
	}
	review()
	if len(b.quests) != 4 {
		t.Fatalf("quests %+v", b.quests)
	}
	for i := range b.quests {
		if b.quests[i].Path == "b.go" {
			b.quests[i].Status = world.QuestProgress
		}
	}
	// Of the files except a.go, b.go is mended and d.go is accepted. The finding of c.go was withdrawn earlier, but its
	// quest is open.
	lines := ""
	for _, f := range b.findings {
		if f.Path == "d.go" {
			lines += strings.Replace(f.Accept, "REASON", "it is meant so", 1) + "\n"
		}
	}
	s.files = map[string]string{"a.go": s.files["a.go"], "b.go": "package a\n", "d.go": s.files["d.go"], inspect.ExcusesFile: lines}
	s.past.head, s.past.changed["abcdef1"] = "abcdef2", []string{"b.go", "c.go", "d.go"}
	for i := range b.findings {
		if b.findings[i].Path == "c.go" {
			b.findings[i].Withdrawn = "long gone"
		}
	}
	b.talk, b.earlier, b.findings = "2", b.findings, nil
	review()
	why := map[string]string{}
	for _, w := range b.withdrawn {
		for _, f := range b.earlier {
			if f.ID == w.FindingID && f.Check != "healer/also" {
				why[f.Path] = w.Reason
			}
		}
	}
	want := map[string]string{
		"b.go": "it does not stand there any more: the review of commit abcdef2 no longer finds it",
		"c.go": "long gone",
		"d.go": "the repository accepts it in .agentdungeon-review: the review of commit abcdef2 leaves it out",
	}
	for path, reason := range want {
		if why[path] != reason {
			t.Errorf("%s is withdrawn because %q", path, why[path])
		}
	}
	for _, say := range []string{"2 open quests are done by that", "1 quest is taken: the person who took it is told"} {
		if !strings.Contains(b.said, say) {
			t.Errorf("it does not say %q: %s", say, b.said)
		}
	}
}

// The Oracle checks findings again whose place has changed, also minor ones, and withdraws those whose file
// is gone or whose line was rewritten. A finding that has only moved to another line remains.
func TestOracleLooksAgainWhereTheFolderChanged(t *testing.T) {
	s := &shelf{files: map[string]string{
		"gone.go": "package a // ugly\n", "old.go": "package b // ugly\n", "edited.go": "package c\n\n// ugly\n", "lower.go": "package d // ugly\n", "same.go": "package e // ugly\n",
	}}
	b := newBoard(t, s)
	b.heroes(reconnaissance, 2)
	b.heroes(deepAnalysis, 3)
	b.heroes(crossReference, 1)
	s.files = map[string]string{
		"new.go": s.files["old.go"], "edited.go": "package c\n\n// fair\n", "lower.go": "\n\n" + s.files["lower.go"], "same.go": s.files["same.go"], "added.go": "package f // ugly\n",
	}
	b.play(oracle, oracleReview, 1)
	got := map[string]string{}
	for _, f := range b.findings {
		got[f.Path] = f.Withdrawn
	}
	for path, want := range map[string]string{
		"gone.go": "its file is not there any more", "old.go": "its file is not there any more", "edited.go": "it does not stand there any more", "lower.go": "", "same.go": "",
	} {
		if why, found := got[path]; why != want || !found {
			t.Errorf("%s: withdrawn %q, want %q", path, why, want)
		}
	}
	if len(got) != 5 {
		t.Errorf("found %v", got)
	}
	if !strings.Contains(b.said, "3 were withdrawn after a second look") {
		t.Errorf("the Oracle says %q", b.said)
	}
}

// The next review continues from the checkpoint of an insight, whatever the insight's text is. A file that was not
// committed then has changed if its content has. If an older version left only the text, the review reads the checkpoint
// from the text, which does not know contents. Without both it looks at everything.
func TestCheckpointIsData(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*world.Insight)
		goesOn string
		text   string // of c.go, which is not committed at first
	}{
		"as it is made":    {func(*world.Insight) {}, "1 of 3 files changed", "package a\n"},
		"changed again":    {func(*world.Insight) {}, "2 of 3 files changed", "package a // bad\n"},
		"in other words":   {func(in *world.Insight) { in.Text = "Much was seen." }, "1 of 3 files changed", "package a\n"},
		"by older version": {func(in *world.Insight) { in.Review = nil }, "2 of 3 files changed", "package a\n"},
		"without either":   {func(in *world.Insight) { in.Review, in.Text = nil, "Much was seen." }, "", "package a\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &shelf{
				files: map[string]string{"a.go": "package a // bad\n", "b.go": "package a\n", "c.go": "package a\n"},
				past:  &past{head: "abcdef1", changed: map[string][]string{"abcdef1": {"c.go"}}},
			}
			b := newBoard(t, s)
			b.play("sentinel", reconnaissance, 2)
			for n := range 3 {
				b.play("sentinel", deepAnalysis, n+1)
			}
			left := b.learned["sentinel"]
			want := `at commit abcdef1 by rules ` + b.scouts.rules + ` with changes ["c.go"].`
			if len(left) != 1 || !strings.HasSuffix(left[0].Text, want) {
				t.Fatalf("learned %+v, want words that end with %q", left, want)
			}
			tc.change(&left[0])
			s.past.head, s.past.changed = "abcdef2", map[string][]string{"abcdef1": {"b.go"}, "abcdef2": nil}
			s.files["c.go"] = tc.text
			b.earlier, b.findings, b.talk = b.findings, nil, "2"
			b.play("sentinel", reconnaissance, 2)
			if !strings.Contains(b.said, tc.goesOn) || tc.goesOn == "" && strings.Contains(b.said, "files changed") {
				t.Errorf("it does not go on with %q: %q", tc.goesOn, b.said)
			}
		})
	}
}
