package realm

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/command"
	"agentdungeon/server/realm/erasure"
	"agentdungeon/server/realm/place"
	"agentdungeon/server/realm/wait"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// How messages wait for what has to be read first (package wait), and what becomes of what
// was read.

// sources are where needs are read.
type sources struct {
	*erasure.Tables
	Skills
	Imports
	folder Folder
	land   *place.Rooms
}

func (s sources) Peek(ctx context.Context, path string, names []string, limit int64) (map[string]string, error) {
	if s.folder == nil {
		return nil, nil
	}
	return s.folder.Peek(ctx, path, names, limit)
}

func (s sources) Paths() iter.Seq[string] {
	return func(yield func(string) bool) {
		survey := s.land.Survey()
		if survey == nil || survey.Tree == nil {
			return
		}
		for e := range survey.Tree.All {
			if !e.Folder && !yield(e.Path) {
				return
			}
		}
	}
}

// needsMore tells what a command leads to at once, and has the rest decided once what it needs
// is read.
func (a *actor) needsMore(in Input, rule command.Rule, d command.Decision) {
	if len(d.Bodies) == 0 {
		if !a.waits.Wait(d.Needs, in) {
			a.refuse(in, wait.TooMany)
		}
		return
	}
	rest := in
	rest.seq = cmp.Or(in.seq, a.world.Tick+1)
	key, ok := a.waits.Hold(d.Needs, rest)
	if !ok {
		a.refuse(in, wait.TooMany)
		return
	}
	a.tell(&in, rule, d)
	a.readBehind(key)
}

// readBehind begins to read what is held once all that was decided is committed.
func (a *actor) readBehind(key string) {
	a.then(act{
		effect: func() { a.waits.Read(key) },
		lost: func() {
			for _, m := range a.waits.Drop(key) {
				a.resume(m, wait.Result{Err: readOnly})
			}
		},
	})
}

// onRead is the actor's turn after something was read: what is the realm's goes into memory,
// and whatever waited is decided again.
func (a *actor) onRead(res wait.Result) {
	waited, ok := a.waits.Met(res)
	if !ok {
		return
	}
	if res.Err == nil {
		a.takes(res)
	}
	for _, m := range waited {
		a.resume(m, res)
	}
}

// foundMsg is a kind that waits for what a step of its plan needs.
type foundMsg struct{ kind kind.Kind }

// resume decides a message again for which something was read.
func (a *actor) resume(msg any, res wait.Result) {
	switch m := msg.(type) {
	case abandonMsg:
		if res.Err != nil {
			m.answer(0, res.Err)
			return
		}
		m.read = true
		a.onAbandon(m)
	case foundMsg:
		if f, ok := m.kind.(kind.Finder); ok {
			a.steps(m.kind, f.Found(a.sees, res.Need, res.Got, res.Err))
			a.imported()
		}
	case Input:
		switch {
		case m.resent:
			m.resent = false
		case res.Err != nil:
			a.unread(m, res.Err)
			return
		default:
			met := kind.Met{}
			maps.Copy(met, m.met)
			met[res.Need.Key()] = res.Got
			m.met = met
			if _, ok := res.Got.(kind.Looked); ok {
				a.mend(command.About(m.Command)) // whoever fetched it may not have looked
			}
		}
		a.command(m)
	}
}

// takes has the realm know what was read.
func (a *actor) takes(res wait.Result) {
	var saved []world.SavedConversation
	if l, ok := res.Got.(kind.Loaded); ok && l.Loaded() != nil {
		saved = append(saved, *l.Loaded())
	}
	switch need := res.Need.(type) {
	case kind.InMemory:
		saved = append(saved, res.Got.(world.SavedConversation))
	case wait.Silent:
		saved = res.Got.([]world.SavedConversation)
	case wait.OldRun:
		if talk := a.talks[need.ConversationID]; talk != nil && res.Got == true {
			talk.Remember(need.RequestID)
		}
	}
	if looked, ok := res.Got.(kind.Looked); ok {
		a.saw(looked)
	}
	for _, s := range saved {
		if id := s.Conversation.ConversationID; a.talks[id] == nil {
			a.talks[id] = a.sees.Kinds.Restore(s)
			if _, ok := res.Need.(kind.InMemory); ok {
				a.mend(id)
			}
		}
	}
}

// unread is what a person is told where something could not be read.
func (a *actor) unread(in Input, err error) {
	e := wire.Errorf(wire.NotReady, "the transcripts cannot be read now; try again in a moment")
	if err = told(err, &e); err != nil {
		a.log.Error().Err(err).Str("command", in.Command.CommandType()).Msg("what a command needs could not be read")
	}
	a.refuse(in, e)
}

// told finds what a person is told of an error. It gives the error for the log, nil where
// there is no more to say.
func told(err error, e **wire.Error) error {
	found := errors.As(err, e)
	if found && err == error(*e) || errors.Is(err, context.Canceled) || errors.Is(err, erasure.ErrRedacting) {
		return nil
	}
	return err
}
