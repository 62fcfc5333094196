package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/e2e"
	"agentdungeon/shared/world"
)

// tries is the number of times that a time is measured. On a machine that others use too, one measurement says little,
// so the shortest one counts.
const tries = 3

// hero returns the hero of the program's newest session, nil if there is none. The caller calls it within tab.Look or
// tab.Within, which lock the tab.
func hero(tab *e2e.Tab, p *Program) *world.Agent {
	if tab.World == nil {
		return nil
	}
	for i := len(tab.World.Agents) - 1; i >= 0; i-- {
		if a := &tab.World.Agents[i]; strings.HasPrefix(a.ID, p.Name+":") && a.State != nil {
			return a
		}
	}
	return nil
}

// state returns the state of the program's hero.
func state(tab *e2e.Tab, p *Program) (s world.AgentState) {
	tab.Look(func() {
		if a := hero(tab, p); a != nil {
			s = *a.State
		}
	})
	return s
}

// until waits until the program's hero has a state for which the function is returns true, and returns the time at
// which the state came.
func until(t *testing.T, tab *e2e.Tab, p *Program, what string, is func(s *world.AgentState) bool) time.Time {
	t.Helper()
	if !tab.Within(Patience, func() bool {
		a := hero(tab, p)
		return a != nil && is(a.State)
	}) {
		t.Fatalf("the hero of %s is never %s: %+v", p.Title, what, state(tab, p))
	}
	return time.Now()
}

func asksPermission(s *world.AgentState) bool {
	return s.State == world.StateWaiting && s.Wait == world.WaitPermission
}

// rests reports whether the program waits for a prompt according to its files. A state that a hook has told does not
// count, because the hook tells it before the program has written its files.
func rests(s *world.AgentState) bool { return s.Wait == world.WaitTurn && s.Source != world.SourceHook }

// exists returns a function that reports whether a project has a file with this name.
func exists(project, name string) func() bool {
	return func() bool {
		_, err := os.Stat(filepath.Join(project, name))
		return err == nil
	}
}

// An agent that works when the server starts is a hero on the first page within two seconds, with its state and its
// file. After SIGKILL its state is lost, and no hero is shown at work (P17.3).
func TestAtWork(t *testing.T) {
	scenario(t, "at work, then killed", nil, func(t *testing.T, d *Desk) string {
		project := d.Project(t)
		x := d.Open(t, project)
		x.Send(Prompt(d.Program.Read(filepath.Join(project, "README.md")), Step{Pause: time.Hour}))
		var best time.Duration
		var tab *e2e.Tab
		for try := range tries {
			l := d.Server(t, project).Start()
			began := time.Now()
			tab = d.Tab(t, l)
			seen := until(t, tab, d.Program, "at work at README.md", func(s *world.AgentState) bool {
				return s.State == world.StateWorking && s.Path == "README.md"
			})
			if took := seen.Sub(began); try == 0 || took < best {
				best = took
			}
			if best < 2*time.Second {
				break
			}
			l.Stop()
		}
		if best > 2*time.Second {
			t.Errorf("the hero is there %s after the page", best)
		}
		d.Kill()
		killed := time.Now()
		lost := until(t, tab, d.Program, "lost", func(s *world.AgentState) bool { return s.State == world.StateLost })
		tab.Look(func() {
			for _, a := range tab.World.Agents {
				if a.State != nil && a.State.State == world.StateWorking {
					t.Errorf("%s is shown at work", a.ID)
				}
			}
		})
		return fmt.Sprintf("hero after %d ms, lost after %d ms", best.Milliseconds(), lost.Sub(killed).Milliseconds())
	})
}

// While an agent asks for a permission in its terminal, the page shows it as waiting, with the tool call that it asks
// about. When the terminal was answered, the page shows it at work again (P17.3).
func TestPermissionInTheTerminal(t *testing.T) {
	scenario(t, "permission without hooks", nil, func(t *testing.T, d *Desk) string {
		project := d.Project(t)
		tab := d.Tab(t, d.Server(t, project).Start())
		x := d.Open(t, project)
		var best time.Duration
		source := ""
		for try := range tries {
			name := fmt.Sprintf("made%d.txt", try)
			x.Send(Prompt(d.Program.Run("touch "+name, true), Step{Say: "The file is there."}))
			asked := x.UntilAsks()
			waits := until(t, tab, d.Program, "waiting", func(s *world.AgentState) bool {
				source = s.Source
				return asksPermission(s) && (d.Program.Blind || strings.Contains(s.Reason, name))
			})
			lag := max(0, waits.Sub(asked))
			if try == 0 || lag < best {
				best = lag
			}
			x.Allow()
			until(t, tab, d.Program, "going on", func(s *world.AgentState) bool { return !asksPermission(s) })
			if !Within(Patience, exists(project, name)) {
				t.Fatal("the command did not run")
			}
			until(t, tab, d.Program, "done", func(s *world.AgentState) bool {
				return s.Wait == world.WaitTurn || s.State == world.StateIdle
			})
			if best <= d.Program.AskLag {
				break
			}
		}
		if best > d.Program.AskLag {
			t.Errorf("the state comes %s after the question", best)
		}
		return fmt.Sprintf("state after %d ms, source %s", best.Milliseconds(), source)
	})
}
