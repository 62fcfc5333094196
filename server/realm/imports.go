package realm

import (
	"context"
	"slices"
	"sync"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
)

// What others ask about conversations that a kind takes up again or imports from files.

// intake is what kinds import from files at an opening. The actor writes importers before over is
// closed; others read them after it.
type intake struct {
	importers []kind.Importer
	over      chan struct{} // closed when nothing is imported any more
	told      sync.Once
}

func newIntake() intake { return intake{over: make(chan struct{})} }

// begin notes the kinds that import.
func (i *intake) begin(kinds kind.Set) {
	for _, k := range kinds.All {
		if from, ok := k.(kind.Importer); ok {
			i.importers = append(i.importers, from)
		}
	}
}

// look tells who waits for it when nothing is imported any more.
func (i *intake) look() {
	if !slices.ContainsFunc(i.importers, kind.Importer.Importing) {
		i.told.Do(func() { close(i.over) })
	}
}

// Restore takes a session up again, as team:set with resumeSessionId does, for who started
// the server. The error's text is for a person; it is nil once the session is at hand and
// all of that is durable.
func (r *Realm) Restore(ctx context.Context, teamID, sessionID string) error {
	told := make(chan error, 1)
	set := &wire.TeamSet{TeamID: teamID, ResumeSessionID: sessionID}
	if err := r.ask(ctx, Input{From: Person{Role: wire.RoleHost}, Command: set, told: told}); err != nil {
		return err
	}
	select {
	case err := <-told:
		return err
	case <-r.done:
		return watch.ErrStopped
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// TakenIn returns once all conversations that lay in files at the opening are imported, as far
// as they can be, or the realm has ended.
func (r *Realm) TakenIn(ctx context.Context) error {
	select {
	case <-r.intake.over:
		return nil
	case <-r.done:
		return watch.ErrStopped
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// BrokenSession says why a conversation is not here whose file could not be imported, in a
// text for a person (S2-17); nil for every other. It may be asked once TakenIn has given nil.
func (r *Realm) BrokenSession(id string) *wire.Error {
	for _, i := range r.intake.importers {
		if e := i.Broken(id); e != nil {
			return e
		}
	}
	return nil
}
