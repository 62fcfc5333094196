package command

import (
	"runtime/debug"
	"strings"

	"github.com/rs/zerolog"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/wait"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Standing is what a realm knows of a command that has come, beside its state.
type Standing struct {
	Known   *world.CommandRow // the answer to a command of that requestId, nil for none
	Broken  bool              // nothing can be committed any more
	Full    bool              // no more may wait for the disk
	Erased  *wire.Error       // why an erasure refuses it, nil for no erasure
	Waiting bool              // the same command has led to something and waits
}

// Action is what is done with a command.
type Action int

const (
	// Decide it by Verdict.By.
	Decide Action = iota
	// Refuse it with Verdict.Err; RefuseNow does not let that wait behind what is not saved.
	Refuse
	RefuseNow
	// Join it to the same command, which waits.
	Join
	// Erase is left to the order of erasures.
	Erase
)

// Verdict is what is done with a command, and why.
type Verdict struct {
	Action Action
	Err    *wire.Error
	By     func(State, kind.Command) (Decision, *wire.Error)
}

// Decide has the rule of a command that is admitted decide it. A panic is an error and changes
// nothing. A decision that only needs something uses up no ids: it is made again.
func (v Verdict) Decide(s State, in kind.Command, log zerolog.Logger) (d Decision, e *wire.Error) {
	ids := s.IDs
	defer func() {
		if p := recover(); p != nil {
			log.Error().Str("command", in.Command.CommandType()).
				Msgf("panic while deciding: %v\n%s", p, debug.Stack())
			d = Decision{}
			e = wire.Errorf(wire.Internal, "the server failed at this command; nothing was changed")
		}
		if d.Needs != nil && len(d.Bodies) == 0 {
			s.IDs = ids
		}
		if d.Warn != "" {
			log.Error().Msg(d.Warn)
		}
	}()
	return v.By(s, in)
}

// Refusals of the gates.
var (
	readOnly = wire.Errorf(wire.Internal, "this realm can only be read; restart the server to recover it")
	unsaved  = wire.Errorf(wire.Unsaved,
		"the disk does not take any more; your words are kept here and can be sent again")
	unreadable = wire.Errorf(wire.NotReady, "the disk does not answer; this can be read when it does")
)

// Used refuses a requestId that was taken for something else.
func Used(request string) *wire.Error {
	return wire.Errorf(wire.Conflict, "requestId %s was used for something else", request)
}

// gates are what a command passes, in their order; nil passes it on.
var gates = []func(Rule, State, kind.Command, Standing) *Verdict{
	reads, taken, broken, full, erases, erased, joins, lacks, used,
}

// Admit says what is done with a command.
func (r Rule) Admit(s State, in kind.Command, now Standing) Verdict {
	for _, gate := range gates {
		if v := gate(r, s, in, now); v != nil {
			return *v
		}
	}
	return Verdict{By: r.decide}
}

func refuse(e *wire.Error) *Verdict { return &Verdict{Action: Refuse, Err: e} }

// reads: reading is always possible, but an answer must not wait behind a full line.
func reads(r Rule, _ State, _ kind.Command, now Standing) *Verdict {
	switch {
	case !r.Reads:
		return nil
	case now.Full:
		return &Verdict{Action: RefuseNow, Err: unreadable}
	}
	return &Verdict{By: r.decide}
}

// taken: sending again what has been taken is safe (P6.2). Erasing twice is erasing once.
func taken(r Rule, _ State, in kind.Command, now Standing) *Verdict {
	switch {
	case now.Known == nil || r.Run:
		return nil
	case now.Known.Hash != Hash(in.Command):
		return refuse(Used(in.RequestID))
	case isErase(in):
		return &Verdict{Action: Erase}
	}
	return &Verdict{By: again(*now.Known)}
}

func broken(_ Rule, _ State, _ kind.Command, now Standing) *Verdict {
	if now.Broken {
		return refuse(readOnly)
	}
	return nil
}

// full: an erasure says itself, past what waits, that the disk does not answer.
func full(_ Rule, _ State, in kind.Command, now Standing) *Verdict {
	if now.Full && !isErase(in) {
		return &Verdict{Action: RefuseNow, Err: unsaved}
	}
	return nil
}

func erases(_ Rule, _ State, in kind.Command, _ Standing) *Verdict {
	if isErase(in) {
		return &Verdict{Action: Erase}
	}
	return nil
}

func isErase(in kind.Command) bool {
	_, ok := in.Command.(*wire.HistoryErase)
	return ok
}

func erased(_ Rule, _ State, _ kind.Command, now Standing) *Verdict {
	if now.Erased != nil {
		return refuse(now.Erased)
	}
	return nil
}

func joins(_ Rule, _ State, _ kind.Command, now Standing) *Verdict {
	if now.Waiting {
		return &Verdict{Action: Join}
	}
	return nil
}

// lacks: the conversation that a command is about has to be in memory, and where that has forgotten
// runs of long ago, whether its requestId was one of theirs.
func lacks(r Rule, s State, in kind.Command, _ Standing) *Verdict {
	first := func(n kind.Need) *Verdict {
		return &Verdict{By: func(State, kind.Command) (Decision, *wire.Error) { return needs(n) }}
	}
	id := r.About(in.Command)
	if id != "" && s.Talks[id] == nil {
		return first(kind.InMemory{ConversationID: id})
	}
	if c, ok := in.Command.(*wire.PlayerCommand); ok && !strings.HasPrefix(c.Text, "/") {
		id = s.World.ProcessState.ConversationID
	}
	need := wait.OldRun{ConversationID: id, RequestID: in.RequestID}
	talk, met := s.Talks[id], s.Met[need.Key()] != nil
	if r.Run || met || talk == nil || in.RequestID == "" || !talk.Forgot() || talk.Used(in.RequestID) {
		return nil
	}
	return first(need)
}

// used: a requestId that somebody else has used, or long ago.
func used(r Rule, s State, in kind.Command, _ Standing) *Verdict {
	talk := s.Talks[r.About(in.Command)]
	if talk == nil || r.Run || in.RequestID == "" || !talk.Used(in.RequestID) {
		return nil
	}
	if c, ok := in.Command.(*wire.ChatSend); ok {
		return &Verdict{By: func(s State, in kind.Command) (Decision, *wire.Error) { return said(s, in, c, nil) }}
	}
	return refuse(Used(in.RequestID))
}
