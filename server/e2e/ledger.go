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

// Ledger records what the servers of one worlds folder have shown of one realm to any client: the frame of each event,
// by seq, and the answers to questions. A test uses it to check that nothing shown is lost or doubled after a restart.
type Ledger struct {
	t  testing.TB
	mu sync.Mutex

	frames map[int64][]byte
	head   int64
	shown  map[string]told // by the key of questionOf; see AskAgain
	asked  int             // number of calls of AskAgain

	complaints atomic.Int64
}

// NewLedger returns an empty Ledger.
func NewLedger(t testing.TB) *Ledger {
	return &Ledger{t: t, frames: map[int64][]byte{}, shown: map[string]told{}}
}

// maxComplaints is the maximum number of errors that a Ledger reports. It keeps the output of a failed test readable.
const maxComplaints = 20

func (l *Ledger) complain(format string, args ...any) {
	l.t.Helper()
	if l.complaints.Add(1) <= maxComplaints {
		l.t.Errorf("%.2000s", fmt.Sprintf(format, args...))
	}
}

// saw records the durable frame with the number seq, which a client was shown; the parameter who names the client.
// It reports whether seq is new. If a client was shown other bytes for the same seq before, the test fails (P4.2,
// P4.7).
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
		l.complain("%s: seq %d was first shown as\n%s\nand is now shown as\n%s", who, seq, old, frame)
	}
	return false
}

// Head returns the highest seq that any client was shown.
func (l *Ledger) Head() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.head
}

// Events returns all events that clients were shown, from seq 1 on. The test fails if a seq is missing.
func (l *Ledger) Events() []world.Event {
	l.t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]world.Event, 0, l.head)
	for seq := int64(1); seq <= l.head; seq++ {
		frame, ok := l.frames[seq]
		if !ok {
			l.t.Fatalf("no client was shown seq %d of %d", seq, l.head)
		}
		ev, err := world.DecodeEvent(frame)
		if err != nil {
			l.t.Fatal(err)
		}
		out = append(out, ev)
	}
	return out
}

// Said returns how often each text occurs in the spectator:command events.
func (l *Ledger) Said() map[string]int {
	out := map[string]int{}
	for _, ev := range l.Events() {
		if say, ok := ev.Body.(*world.SpectatorCommand); ok {
			out[say.Text]++
		}
	}
	return out
}

// Fold returns the world that results from the events up to the seq upTo.
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

// Check checks all events against the rules of the protocol. No command, run, row or turn may occur twice, and segments
// and stages must follow from the events before them. Runs may still be under way.
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
			l.complain("seq %d: the time goes back from %s to %s (P4.1)", ev.Seq, at, ev.At)
		}
		at = ev.At
		h.event(w, ev)
		world.Apply(w, ev)
		if _, ok := ev.Body.(*world.RealmRestored); ok {
			if err := w.Validate(); err != nil {
				l.complain("seq %d: the restored world is invalid: %v", ev.Seq, err)
			}
		}
	}
	if err := w.Validate(); err != nil {
		l.complain("the world at seq %d is invalid: %v", w.Tick, err)
	}
	for id, of := range h.segments {
		if h.runs[of].ends > 0 {
			l.complain("segment %s of run %s was never closed", id, of)
		}
	}
}

// history holds the state of Check after the events that it has checked.
type history struct {
	l         *Ledger
	requests  map[string]string // type of the last event of each command, by requestId
	runs      map[string]*run   // by conversation and requestId
	segments  map[string]string // the run of each open segment, by messageId
	rows      map[string]string // type of the event that created each row, by messageId
	slots     map[string]bool   // turns that have ended, by their place in the process
	artifacts map[string]bool
	process   int // number of processes that have begun
}

type run struct {
	ends    int
	segment string // messageId of the open segment, "" for none
}

func (h *history) event(w *world.World, ev world.Event) {
	l := h.l
	kind := ev.Body.EventType()
	if ev.RequestID != "" {
		if _, ofRun := ev.Body.(interface{ RunRequestID() string }); !ofRun {
			// A server repeats a restore that a kill interrupted: it leaves the current session and then resets the
			// party.
			reset, is := ev.Body.(*world.PartyUpdated)
			again := is && reset.Party.Status == world.PartyIdle
			if was := h.requests[ev.RequestID]; was != "" && !(again && (was == kind || was == "conversation.status")) {
				l.complain("seq %d: %s has the requestId %s, as %s had: the command was executed twice", ev.Seq, kind,
					ev.RequestID, was)
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
			l.complain("seq %d: realm:restored names the wrong seq %d", ev.Seq, b.RestoredTo)
		}
	case *world.ProcessStarted:
		h.process++
	case *world.ProcessAdvanced:
		p := &w.ProcessState
		if s := p.Stage(); s == nil || s.ID != b.FromStageID || b.StageIndex != p.CurrentStageIndex+1 || p.Template.Stages[b.StageIndex].ID != b.ToStageID {
			l.complain("seq %d: the process wrongly advanced from stage %d: %+v (S3-22)", ev.Seq,
				p.CurrentStageIndex, b)
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
			l.complain("seq %d: run %s has instance %s instead of %s (S0-07)", ev.Seq, id, b.Instance, next)
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
			l.complain("seq %d: segment %s was closed, but segment %q was open", ev.Seq, b.Message.MessageID, r.segment)
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
		h.l.complain("seq %d: row %s was created again; %s had created it", ev.Seq, id, was)
	}
	h.rows[id] = ev.Body.EventType()
}

// running returns the run to which an event belongs. It complains if the run has not begun or has ended.
func (h *history) running(ev world.Event, conversation, request string) *run {
	r := h.runs[conversation+"/"+request]
	if r == nil || r.ends > 0 {
		h.l.complain("seq %d: %s names run %s, which is not under way", ev.Seq, ev.Body.EventType(), request)
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

// SameWorld fails the test if two worlds differ in the parts that result from events. It does not compare Map, MapTree
// and Country, which come from the disk (P7.5).
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

// Rows returns the transcript of a conversation that results from the events: the present state of each row, in order.
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
