package files_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/afero"

	"agentdungeon/server/store/files"
	"agentdungeon/shared/world"
)

// bigWorld returns a world of about size bytes of JSON that has, like real ones, many findings and
// artifacts.
func bigWorld(tb testing.TB, size int) world.Checkpoint {
	tb.Helper()
	w := world.New(world.Realm{ID: "big", Name: "Big", Tenant: "default"})
	text := strings.Repeat("the lamp <is> lit & the door stands open. ", 24)
	for i := 0; i*1200 < size; i++ {
		w.Findings = append(w.Findings, world.Finding{
			ID: fmt.Sprintf("f%d", i), AgentID: "scout", Severity: "low",
			Title: "a finding", Text: text, Path: "a/b/c.go", Line: i, At: world.Time(1_700_000_000_000 + int64(i)),
		})
	}
	w.Tick = int64(len(w.Findings))
	raw, err := json.Marshal(w)
	if err != nil {
		tb.Fatal(err)
	}
	return world.Checkpoint{Epoch: "e1", Seq: w.Tick, SavedAt: 1_700_000_000_000, World: raw}
}

func BenchmarkCheckpoint10MB(b *testing.B) {
	c := bigWorld(b, 8<<20)
	b.Run("write", func(b *testing.B) {
		files := files.OpenRealm(afero.NewOsFs(), b.TempDir())
		b.SetBytes(int64(len(c.World)))
		for b.Loop() {
			if err := files.WriteCheckpoint(c); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("load", func(b *testing.B) {
		home := files.OpenRealm(afero.NewOsFs(), b.TempDir())
		if err := home.WriteCheckpoint(c); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(c.World)))
		for b.Loop() {
			if _, err := home.LoadCheckpoint(files.StateFile); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("limit: decode only", func(b *testing.B) {
		b.SetBytes(int64(len(c.World)))
		for b.Loop() {
			if err := json.Unmarshal(c.World, new(world.World)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
