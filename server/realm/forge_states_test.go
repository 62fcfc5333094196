package realm

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/forge"
	"agentdungeon/server/skill"
	"agentdungeon/shared/world"
)

// similar is a skill in the realm that does what wish asks for.
const similar = "---\nname: translate-invoices\ndescription: Translates invoices into Latin and files them by year.\n---\n\n# Translate\n"

// plant gives the stored context of a forge another state and no waiting question, as an older program, or a kill
// during a step, can have left it.
func (b *bench) plant(id, state string) {
	b.t.Helper()
	b.journal.spoil(id, func(old []byte) []byte {
		var c map[string]any
		if err := json.Unmarshal(old, &c); err != nil {
			b.t.Fatal(err)
		}
		c["state"] = state
		plan := c["plan"].(map[string]any)
		delete(plan, "asking")
		delete(plan, "work")
		blob, err := json.Marshal(c)
		if err != nil {
			b.t.Fatal(err)
		}
		return blob
	})
}

// S1-02, S1-03: a forge that is killed in any of the thirteen states continues in that state. Everything that was said
// is there once, and at the end there is a valid skill that does what was asked for. Nine states occur on the way. Four
// are passed within one commit and can only be written by another program, so the test plants their contexts.
func TestForgeKilledInEachState_S1_02(t *testing.T) {
	cases := map[forge.State]struct {
		smith bool                            // whether a model plays the smith
		reach func(c *tab, id string)         // brings it there
		from  forge.State                     // the state that the planted one replaces
		kinds map[string][]string             // the model's answers by kind of request; without one it does not answer
		disk  func(f *memFiles) (undo func()) // a fault of the disk until the kill
	}{
		forge.GatheringPurpose: {reach: func(*tab, string) {}},
		forge.CheckingExisting: {reach: func(c *tab, id string) { c.talk(id, []string{wish}) },
			disk: func(f *memFiles) func() {
				f.skills = map[string]map[string]string{"translate-invoices": {skill.File: similar}}
				return func() {}
			}},
		forge.GatheringDetails: {reach: func(c *tab, id string) { c.wholeTalkTo(id, 2) }},
		forge.ConfirmingSpec:   {reach: func(c *tab, id string) { c.wholeTalkTo(id, len(plainTalk)-1) }},
		forge.Generating: {smith: true, kinds: map[string][]string{"infer": {inferred}},
			reach: func(c *tab, id string) { c.talk(id, []string{wish, "#make"}) }},
		forge.FixingErrors: {smith: true, kinds: map[string][]string{"infer": {inferred}, "write": {"# Body\n[x](references/x.md)"}},
			reach: func(c *tab, id string) { c.talk(id, []string{wish, "#make"}) }},
		forge.Saving: {reach: func(c *tab, id string) { c.wholeTalkTo(id, len(plainTalk)) },
			disk: func(f *memFiles) func() {
				f.keep = make(chan struct{})
				return func() { close(f.keep) }
			}},
		forge.Error: {reach: func(c *tab, id string) { c.wholeTalkTo(id, len(plainTalk)) },
			disk: func(f *memFiles) func() {
				f.noSkills = errors.New("the disk is full")
				return func() {}
			}},
		forge.Completed: {reach: func(c *tab, id string) { c.wholeTalkTo(id, len(plainTalk)) }},

		forge.Idle:            {from: forge.GatheringPurpose, reach: func(*tab, string) {}},
		forge.IntentDetection: {from: forge.GatheringPurpose, reach: func(*tab, string) {}},
		forge.Validating: {from: forge.Saving, reach: func(c *tab, id string) { c.wholeTalkTo(id, len(plainTalk)) },
			disk: func(f *memFiles) func() {
				f.keep = make(chan struct{})
				return func() { close(f.keep) }
			}},
		forge.SelectingStorage: {from: forge.Saving, reach: func(c *tab, id string) { c.wholeTalkTo(id, len(plainTalk)) },
			disk: func(f *memFiles) func() {
				f.keep = make(chan struct{})
				return func() { close(f.keep) }
			}},
	}
	for state := range forge.Moves {
		if _, there := cases[state]; !there {
			t.Errorf("S1-02: no forge is killed in %s", state)
		}
	}
	for state, tc := range cases {
		t.Run(string(state), func(t *testing.T) {
			hangs := true
			play := func(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error {
				if left := tc.kinds[turn.StageID]; len(left) > 0 {
					tc.kinds[turn.StageID] = left[1:]
					return emit(Chunk{Text: left[0]})
				}
				if hangs {
					<-ctx.Done()
					return ctx.Err()
				}
				return emit(Chunk{Text: written})
			}
			var smith smithy
			if tc.smith {
				smith = play
			}
			inForge(t, smith, func(b *bench, c *tab) {
				undo := func() {}
				if tc.disk != nil {
					undo = tc.disk(b.files)
				}
				id := c.forge("f")
				tc.reach(c, id)
				from := tc.from
				if from == "" {
					from = state
				}
				if at := c.stands(id); at.State != string(from) {
					b.t.Fatalf("it did not come to %s: %+v", from, at)
				}
				rows := b.script(id)
				b.journal.set(errors.New("killed"), nil)
				undo()
				synctest.Wait()
				b.kill()
				synctest.Wait()
				b.files.keep, b.files.noSkills = nil, nil
				if tc.from == forge.Saving { // the planted state is before the save, so the disk has no skill
					b.files.skills = nil
				}
				hangs = false
				if tc.from != "" {
					b.plant(id, string(state))
				}
				time.Sleep(time.Hour)
				b.start(true)
				c.again()
				now := b.script(id)
				if len(now) < len(rows) || !slices.Equal(now[:len(rows)], rows) {
					b.t.Errorf("S1-03: killed in %s it has the rows\n%s\nwant\n%s", state, strings.Join(now, "\n"), strings.Join(rows, "\n"))
				}
				if slices.Contains(now, "system::"+damagedForge) {
					b.t.Errorf("S1-02: a forge in %s is taken for damaged", state)
				}
				if tc.from == "" {
					if at := c.stands(id); at.State != string(state) || at.Working != "" || at.Question == nil != (state == forge.Completed) {
						b.t.Errorf("S1-02: killed in %s it comes back as %+v", state, at)
					}
				}
				if state == forge.Idle || state == forge.IntentDetection {
					c.talk(id, []string{wish})
				} else if state != forge.Completed {
					c.talk(id, []string{"go on"})
				}
				if b.head(id).Status != world.ConversationCompleted {
					finish(c, id)
				}
				if at := c.stands(id); at.State != string(forge.Completed) {
					b.t.Errorf("S1-02: killed in %s it ends in %s", state, at.State)
				}
				found := false
				for _, files := range b.files.skills {
					rest := map[string]string{}
					for p, text := range files {
						if p != skill.File {
							rest[p] = text
						}
					}
					text := files[skill.File]
					found = found || text != similar && strings.Contains(text, "Latin") && len(skill.Check(text, rest)) == 0
				}
				if !found {
					b.t.Errorf("S1-02: killed in %s it ends without a valid skill that does what was asked for: %v", state, b.files.skills)
				}
				sound(b.t, string(state), b.journal)
			})
		})
	}
}
