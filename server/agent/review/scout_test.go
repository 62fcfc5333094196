package review

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"agentdungeon/server/agent/agenttest"
	"agentdungeon/server/driver"
	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

var now = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

// shelf opens repositories in memory, and counts how often they are opened and closed.
type shelf struct {
	mu     sync.Mutex
	files  map[string]string
	opened int
	closed int
	err    error
	past   *past // nil: no git
	// history replaces past if it is set.
	history inspect.History
}

// past is a history without commits of files. It only knows which files changed.
type past struct {
	inspect.History
	head    string
	changed map[string][]string // since a commit
}

func (p *past) State(context.Context) (string, error) { return p.head, nil }
func (p *past) Head() string                          { return p.head }
func (p *past) Commits() (int, bool)                  { return 1, true }
func (p *past) Past(string) (inspect.Past, bool)      { return inspect.Past{}, false }
func (p *past) Blame(context.Context, string, int) (inspect.Author, error) {
	return inspect.Author{}, errors.New("no line is in a commit")
}
func (p *past) Since(_ context.Context, commit string) ([]string, bool) {
	changed, ok := p.changed[commit]
	return changed, ok
}

func (s *shelf) Open(context.Context, string) (*inspect.Repo, io.Closer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return nil, nil, s.err
	}
	s.opened++
	fsys := fstest.MapFS{}
	var entries []inspect.Entry
	for p, text := range s.files {
		fsys[p] = &fstest.MapFile{Data: []byte(text)}
		entries = append(entries, inspect.Entry{Path: p, Size: int64(len(text))})
	}
	var h inspect.History
	if s.past != nil {
		h = s.past
	}
	if s.history != nil {
		h = s.history
	}
	return inspect.New("tools", fsys, entries, h, now), s, nil
}

func (s *shelf) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed++
	return nil
}

// word returns a check that finds the lines with a word.
func word(id, w, severity string) inspect.Check {
	hero, _, _ := strings.Cut(id, "/")
	return inspect.Check{ID: id, Hero: hero, Looks: "the word " + w, Rule: "always " + severity, Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		for f, data := range r.All(ctx) {
			for n, line := range inspect.Lines(data) {
				if strings.Contains(line, w) {
					report(inspect.Finding{Severity: severity, Title: "The word " + w + " stands here", Path: f.Path, Line: n, Evidence: line, Why: "It is " + w + ".", Advice: "Take it out."})
				}
			}
		}
		return nil
	}}
}

func checks() []inspect.Check {
	return []inspect.Check{
		word("sentinel/bad", "bad", "high"), word("healer/also", "bad", "low"), word("healer/ugly", "ugly", "medium"),
		word("archaeologist/note", "TO"+"DO", "low"),
		{ID: "bard/broken", Hero: "bard", Looks: "trouble", Rule: "-", Run: func(context.Context, *inspect.Repo, func(inspect.Finding)) error { panic("oh") }},
	}
}

func turn(role, stage string, n int) driver.Turn {
	return driver.Turn{
		Kind: world.KindProcess, RealmID: "r", ConversationID: "c", Role: world.Role{ID: role, Name: role}, MemberID: role, StageID: stage, N: n, Pace: world.PaceInstant,
		RepoName: "tools", RepoPath: "/somewhere",
	}
}

var review1 = &world.Template{ID: Review}

// board plays turns like a realm and keeps their results.
type board struct {
	t        *testing.T
	scouts   *Scouts
	findings []world.Finding
	quests   []world.Quest
	texts    map[string]string
	sealed   []string
	read     []string
	said     string
	passed   bool // the last turn has passed
	earlier  []world.Finding
	learned  map[string][]world.Insight
	talk     string
	// withdrawn has the withdrawals of this review and of earlier ones.
	withdrawn []driver.Withdraw
	// cut is the number of the withdrawal that ends a turn, which is then repeated; 0 for none.
	cut int
}

var errCut = errors.New("the turn was cut off")

