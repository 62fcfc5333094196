package review

import (
	"context"
	"slices"
	"strings"
	"testing"

	"agentdungeon/server/driver"
	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

// judge is a model that gives verdicts on candidates by their ids.
type judge struct {
	proves, withdraws string
	fails             error
	asked             []driver.Turn
}

func (*judge) Model() string { return "m-1" }

func (j *judge) Run(_ context.Context, turn driver.Turn, emit func(driver.Chunk) error) error {
	j.asked = append(j.asked, turn)
	for _, f := range turn.Findings {
		c := driver.Chunk{Text: "I leave " + f.Title + ". "}
		switch {
		case strings.Contains(f.Path, j.proves):
			c = driver.Chunk{Prove: &driver.Prove{FindingID: f.ID, Proof: "It is so."}}
		case strings.Contains(f.Path, j.withdraws):
			c = driver.Chunk{Withdraw: &driver.Withdraw{FindingID: f.ID, Reason: "It is not so."}}
		}
		if err := emit(c); err != nil {
			return err
		}
	}
	return j.fails
}

// doubtful returns checks of which one is never sure.
func doubtful() []inspect.Check {
	list := checks()
	list[0].Confidence = inspect.Doubtful
	return list
}

func suspecting() *shelf {
	return &shelf{files: map[string]string{
		"README.md": "# Tools\n", "src/a.go": "package a\n\n// bad thing\n// an ugly one\n", "src/b.go": "package a // bad\n", "src/c.go": "package a // bad too\n",
	}}
}

// small plays a whole review with the heroes in the list present, and returns what is said.
func (b *board) small() string {
	said := ""
	for _, stage := range []struct {
		name  string
		turns int
	}{{reconnaissance, 2}, {deepAnalysis, 3}, {crossReference, 1}} {
		for n := range stage.turns {
			for _, hero := range present {
				b.play(hero, stage.name, n+1)
				said += b.said
			}
		}
	}
	for _, stage := range []string{oracleReview, synthesis, presentation} {
		b.play(oracle, stage, 1)
		said += b.said
	}
	return said
}

// Without a model the candidates are on the board as suspected, and the report lists them apart. No quest has them. P7.2.
func TestCandidatesWait(t *testing.T) {
	b := newBoard(t, suspecting())
	b.scouts.checks = doubtful()
	said := b.small()
	suspected := 0
	for _, f := range b.findings {
		if f.State() == world.StateSuspected {
			suspected++
		}
	}
	report := b.texts["final_report"]
	if suspected != 3 || len(b.quests) != 0 || !strings.Contains(report, "3 low.\n\n3 findings are only suspected: see Suspected.\n\n") {
		t.Errorf("%d suspected, quests %v, report:\n%s", suspected, b.quests, report)
	}
	_, apart, _ := strings.Cut(report, "\n## Suspected\n\n")
	list, _, _ := strings.Cut(apart, "\n## ")
	if strings.Count(report, "The word bad") != 3 || !strings.HasSuffix(list, " findings.\n\n- The word bad stands here (`src/a.go:3`, high)\n"+
		"- The word bad stands here (`src/b.go:1`, high)\n- The word bad stands here (`src/c.go:1`, high)\n") {
		t.Errorf("the candidates are not apart:\n%s", report)
	}
	if !strings.Contains(said, "My 3 suspected findings overlap with no other finding") {
		t.Error(said)
	}
	if !strings.Contains(said, "0 findings, and 3 that I only suspect") || strings.Contains(said, "HIGH") || strings.Contains(said, "looks at what") {
		t.Error(said)
	}
	for _, f := range b.findings { // what stands is not folded into what is only suspected
		if f.Check == "healer/also" && f.Withdrawn != "" {
			t.Errorf("%+v", f)
		}
	}
}

// A model proves and withdraws candidates in the Oracle's turn. What is proved is in the report and becomes a quest.
// What is not judged stays suspected, and if the turn is played again, the model gets only that. If the model fails,
// the stage does not fail.
func TestAModelJudgesCandidates(t *testing.T) {
	b := newBoard(t, suspecting())
	b.scouts.checks = doubtful()
	j := &judge{proves: "a.go", withdraws: "b.go", fails: &driver.TurnError{Code: world.ChatModel, Message: "The server is away."}}
	b.scouts.Judge = j
	said := b.small()
	states := map[string]string{}
	for i := range b.findings {
		if f := &b.findings[i]; f.Check == "sentinel/bad" {
			states[f.Path] = f.State()
		}
	}
	if states["src/a.go"] != world.StateProved || states["src/b.go"] != world.StateWithdrawn || states["src/c.go"] != world.StateSuspected {
		t.Errorf("%v", states)
	}
	if len(b.quests) != 1 || b.quests[0].Path != "src/a.go" || !slices.Contains(b.sealed, oracleReview) {
		t.Errorf("quests %+v, sealed %v", b.quests, b.sealed)
	}
	report := b.texts["final_report"]
	if !strings.Contains(report, "1. **The word bad stands here** (`src/a.go:3`, high, proved)") ||
		!strings.Contains(report, "1 finding is only suspected: see Suspected.") || !strings.Contains(report, "\n\n- The word bad stands here (`src/c.go:1`, high)\n") {
		t.Error(report)
	}
	for _, want := range []string{
		"A language model (m-1) looks at what is only suspected: 3 candidates.", "I leave The word bad",
		"Of 3 candidates the model has proved 1 and withdrawn 1. It went no further: The server is away.",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("nobody says %q:\n%s", want, said)
		}
	}
	if turn := j.asked[0]; len(turn.Findings) != 3 || turn.Completion != world.CompleteTurns {
		t.Errorf("%+v", turn)
	}
	b.play(oracle, oracleReview, 1)
	if len(j.asked) != 2 || len(j.asked[1].Findings) != 1 || j.asked[1].Findings[0].Path != "src/c.go" {
		t.Errorf("asked again about %+v", j.asked[1:])
	}
}
