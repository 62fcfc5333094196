package agents

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// refusal is the message that the agent gets when a person refuses on the page.
const refusal = "A person refused this."

// A person refuses a permission on the page: the command does not run, the agent gets the refusal and continues, and
// the door still says who refused after the agent has continued (P17.8).
func TestDoorRefused(t *testing.T) {
	scenario(t, "permission refused on the page", hooked, func(t *testing.T, d *Desk) string {
		project, h := d.Hooked(t)
		tab := d.Tab(t, h.Start())
		x := d.Open(t, project)
		x.Send(Prompt(d.Program.Run("touch refused.txt", true), Step{Say: "So be it."}))
		opened := door(t, tab, "open", "touch refused.txt", canAnswer)
		if answer := tab.Do("refuse", &wire.DoorAnswer{DoorID: opened.DoorID, Choice: world.ChoiceDeny}); answer.Code != "" {
			t.Fatalf("the answer was refused: %s", answer.Code)
		}
		x.Until(regexp.MustCompile(`(?m)^[●•] So be it\.`))
		until(t, tab, d.Program, "done", rests)
		if exists(project, "refused.txt")() {
			t.Error("the command has run")
		}
		closed := door(t, tab, "closed", "touch refused.txt", isClosed)
		if closed.Outcome != world.DoorDenied || closed.By != tab.Self.SpectatorID {
			t.Errorf("the door says %s by %q", closed.Outcome, closed.By)
		}
		told := 0
		for _, line := range d.lines(t) {
			if strings.Contains(line, refusal) {
				told++
			}
		}
		if told == 0 {
			t.Error("the agent's record does not say that a person refused")
		}
		return ""
	})
}

// A door offers "Always allow" if the agent itself suggests what to allow. After that choice the same command runs
// again without a question. If the agent suggests nothing, the server refuses the choice (P17.8).
func TestDoorAlways(t *testing.T) {
	scenario(t, "always allowed on the page", hooked, func(t *testing.T, d *Desk) string {
		project, h := d.Hooked(t)
		tab := d.Tab(t, h.Start())
		x := d.Open(t, project)
		x.Send(Prompt(d.Program.Run("touch always.txt", true), Step{Say: "The first is there."}))
		opened := door(t, tab, "open", "touch always.txt", canAnswer)
		always := &wire.DoorAnswer{DoorID: opened.DoorID, Choice: world.ChoiceAlways}
		if !slices.Contains(opened.Choices, world.ChoiceAlways) {
			if answer := tab.Do("always", always); answer.Code != wire.BadField {
				t.Errorf("what the agent does not offer is answered %q", answer.Code)
			}
			tab.Do("allow", &wire.DoorAnswer{DoorID: opened.DoorID, Choice: world.ChoiceAllow})
			until(t, tab, d.Program, "done", rests)
			return "it is not offered"
		}
		if answer := tab.Do("always", always); answer.Code != "" {
			t.Fatalf("the answer was refused: %s", answer.Code)
		}
		if !Within(Patience, exists(project, "always.txt")) {
			t.Fatal("the command did not run")
		}
		closed := door(t, tab, "closed", "touch always.txt", isClosed)
		if closed.Outcome != world.DoorAlways || closed.By != tab.Self.SpectatorID {
			t.Errorf("the door says %s by %q", closed.Outcome, closed.By)
		}
		x.Until(regexp.MustCompile(`(?m)^[●•] The first is there\.`))
		until(t, tab, d.Program, "done", rests)
		if err := os.Remove(filepath.Join(project, "always.txt")); err != nil {
			t.Fatal(err)
		}
		x.Send(Prompt(d.Program.Run("touch always.txt", true), Step{Say: "The second is there."}))
		x.Until(regexp.MustCompile(`(?m)^[●•] The second is there\.`))
		if !exists(project, "always.txt")() {
			t.Error("the command did not run the second time")
		}
		tab.Look(func() {
			if n := len(tab.World.Doors); n != 1 {
				t.Errorf("there were %d doors: it has asked again", n)
			}
		})
		return "allowed once, not asked again"
	})
}
