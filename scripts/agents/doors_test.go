package agents

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/e2e"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

func hooked(p *Program) bool { return p.Hooks }

// Hooked makes a project and a server for it, and puts the server's hooks into the settings of the program, as a person
// does.
func (d *Desk) Hooked(t *testing.T) (project string, h *e2e.Home) {
	t.Helper()
	project = d.Project(t)
	h = d.Server(t, project)
	if code, out, errs := h.Run("hooks", "install", d.Program.Name, "-yes"); code != 0 {
		t.Fatalf("hooks install: exit code %d\n%s%s", code, out, errs)
	}
	t.Cleanup(func() {
		if code, out, errs := h.Run("hooks", "remove", d.Program.Name, "-yes"); code != 0 {
			t.Errorf("hooks remove: exit code %d\n%s%s", code, out, errs)
		}
	})
	return project, h
}

// door waits for a door about the command for which the function is returns true, and returns the door.
func door(t *testing.T, tab *e2e.Tab, what, command string, is func(d *world.AgentDoor) bool) (found world.AgentDoor) {
	t.Helper()
	if !tab.Within(Patience, func() bool {
		for i := range tab.World.Doors {
			if d := &tab.World.Doors[i]; strings.Contains(d.Summary+d.Detail, command) && is(d) {
				found = *d
				return true
			}
		}
		return false
	}) {
		tab.Look(func() { t.Fatalf("no door about %q is %s: %+v", command, what, tab.World.Doors) })
	}
	return found
}

func canAnswer(d *world.AgentDoor) bool { return d.Open() && len(d.Choices) > 0 }

func isClosed(d *world.AgentDoor) bool { return !d.Open() }

// An agent asks for a permission through its hook, and a person gives it on the page: the command runs, the agent
// continues, and the door says who answered (P17.8).
func TestDoorOnThePage(t *testing.T) {
	scenario(t, "permission answered on the page", hooked, func(t *testing.T, d *Desk) string {
		project, h := d.Hooked(t)
		tab := d.Tab(t, h.Start())
		x := d.Open(t, project)
		x.Send(Prompt(d.Program.Run("touch page.txt", true), Step{Say: "The file is there."}))
		opened := door(t, tab, "open", "touch page.txt", canAnswer)
		began := time.Now()
		answer := tab.Do("answer", &wire.DoorAnswer{DoorID: opened.DoorID, Choice: world.ChoiceAllow})
		if answer.Code != "" {
			t.Fatalf("the answer was refused: %s", answer.Code)
		}
		if !Within(Patience, exists(project, "page.txt")) {
			t.Fatal("the command did not run")
		}
		ran := time.Since(began)
		closed := door(t, tab, "closed", "touch page.txt", isClosed)
		if closed.Outcome != world.DoorAllowed || closed.By != tab.Self.SpectatorID {
			t.Errorf("the door says %s by %q", closed.Outcome, closed.By)
		}
		until(t, tab, d.Program, "done", rests)
		return fmt.Sprintf("the command had run after %d ms", ran.Milliseconds())
	})
}

// A permission that is given in the terminal closes the door within a second. Codex asks in its terminal only while
// nobody watches the realm, so for Codex the tab connects after the question (P17.8).
func TestDoorInTheTerminal(t *testing.T) {
	scenario(t, "door answered in the terminal", hooked, func(t *testing.T, d *Desk) string {
		project, h := d.Hooked(t)
		l := h.Start()
		tab := d.Tab(t, l)
		x := d.Open(t, project)
		var best time.Duration
		for try := range tries {
			name := fmt.Sprintf("terminal%d.txt", try)
			if d.Program.Holds {
				tab.Close()
			}
			x.Send(Prompt(d.Program.Run("touch "+name, true), Step{Say: "The file is there."}))
			x.UntilAsks()
			if d.Program.Holds {
				tab.Join(l)
			}
			door(t, tab, "open", "touch "+name, func(d *world.AgentDoor) bool { return d.Open() })
			x.Keys(d.Program.Allow...)
			began := time.Now()
			closed := door(t, tab, "closed", "touch "+name, isClosed)
			if took := time.Since(began); try == 0 || took < best {
				best = took
			}
			if closed.Outcome != world.DoorTerminal {
				t.Errorf("the door says %s", closed.Outcome)
			}
			if !Within(Patience, exists(project, name)) {
				t.Fatal("the command did not run")
			}
			until(t, tab, d.Program, "done", rests)
			if best < time.Second {
				break
			}
		}
		if best > time.Second {
			t.Errorf("the door closes %s after the answer", best)
		}
		return fmt.Sprintf("closed after %d ms", best.Milliseconds())
	})
}

