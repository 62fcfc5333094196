package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/afero"

	"agentdungeon/shared/world"
)

var (
	rigRealm = world.Realm{ID: "keep-1", Name: "Keep", Path: "/srv/keep", Tenant: "default"}
	rigStart = time.Date(2026, 1, 31, 10, 0, 0, 0, time.UTC)
)

// rig plays the actor on a real folder: it numbers, folds and commits events and
// remembers what was acknowledged.
type rig struct {
	t      testing.TB
	dir    string
	o      *OpenedRealm
	w      *world.World
	at     world.Time
	frames [][]byte // acknowledged, by seq-1; nil for those before a lost journal
}

func newRig(t testing.TB) *rig {
	t.Helper()
	r := &rig{t: t, dir: filepath.Join(t.TempDir(), rigRealm.ID), at: world.TimeOf(rigStart)}
	r.open()
	return r
}

func openDir(t testing.TB, dir string) (*OpenedRealm, error) {
	t.Helper()
	return OpenRealm(context.Background(), afero.NewOsFs(), dir, rigRealm, world.DefaultSettings(), rigStart.Add(time.Hour))
}

// mustOpen opens a folder and closes it with the test.
func mustOpen(t testing.TB, dir string) *OpenedRealm {
	t.Helper()
	o, err := openDir(t, dir)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { o.Journal.Close() })
	return o
}

func (r *rig) open() {
	r.t.Helper()
	r.o = mustOpen(r.t, r.dir)
	r.w = r.o.Saved.World.Clone()
	r.at = max(r.at, r.o.Saved.LastAt)
}

// batch numbers and encodes bodies, without folding them.
func (r *rig) batch(bodies ...world.Body) *world.Batch {
	r.t.Helper()
	b := &world.Batch{}
	for i, body := range bodies {
		r.at += 7
		rec, err := world.Event{Seq: r.w.Tick + 1 + int64(i), At: r.at, V: 1, Body: body}.Encode()
		if err != nil {
			r.t.Fatal(err)
		}
		b.Records = append(b.Records, rec)
	}
	return b
}

func (r *rig) fold(b *world.Batch) {
	for _, rec := range b.Records {
		world.Apply(r.w, rec.Event)
		for int64(len(r.frames)) < rec.Event.Seq-1 {
			r.frames = append(r.frames, nil)
		}
		r.frames = append(r.frames, rec.Frame)
	}
}

func (r *rig) commit(bodies ...world.Body) {
	r.t.Helper()
	b := r.batch(bodies...)
	if err := r.o.Journal.Commit(b); err != nil {
		r.t.Fatalf("commit: %v", err)
	}
	r.fold(b)
}

func (r *rig) checkpoint() {
	r.t.Helper()
	if err := r.o.Files.WriteCheckpoint(r.worldNow()); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) worldNow() world.Checkpoint {
	r.t.Helper()
	return world.Checkpoint{Epoch: r.o.Saved.Epoch, Seq: r.w.Tick, SavedAt: r.at, World: mustJSON(r.t, r.w)}
}

func (r *rig) close() {
	r.t.Helper()
	if err := r.o.Journal.Close(); err != nil {
		r.t.Fatalf("close: %v", err)
	}
}

// killed is a copy of the folder as SIGKILL would leave it: everything but the
// -shm, which is memory. Nothing may be under way.
func (r *rig) killed() string {
	r.t.Helper()
	dir := filepath.Join(r.t.TempDir(), rigRealm.ID)
	copyDir(r.t, r.dir, dir)
	return dir
}

