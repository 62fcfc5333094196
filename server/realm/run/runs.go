package run

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/conversation"
	"agentdungeon/server/kind"
	"agentdungeon/server/realm/erasure"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Key identifies a run: a requestId is unique within its conversation only.
type Key struct{ Talk, Request string }

// Runs has the runs under way and the members that are cooling down. All of this is lost when the server ends.
type Runs struct {
	log      zerolog.Logger
	made     chan Made
	live     map[Key]*live
	segments map[string]*conversation.Segment // rows that are open on screens, by messageId
	queued   map[*conversation.Segment]int    // the number of deltas of each row that wait behind an event; see Queue
	cooling  map[string]time.Time             // when each member has cooled down, by the member's id
}

// live is the state of a run that a driver plays. A person's turn has none.
type live struct {
	Key
	member   string
	stage    string
	segment  *conversation.Segment // the open row, or nil
	shownAt  time.Time             // time of its last delta
	showDue  time.Time             // when the next delta is due; zero if no words wait
	tools    map[string]*tool      // tools that have started and not ended, by callId; at most maxTools
	full     bool                  // the row has reached its limit
	spoke    bool                  // an earlier row of this run has words
	passed   bool                  // the driver has said that the member has nothing to say
	deadline time.Time             // zero: no time limit
	answer   *answer               // nil unless the answer is hidden
	erased   erasure.Filter        // removes from the output what was erased since the run began
	cancel   context.CancelFunc
}

// answer collects the words of a hidden answer: an answer that only the kind of the conversation gets (kind.Asker).
type answer struct {
	n    int // the number of the turn (driver.Turn.N)
	most int // maximum length in bytes
	text strings.Builder
}

// Step is one thing that the actor has to do for a run. Exactly one of the fields Bodies, Frame, Durable, Reads and
// Heard is set.
type Step struct {
	Bodies  []world.Body          // events that are emitted together
	Frame   wire.Frame            // an ephemeral frame for all viewers
	Words   *conversation.Segment // the row to which Frame adds words; nil if Frame is no delta
	Durable chan<- error          // gets nil once everything before this step is durable; has room for one value
	Reads   *Reading
	Heard   *Heard
}

// Reading is the file or folder that a member has begun to read.
type Reading struct{ Member, Path string }

// Heard is the hidden answer of a driver: words that only the kind of the conversation gets, and no client.
type Heard struct {
	Key
	N    int    // the number of the turn (driver.Turn.N)
	Text string // the answer; "" if it failed
	// Code is "" if the driver has answered. Otherwise Code is the code of chat.error; it is world.ChatLimit if the
	// answer was too long. Why is the reason, which a kind of conversation shows to people as a part of a sentence.
	Code, Why string
}

// Steps yields steps in order. The caller must carry out each step before it takes the next one.
type Steps = iter.Seq[Step]

func none(func(Step) bool) {}

func one(s Step) Steps { return func(yield func(Step) bool) { yield(s) } }

// decide yields one step with these events. It yields none if there are no events.
func decide(bodies ...world.Body) Steps {
	if len(bodies) == 0 {
		return none
	}
	return one(Step{Bodies: bodies})
}

// madeSize is the maximum number of chunks that wait for the actor.
const madeSize = 64

// New returns the runs of a realm that opens. There are none yet.
func New(log zerolog.Logger) *Runs {
	return &Runs{
		log: log, made: make(chan Made, madeSize), live: map[Key]*live{}, cooling: map[string]time.Time{},
		segments: map[string]*conversation.Segment{}, queued: map[*conversation.Segment]int{},
	}
}

// Made returns the channel of chunks, from which the actor passes each chunk to Hear. The chunks of one driver
// are in order.
func (s *Runs) Made() <-chan Made { return s.made }

// Begin begins a run after its chat.started, or a turn of a run that asks for a hidden answer. It returns nil
// if no driver plays the turn: the turn is a person's, or the conversation's plan has already answered it.
func (s *Runs) Begin(r *kind.Realm, talk *kind.Talk, b *world.ChatStarted) *Player {
	player, turn := r.Kinds.Of(talk.Head.Kind).Turn(r, talk, b)
	if player == nil {
		return nil
	}
	k := Key{b.ConversationID, b.RequestID}
	l := &live{Key: k, member: b.MemberID, tools: map[string]*tool{}}
	s.live[k] = l
	if talk.Rules.Staged {
		l.stage = turn.StageID
	}
	if asker, ok := r.Kinds.Of(talk.Head.Kind).(kind.Asker); ok && turn.Unrecorded {
		l.answer = &answer{n: turn.N, most: asker.MaxAnswer()}
	}
	p := &Player{Key: l.Key, driver: player, turn: turn, made: s.made}
	p.limit = time.Duration(r.World.Settings.TurnTimeoutSeconds) * time.Second
	p.ctx, l.cancel = context.WithCancel(context.Background())
	return p
}

