package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"agentdungeon/shared/world"
)

// Ledger is what has been shown of one realm, to anybody, in every life of the
// server: events by seq, byte for byte, and the answers to questions. It is what "never
// lost, never doubled" is held against.
type Ledger struct {
	t  testing.TB
	mu sync.Mutex

	frames map[int64][]byte
	head   int64
	shown  map[string]told // by question; see AskAgain
	asked  int             // how often

	complaints atomic.Int64
}

// NewLedger begins an empty one.
func NewLedger(t testing.TB) *Ledger {
	return &Ledger{t: t, frames: map[int64][]byte{}, shown: map[string]told{}}
}

// maxComplaints keeps a broken run readable.
const maxComplaints = 20

func (l *Ledger) complain(format string, args ...any) {
	l.t.Helper()
	if l.complaints.Add(1) <= maxComplaints {
		l.t.Errorf("%.2000s", fmt.Sprintf(format, args...))
	}
}

// saw takes a durable frame that somebody was shown. The same seq has the same
// bytes for ever (P4.2, P4.7).
func (l *Ledger) saw(who string, seq int64, frame []byte) (isNew bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	old, known := l.frames[seq]
	if !known {
		l.frames[seq] = bytes.Clone(frame)
		l.head = max(l.head, seq)
		return true
	}
	if !bytes.Equal(old, frame) {
		l.complain("%s: seq %d was shown as\n%s\nand now is\n%s", who, seq, old, frame)
	}
	return false
}

// Head is the highest seq that anybody was shown.
func (l *Ledger) Head() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.head
}

// Diverge forgets what was shown after seq: a test took the realm's files away,
// and the realm went on from there on another line.
func (l *Ledger) Diverge(after int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for seq := range l.frames {
		if seq > after {
			delete(l.frames, seq)
		}
	}
	l.head = min(l.head, after)
	clear(l.shown)
}

// Events returns what was shown, decoded, from seq 1 on. A hole fails the test.
func (l *Ledger) Events() []world.Event {
	l.t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]world.Event, 0, l.head)
	for seq := int64(1); seq <= l.head; seq++ {
		frame, ok := l.frames[seq]
		if !ok {
			l.t.Fatalf("nobody was shown seq %d of %d", seq, l.head)
		}
		ev, err := world.DecodeEvent(frame)
		if err != nil {
			l.t.Fatal(err)
		}
		out = append(out, ev)
	}
	return out
}

// Said counts the texts of spectator:command.
func (l *Ledger) Said() map[string]int {
	out := map[string]int{}
	for _, ev := range l.Events() {
		if say, ok := ev.Body.(*world.SpectatorCommand); ok {
			out[say.Text]++
		}
	}
	return out
}

// Fold returns the world that the events up to a seq make.
func (l *Ledger) Fold(upTo int64) *world.World {
	l.t.Helper()
	w := world.New(world.Realm{})
	for _, ev := range l.Events() {
		if ev.Seq <= upTo {
			world.Apply(w, ev)
		}
	}
	return w
}

// Check holds the whole history against the contract: order, requests, runs,
// segments, rows, stages. Runs may still be under way.
func (l *Ledger) Check() {
	l.t.Helper()
	h := &history{
		l: l, requests: map[string]string{}, runs: map[string]*run{}, rows: map[string]string{},
		segments: map[string]string{}, slots: map[string]bool{}, artifacts: map[string]bool{},
	}
	w := world.New(world.Realm{})
	var at world.Time
	for _, ev := range l.Events() {
		if world.After(at, ev.At) != ev.At {
			l.complain("seq %d: at goes back from %s to %s (P4.1)", ev.Seq, at, ev.At)
		}
		at = ev.At
		h.event(w, ev)
		world.Apply(w, ev)
		if _, ok := ev.Body.(*world.RealmRestored); ok {
			if err := w.Validate(); err != nil {
				l.complain("seq %d: the world that was restored: %v", ev.Seq, err)
			}
		}
	}
	if err := w.Validate(); err != nil {
		l.complain("the world at %d: %v", w.Tick, err)
	}
	for id, of := range h.segments {
		if h.runs[of].ends > 0 {
			l.complain("segment %s of run %s was never closed", id, of)
		}
	}
}

