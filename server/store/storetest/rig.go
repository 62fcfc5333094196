package storetest

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/afero"

	"agentdungeon/server/store/recovery"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

var (
	RigRealm = world.Realm{ID: "keep-1", Name: "Keep", Path: "/srv/keep", Tenant: "default"}
	RigStart = time.Date(2026, 1, 31, 10, 0, 0, 0, time.UTC)
)

// Rig does the work of the actor on a real folder: it numbers, folds and commits events, and records the frames
// of committed events.
type Rig struct {
	T      testing.TB
	Dir    string
	O      *recovery.Opened
	W      *world.World
	At     world.Time
	Frames [][]byte // frames of the committed events; index 0 has seq 1; nil for events of a journal that was lost
}

// NewRig returns a Rig with a new realm, which is open.
func NewRig(t testing.TB) *Rig {
	t.Helper()
	r := &Rig{T: t, Dir: filepath.Join(t.TempDir(), RigRealm.ID), At: world.TimeOf(RigStart)}
	r.Open()
	return r
}

// OpenDir opens the realm in dir.
func OpenDir(t testing.TB, dir string) (*recovery.Opened, error) {
	t.Helper()
	return recovery.Open(context.Background(), afero.NewOsFs(), dir, RigRealm, world.DefaultSettings(),
		RigStart.Add(time.Hour))
}

// MustOpen opens a folder and closes it at the end of the test.
func MustOpen(t testing.TB, dir string) *recovery.Opened {
	t.Helper()
	o, err := OpenDir(t, dir)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { o.Journal.Close() })
	if state, err := world.EncodeState(o.Saved.World, o.Saved.Land); err != nil || !bytes.Equal(state, o.Saved.State) {
		t.Fatalf("open: the encoded state is not that of the world and the land (%v)", err)
	}
	if n := o.Saved.Land.Map.Generation; n != 0 {
		t.Fatalf("open: the map has the generation %d", n)
	}
	return o
}

// Open opens the realm of the Rig again.
func (r *Rig) Open() {
	r.T.Helper()
	r.O = MustOpen(r.T, r.Dir)
	r.W = r.O.Saved.World.Clone()
	r.At = max(r.At, r.O.Saved.LastAt)
}

// Batch numbers and encodes events. It does not apply them to the world.
func (r *Rig) Batch(bodies ...world.Body) *world.Batch {
	r.T.Helper()
	b := &world.Batch{}
	for i, body := range bodies {
		r.At += 7
		rec, err := world.Event{Seq: r.W.Tick + 1 + int64(i), At: r.At, V: 1, Body: body}.Encode()
		if err != nil {
			r.T.Fatal(err)
		}
		b.Records = append(b.Records, rec)
	}
	return b
}

// Fold applies a committed batch to the world and records its frames.
func (r *Rig) Fold(b *world.Batch) {
	for _, rec := range b.Records {
		world.Apply(r.W, rec.Event)
		for int64(len(r.Frames)) < rec.Event.Seq-1 {
			r.Frames = append(r.Frames, nil)
		}
		r.Frames = append(r.Frames, rec.Frame)
	}
}

// Commit commits events and applies them to the world.
func (r *Rig) Commit(bodies ...world.Body) {
	r.T.Helper()
	b := r.Batch(bodies...)
	if err := r.O.Journal.Commit(b); err != nil {
		r.T.Fatalf("commit: %v", err)
	}
	r.Fold(b)
}

// Checkpoint writes the world to state.json.
func (r *Rig) Checkpoint() {
	r.T.Helper()
	if err := r.O.Files.WriteCheckpoint(r.WorldNow()); err != nil {
		r.T.Fatal(err)
	}
}

// WorldNow returns a checkpoint of the world.
func (r *Rig) WorldNow() world.Checkpoint {
	r.T.Helper()
	raw, err := world.EncodeState(r.W, &world.Land{Map: world.Map{Generation: 57}})
	if err != nil {
		r.T.Fatal(err)
	}
	return world.Checkpoint{Epoch: r.O.Saved.Epoch, Seq: r.W.Tick, SavedAt: r.At, World: raw}
}

// Base stores a base in the journal.
func (r *Rig) Base() {
	r.T.Helper()
	if err := r.O.Journal.SaveBase(r.WorldNow()); err != nil {
		r.T.Fatal(err)
	}
}

func (r *Rig) Close() {
	r.T.Helper()
	if err := r.O.Journal.Close(); err != nil {
		r.T.Fatalf("close: %v", err)
	}
}

