package realm

import (
	"context"
	"slices"
	"sync"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
)

// imports has the kinds of conversations that import files during an opening. Goroutines other than the actor's may
// read the fields only after over is closed.
type imports struct {
	importers []kind.Importer
	over      chan struct{} // closed when all files were read
	once      sync.Once
}

// begin finds the kinds that import conversations.
func (i *imports) begin(kinds kind.Set) {
	for _, k := range kinds.All {
		if importer, ok := k.(kind.Importer); ok {
			i.importers = append(i.importers, importer)
		}
	}
}

// check closes i.over, so that Imported returns, once no kind of conversation is importing files any more.
func (i *imports) check() {
	if !slices.ContainsFunc(i.importers, kind.Importer.Importing) {
		i.once.Do(func() { close(i.over) })
	}
}

// Restore makes a session of a team the current one, as the command team:set with resumeSessionId does. A flag of the
// server's start asks for it. Restore returns once the restored session is durable. The text of its error is for
// people.
func (r *Realm) Restore(ctx context.Context, teamID, sessionID string) error {
	outcome := make(chan error, 1)
	set := &wire.TeamSet{TeamID: teamID, ResumeSessionID: sessionID}
	refused, err := call(ctx, r, Input{From: Person{Role: wire.RoleHost}, Command: set, outcome: outcome}, outcome)
	if err != nil {
		return err
	}
	return refused
}

// Imported waits until each session file that the opening has found is imported or has proved to be faulty.
func (r *Realm) Imported(ctx context.Context) error {
	select {
	case <-r.imports.over:
		return nil
	case <-r.done:
		return watch.ErrStopped
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// BrokenSession returns the reason why the file of the session could not be imported, as a text for people
// (S2-17). It returns nil if no such file has failed. The caller must have called Imported, and Imported must
// have returned nil.
func (r *Realm) BrokenSession(id string) *wire.Error {
	for _, i := range r.imports.importers {
		if e := i.Broken(id); e != nil {
			return e
		}
	}
	return nil
}