func (b *board) play(role, stage string, n int) {
	b.t.Helper()
	req := turn(role, stage, n)
	for _, f := range b.findings {
		if f.Withdrawn == "" {
			req.Findings = append(req.Findings, f)
		}
	}
	req.Quests, req.Insights, req.ConversationID = b.quests, b.learned[role], "c"+b.talk
	req.Earlier = b.earlier
	b.said, b.passed = "", false
	d := b.scouts.Driver(review1, req.Role)
	if d == nil {
		b.t.Fatalf("nobody plays %s", role)
	}
	err := d.Run(b.t.Context(), req, func(c driver.Chunk) error {
		switch {
		case c.Text != "":
			b.said += c.Text
		case c.Pass:
			b.passed = true
		case c.Read != nil:
			b.read = append(b.read, c.Read.Path)
		case c.Finding != nil:
			f := *c.Finding
			f.AgentID = role
			if i := slices.IndexFunc(b.findings, func(o world.Finding) bool { return o.ID == f.ID }); i >= 0 {
				b.findings[i] = f
			} else {
				b.findings = append(b.findings, f)
			}
		case c.Withdraw != nil:
			if b.cut > 0 {
				if b.cut--; b.cut == 0 {
					return errCut
				}
			}
			b.withdrawn = append(b.withdrawn, *c.Withdraw)
			for i := range b.findings {
				if b.findings[i].ID == c.Withdraw.FindingID {
					b.findings[i].Withdrawn, b.findings[i].Into = c.Withdraw.Reason, c.Withdraw.Into
				}
			}
		case c.Prove != nil:
			for i := range b.findings {
				if b.findings[i].ID == c.Prove.FindingID {
					b.findings[i].Proof = c.Prove.Proof
				}
			}
		case c.Insight != nil:
			b.learned[role] = append(b.learned[role], *c.Insight)
		case c.Quest != nil:
			q := *c.Quest
			q.Status = world.QuestOpen
			b.quests = append(b.quests, q)
		case c.Artifact != nil:
			b.texts[c.Artifact.Name] = c.Artifact.Text
		case c.Seal != nil:
			b.sealed = append(b.sealed, stage)
		}
		return nil
	})
	if errors.Is(err, errCut) {
		b.play(role, stage, n)
		return
	}
	if err != nil {
		b.t.Fatalf("%s in %s: %v", role, stage, err)
	}
	if strings.TrimSpace(b.said) == "" && !b.passed {
		b.t.Errorf("%s neither says anything nor passes in %s, turn %d", role, stage, n)
	}
}

var present = []string{"sentinel", "healer", "archaeologist", "bard"}

func (b *board) heroes(stage string, turns int) {
	b.t.Helper()
	for n := range turns {
		for _, hero := range present {
			b.play(hero, stage, n+1)
		}
	}
}

func newBoard(t *testing.T, s *shelf) *board {
	scouts := New(s, checks(), "1")
	t.Cleanup(func() {
		if err := scouts.Close(); err != nil {
			t.Error(err)
		}
	})
	return &board{t: t, scouts: scouts, texts: map[string]string{}, learned: map[string][]world.Insight{}}
}

func TestReviewFromEndToEnd(t *testing.T) {
	s := &shelf{files: map[string]string{"README.md": "# Tools\n", "src/a.go": "package a\n\n// bad thing\n// an ugly one\n", "src/b.go": "package a // bad\n// TO" + "DO: more\n"}}
	b := newBoard(t, s)
	b.heroes(reconnaissance, 2)
	b.heroes(deepAnalysis, 3)
	if len(b.findings) != 6 {
		t.Fatalf("%d findings: %+v", len(b.findings), b.findings)
	}
	b.heroes(deepAnalysis, 3) // taken again: nothing twice
	if len(b.findings) != 6 {
		t.Fatalf("%d findings after the same turns again", len(b.findings))
	}
	if !slices.Contains(b.read, "src/a.go") {
		t.Errorf("nobody walked to src/a.go: %q", b.read)
	}
	b.heroes(crossReference, 1)
	for _, f := range b.findings {
		if folded := f.Check == "healer/also"; folded != (f.Withdrawn != "" && f.Into != "") {
			t.Errorf("%s at %s:%d: withdrawn %q into %q", f.Check, f.Path, f.Line, f.Withdrawn, f.Into)
		}
	}
	// Before the Oracle's turn src/b.go is mended.
	s.mu.Lock()
	s.files["src/b.go"] = "package a\n// TO" + "DO: more\n"
	s.mu.Unlock()
	b.play(oracle, oracleReview, 1)
	gone, stands := 0, 0
	for _, f := range b.findings {
		if f.Check == "sentinel/bad" && f.Path == "src/b.go" && f.Withdrawn != "" {
			gone++
		} else if f.Check == "sentinel/bad" && f.Withdrawn == "" {
			stands++
		}
	}
	if gone != 1 || stands != 1 {
		t.Errorf("%d withdrawn after the second look, %d stand: %s", gone, stands, b.said)
	}
	if len(b.quests) != 1 || b.quests[0].Priority != "high" {
		t.Errorf("quests %+v", b.quests)
	}
	b.play(oracle, synthesis, 1)
	b.play(oracle, presentation, 1)
	if got := strings.Join(b.sealed, " "); got != "oracle_review synthesis presentation" {
		t.Errorf("sealed %q", got)
	}
	report := b.texts["final_report"]
	for _, want := range []string{"## Executive Summary", "## High", "The word bad stands here", "## Recommendations", "The word ugly stands here", "## Next", "## Not looked at", "- broken: not everything was examined: the check failed", "no git repository that can be read", "1 high, 1 medium and 1 low"} {
		if !strings.Contains(report, want) {
			t.Errorf("the report does not say %q:\n%s", want, report)
		}
	}
	if s.opened != 2 {
		t.Errorf("the folder was opened %d times: once for the heroes, once for the Oracle", s.opened)
	}
}

