package script

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/spf13/afero"

	"agentdungeon/server/agent/agenttest"
	"agentdungeon/server/driver"
	"agentdungeon/shared/world"
)

// turnOf returns the request for a role's turn in a stage.
func turnOf(role, stage string, n int) *driver.Turn {
	turn := request()
	turn.Role = world.Role{ID: role, Name: role}
	turn.StageID, turn.N = stage, n
	return &turn
}

func TestConform(t *testing.T) {
	const words = "stone upon stone upon stone, and the door stays where it was. " // 62 bytes
	script := `{"version":1,"defaults":{"chunkMs":5,"chunkWords":40},"turns":[
		{"match":{"stage":"good"},"steps":[{"activity":"reading","tool":"read_file"},{"delayMs":2000},{"thought":"hm"},
			{"say":"one two three four","chunkWords":1},{"chunks":["a","b"]},{"bytes":"/w=="},
			{"finding":{"severity":"low","title":"t","path":"a/b.go","line":3}},{"artifact":{"name":"list","text":"x"}},
			{"tool":{"name":"look","input":"a","output":"b","reads":true,"delayMs":50,"chunks":["c","d"]}},
			{"insight":{"area":"a","text":"x"}},{"delayMs":10,"always":true},{"seal":"done"}]},
		{"match":{"stage":"fails"},"steps":[{"say":"well"},{"error":{"code":"model","message":"it broke"}}]},
		{"match":{"stage":"stalls"},"steps":[{"say":"hm","repeat":3},{"delayMs":1000},{"stall":true}]},
		{"match":{"stage":"runs"},"steps":[{"say":"hm"},{"tool":{"name":"look","end":false}}]},
		{"match":{"stage":"streams"},"steps":[{"say":"on and on ","repeat":10000000,"chunkMs":400}]},
		{"match":{"stage":"huge"},"steps":[{"say":"` + words + words + `","repeat":600000,"chunkMs":0}]}]}`
	open := func() driver.Driver { return parse(t, script).Driver(nil, world.Role{ID: "r"}) }
	turns := agenttest.Turns{
		Good:  turnOf("r", "good", 1),
		Fails: turnOf("r", "fails", 1), FailCode: world.ChatModel,
		Stalls: turnOf("r", "stalls", 1),
		Huge:   turnOf("r", "huge", 1), HugeBytes: 2 * int64(len(words)) * 600_000,
	}
	t.Run("watchable", func(t *testing.T) { agenttest.Conform(t, open, turns) })
	t.Run("streams", func(t *testing.T) {
		agenttest.Conform(t, open, agenttest.Turns{Stalls: turnOf("r", "streams", 1)})
		agenttest.Conform(t, open, agenttest.Turns{Stalls: turnOf("r", "runs", 1)})
	})
	t.Run("instant", func(t *testing.T) {
		for _, turn := range []*driver.Turn{turns.Good, turns.Fails, turns.Stalls} {
			turn.Pace = world.PaceInstant
		}
		turns.Huge = nil // the same at either pace
		agenttest.Conform(t, open, turns)
	})
	t.Run("a script without the turn", func(t *testing.T) { // B5
		agenttest.Conform(t, open, agenttest.Turns{Fails: turnOf("r", "unknown", 1), FailCode: CodeNoTurn})
	})
}

// The demos play every turn of their template, with words, with the artifacts that the template declares,
// and with a seal in each stage that needs one.
func TestDemosPlayTheirTemplates(t *testing.T) {
	heroes := []string{"architect", "sentinel", "archaeologist", "cartographer", "alchemist", "healer", "sage", "warden", "scout", "bard"}
	for _, c := range []struct {
		file, stage string
		roles       []string
		turns       int // 0: the stage is sealed
		artifact    string
	}{
		{"standard_brainstorm", "ideation", []string{"ideator", "facilitator"}, 2, "idea_list"},
		{"standard_brainstorm", "critique", []string{"devils_advocate", "facilitator"}, 1, "critique_notes"},
		{"standard_brainstorm", "synthesis", []string{"synthesizer"}, 0, "synthesis_output"},
		{"code_review", "reconnaissance", heroes, 2, ""},
		{"code_review", "deep_analysis", heroes, 3, ""},
		{"code_review", "cross_reference", heroes, 1, ""},
		{"code_review", "oracle_review", []string{"oracle"}, 0, "oracle_review_notes"},
		{"code_review", "synthesis", []string{"oracle"}, 0, "synthesis_report"},
		{"code_review", "presentation", []string{"oracle"}, 0, "final_report"},
	} {
		t.Run(c.file+" "+c.stage, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, err := Load(afero.NewOsFs(), "../../../scripts/demo/"+c.file+".script.json")
				if err != nil {
					t.Fatal(err)
				}
				s.otherwise = nil // each role has its own words
				var artifacts []string
				seals := 0
				for n := range max(1, c.turns) {
					for _, role := range c.roles {
						turn := turnOf(role, c.stage, n+1)
						got, err := listen(t.Context(), s, *turn)
						var turnErr *driver.TurnError
						if errors.As(err, &turnErr) { // the only failure in the demo; the turn is played again
							got, err = listen(t.Context(), s, *turn)
						}
						if err != nil || strings.TrimSpace(said(got)) == "" {
							t.Fatalf("%s says %q, %v", role, said(got), err)
						}
						for _, kind := range []string{world.KindCouncil, world.KindChat, world.KindParty} {
							talk := *turn
							talk.Kind, talk.StageID, talk.Words = kind, "", "more chairs"
							if got, err := listen(t.Context(), s, talk); err != nil || !strings.Contains(said(got), "more chairs") {
								t.Fatalf("%s in a %s says %q, %v", role, kind, said(got), err)
							}
						}
						for _, h := range got {
							if h.chunk.Artifact != nil {
								artifacts = append(artifacts, h.chunk.Artifact.Name)
							}
							if h.chunk.Seal != nil {
								seals++
							}
						}
					}
				}
				if got := strings.Join(artifacts, " "); got != c.artifact {
					t.Errorf("artifacts %q, want %q", got, c.artifact)
				}
				if sealed := c.turns == 0; sealed && seals != 1 || !sealed && seals != 0 {
					t.Errorf("%d seals", seals)
				}
			})
		})
	}
}
