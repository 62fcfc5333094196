package realm

import (
	"context"
	"testing"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// The problem of a process and the task of a council are words of a person without a row. Words, findings and insights
// of agents that quote them are erased too, whether the person or the conversations are erased (S1-19).
func TestErasingTasksThatAgentsQuote(t *testing.T) {
	const (
		problem = "qzproblem of the cellar that floods"
		task    = "xvtask of the gate that creaks"
	)
	repeats := func(_ context.Context, q TurnRequest, emit func(Chunk) error) error {
		said := "I was told: " + task
		if q.Kind == world.KindProcess {
			said = "I was told: " + problem
		}
		for _, c := range []Chunk{
			{Insight: &world.Insight{Area: "people", Text: said}},
			{Finding: &world.Finding{Title: "found", Text: said, Path: "a.go", Severity: "low"}},
			{Text: said},
		} {
			if err := emit(c); err != nil {
				return err
			}
		}
		return nil
	}
	for _, person := range []bool{true, false} {
		onDisk(t, cast(repeats), func(d *disk) {
			c := d.tab()
			c.returns = true
			council := begun(t, c.send(planter, "n", councilOf(task, 2, "sage", "bard")))
			later(time.Minute)
			c.send(planter, "p", &wire.StartProcess{Problem: problem, TemplateID: "standard_brainstorm"})
			later(time.Minute)
			c.send(planter, "z", &wire.PlayerCommand{Text: "/pause"})
			c.pull()
			process := c.world.ProcessState.ConversationID
			later(time.Minute)
			words := []string{problem, task}
			for w, n := range grep(t, d.dir, words...) {
				if n < 3 {
					t.Errorf("%s is planted %d times", w, n)
				}
			}
			e := world.Erasure{SpectatorID: planter.SpectatorID, Reason: world.ErasedOnRequest, Who: "test"}
			if !person {
				e.SpectatorID, e.Conversations = "", []string{council, process}
			}
			if _, err := d.r.Erase(context.Background(), e); err != nil {
				t.Fatal(err)
			}
			c.pull()
			d.gone(t, c, words, nil)
			d.equal(t)
			d.stop()
			d.gone(t, nil, words, nil)
			d.open(false)
			d.equal(t)
			d.stop()
		})
	}
}
