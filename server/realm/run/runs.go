package run

import (
	"context"
	"iter"
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

// Key names a run: requestIds are unique within their conversation only.
type Key struct{ Talk, Request string }

// Runs are the runs under way in this life of the realm, with what is provisional in them.
type Runs struct {
	log      zerolog.Logger
	made     chan Made
	live     map[Key]*live
	segments map[string]*conversation.Segment // rows whose close was not shown yet, by messageId
	queued   map[*conversation.Segment]int    // deltas that wait behind what is not durable
	cooling  map[string]time.Time             // until when members cool down; at most one for each on the map
}

// live is a run that a driver plays. A person's turn has none: it waits for chat.send.
type live struct {
	Key
	member   string
	stage    string
	segment  *conversation.Segment // the open row, or nil
	shownAt  time.Time             // when words of it were last shown
	showDue  time.Time             // when the words that wait are to be shown; zero: none wait
	tools    map[string]*tool      // those that have started and not ended, by callId; at most maxTools
	full     bool                  // it has said too much
	spoke    bool                  // it has words in a row before a tool
	deadline time.Time             // zero: no time limit
	answer   *answer               // of a run that is heard and not shown, else nil
	erased   erasure.Filter        // what was erased since it began
	cancel   context.CancelFunc
}

// answer collects the words of a turn that is heard and not shown.
type answer struct {
	n    int // driver.Turn.N
	most int // bytes
	text strings.Builder
}

// Step is one thing that follows from a run. One of its parts is set.
type Step struct {
	Bodies  []world.Body          // to be decided together
	Frame   wire.Frame            // to be shown to everybody
	Words   *conversation.Segment // with a Frame: the row that it is a delta of
	Durable chan<- error          // to be told nil once all before it is durable; it holds one
	Heard   *Heard                // a turn that is heard and not shown has ended
}

// Heard is what a driver has answered to a turn that is heard and not shown.
type Heard struct {
	Key
	N    int    // driver.Turn.N
	Text string // "" where it has failed
	// Code of chat.error says how it has failed, "" where it has not: world.ChatLimit for an answer
	// that is too long. Why says it to people as the middle of a sentence.
	Code, Why string
}

// Steps are asked for one at a time: each is done before the next is decided.
type Steps = iter.Seq[Step]

func none(func(Step) bool) {}

// decide is one list of events, no step for none.
func decide(bodies ...world.Body) Steps {
	return func(yield func(Step) bool) {
		if len(bodies) > 0 {
			yield(Step{Bodies: bodies})
		}
	}
}

// madeSize is how much of what drivers make waits for the actor.
const madeSize = 64

// New makes the runs of one life of a realm.
func New(log zerolog.Logger) *Runs {
	return &Runs{
		log: log, made: make(chan Made, madeSize), live: map[Key]*live{}, cooling: map[string]time.Time{},
		segments: map[string]*conversation.Segment{}, queued: map[*conversation.Segment]int{},
	}
}

// Made is what drivers make, in order for each.
func (s *Runs) Made() <-chan Made { return s.made }

// Begin begins the run of chat.started, or a turn of it that is heard and not shown. It gives nil
// where nothing is to be played: a person is asked, or the conversation's plan has answered.
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
	if asker, ok := r.Kinds.Of(talk.Head.Kind).(kind.Asker); ok && turn.Heard {
		l.answer = &answer{n: turn.N, most: asker.MaxAnswer()}
	}
	p := &Player{Key: l.Key, driver: player, turn: turn, made: s.made}
	p.limit = time.Duration(r.World.Settings.TurnTimeoutSeconds) * time.Second
	p.ctx, l.cancel = context.WithCancel(context.Background())
	return p
}

// Started says that p plays now: what led to it is durable, and its time limit begins. It gives
// false where the run has ended meanwhile and nothing is to be played.
func (s *Runs) Started(p *Player, now time.Time) bool {
	l := s.live[p.Key]
	if l == nil || p.ctx.Err() != nil {
		return false
	}
	l.deadline = now.Add(p.limit)
	return true
}

// Drop ends a run's driver. What it still makes is not heard.
func (s *Runs) Drop(k Key) {
	if l := s.live[k]; l != nil {
		l.cancel()
		delete(s.live, k)
	}
}

// DropAll ends all drivers.
func (s *Runs) DropAll() {
	for k := range s.live {
		s.Drop(k)
	}
}

// Watch is told of each event that was decided.
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

// Shown is told of each event that was shown.
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

// Len is how many drivers play.
func (s *Runs) Len() int { return len(s.live) }

// Plays says whether a driver plays a run.
func (s *Runs) Plays(k Key) bool { return s.live[k] != nil }

// Answering are the conversations in which a driver plays a run, once for each run.
func (s *Runs) Answering() []string {
	out := make([]string, 0, len(s.live))
	for k := range s.live {
		out = append(out, k.Talk)
	}
	return out
}

// Playing are the members that a driver plays.
func (s *Runs) Playing() map[string]bool {
	out := map[string]bool{}
	for _, l := range s.live {
		out[l.member] = true
	}
	return out
}

// Overlays is what has been shown of the open rows of a conversation, or of all where that is "".
func (s *Runs) Overlays(talk string) map[string]wire.Overlay {
	out := map[string]wire.Overlay{}
	for id, row := range s.segments {
		if o, ok := row.Overlay(); ok && (talk == "" || row.ConversationID == talk) {
			out[id] = o
		}
	}
	return out
}

// Passes says whether a delta of a row waits for nothing: the row is on the screens, and no delta
// before it waits. Words are numbered within their row and provisional until its close (P9.3).
func (s *Runs) Passes(row *conversation.Segment) bool { return row.IsShown() && s.queued[row] == 0 }

// Queue counts a delta that waits, Unqueue one that waits no more.
func (s *Runs) Queue(row *conversation.Segment) { s.queued[row]++ }

// Unqueue is the end of Queue.
func (s *Runs) Unqueue(row *conversation.Segment) {
	if s.queued[row]--; s.queued[row] <= 0 {
		delete(s.queued, row)
	}
}

// open are the tools that have not ended, in the order of their starts.
func (l *live) open() []*tool {
	var out []*tool
	for _, t := range l.tools {
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b *tool) int { return a.n - b.n })
	return out
}
