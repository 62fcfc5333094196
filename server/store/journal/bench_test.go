package journal_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/store/storetest"
	"agentdungeon/shared/world"
)

// BenchmarkAppend commits one event of about 1 KB at a time, with a sync. It reports p50 and p99.
func BenchmarkAppend(b *testing.B) {
	r := storetest.NewRig(b)
	r.Commit(&world.RealmCreated{Realm: storetest.RigRealm, Settings: world.DefaultSettings()})
	text := strings.Repeat("word ", 180)
	took := make([]time.Duration, 0, b.N)
	for b.Loop() {
		batch := r.Batch(&world.MessageAdded{ConversationID: "c", Message: world.Message{
			MessageID: fmt.Sprintf("m%d", r.W.Tick), ConversationID: "c", Role: world.RoleSystem, Content: text, Status: world.MessageDone, At: r.At,
		}})
		begin := time.Now()
		if err := r.O.Journal.Commit(batch); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(begin))
		world.Apply(r.W, batch.Records[0].Event)
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

// BenchmarkRestart opens a realm whose world has about 10 MB, with a tail of 500
// events behind its checkpoint.
func BenchmarkRestart(b *testing.B) {
	r := storetest.NewRig(b)
	r.Tell()
	text := strings.Repeat("f", 1000)
	for len(r.W.Findings) < 9_000 {
		var bodies []world.Body
		for i := range 300 {
			bodies = append(bodies, &world.FindingPosted{Finding: world.Finding{
				ID: fmt.Sprintf("g%d-%d", r.W.Tick, i), AgentID: "bard", Severity: "info", Title: "t", Text: text, At: r.At,
			}})
		}
		r.Commit(bodies...)
	}
	r.Checkpoint()
	r.Say(500)
	dir := r.Killed()
	for b.Loop() {
		o, err := storetest.OpenDir(b, dir)
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if o.Saved.World.Tick != r.W.Tick {
			b.Fatal("another world")
		}
		if err := o.Journal.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(len(storetest.MustJSON(b, r.W)))/1e6, "world-MB")
}

// BenchmarkOpen opens a small realm that was closed.
func BenchmarkOpen(b *testing.B) {
	r := storetest.NewRig(b)
	r.Tell()
	r.Checkpoint()
	r.Close()
	for b.Loop() {
		o, err := storetest.OpenDir(b, r.Dir)
		if err != nil {
			b.Fatal(err)
		}
		if err := o.Journal.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
