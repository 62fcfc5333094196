package realm

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// S3-01: world.objects has the places of findings, quests and artifacts, for clients and after a kill. A withdrawn
// finding or a completed quest has no place.
func TestObjectsOfNote_S3_01(t *testing.T) {
	var steps chan []Chunk
	driver := func(ctx context.Context, _ TurnRequest, emit func(Chunk) error) error {
		for {
			select {
			case chunks, more := <-steps:
				if !more {
					return emit(Chunk{Text: "done"})
				}
				for _, c := range chunks {
					if err := emit(c); err != nil {
						return err
					}
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	found := func(id, path string) Chunk {
		return Chunk{Finding: &world.Finding{ID: id, Severity: "low", Title: id, Path: path}}
	}
	onLand(t, func() cast { steps = make(chan []Chunk); return driver }, heroesOf(1, world.MoveOutward, world.MoveInward), func(b *bench) {
		c := b.tab()
		c.send(ada, "s", start("party"))
		objects := func(what string, want ...string) {
			t.Helper()
			synctest.Wait()
			time.Sleep(time.Second)
			c.pull()
			raw, err := json.Marshal(c.world.Objects)
			if err != nil {
				t.Fatal(err)
			}
			var list []map[string]any
			if err := json.Unmarshal(raw, &list); err != nil {
				t.Fatal(err)
			}
			got := []string{}
			for _, o := range list {
				if id, _ := o["id"].(string); !wire.ValidID(id) {
					t.Errorf("%q is no id", o["id"])
				}
				got = append(got, fmt.Sprintf("%v %v%v: %v findings, %v quests, %v artifacts", o["kind"], o["path"], o["agentId"], o["findings"], o["quests"], o["artifacts"]))
			}
			slices.Sort(got)
			for i := range got {
				got[i] = strings.ReplaceAll(got[i], "<nil>", "")
			}
			if !slices.Equal(got, want) {
				t.Errorf("S3-01: %s the objects are\n%q, want\n%q", what, got, want)
			}
		}
		objects("at first")
		steps <- []Chunk{found("f1", "src/main.go"), found("f2", "src/main.go"), found("f3", ""), {Quest: &world.Quest{ID: "q1", Title: "mend", Path: "README.md", FindingID: "f2"}}}
		want := []string{"keep : 1 findings,  quests,  artifacts", "place README.md:  findings, 1 quests,  artifacts", "place src/main.go: 2 findings,  quests,  artifacts"}
		objects("with findings and a quest", want...)
		b.kill()
		b.start(true)
		c.again()
		objects("after a kill", want...)
		steps <- []Chunk{{Artifact: &NamedText{Name: "notes", Text: "what was noted"}}, {Withdraw: &Withdraw{FindingID: "f1", Reason: "no"}}, {Withdraw: &Withdraw{FindingID: "f2", Reason: "no"}}}
		objects("once they are withdrawn", "fort hero00:  findings,  quests, 1 artifacts", want[0])
		close(steps)
	})
}

// TestRecordJournalOfHeroes writes a recorded journal, as TestRecordJournals does, with the rooms through which heroes
// came, and with world.objects.
func TestRecordJournalOfHeroes(t *testing.T) {
	dir := os.Getenv("AGENTDUNGEON_RECORD")
	if dir == "" {
		t.Skip("AGENTDUNGEON_RECORD is not set: the recorded journals stay as they are")
	}
	reader := func(_ context.Context, turn TurnRequest, emit func(Chunk) error) error {
		stage := turn.StageID[len("stage"):]
		id := turn.Role.ID + "-" + stage
		for _, c := range []Chunk{
			{Read: &Read{Path: "src/main.go"}}, {Finding: &world.Finding{ID: "a" + id, Severity: "low", Title: "a find", Path: "src/main.go"}},
			{Read: &Read{Path: "src/deep/f1.go"}}, {Finding: &world.Finding{ID: "b" + id, Severity: "low", Title: "a find", Path: "src/dëep/\U0001F409.go"}},
			{Finding: &world.Finding{ID: "moved", Severity: "low", Title: "it moves", Path: "p" + stage}},
			{Quest: &world.Quest{ID: "q" + id, Title: "a quest", FindingID: "a" + id}}, {Artifact: &NamedText{Name: "notes", Text: "noted"}},
			{Withdraw: &Withdraw{FindingID: "a" + id, Reason: "it does not hold"}}, {Read: &Read{Path: "README.md"}}, {Text: "read"},
		} {
			if err := emit(c); err != nil {
				return err
			}
			time.Sleep(10 * time.Second)
		}
		return nil
	}
	onLand(t, func() cast { return reader }, heroesOf(2, world.MoveOutward, world.MoveInward), func(b *bench) {
		c := b.tab()
		c.send(ada, "start", start("party"))
		time.Sleep(45 * time.Second)
		b.kill()
		b.start(true)
		c.again()
		time.Sleep(time.Hour)
		b.stop()
		b.record(dir, "heroes.jsonl")
	})
}