func TestCleanRepository(t *testing.T) {
	b := newBoard(t, &shelf{files: map[string]string{"a.go": "package a\n"}})
	b.heroes(reconnaissance, 2)
	b.heroes(deepAnalysis, 3)
	b.heroes(crossReference, 1)
	for _, stage := range []string{oracleReview, synthesis, presentation} {
		b.play(oracle, stage, 1)
	}
	if len(b.findings)+len(b.quests) != 0 || !strings.Contains(b.texts["final_report"], "found nothing") {
		t.Errorf("%d findings, %d quests: %s", len(b.findings), len(b.quests), b.texts["final_report"])
	}
}

func TestWhoIsPlayed(t *testing.T) {
	s := New(&shelf{}, checks(), "1")
	for _, c := range []struct {
		template *world.Template
		role     string
		want     bool
	}{
		{review1, "sentinel", true}, {review1, "oracle", true}, {review1, "cartographer", true}, {review1, "ranger", false}, {nil, "sentinel", false},
		{&world.Template{ID: "deep_brainstorm"}, "sentinel", false},
	} {
		if got := s.Driver(c.template, world.Role{ID: c.role}) != nil; got != c.want {
			t.Errorf("%s: %t", c.role, got)
		}
	}
}

func TestOldReviewsAreLetGo(t *testing.T) {
	shelf := &shelf{files: map[string]string{"a.go": "package a\n"}}
	s := New(shelf, checks(), "1")
	for i := range maxReviews + 3 {
		req := turn("sentinel", reconnaissance, 1)
		req.ConversationID = fmt.Sprint(i)
		if err := s.Driver(review1, req.Role).Run(t.Context(), req, func(driver.Chunk) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	s.work.Wait()
	if shelf.opened-shelf.closed != maxReviews {
		t.Errorf("%d opened, %d closed", shelf.opened, shelf.closed)
	}
	if err := s.Close(); err != nil || shelf.opened != shelf.closed {
		t.Errorf("%d opened, %d closed, %v", shelf.opened, shelf.closed, err)
	}
}

func TestConform(t *testing.T) {
	open := func() driver.Driver {
		slow := append(checks(), inspect.Check{ID: "warden/slow", Hero: "warden", Looks: "x", Rule: "x", Run: func(ctx context.Context, _ *inspect.Repo, _ func(inspect.Finding)) error {
			<-ctx.Done()
			return ctx.Err()
		}})
		return New(&shelf{files: map[string]string{"a.go": "package a // bad\n"}}, slow, "1").Driver(review1, world.Role{ID: "sentinel"})
	}
	good, fails := turn("sentinel", deepAnalysis, 1), turn("sentinel", deepAnalysis, 1)
	fails.RepoPath = ""
	agenttest.Conform(t, open, agenttest.Turns{Good: &good, Fails: &fails, FailCode: codeNoRepository})
	watched := good
	watched.Pace = world.PaceWatchable
	agenttest.Conform(t, open, agenttest.Turns{Good: &watched})
}

// A check that hangs is ended. The turn says that and continues, and the report says that the review is incomplete.
func TestSlowCheckIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(&shelf{files: map[string]string{"a.go": "package a\n"}}, []inspect.Check{{ID: "warden/slow", Hero: "warden", Looks: "snails", Rule: "-", Run: func(ctx context.Context, _ *inspect.Repo, _ func(inspect.Finding)) error {
			<-ctx.Done()
			return ctx.Err()
		}}}, "1")
		said := ""
		req := turn("warden", deepAnalysis, 1)
		err := s.Driver(review1, req.Role).Run(t.Context(), req, func(c driver.Chunk) error { said += c.Text; return nil })
		if err != nil || !strings.Contains(said, "could not check for snails: the check took longer") {
			t.Errorf("%q, %v", said, err)
		}
		req, report := turn(oracle, presentation, 1), ""
		err = s.Driver(review1, req.Role).Run(t.Context(), req, func(c driver.Chunk) error {
			if c.Artifact != nil {
				report = c.Artifact.Text
			}
			return nil
		})
		if err != nil || !strings.Contains(report, "This review is incomplete: it was too slow for slow, and another one may find more.") {
			t.Errorf("%q, %v", report, err)
		}
	})
}

func TestFolderThatCannotBeRead(t *testing.T) {
	s := New(&shelf{err: errors.New("the disk is gone")}, checks(), "1")
	req := turn("sentinel", reconnaissance, 1)
	err := s.Driver(review1, req.Role).Run(t.Context(), req, func(driver.Chunk) error { return nil })
	var te *driver.TurnError
	if !errors.As(err, &te) || !strings.Contains(te.Message, "the disk is gone") {
		t.Errorf("%v", err)
	}
}