// Killed copies the folder as SIGKILL would leave it: everything except the -shm file, which is
// shared memory. No operation may be running.
func (r *Rig) Killed() string {
	r.T.Helper()
	dir := filepath.Join(r.T.TempDir(), RigRealm.ID)
	CopyDir(r.T, r.Dir, dir)
	return dir
}

var rigTemplate = &world.Template{
	ID: "tale", Name: "Tale", Roles: []world.Role{{ID: "bard", Name: "Bard", Color: "#aa0000"},
		{ID: "sage", Name: "Sage", Color: "#00aa00"}},
	Stages: []world.Stage{
		{ID: "one", Name: "One", Goal: "begin", Roles: []string{"bard", "sage"}, Structure: world.StructParallel,
			Completion: world.CompleteTurns, Turns: 2, Artifacts: []world.ArtifactSpec{}},
		{ID: "two", Name: "Two", Goal: "end", Roles: []string{"sage"}, Structure: world.StructSingle,
			Completion: world.CompleteTurns, Turns: 1, Artifacts: []world.ArtifactSpec{}},
	},
}

// Tale returns the events of a process from its creation into its first stage: two completed turns,
// one of them a person's, a finding, and a running turn with an open row.
func Tale() [][]world.Body {
	team := world.Team{ID: "tale", Name: "Tale", Members: []world.Member{
		{ID: "bard", Name: "Bard", DisplayName: "Bard", Type: world.KindAgent, Role: "bard", Color: "#aa0000"},
		{ID: "sage", Name: "Sage", DisplayName: "Ada", Type: world.KindHuman, Role: "sage", Color: "#00aa00", Order: 1},
	}}
	turn := func(role string, n int) *world.Turn {
		return &world.Turn{StageID: "one", RoleID: role, Attempt: 1, N: n}
	}
	return [][]world.Body{
		{&world.RealmCreated{Realm: RigRealm, Settings: world.DefaultSettings()}},
		{
			&world.ProcessStarted{TemplateID: "tale", Name: "Tale", Problem: "why?\nreally", ConversationID: "c1",
				Template: rigTemplate,
				Stages:   []world.StageRef{{ID: "one", Name: "One"}, {ID: "two", Name: "Two"}},
				Cast: []world.Casting{{RoleID: "bard", MemberID: "bard", Kind: world.KindAgent},
					{RoleID: "sage", MemberID: "sage", Kind: world.KindHuman, Name: "Ada"}}},
			&world.ConversationStarted{Conversation: world.Conversation{ConversationID: "c1", Kind: world.KindProcess,
				Title: "Tale: why?", Status: world.ConversationActive, Team: team, TaskPrompt: "why?\nreally", CreatedAt: 5, UpdatedAt: 5}},
			&world.AgentJoined{Agent: world.Agent{ID: "bard", Name: "Bard", Kind: world.KindAgent, Role: "bard",
				Status: world.AgentIdle}},
		},
		{
			&world.ChatStarted{ConversationID: "c1", RequestID: "t1", MemberID: "bard", Instance: "bard#1",
				Status: world.RunRunning, Turn: turn("bard", 1)},
			&world.ChatStarted{ConversationID: "c1", RequestID: "t2", MemberID: "sage", Status: world.RunRunning,
				Turn: turn("sage", 1)},
			&world.SegmentStarted{ConversationID: "c1", RequestID: "t1", MessageID: "m1", MemberID: "bard", Name: "Bard",
				StageID: "one"},
		},
		{
			&world.SegmentClosed{ConversationID: "c1", RequestID: "t1", Reason: world.ClosedByDone, Message: world.Message{
				MessageID: "m1", ConversationID: "c1", RequestID: "t1", Role: world.RoleAssistant, MemberID: "bard", Name: "Bard", StageID: "one",
				Content: "Once upon a \"time\"\n<b>&amp; \u2028 \U0001f409", Status: world.MessageDone, At: 11}},
			&world.ChatDone{ConversationID: "c1", RequestID: "t1", MemberID: "bard",
				Turn: &world.TurnDone{Turn: *turn("bard", 1), StageTurns: 1, MemberTurns: 1}},
			&world.FindingPosted{Finding: world.Finding{ID: "f1", AgentID: "bard", Severity: "low", Title: "a gap",
				Text: "in the wall", Path: "", At: 12}},
		},
		{
			&world.ChatStarted{ConversationID: "c1", RequestID: "w1", MemberID: "sage", Status: world.RunDone,
				Message: &world.Message{
					MessageID: "m2", ConversationID: "c1", RequestID: "t2", Role: world.RoleUser, MemberID: "sage", Name: "Ada", StageID: "one",
					Content: "because", Status: world.MessageDone, At: 13}},
			&world.ChatDone{ConversationID: "c1", RequestID: "w1", MemberID: "sage"},
			&world.ChatDone{ConversationID: "c1", RequestID: "t2", MemberID: "sage",
				Turn: &world.TurnDone{Turn: *turn("sage", 1), StageTurns: 2, MemberTurns: 1}},
		},
		{
			&world.MessageAdded{ConversationID: "c1", Message: world.Message{MessageID: "m3", ConversationID: "c1",
				Role: world.RoleSystem, Name: "system", Content: "half way", Status: world.MessageDone, At: 14}},
			&world.ChatStarted{ConversationID: "c1", RequestID: "t3", MemberID: "bard", Instance: "bard#1",
				Status: world.RunRunning, Turn: turn("bard", 2)},
			&world.SegmentStarted{ConversationID: "c1", RequestID: "t3", MessageID: "m4", MemberID: "bard", Name: "Bard",
				StageID: "one"},
		},
	}
}