// history walks through the events of a realm.
type history struct {
	l         *Ledger
	requests  map[string]string // commands by requestId: what their first event was
	runs      map[string]*run   // by conversation and requestId
	segments  map[string]string // open ones: their run
	rows      map[string]string // messageId: the event that made it
	slots     map[string]bool   // turns that were taken
	artifacts map[string]bool
	process   int // how many have begun
}

type run struct {
	ends    int
	segment string // open one
}

func (h *history) event(w *world.World, ev world.Event) {
	l := h.l
	kind := ev.Body.EventType()
	if ev.RequestID != "" {
		if _, ofRun := ev.Body.(interface{ RunRequestID() string }); !ofRun {
			// A restore that a kill cut off begins again: it lets go of the session at hand, then resets.
			reset, is := ev.Body.(*world.PartyUpdated)
			again := is && reset.Party.Status == world.PartyIdle
			if was := h.requests[ev.RequestID]; was != "" && !(again && (was == kind || was == "conversation.status")) {
				l.complain("seq %d: %s carries request %s, as %s did: it was taken twice", ev.Seq, kind, ev.RequestID, was)
			}
			h.requests[ev.RequestID] = kind
		}
	}
	switch b := ev.Body.(type) {
	case *world.RealmCreated:
		if ev.Seq != 1 {
			l.complain("seq %d: the realm was created again", ev.Seq)
		}
	case *world.RealmRestored:
		if b.RestoredTo != ev.Seq-1 && (b.RestoredTo != 0 || b.Source != world.RestoredFromNothing) {
			l.complain("seq %d: restored to %d", ev.Seq, b.RestoredTo)
		}
	case *world.ProcessStarted:
		h.process++
	case *world.ProcessAdvanced:
		p := &w.ProcessState
		if s := p.Stage(); s == nil || s.ID != b.FromStageID || b.StageIndex != p.CurrentStageIndex+1 || p.Template.Stages[b.StageIndex].ID != b.ToStageID {
			l.complain("seq %d: from stage %d the process advanced to %+v (S3-22)", ev.Seq, p.CurrentStageIndex, b)
		}
	case *world.ArtifactSaved:
		key := fmt.Sprintf("%d/%s/%s/%s/%d", h.process, b.Artifact.StageID, b.Artifact.Name, b.Artifact.AgentID, w.ProcessState.StageAttempt)
		if b.Artifact.AgentID == "" && h.artifacts[key] {
			l.complain("seq %d: artifact %s of the same stage was saved twice", ev.Seq, key)
		}
		h.artifacts[key] = true
	case *world.ChatStarted:
		id := b.ConversationID + "/" + b.RequestID
		if h.runs[id] != nil {
			l.complain("seq %d: run %s began twice", ev.Seq, id)
		}
		h.runs[id] = &run{}
		if next := w.NextInstance(b.MemberID); b.Instance != "" && b.Instance != next {
			l.complain("seq %d: run %s is of instance %s, the next is %s (S0-07)", ev.Seq, id, b.Instance, next)
		}
		if b.Message != nil {
			h.row(ev, b.Message.MessageID)
		}
	case *world.SegmentStarted:
		r := h.running(ev, b.ConversationID, b.RequestID)
		if r.segment != "" {
			l.complain("seq %d: run %s opened a second segment (P9.2)", ev.Seq, b.RequestID)
		}
		r.segment = b.MessageID
		h.segments[b.MessageID] = b.ConversationID + "/" + b.RequestID
		h.row(ev, b.MessageID)
	case *world.SegmentClosed:
		r := h.running(ev, b.ConversationID, b.RequestID)
		if r.segment != b.Message.MessageID {
			l.complain("seq %d: segment %s closed, open was %q", ev.Seq, b.Message.MessageID, r.segment)
		}
		r.segment = ""
		delete(h.segments, b.Message.MessageID)
	case *world.MessageAdded:
		h.row(ev, b.Message.MessageID)
	case *world.ChatDone:
		h.end(ev, b.ConversationID, b.RequestID)
		if b.Turn != nil {
			slot := fmt.Sprintf("%d/%s/%s/%d/%d", h.process, b.Turn.StageID, b.Turn.RoleID, b.Turn.Attempt, b.Turn.N)
			if h.slots[slot] {
				l.complain("seq %d: the turn %s was taken twice", ev.Seq, slot)
			}
			h.slots[slot] = true
		}
	case *world.ChatError:
		h.end(ev, b.ConversationID, b.RequestID)
	case *world.ChatCancelled:
		h.end(ev, b.ConversationID, b.RequestID)
	}
}