// Started starts the time limit of a player. The actor calls it when the events before the turn are durable. Started
// returns false if the run has ended meanwhile; the caller must not call Play then.
func (s *Runs) Started(p *Player, now time.Time) bool {
	l := s.live[p.Key]
	if l == nil || p.ctx.Err() != nil {
		return false
	}
	l.deadline = now.Add(p.limit)
	return true
}

// Drop cancels the driver of a run. Everything that the driver emits afterwards is ignored.
func (s *Runs) Drop(k Key) {
	if l := s.live[k]; l != nil {
		l.cancel()
		delete(s.live, k)
	}
}

// DropAll calls Drop for all runs.
func (s *Runs) DropAll() {
	for k := range s.live {
		s.Drop(k)
	}
}

// Watch updates the runs after the event b was emitted.
func (s *Runs) Watch(b world.Body, now time.Time) {
	switch b := b.(type) {
	case *world.ChatDone:
		s.Drop(Key{b.ConversationID, b.RequestID})
	case *world.ChatError:
		s.Drop(Key{b.ConversationID, b.RequestID})
	case *world.ChatCancelled:
		s.Drop(Key{b.ConversationID, b.RequestID})
	case *world.AgentActivity:
		if b.Activity == world.ActivityCooldown {
			s.cooling[b.AgentID] = now.Add(CoolFor)
		}
	case *world.AgentLeft:
		delete(s.cooling, b.AgentID)
	}
}

// Shown updates the open rows after the event b was shown to clients.
func (s *Runs) Shown(b world.Body) {
	switch b := b.(type) {
	case *world.SegmentStarted:
		if row := s.segments[b.MessageID]; row != nil {
			row.Started()
		}
	case *world.SegmentClosed:
		delete(s.segments, b.Message.MessageID)
	}
}

// Len returns the number of runs that drivers play.
func (s *Runs) Len() int { return len(s.live) }

// Plays reports whether a driver plays the run k.
func (s *Runs) Plays(k Key) bool { return s.live[k] != nil }

// Answering returns the conversation of each run that a driver plays.
func (s *Runs) Answering() []string {
	out := make([]string, 0, len(s.live))
	for k := range s.live {
		out = append(out, k.Talk)
	}
	return out
}

// Playing returns the set of members that a driver plays.
func (s *Runs) Playing() map[string]bool {
	out := map[string]bool{}
	for _, l := range s.live {
		out[l.member] = true
	}
	return out
}

// Overlays returns the words of open rows that clients were shown, by messageId. It returns those of the
// conversation talk, or of all conversations if talk is "".
func (s *Runs) Overlays(talk string) map[string]wire.Overlay {
	out := map[string]wire.Overlay{}
	for id, row := range s.segments {
		if o, ok := row.Overlay(); ok && (talk == "" || row.ConversationID == talk) {
			out[id] = o
		}
	}
	return out
}

// Passes reports whether a delta of a row may be shown before events that wait for the disk: clients were
// shown the row, and no delta of it is queued. Deltas are numbered within their row, and are provisional until
// the row closes (P9.3).
func (s *Runs) Passes(row *conversation.Segment) bool { return row.IsShown() && s.queued[row] == 0 }

// Queue counts a delta that must wait behind an event.
func (s *Runs) Queue(row *conversation.Segment) { s.queued[row]++ }

// Unqueue undoes Queue for a delta that does not wait any more.
func (s *Runs) Unqueue(row *conversation.Segment) {
	if s.queued[row]--; s.queued[row] <= 0 {
		delete(s.queued, row)
	}
}

// open returns the tool calls of the run that have not ended, in the order in which they started.
func (l *live) open() []*tool {
	return slices.SortedFunc(maps.Values(l.tools), func(a, b *tool) int { return a.n - b.n })
}

// Forget removes what an erasure covers from the runs under way, and from everything that their drivers emit
// until they end.
func (s *Runs) Forget(red *world.Redactor) {
	for _, l := range s.live {
		l.erased = append(l.erased, red)
		if l.segment != nil {
			l.segment.RedactAtClose(red.WithoutQuotes)
		}
		for _, t := range l.tools {
			for _, text := range []*strings.Builder{&t.shown, &t.pending} {
				left := red.WithoutQuotes(text.String())
				text.Reset()
				text.WriteString(left)
			}
		}
	}
}