// The second review looks only at files that have changed, keeps its findings in the others, and says so.
// It has the same findings as a review of everything.
func TestSecondReviewIsIncremental(t *testing.T) {
	all := checks()
	looked := map[string]int{}
	for i := range all {
		if all[i].ID == "sentinel/bad" {
			all[i].Local = true
			run := all[i].Run
			all[i].Run = func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
				for _, f := range r.Files {
					looked[f.Path]++
				}
				return run(ctx, r, report)
			}
		}
	}
	s := &shelf{
		files: map[string]string{"a.go": "package a // bad\n", "b.go": "package a // bad\n", "c.go": "package a // bad, not committed\n"},
		past:  &past{head: "abcdef1", changed: map[string][]string{"abcdef1": {"c.go"}}},
	}
	b := newBoard(t, s)
	b.scouts = New(s, all, "1")
	lead := ""
	review := func() []string {
		b.play("sentinel", reconnaissance, 2)
		lead = b.said
		for n := range 3 {
			b.play("sentinel", deepAnalysis, n+1)
		}
		var out []string
		for _, f := range b.findings {
			out = append(out, fmt.Sprintf("%s %s:%d", f.ID, f.Path, f.Line))
		}
		slices.Sort(out)
		return out
	}
	if got := review(); len(got) != 3 {
		t.Fatalf("first: %q", got)
	}
	// b.go is mended and committed; the uncommitted change of c.go is undone.
	s.files["b.go"], s.files["c.go"] = "package a\n", "package a\n"
	s.past.head, s.past.changed["abcdef1"], s.past.changed["abcdef2"] = "abcdef2", []string{"b.go"}, nil
	b.earlier, b.findings, b.talk = b.findings, nil, "2"
	clear(looked)
	got := review()
	if len(got) != 1 || !strings.Contains(got[0], "a.go:1") {
		t.Errorf("second: %q", got)
	}
	if looked["a.go"] != 0 || looked["b.go"] == 0 || looked["c.go"] == 0 {
		t.Errorf("looked at %v", looked)
	}
	if !strings.Contains(lead, "2 of 3 files changed") {
		t.Errorf("it says %q", lead)
	}
	// The Oracle withdraws the findings of the first review that are mended.
	b.play(oracle, oracleReview, 1)
	if !strings.Contains(b.said, "2 findings of the review before cannot be found any more") {
		t.Errorf("the Oracle says %q", b.said)
	}
	// With other checks the review looks at everything again.
	b.scouts = New(s, all, "2")
	clear(looked)
	b.talk = "3"
	if again := review(); !slices.Equal(again, got) || looked["a.go"] == 0 {
		t.Errorf("with other rules: %q, looked at %v", again, looked)
	}
}

// A turn names the checks without findings in one sentence.
func TestTurnsNameInOneSentenceWhatTheyDidNotFind(t *testing.T) {
	b := newBoard(t, &shelf{files: map[string]string{"a.go": "package a // bad\n"}})
	var all []inspect.Check
	for _, w := range []string{"good", "late", "bad", "old"} {
		all = append(all, word("sentinel/"+w, w, "high"))
	}
	b.scouts.checks = all
	for n, want := range []string{"I looked in 1 file for these and found none: good and old.", "I looked in 1 file for these and found none: late.", "I checked for the word bad: 1 finding."} {
		b.play("sentinel", deepAnalysis, n+1)
		if !strings.Contains(b.said, want) || strings.Count(b.said, "found none") > 1 || n == 2 && strings.Contains(b.said, "found none") {
			t.Errorf("turn %d says %q, want %q", n+1, b.said, want)
		}
	}
}

// A hero says once for which of its checks the repository has nothing to look at, and takes no turn to say nothing: not
// one for such checks, and not one of reconnaissance if it has no checks.
func TestAHeroTakesNoTurnToSayNothing(t *testing.T) {
	b := newBoard(t, &shelf{files: map[string]string{"a.rs": "fn main() {}\n"}})
	api := word("warden/go-api-break", "breaks", "high") // of Go modules with a version tag
	b.scouts.checks = []inspect.Check{api}
	b.play("warden", reconnaissance, 2)
	if !strings.Contains(b.said, "1 of my checks has nothing to look at here") || strings.Contains(b.said, "At first sight") {
		t.Errorf("the warden says %q", b.said)
	}
	for n := range turnsOfAnalysis {
		if b.play("warden", deepAnalysis, n+1); !b.passed || b.said != "" {
			t.Errorf("in turn %d of the analysis the warden says %q", n+1, b.said)
		}
	}
	if b.play("alchemist", reconnaissance, 2); !b.passed || b.said != "" {
		t.Errorf("a hero without checks says %q", b.said)
	}
}