// The server is killed while a hook waits. The hook ends without an error, the terminal asks, and the next server shows
// the door as one that only the terminal can answer, until the terminal has answered it (P17.8).
func TestServerKilledWhileAHookWaits(t *testing.T) {
	scenario(t, "server killed while a hook waits", hooked, func(t *testing.T, d *Desk) string {
		project, h := d.Hooked(t)
		l := h.Start()
		tab := d.Tab(t, l)
		x := d.Open(t, project)
		x.Send(Prompt(d.Program.Run("touch killed.txt", true), Step{Say: "The file is there."}))
		door(t, tab, "open", "touch killed.txt", canAnswer)
		l.Kill()
		x.UntilAsks()
		screen := strings.ReplaceAll(x.Screen(), "--dangerously-bypass-hook-trust", "")
		if strings.Contains(strings.ToLower(screen), "hook") && !d.Program.Holds {
			t.Errorf("the terminal speaks of a hook:\n%s", screen)
		}
		tab.Token = ""
		l = h.Start()
		tab.Token = l.Token("open")
		tab.Join(l)
		door(t, tab, "for the terminal", "touch killed.txt", func(d *world.AgentDoor) bool {
			return d.Open() && len(d.Choices) == 0
		})
		x.Allow()
		if closed := door(t, tab, "closed", "touch killed.txt", isClosed); closed.Outcome != world.DoorTerminal {
			t.Errorf("the door says %s", closed.Outcome)
		}
		if !Within(Patience, exists(project, "killed.txt")) {
			t.Fatal("the command did not run")
		}
		return ""
	})
}

// rounds is the number of doors that the test answers both on the page and in the terminal.
const rounds = 50

// decisions returns, for each command, who has decided about it according to Claude Code's own transcripts: "hook" for
// the page, "user_temporary" for the terminal.
func decisions(t *testing.T, home string) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(home, ".claude", "projects", "*", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	commands, out := map[string]string{}, map[string][]string{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			var r object
			if json.Unmarshal([]byte(line), &r) != nil {
				continue // the last line may not be written to its end yet
			}
			for _, part := range list(r, "message", "content") {
				switch text(part, "type") {
				case "tool_use":
					commands[text(part, "id")] = text(part, "input", "command")
				case "tool_result":
					if by := text(r, "permissionDecision", "source"); by != "" {
						// A transcript can hold a result twice, once without the decision.
						command := commands[text(part, "tool_use_id")]
						out[command] = append(out[command], by)
					}
				}
			}
		}
	}
	return out
}

// A door that is answered on the page and in the terminal at about the same time is decided once. The door names the
// side that was faster, and so does the agent's own record (P17.8).
func TestDoorOnBothSides(t *testing.T) {
	both := func(p *Program) bool { return p.Hooks && !p.Holds }
	scenario(t, fmt.Sprintf("%d doors answered on both sides", rounds), both, func(t *testing.T, d *Desk) string {
		project, h := d.Hooked(t)
		tab := d.Tab(t, h.Start())
		x := d.Open(t, project)
		won := map[string]int{}
		for round := range rounds {
			name, choice, outcome := fmt.Sprintf("both%d.txt", round), world.ChoiceDeny, world.DoorDenied
			if round%2 == 1 {
				choice, outcome = world.ChoiceAllow, world.DoorAllowed
			}
			x.Send(Prompt(d.Program.Run("touch "+name, true), Step{Say: fmt.Sprint("Round ", round, " is over.")}))
			opened := door(t, tab, "open", name, canAnswer)
			x.UntilAsks()
			Pause(500 * time.Millisecond) // immediately after its question the terminal ignores keys
			keys := make(chan struct{})
			go func() {
				defer close(keys)
				Pause(time.Duration(rand.IntN(100)) * time.Millisecond)
				_, _ = x.Tmux("send-keys", "-t", "="+x.Name+":", d.Program.Allow[0])
			}()
			Pause(time.Duration(rand.IntN(150)) * time.Millisecond)
			tab.Do(fmt.Sprint("answer", round), &wire.DoorAnswer{DoorID: opened.DoorID, Choice: choice})
			<-keys
			until(t, tab, d.Program, "done", rests)
			var decided []string
			// The server hears of the stop by a hook, before the agent's record has the decision.
			if !Within(Patience, func() bool { decided = decisions(t, d.Home)["touch "+name]; return len(decided) > 0 }) {
				t.Fatalf("round %d: the record has no decision", round)
			}
			won[decided[0]]++
			if decided[0] != "hook" {
				outcome = world.DoorTerminal
			}
			door(t, tab, outcome, name, func(d *world.AgentDoor) bool { return d.Outcome == outcome })
			if ran := exists(project, name)(); ran != (outcome != world.DoorDenied) {
				t.Errorf("round %d: the door says %s; the command has run: %t", round, outcome, ran)
			}
			x.Keys("C-u") // a key that came too late is in the input field, where the next prompt is typed
		}
		for command, by := range decisions(t, d.Home) {
			if strings.HasPrefix(command, "touch both") && len(by) != 1 {
				t.Errorf("%s: the record has the decisions %q", command, by)
			}
		}
		return fmt.Sprintf("%d by the page, %d by the terminal", won["hook"], rounds-won["hook"])
	})
}
