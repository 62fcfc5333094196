package review

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentdungeon/server/brief"
	"agentdungeon/server/driver"
	"agentdungeon/shared/world"
)

// seats returns the members of a council. Names with a capital are people, others agents.
func seats(names ...string) []world.Member {
	var out []world.Member
	for i, n := range names {
		kind := world.KindAgent
		if n[0] < 'a' {
			kind = world.KindHuman
		}
		out = append(out, world.Member{ID: n, Name: n, DisplayName: n, Type: kind, Order: i})
	}
	return out
}

// councilTurn returns the realm's request for the n-th turn of a council, by the member who, who has taken own turns.
func councilTurn(task string, members []world.Member, who, own, n, turns int) driver.Turn {
	m := members[who]
	req := turn(m.ID, world.StageRounds, n)
	req.Kind, req.Words, req.Turns, req.RequestID, req.Team, req.MemberID = world.KindCouncil, task, turns, fmt.Sprint("t", n), members, m.ID
	req.Own = own
	req.Prompt = brief.Prompt(brief.Turn{
		Kind: world.KindCouncil, Role: req.Role, Team: members, Self: m.ID, Task: task, Turn: n, Turns: turns, Repo: "tools",
		Said: []world.Message{{Role: world.RoleAssistant, Status: world.MessageDone, MemberID: m.ID, Content: "You speak one after another: nobody, you."}},
	})
	return req
}

var talkFiles = map[string]string{
	"go.mod":   "module example.org/x\n",
	"src/a.go": "package src\n\n// bad 1\n// bad 2\n// bad 3\n// ugly 1\nfunc Do() {}\n", "src/b.go": "package src\n\n// bad 4\n",
	"cmd/main.go": "package main\n\nimport \"example.org/x/src\"\n\nfunc main() { src.Do() }\n", "README.md": "# x\n\nIt does it.\n",
}

// hold plays a council as its plan does: a turn in which a hero passes does not count, and when all have passed, the
// next hero sums up. People say nothing, and their turns count. hold returns what was said in each turn that counts. If
// killed is set, new scouts play each turn.
func hold(t *testing.T, task string, members []world.Member, turns int, killed bool, change func(*driver.Turn)) []string {
	t.Helper()
	s := &shelf{files: talkFiles, history: told{&past{head: "abcdef1"}}}
	scouts := New(s, checks(), "1")
	var said []string
	own, passes := make([]int, len(members)), 0
	for who := 0; len(said) < turns; who = (who + 1) % len(members) {
		if members[who].Type == world.KindHuman {
			if passes < len(members) {
				said, passes = append(said, ""), 0
			}
			continue
		}
		most := turns
		if passes >= len(members) {
			most = len(said) + 1
		}
		req := councilTurn(task, members, who, own[who], len(said)+1, most)
		if killed {
			if err := scouts.Close(); err != nil {
				t.Error(err)
			}
			scouts = New(s, checks(), "1")
		}
		if change != nil {
			change(&req)
		}
		text, passed := play(t, scouts, req)
		if !passed {
			said, passes = append(said, text), 0
			own[who]++
		} else {
			passes++
		}
		if req.N == req.Turns && (!passed || most < turns) {
			break // it was the last turn, or the closing one, which also ends the council if nothing is left to sum up
		}
		if passes > 2*len(members) {
			t.Fatal("no end")
		}
	}
	if err := scouts.Close(); err != nil {
		t.Error(err)
	}
	if s.opened != s.closed {
		t.Errorf("%d views opened, %d closed", s.opened, s.closed)
	}
	return said
}

// play plays a turn of a council. It asserts that the hero either speaks or passes.
func play(t *testing.T, scouts *Scouts, req driver.Turn) (text string, passed bool) {
	t.Helper()
	emit := func(c driver.Chunk) error {
		text, passed = text+c.Text, passed || c.Pass
		return nil
	}
	if err := scouts.Driver(review1, req.Role).Run(t.Context(), req, emit); err != nil {
		t.Fatalf("turn %d: %v", req.N, err)
	}
	if passed != (text == "") {
		t.Errorf("turn %d says %q, and passes: %v", req.N, text, passed)
	}
	if strings.Contains(text, "I have nothing") {
		t.Errorf("turn %d says that it says nothing: %q", req.N, text)
	}
	return text, passed
}

// ends asserts that the council took n turns.
func ends(t *testing.T, said []string, n int) {
	t.Helper()
	if len(said) != n {
		t.Errorf("the council took %d turns and not %d: %q", len(said), n, said)
	}
}

