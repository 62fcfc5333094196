package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"agentdungeon/shared/world"
)

// BenchmarkAppend is one event of about 1 KB a commit, synced: p50 and p99.
func BenchmarkAppend(b *testing.B) {
	r := newRig(b)
	r.commit(&world.RealmCreated{Realm: rigRealm, Settings: world.DefaultSettings()})
	text := strings.Repeat("word ", 180)
	took := make([]time.Duration, 0, b.N)
	for b.Loop() {
		batch := r.batch(&world.MessageAdded{ConversationID: "c", Message: world.Message{
			MessageID: fmt.Sprintf("m%d", r.w.Tick), ConversationID: "c", Role: world.RoleSystem, Content: text, Status: world.MessageDone, At: r.at,
		}})
		begin := time.Now()
		if err := r.o.Journal.Commit(batch); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(begin))
		world.Apply(r.w, batch.Records[0].Event)
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

// BenchmarkRestart opens a realm whose world has about 10 MB, with a tail of 500
// events behind its checkpoint.
func BenchmarkRestart(b *testing.B) {
	r := newRig(b)
	r.tell()
	text := strings.Repeat("f", 1000)
	for len(r.w.Findings) < 9_000 {
		var bodies []world.Body
		for i := range 300 {
			bodies = append(bodies, &world.FindingPosted{Finding: world.Finding{
				ID: fmt.Sprintf("g%d-%d", r.w.Tick, i), AgentID: "bard", Severity: "info", Title: "t", Text: text, At: r.at,
			}})
		}
		r.commit(bodies...)
	}
	r.checkpoint()
	r.say(500)
	dir := r.killed()
	for b.Loop() {
		o, err := openDir(b, dir)
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if o.Saved.World.Tick != r.w.Tick {
			b.Fatal("another world")
		}
		if err := o.Journal.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(len(mustJSON(b, r.w)))/1e6, "world-MB")
}

// BenchmarkOpen opens a small realm that was closed.
func BenchmarkOpen(b *testing.B) {
	r := newRig(b)
	r.tell()
	r.checkpoint()
	r.close()
	for b.Loop() {
		o, err := openDir(b, r.dir)
		if err != nil {
			b.Fatal(err)
		}
		if err := o.Journal.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
