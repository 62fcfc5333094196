package realm

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// saved returns the newest checkpoint, decoded; nil if there is none.
func (f *memFiles) saved(t *testing.T) (*world.World, int64) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.checkpoints) == 0 {
		return nil, 0
	}
	last := f.checkpoints[len(f.checkpoints)-1]
	w := &world.World{}
	if err := json.Unmarshal(last.World, w); err != nil {
		t.Fatal(err)
	}
	return w, last.Seq
}

// S3-05: each trigger causes a state.json within five seconds while the process continues; the turn under way never
// ends. The test reads the file before it stops the realm.
func TestEveryTriggerIsSaved_S3_05(t *testing.T) {
	holds := func(w *world.World, id string) bool { return w.Agent(id) != nil }
	for name, tc := range map[string]struct {
		until string // the stage whose turns do not end; "" for none
		do    func(c *tab)
		want  func(w *world.World) bool
	}{
		"realm link": {"", func(*tab) {}, func(w *world.World) bool { return w.Realm.ID == "r1" && w.Tick > 0 }},
		"process started": {"ideation", func(c *tab) {
			c.send(ada, "s", start("standard_brainstorm"))
		}, func(w *world.World) bool { return w.ProcessState.Status == world.StatusRunning }},
		"spawn": {"ideation", func(c *tab) {
			c.send(ada, "s", start("standard_brainstorm"))
		}, func(w *world.World) bool { return holds(w, "ideator") && holds(w, "facilitator") }},
		"stage advance": {"critique", func(c *tab) {
			c.send(ada, "s", start("standard_brainstorm"))
		}, func(w *world.World) bool {
			return w.ProcessState.CurrentStageIndex == 1 && holds(w, "devils_advocate") && len(w.ProcessState.CollectedArtifacts) == 1
		}},
		"dismiss": {"ideation", func(c *tab) {
			c.send(ada, "s", start("standard_brainstorm"))
			time.Sleep(6 * time.Second)
			c.send(ada, "d", &wire.DismissAgent{AgentID: "facilitator"})
		}, func(w *world.World) bool { return holds(w, "ideator") && !holds(w, "facilitator") }},
		"findings": {"ideation", func(c *tab) {
			c.send(ada, "s", start("standard_brainstorm"))
		}, func(w *world.World) bool { return len(w.Findings) == 1 && w.Findings[0].Title == "found" }},
		"process completed": {"", func(c *tab) {
			c.send(ada, "s", start("standard_brainstorm"))
		}, func(w *world.World) bool { return w.ProcessState.Status == world.StatusCompleted }},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error {
				if turn.StageID != tc.until {
					return speak(ctx, turn, emit)
				}
				if err := emit(Chunk{Finding: &world.Finding{Severity: "high", Title: "found"}}); err != nil {
					return err
				}
				<-ctx.Done()
				return ctx.Err()
			}, func(b *bench) {
				c := b.tab()
				time.Sleep(5 * time.Second)
				tc.do(c)
				time.Sleep(5 * time.Second)
				synctest.Wait()
				w, seq := b.files.saved(b.t)
				switch {
				case w == nil:
					b.t.Errorf("S3-05: after %s there is no state.json", name)
				case !tc.want(w):
					b.t.Errorf("S3-05: %s is not in state.json: seq %d of %d, %s, stage %d, %d agents, %d findings", name, seq, b.journal.head(),
						w.ProcessState.Status, w.ProcessState.CurrentStageIndex, len(w.Agents), len(w.Findings))
				}
				if running := c.world.ProcessState.Status == world.StatusRunning; running != (tc.until != "") {
					b.t.Errorf("%s: the process runs: %v", name, running)
				}
			})
		})
	}
}

// S3-14: an insight is in the vault's file as soon as its member leaves, by a dismissal or because the stage is over,
// and otherwise within a minute.
func TestVaultsAreSavedWhenMembersLeave_S3_14(t *testing.T) {
	for name, tc := range map[string]struct {
		hangs  string // the role whose turn does not end
		leave  func(c *tab)
		within time.Duration
	}{
		"dismissed":      {"facilitator", func(c *tab) { c.send(ada, "d", &wire.DismissAgent{AgentID: "ideator"}) }, time.Second},
		"the stage ends": {"devils_advocate", func(*tab) {}, time.Second},
		"nobody leaves":  {"facilitator", func(*tab) {}, 60 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error {
				if turn.Role.ID == tc.hangs {
					<-ctx.Done()
					return ctx.Err()
				}
				if err := emit(Chunk{Insight: &world.Insight{Area: "go", Text: "learned"}}); err != nil {
					return err
				}
				return speak(ctx, turn, emit)
			}, func(b *bench) {
				c := b.tab()
				c.send(ada, "s", start("standard_brainstorm"))
				if find(c.frames, "knowledge:updated") == nil {
					b.t.Fatal("nobody learns")
				}
				tc.leave(c)
				time.Sleep(tc.within)
				synctest.Wait()
				b.files.mu.Lock()
				v := b.files.vaults["ideator"]
				b.files.mu.Unlock()
				if len(v.Insights) == 0 || v.Insights[0].Text != "learned" {
					b.t.Errorf("S3-14: %s: %s after the insight was shown the vault holds %+v", name, tc.within, v)
				}
			})
		})
	}
}

// The prompts of a member of a process have what the member has learned, from its next turn on, also after a restart
// that restored its vault. Other members' prompts do not have it (S3-14).
func TestMembersAreToldWhatTheyLearned(t *testing.T) {
	prompts := map[string][]string{} // prompts by role; only one turn is under way at a time
	insights := map[string][]int{}
	bubble(t, func(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error {
		prompts[turn.Role.ID] = append(prompts[turn.Role.ID], turn.Prompt)
		insights[turn.Role.ID] = append(insights[turn.Role.ID], len(turn.Insights))
		if turn.Role.ID == "ideator" && turn.N == 1 {
			if err := emit(Chunk{Insight: &world.Insight{Area: "go", Text: "maps have no order"}}); err != nil {
				return err
			}
		}
		return speak(ctx, turn, emit)
	}, func(b *bench) {
		c := b.tab()
		c.send(ada, "s", start("standard_brainstorm"))
		if got := insights["ideator"]; !slices.Equal(got, []int{0, 1}) {
			b.t.Errorf("S3-14: a driver is handed %v insights, turn by turn", got)
		}
		for role, texts := range prompts {
			for i, text := range texts {
				want := role == "ideator" && i > 0
				if strings.Contains(text, "maps have no order") != want {
					b.t.Errorf("S3-14: turn %d of %s is told what the ideator learned: %v, want %v", i+1, role, !want, want)
				}
			}
		}
	})
}