// once asserts that no two turns say the same paragraph.
func once(t *testing.T, said []string) {
	t.Helper()
	seen := map[string]int{}
	for n, text := range said {
		for p := range strings.SplitSeq(text, "\n\n") {
			if before, twice := seen[p]; twice && p != "" {
				t.Errorf("turn %d says again what turn %d said: %q", n+1, before+1, p)
			}
			seen[p] = n
		}
	}
}

func says(t *testing.T, said []string, n int, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(said[n-1], w) {
			t.Errorf("turn %d does not say %q: %q", n, w, said[n-1])
		}
	}
}

// In a council each hero says what it measures, the weightiest finding first and nothing twice; when it has said all,
// it passes. The last turn ranks the findings. A turn that is repeated after a kill says the same.
func TestCouncilOnATask(t *testing.T) {
	members := seats("sentinel", "Ada", "healer")
	const task = "Make this safer."
	said := hold(t, task, members, 9, false, nil)
	once(t, said)
	says(t, said, 1, "secrets and insecure defaults would be there", "src/a.go:3, high: The word bad", "src/a.go:4, high", "I keep 2 more findings")
	says(t, said, 3, "src/a.go:6, medium: The word ugly", "src/a.go:3, low")
	says(t, said, 4, "src/a.go:5, high", "src/b.go:3, high")
	says(t, said, 6, "src/a.go:4, low", "src/a.go:5, low")
	says(t, said, 8, "src/b.go:3, low")
	says(t, said, 9, "In sum: 9 findings, 4 high, 1 medium and 4 low, most in src (9).",
		"1. src/a.go:3, high: The word bad", "5. src/a.go:6, medium: The word ugly")
	if after := hold(t, task, members, 9, true, nil); !slices.Equal(after, said) {
		t.Errorf("after a kill it says\n%q\nand not\n%q", after, said)
	}
}

// The facts about a place are dealt to the heroes whose subject they are. When all is said, one hero sums up, and the
// turns that are left are not taken.
func TestCouncilOnAPlace(t *testing.T) {
	said := hold(t, "Look at src/b.go, please", seats("healer", "bard", "sentinel", "architect"), 12, false, nil)
	once(t, said)
	says(t, said, 1, "src/b.go has 3 lines of Go", "src/b.go:3, low")
	says(t, said, 2, "src/b.go:3, high")
	says(t, said, 3, "1 import of the package of src/b.go: cmd/main.go:3")
	says(t, said, 4, "In sum: 2 findings in src/b.go, 1 high and 1 low.", "1. src/b.go:3, high", "2. src/b.go:3, low",
		"Without a finding in src/b.go: the Bard and the Architect.")
	ends(t, said, 4)

	said = hold(t, "Should the package src stay?", seats("Ada", "sentinel", "architect"), 6, false, nil)
	once(t, said)
	says(t, said, 2, "src holds 2 files of code", "src/a.go:3, high")
	says(t, said, 3, "1 import of src: cmd/main.go:3")

	said = hold(t, "Rename `Do` everywhere", seats("sentinel", "healer"), 2, false, nil)
	says(t, said, 1, "Do is defined at src/a.go:7")
	if want := "Do is in 2 lines of code, 0 of them in tests: cmd/main.go:5 and src/a.go:7."; said[1] != want {
		t.Errorf("without a finding the end says %q, not %q", said[1], want) // nothing that sums up nothing
	}
}

// The agent that speaks first answers a question; the others do not answer it again.
func TestCouncilOnAQuestion(t *testing.T) {
	said := hold(t, "What imports example.org/x/src?", seats("Ada", "sentinel", "healer"), 3, false, nil)
	once(t, said)
	says(t, said, 2, "1 import of src: cmd/main.go:3")

	findings := []world.Finding{}
	scouts := New(&shelf{files: talkFiles}, checks(), "1")
	b := &board{t: t, scouts: scouts, texts: map[string]string{}, learned: map[string][]world.Insight{}}
	b.play("sentinel", reconnaissance, 1)
	for n := 1; n <= turnsOfAnalysis; n++ {
		b.play("sentinel", deepAnalysis, n)
	}
	findings = append(findings, b.findings...)
	if err := scouts.Close(); err != nil {
		t.Error(err)
	}
	said = hold(t, "Why is src/b.go:3 so severe?", seats("healer", "sentinel", "oracle"), 6, false, func(r *driver.Turn) { r.Findings = findings })
	once(t, said)
	says(t, said, 1, "The word bad stands here (src/b.go:3) is high", "The code there: // bad 4")
	says(t, said, len(said), "In sum: ")
	if strings.Contains(said[1], "src/b.go:3, high") {
		t.Errorf("what was explained is told again: %q", said[1])
	}
}

// If the request does not tell the order of the members, turns still say nothing twice.
func TestCouncilWithoutAnOrder(t *testing.T) {
	said := hold(t, "Make this safer.", seats("sentinel", "healer"), 6, false, func(r *driver.Turn) { r.Team = nil })
	once(t, said)
	says(t, said, 1, "src/a.go:3, high")
}

