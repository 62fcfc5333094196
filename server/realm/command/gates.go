package command

import (
	"runtime/debug"

	"github.com/rs/zerolog"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/wait"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Situation has the facts about a command that are not in State.
type Situation struct {
	Known   *world.CommandRow // the stored answer to a command with that requestId, nil for none
	Broken  bool              // the journal cannot be written any more
	Full    bool              // the outbox is full
	Erased  *wire.Error       // the error by which an erasure refuses the command; nil for none
	Waiting bool              // the same command was sent before, has led to events and waits for its answer
}

// Action says how the actor handles a command.
type Action int

const (
	// Decide calls the rule Verdict.By, which decides the command.
	Decide Action = iota
	// Refuse answers with Verdict.Err. RefuseNow does the same, but the answer does not wait for earlier entries of the
	// outbox.
	Refuse
	RefuseNow
	// Join makes a repeated command wait with its first copy, which is waiting for data.
	Join
	// Erase begins an erasure.
	Erase
)

// Verdict is the result of Admit: an action and what the action needs.
type Verdict struct {
	Action Action
	Err    *wire.Error
	By     func(State, kind.Command) (Decision, *wire.Error)
}

// Decide calls the rule of a command. If the rule panics, Decide returns an error, and nothing changes. A decision
// that only asks for data uses up no ids, because the rule decides again once the data was read.
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

// ReadOnly is the error for commands to a realm whose journal is broken.
var ReadOnly = wire.Errorf(wire.Internal, "this realm can only be read; restart the server to recover it")

var (
	unsaved = wire.Errorf(wire.Unsaved,
		"the disk cannot store anything now; your words are kept here and can be sent again")
	unreadable = wire.Errorf(wire.NotReady, "the disk does not answer; this can be read when the disk answers again")
)

// Admit returns the action for a command before it is decided.
func (r Rule) Admit(s State, in kind.Command, now Situation) Verdict {
	_, erases := in.Command.(*wire.HistoryErase)
	known := now.Known != nil && !r.Run
	switch {
	case r.Reads && now.Full: // while the outbox is full, the answer would have to wait
		return Verdict{Action: RefuseNow, Err: unreadable}
	case r.Reads:
		return Verdict{By: r.decide}
	case known && now.Known.Hash != Hash(in.Command):
		return refuse(usedID(in.RequestID))
	case known && erases: // a repeated erasure is answered with its receipt, not with the stored answer
		return Verdict{Action: Erase}
	case known: // a command that is sent twice gets the stored answer (P6.2)
		return Verdict{By: again(*now.Known)}
	case now.Broken:
		return refuse(ReadOnly)
	case erases: // not refused here if the outbox is full: the erasure checks that itself
		return Verdict{Action: Erase}
	case now.Full:
		return Verdict{Action: RefuseNow, Err: unsaved}
	case now.Erased != nil:
		return refuse(now.Erased)
	case now.Waiting:
		return Verdict{Action: Join}
	}
	if need := r.lacks(s, in); need != nil {
		return Verdict{By: func(State, kind.Command) (Decision, *wire.Error) { return needs(need) }}
	}
	// There is no stored answer to this requestId, but a run of the conversation may have the same requestId:
	// another person has used it, or the stored answer was removed.
	talk := s.Talks[About(in.Command)]
	if talk == nil || r.Run || in.RequestID == "" || !talk.Used(in.RequestID) {
		return Verdict{By: r.decide}
	}
	if c, ok := in.Command.(*wire.ChatSend); ok {
		return Verdict{By: func(s State, in kind.Command) (Decision, *wire.Error) { return said(s, in, c, nil) }}
	}
	return refuse(usedID(in.RequestID))
}

func refuse(e *wire.Error) Verdict { return Verdict{Action: Refuse, Err: e} }

// lacks returns what must be read from the tables before the command is decided: the command's conversation, or whether
// the command's requestId belongs to a run that is no longer in memory. It returns nil if everything is in memory.
func (r Rule) lacks(s State, in kind.Command) kind.Need {
	id := About(in.Command)
	if id != "" && s.Talks[id] == nil {
		return kind.InMemory{ConversationID: id}
	}
	if c, ok := in.Command.(*wire.PlayerCommand); ok && !isSlash(c.Text) {
		id = s.World.ProcessState.ConversationID
	}
	need := wait.OldRun{ConversationID: id, RequestID: in.RequestID}
	talk, met := s.Talks[id], s.Met[need.Key()] != nil
	if r.Run || met || talk == nil || in.RequestID == "" || !talk.Forgot() || talk.Used(in.RequestID) {
		return nil
	}
	return need
}

// About returns the conversation that a command is about, "" for none. That conversation has to be in memory
// before the command is decided.
func About(c wire.Command) string {
	switch c := c.(type) {
	case *wire.ChatSend:
		return c.ConversationID
	case *wire.ChatCancel:
		return c.ConversationID
	case *wire.ConversationAbort:
		return c.ConversationID
	case *wire.ConversationClose:
		return c.ConversationID
	case *wire.ConversationResume:
		return c.ConversationID
	case *wire.ConversationPause:
		return c.ConversationID
	case *wire.ConversationRename:
		return c.ConversationID
	}
	return ""
}