func (h *history) row(ev world.Event, id string) {
	if was := h.rows[id]; was != "" {
		h.l.complain("seq %d: row %s was there already, from %s", ev.Seq, id, was)
	}
	h.rows[id] = ev.Body.EventType()
}

// running is a run that something is about, which must be under way.
func (h *history) running(ev world.Event, conversation, request string) *run {
	r := h.runs[conversation+"/"+request]
	if r == nil || r.ends > 0 {
		h.l.complain("seq %d: %s of run %s, which is not under way", ev.Seq, ev.Body.EventType(), request)
		r = &run{}
		h.runs[conversation+"/"+request] = r
	}
	return r
}

func (h *history) end(ev world.Event, conversation, request string) {
	r := h.running(ev, conversation, request)
	r.ends++
	if r.segment != "" {
		h.l.complain("seq %d: run %s ended with its segment %s open", ev.Seq, request, r.segment)
	}
}

// SameWorld fails the test where two worlds differ in what events make. Map,
// MapTree and Country come from the disk (P7.5).
func SameWorld(t testing.TB, what string, got, want *world.World) {
	t.Helper()
	a, b := canonical(t, got), canonical(t, want)
	if !bytes.Equal(a, b) {
		at := 0
		for at < min(len(a), len(b)) && a[at] == b[at] {
			at++
		}
		from := max(0, at-200)
		t.Errorf("%s: the worlds differ:\n...%.600s\nwant\n...%.600s", what, a[from:], b[from:])
	}
}

func canonical(t testing.TB, w *world.World) []byte {
	t.Helper()
	c := w.Clone()
	c.Fill()
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Rows returns the transcript that the events make: each row as it stands now, in
// order.
func Rows(events []world.Event, conversation string) []world.Message {
	var out []world.Message
	at := map[string]int{}
	put := func(m world.Message, seq int64) {
		if m.ConversationID != conversation {
			return
		}
		if i, ok := at[m.MessageID]; ok {
			m.Seq = out[i].Seq // a row keeps its place
			out[i] = m
			return
		}
		m.Seq = seq
		at[m.MessageID] = len(out)
		out = append(out, m)
	}
	for _, ev := range events {
		if b, ok := ev.Body.(*world.SegmentStarted); ok {
			put(world.Message{
				MessageID: b.MessageID, ConversationID: b.ConversationID, RequestID: b.RequestID, Role: world.RoleAssistant,
				MemberID: b.MemberID, Name: b.Name, StageID: b.StageID, Status: world.MessageOpen, At: ev.At,
			}, ev.Seq)
		} else if b, ok := ev.Body.(*world.ToolStart); ok {
			put(b.ToolRow(ev.At), ev.Seq)
		} else if b, ok := ev.Body.(*world.ToolEnd); ok && at[b.MessageID] < len(out) && len(out) > 0 && out[at[b.MessageID]].MessageID == b.MessageID {
			m := out[at[b.MessageID]]
			tool := *m.Tool
			tool.Cut = b.Cut
			m.Content, m.Status, m.Tool = b.Output, b.Status(), &tool
			put(m, 0)
		} else if m := ev.Row(); m != nil {
			put(*m, ev.Seq)
		}
	}
	return out
}