// If the task has words of the subject of some heroes, these begin with their facts and the others do not tell what they
// notice elsewhere. Without findings the end says what they have looked for, and not how large the repository is.
func TestCouncilOnASubject(t *testing.T) {
	members := seats("bard", "cartographer", "sage", "warden")
	said := hold(t, "See which code has no tests, and write them", members, 6, false, nil)
	once(t, said)
	says(t, said, 1, "No test file. No test names or imports 1 source file: src/a.go.")
	if strings.Contains(strings.Join(said, " "), "most below") || strings.Contains(strings.Join(said, " "), "README.md has") {
		t.Errorf("a hero says what the task does not ask for: %q", said)
	}
	said = hold(t, "Look for lost errors in cmd/main.go", seats("bard", "healer", "cartographer"), 6, false, nil)
	once(t, said)
	says(t, said, len(said), "None of us has a finding in cmd/main.go. These have looked in cmd/main.go: the Bard for broken; the Healer for also and ugly.")
	if text := strings.Join(said, "\n"); !strings.Contains(text, "I looked in cmd/main.go for also and ugly, and found none.") {
		t.Errorf("the Healer does not say what it has looked for: %q", text)
	}
}

// A hero whom a person asks something by its name answers it in its next turn, and goes on with the task.
func TestCouncilTakesUpAQuestion(t *testing.T) {
	said := hold(t, "Look at src/b.go, please", seats("sentinel", "architect"), 6, false, func(r *driver.Turn) {
		if r.N == 2 {
			r.Asked = "Architect, where is Do defined?"
		}
	})
	says(t, said, 2, "Do is defined at src/a.go:7.\n\n1 import of the package of src/b.go: cmd/main.go:3")
	// What a person asks without a name is answered by the heroes whose subject it is, each part by its own.
	for _, c := range []struct{ asked, sage, healer string }{
		{"Which tests cover src/b.go?", "I find no test of src/b.go.", ""},
		{"Where is Do defined?", "Do is defined at src/a.go:7.", ""}, // nobody's subject: the first one
		{"Sage, which tests cover src/b.go? And Healer, where is Do defined?", "I find no test of src/b.go.", "Do is defined at src/a.go:7."},
		{"Sage and Healer, where is Do defined, and which tests cover src/b.go?", "Do is defined at src/a.go:7.\n\nI find no test of src/b.go.", ""},
		{"Healer, what is the weather?", "", "That is beyond me"},
	} {
		var since []world.Message
		got := map[string]string{}
		for i, hero := range []string{"sage", "healer"} {
			scouts := New(&shelf{files: map[string]string{"src/a.go": talkFiles["src/a.go"], "src/b.go": "package src\n"}}, nil, "1")
			req := councilTurn("Talk.", seats("sage", "Ada", "healer"), 2*i, 1, 2+i, 9)
			req.Asked, req.Window = c.asked, since
			got[hero], _ = play(t, scouts, req)
			since = append(since, world.Message{MemberID: hero, Content: got[hero]})
			if got[hero] == "" {
				since = nil
			}
			if err := scouts.Close(); err != nil {
				t.Error(err)
			}
		}
		if got["sage"] != c.sage || (c.healer == "") != (got["healer"] == "") || !strings.HasPrefix(got["healer"], c.healer) {
			t.Errorf("%q: the Sage says %q, the Healer %q", c.asked, got["sage"], got["healer"])
		}
	}
	if thanks := hold(t, "Look at src/b.go, please", seats("sentinel", "architect"), 6, false, func(r *driver.Turn) {
		r.Asked = "The Architect is right."
	}); strings.Contains(strings.Join(thanks, " "), "beyond me") {
		t.Errorf("a sentence that asks nothing is answered: %q", thanks)
	}
}

// Without a linked folder a turn fails with a message that says what to do.
func TestTalkWithoutAFolder(t *testing.T) {
	for _, kind := range []string{world.KindCouncil, world.KindChat} {
		req := councilTurn("Make this safer.", seats("sentinel"), 0, 0, 1, 3)
		req.Kind, req.RepoPath = kind, ""
		s := &shelf{files: talkFiles}
		scouts := New(s, checks(), "1")
		err := scouts.Driver(review1, req.Role).Run(t.Context(), req, func(driver.Chunk) error { return nil })
		var failed *driver.TurnError
		if !errors.As(err, &failed) || failed.Code != codeNoRepository || !strings.Contains(failed.Message, "Link one") {
			t.Errorf("%s: %v", kind, err)
		}
		if err := scouts.Close(); err != nil || s.opened != 0 {
			t.Error(err, s.opened)
		}
	}
}