// Tell commits the events that Tale returns, one batch for each of its lists.
func (r *Rig) Tell() {
	r.T.Helper()
	for _, bodies := range Tale() {
		r.Commit(bodies...)
	}
}

// Say commits n findings, each in a batch of its own.
func (r *Rig) Say(n int) {
	r.T.Helper()
	for range n {
		id := fmt.Sprintf("f%d", r.W.Tick+1)
		r.Commit(&world.FindingPosted{Finding: world.Finding{ID: id, AgentID: "bard", Severity: "info", Title: id,
			Text: strings.Repeat("x", 50), At: r.At}})
	}
}

// Fill commits rows of size bytes each and returns the greatest length of the log, in bytes.
func (r *Rig) Fill(rows, size int) (most int64) {
	r.T.Helper()
	rnd := rand.New(rand.NewPCG(1, 1))
	for range rows {
		raw := make([]byte, 2*size) // random, so that packing cannot make it smaller than size
		for i := range raw {
			raw[i] = byte(' ' + rnd.IntN(16))
		}
		text := string(raw)
		r.Commit(&world.MessageAdded{Message: world.Message{MessageID: fmt.Sprint("m", r.W.Tick), Content: text}})
		most = max(most, logBytesOf(r.Dir))
	}
	r.Frames = nil
	return most
}

// PackAll packs the rows of the journal in blocks of the given number of events. It leaves the newest events
// unpacked; rows is their number.
func (r *Rig) PackAll(events, rows int64) {
	r.T.Helper()
	last := r.O.Journal.Head() - rows
	Must(r.T, r.O.Journal.Amend("pack events", func(w *tables.Writer) error {
		var block []tables.EventRow
		var blocks [][]tables.EventRow
		if err := tables.EachRowFrom(w, 1, last, func(e *tables.EventRow) bool {
			if n := len(block); n > 0 && block[n-1].Seq != e.Seq-1 {
				blocks, block = append(blocks, block), nil
			}
			if block = append(block, *e); int64(len(block)) == events {
				blocks, block = append(blocks, block), nil
			}
			return true
		}); err != nil {
			return err
		}
		for _, b := range blocks {
			events, sum := tables.Pack(b)
			if err := w.PutBlock(b, events, sum); err != nil {
				return err
			}
		}
		return nil
	}))
}

// Learns commits an event for each text: a member has learned the insight with that text.
func (r *Rig) Learns(member string, texts ...string) {
	r.T.Helper()
	for _, text := range texts {
		r.Commit(&world.KnowledgeUpdated{AgentID: member, Area: "door", Text: text})
	}
}

// Saves writes a member's vault, with one insight for each text, and then the VaultMark of it, as the actor does.
func (r *Rig) Saves(member string, texts ...string) {
	r.T.Helper()
	v := world.Vault{AgentID: member, Epoch: r.O.Saved.Epoch, Seq: r.W.Tick}
	for _, text := range texts {
		v.Insights = append(v.Insights, world.Insight{Area: "door", Text: text, At: r.At})
	}
	Must(r.T, r.O.Files.WriteVault(v))
	Must(r.T, r.O.Journal.MarkVaults(world.VaultMark{Epoch: v.Epoch, Seq: v.Seq, Vaults: map[string]int64{member: v.Seq}}))
}

// logBytesOf returns the size in bytes of the log beside a realm's database.
func logBytesOf(dir string) int64 {
	info, err := os.Stat(filepath.Join(dir, sqlite.JournalFile+"-wal"))
	if err != nil {
		return 0
	}
	return info.Size()
}

func RealmNamed(name string) world.Realm { return world.Realm{Name: name} }
