package realm

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"

	"github.com/rs/zerolog"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/command"
	"agentdungeon/server/realm/erasure"
	"agentdungeon/server/realm/place"
	"agentdungeon/server/realm/plan"
	"agentdungeon/server/realm/wait"
	"agentdungeon/shared/wire"
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
		if looked, ok := res.Got.(kind.Looked); ok {
			a.sees.Hints = looked.Hints
			a.emit("", a.shelf.Looked(a.world, a.sees.At(), looked)...)
		}
		for _, id := range a.talks.Take(a.sees, res) {
			a.drive(plan.Mend(a.sees, id))
		}
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
		a.drive(plan.Found(a.sees, m.kind, res))
		a.r.intake.look()
	case Input:
		switch {
		case m.resent:
			m.resent = false
		case res.Err != nil:
			a.refuse(m, unread(m, res.Err, a.log))
			return
		default:
			met := kind.Met{}
			maps.Copy(met, m.met)
			met[res.Need.Key()] = res.Got
			m.met = met
			if _, ok := res.Got.(kind.Looked); ok {
				a.drive(plan.Mend(a.sees, command.About(m.Command))) // whoever fetched it may not have looked
			}
		}
		a.command(m)
	}
}

// unread is what a person is told where something could not be read.
func unread(in Input, err error, log zerolog.Logger) *wire.Error {
	e := wire.Errorf(wire.NotReady, "the transcripts cannot be read now; try again in a moment")
	if err = told(err, &e); err != nil {
		log.Error().Err(err).Str("command", in.Command.CommandType()).Msg("what a command needs could not be read")
	}
	return e
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
