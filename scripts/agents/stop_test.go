package agents

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// A person stops an agent at work: it makes no further tool call, its record shows once that a hook has stopped it, and
// the agent takes the next prompt (P17.18).
func TestStop(t *testing.T) {
	stoppable := func(p *Program) bool { return p.Name == "claude" }
	scenario(t, "a request to stop", stoppable, func(t *testing.T, d *Desk) string {
		project, h := d.Hooked(t)
		tab, w := d.listener(t, h.Start())
		if err := os.WriteFile(filepath.Join(project, "one.txt"), []byte("one\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		read := Step{Call: "Read", Input: object{"file_path": filepath.Join(project, "one.txt")}, Pause: 3 * time.Second}
		x := d.Open(t, project)
		x.Send(Prompt(Step{Say: "The first turn is over."})) // a hook has called then
		until(t, tab, d.Program, "done", rests)
		x.Send(Prompt(read, read, read, Step{Say: "Nobody stopped me."}))
		until(t, tab, d.Program, "at work", func(s *world.AgentState) bool { return s.State == world.StateWorking })
		agentID, asked := "", ""
		tab.Look(func() { agentID = hero(tab, d.Program).ID })
		if answer := tab.Do("stop", &wire.AgentStop{AgentID: agentID}); answer.Code != "" {
			t.Fatalf("the request is refused: %s", answer.Code)
		}
		if !tab.Within(Patience, func() bool {
			for word := range world.Words(tab.World.Sessions) {
				asked = word.WordID
			}
			return asked != ""
		}) {
			t.Fatal("the request is not there")
		}
		wordIs(t, tab, asked, world.WordDelivered)
		x.Send(Prompt(Step{Say: "I go on with something else."}))
		x.Until(regexp.MustCompile(`I go on with something else\.\s`))
		want := []string{world.WordQueued, world.WordHanded, world.WordDelivered}
		if way := w.way(asked); !slices.Equal(way, want) {
			t.Errorf("the request was %q", way)
		}
		stopped := 0
		for _, line := range d.lines(t) {
			if strings.Contains(line, "hook_stopped_continuation") && strings.Contains(line, "("+asked+"): ") {
				stopped++
			}
		}
		if stopped != 1 {
			t.Errorf("the agent's record shows %d times that it was stopped", stopped)
		}
		for _, line := range d.record(t) {
			if strings.Contains(line, "Nobody stopped me.") && !strings.Contains(line, play) {
				t.Errorf("the agent went on: %s", line)
			}
		}
		return ""
	})
}