func copyDir(t testing.TB, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(p string, d os.DirEntry, err error) error {
		if err != nil || strings.HasSuffix(p, "-shm") {
			return err
		}
		rel, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		copyFile(t, p, filepath.Join(to, rel))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func copyFile(t testing.TB, from, to string) {
	t.Helper()
	raw, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

func mustJSON(t testing.TB, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func sameJSON(t testing.TB, what string, got, want any) {
	t.Helper()
	if g, w := mustJSON(t, got), mustJSON(t, want); !bytes.Equal(g, w) {
		t.Fatalf("%s:\n got %s\nwant %s", what, clipped(g), clipped(w))
	}
}

func clipped(b []byte) string {
	if len(b) > 2000 {
		return string(b[:2000]) + "..."
	}
	return string(b)
}

// readAll reads everything after seq in small steps.
func readAll(t testing.TB, j *Journal, after int64) [][]byte {
	t.Helper()
	var out [][]byte
	for {
		frames, err := j.Read(context.Background(), after, 7)
		if err != nil {
			t.Fatal(err)
		}
		if len(frames) == 0 {
			return out
		}
		for _, f := range frames {
			if f.Seq != after+1 {
				t.Fatalf("seq %d after %d", f.Seq, after)
			}
			after = f.Seq
			out = append(out, f.Bytes)
		}
	}
}

// asideNames are the files of a folder that were set aside.
func asideNames(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if strings.Contains(e.Name(), ".aside-") {
			out = append(out, e.Name())
		}
	}
	slices.Sort(out)
	return out
}

var rigTemplate = &world.Template{
	ID: "tale", Name: "Tale", Roles: []world.Role{{ID: "bard", Name: "Bard", Color: "#aa0000"}, {ID: "sage", Name: "Sage", Color: "#00aa00"}},
	Stages: []world.Stage{
		{ID: "one", Name: "One", Goal: "begin", Roles: []string{"bard", "sage"}, Structure: world.StructParallel, Completion: world.CompleteTurns, Turns: 2, Artifacts: []world.ArtifactSpec{}},
		{ID: "two", Name: "Two", Goal: "end", Roles: []string{"sage"}, Structure: world.StructSingle, Completion: world.CompleteTurns, Turns: 1, Artifacts: []world.ArtifactSpec{}},
	},
}

// tale is a process from its creation on into its first stage: two turns done, one
// of them a person's, a finding, and a turn under way with an open row.
func tale() [][]world.Body {
	team := world.Team{ID: "tale", Name: "Tale", Members: []world.Member{
		{ID: "bard", Name: "Bard", DisplayName: "Bard", Type: world.KindAgent, Role: "bard", Color: "#aa0000"},
		{ID: "sage", Name: "Sage", DisplayName: "Ada", Type: world.KindHuman, Role: "sage", Color: "#00aa00", Order: 1},
	}}
	turn := func(role string, n int) *world.Turn {
		return &world.Turn{StageID: "one", RoleID: role, Attempt: 1, N: n}
	}
	return [][]world.Body{
		{&world.RealmCreated{Realm: rigRealm, Settings: world.DefaultSettings()}},
		{
			&world.ProcessStarted{TemplateID: "tale", Name: "Tale", Problem: "why?\nreally", ConversationID: "c1", Template: rigTemplate,
				Stages: []world.StageRef{{ID: "one", Name: "One"}, {ID: "two", Name: "Two"}},
				Cast:   []world.Casting{{RoleID: "bard", MemberID: "bard", Kind: world.KindAgent}, {RoleID: "sage", MemberID: "sage", Kind: world.KindHuman, Name: "Ada"}}},
			&world.ConversationStarted{Conversation: world.Conversation{ConversationID: "c1", Kind: world.KindProcess, Title: "Tale: why?", Status: world.ConversationActive, Team: team, TaskPrompt: "why?\nreally", CreatedAt: 5, UpdatedAt: 5}},
			&world.AgentJoined{Agent: world.Agent{ID: "bard", Name: "Bard", Kind: world.KindAgent, Role: "bard", Status: world.AgentIdle}},
		},
		{
			&world.ChatStarted{ConversationID: "c1", RequestID: "t1", MemberID: "bard", Instance: "bard#1", Status: world.RunRunning, Turn: turn("bard", 1)},
			&world.ChatStarted{ConversationID: "c1", RequestID: "t2", MemberID: "sage", Status: world.RunRunning, Turn: turn("sage", 1)},
			&world.SegmentStarted{ConversationID: "c1", RequestID: "t1", MessageID: "m1", MemberID: "bard", Name: "Bard", StageID: "one"},
		},
		{
			&world.SegmentClosed{ConversationID: "c1", RequestID: "t1", Reason: world.ClosedByDone, Message: world.Message{
				MessageID: "m1", ConversationID: "c1", RequestID: "t1", Role: world.RoleAssistant, MemberID: "bard", Name: "Bard", StageID: "one",
				Content: "Once upon a \"time\"\n<b>&amp; \u2028 \U0001f409", Status: world.MessageDone, At: 11}},
			&world.ChatDone{ConversationID: "c1", RequestID: "t1", MemberID: "bard", Turn: &world.TurnDone{Turn: *turn("bard", 1), StageTurns: 1, MemberTurns: 1}},
			&world.FindingPosted{Finding: world.Finding{ID: "f1", AgentID: "bard", Severity: "low", Title: "a gap", Text: "in the wall", Path: "", At: 12}},
		},
		{
			&world.ChatStarted{ConversationID: "c1", RequestID: "w1", MemberID: "sage", Status: world.RunDone, Message: &world.Message{
				MessageID: "m2", ConversationID: "c1", RequestID: "t2", Role: world.RoleUser, MemberID: "sage", Name: "Ada", StageID: "one",
				Content: "because", Status: world.MessageDone, At: 13}},
			&world.ChatDone{ConversationID: "c1", RequestID: "w1", MemberID: "sage"},
			&world.ChatDone{ConversationID: "c1", RequestID: "t2", MemberID: "sage", Turn: &world.TurnDone{Turn: *turn("sage", 1), StageTurns: 2, MemberTurns: 1}},
		},
		{
			&world.MessageAdded{ConversationID: "c1", Message: world.Message{MessageID: "m3", ConversationID: "c1", Role: world.RoleSystem, Name: "system", Content: "half way", Status: world.MessageDone, At: 14}},
			&world.ChatStarted{ConversationID: "c1", RequestID: "t3", MemberID: "bard", Instance: "bard#1", Status: world.RunRunning, Turn: turn("bard", 2)},
			&world.SegmentStarted{ConversationID: "c1", RequestID: "t3", MessageID: "m4", MemberID: "bard", Name: "Bard", StageID: "one"},
		},
	}
}

func (r *rig) tell() {
	r.t.Helper()
	for _, bodies := range tale() {
		r.commit(bodies...)
	}
}

// say commits n findings, one a batch.
func (r *rig) say(n int) {
	r.t.Helper()
	for range n {
		id := fmt.Sprintf("f%d", r.w.Tick+1)
		r.commit(&world.FindingPosted{Finding: world.Finding{ID: id, AgentID: "bard", Severity: "info", Title: id, Text: strings.Repeat("x", 50), At: r.at}})
	}
}

func itoa(n int64) string { return fmt.Sprint(n) }

// thinned says that the race detector leaves out the i-th of n moments: of a kill at every
// moment of one goroutine it takes the first, the last and a dozen between them.
func thinned(i, n int) bool {
	return raceOn && i != n-1 && i%max(1, n/12) != 0
}
