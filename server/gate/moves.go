package gate

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"agentdungeon/shared/wire"
)

// flight is a long command under way. The same command sent again (after a cut, on
// another socket of the same person) waits for it instead of doing it twice.
type flight struct {
	cmd   wire.Command
	done  chan struct{}
	realm Realm // after done
	err   error
}

// errUnfinished is what a flight has until it has landed; a panic leaves it.
var errUnfinished = errors.New("the command did not end")

// long runs linking, resuming, removing and starting elsewhere off the reader, one
// at a time for each socket.
func (s *socket) long(cmd wire.Command, requestID string) *wire.Error {
	s.mu.Lock()
	busy := s.busy
	s.busy = true
	person := s.person.SpectatorID
	s.mu.Unlock()
	if busy {
		return wire.Errorf(wire.Conflict, "the last of these is still under way")
	}
	g := s.g
	g.mu.Lock()
	if g.stopping {
		g.mu.Unlock()
		return wire.Errorf(wire.NotReady, "%s", errStopping)
	}
	g.wg.Add(1)
	g.mu.Unlock()
	key := ""
	if person != "" && requestID != "" {
		key = s.tenant.Name + " " + person + " " + requestID
	}
	go func() {
		defer g.wg.Done()
		defer s.recovered()
		e := s.carry(cmd, requestID, key)
		s.mu.Lock()
		s.busy = false
		s.mu.Unlock()
		if e != nil {
			s.fail(requestID, e)
		}
	}()
	return nil
}

// carry does a long command and moves the sockets that it concerns. A command that
// fails moves nobody (B22).
func (s *socket) carry(cmd wire.Command, requestID, key string) *wire.Error {
	g := s.g
	f, first := g.fly(cmd, key)
	switch {
	case f == nil:
		return wire.Errorf(wire.Conflict, "another command with this requestId is under way")
	case first:
		func() {
			defer g.land(f, key) // whatever happens: others may wait for it
			f.realm, f.err = s.perform(cmd, requestID)
		}()
	default:
		select {
		case <-f.done:
		case <-s.ctx.Done():
			return nil
		}
	}
	if f.err != nil {
		return g.shown(f.err, cmd.CommandType())
	}
	if _, ok := cmd.(*wire.RemoveRealm); ok {
		if !first {
			s.send(&wire.RealmRemoved{RequestID: requestID, RealmID: cmd.(*wire.RemoveRealm).RealmID})
		}
		return nil
	}
	t := &turnOver{realm: f.realm, told: true, requestID: requestID}
	_, starts := cmd.(*wire.StartProcess)
	if starts {
		t.then = cmd
	}
	s.mu.Lock()
	full := s.switchLocked(t)
	s.mu.Unlock()
	if full {
		s.close(wire.CloseTooSlow, "too slow")
	}
	if first {
		g.Opened(s.tenant.Name, f.realm)
	}
	select {
	case <-t.done:
	case <-s.ctx.Done():
		return nil
	}
	if t.err != nil {
		return g.shown(t.err, "attach to a realm")
	}
	if requestID != "" && !starts { // what starts is answered by its realm

		s.send(&wire.CommandReply{RequestID: requestID, Command: cmd.CommandType()})
	}
	return nil
}

// perform asks the keeper. It goes on when the sender is cut off, so that a reload
// in the middle of a scan finds the realm; it ends when the server stops, where
// that leaves everything as it was.
func (s *socket) perform(cmd wire.Command, requestID string) (Realm, error) {
	g, realms := s.g, s.tenant.Realms
	switch c := cmd.(type) {
	case *wire.LinkRepo:
		return realms.Link(g.ctx, c.Path, s.progress(requestID))
	case *wire.ResumeRealm:
		return realms.Resume(g.ctx, c.RealmID)
	case *wire.RemoveRealm:
		return nil, s.remove(c.RealmID, requestID)
	case *wire.StartProcess:
		if c.Path != "" {
			return realms.Link(g.ctx, c.Path, s.progress(requestID))
		}
		return realms.Bare(g.ctx, c.Problem)
	}
	return nil, wire.Errorf(wire.UnknownType, "there is no message type %q here", cmd.CommandType())
}

func (s *socket) progress(requestID string) func(wire.RealmProgress) {
	return func(p wire.RealmProgress) {
		p.RequestID = requestID
		s.push(item{frame: s.g.encode(&p), progress: true})
	}
}

// fly registers a long command. Where the same is under way it gives that one, and
// nil where the key is taken by another.
func (g *Gate) fly(cmd wire.Command, key string) (f *flight, first bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if old := g.flights[key]; key != "" && old != nil {
		if !reflect.DeepEqual(old.cmd, cmd) {
			return nil, false
		}
		return old, false
	}
	f = &flight{cmd: cmd, done: make(chan struct{}), err: errUnfinished}
	if key != "" {
		g.flights[key] = f
	}
	return f, true
}

func (g *Gate) land(f *flight, key string) {
	g.mu.Lock()
	delete(g.flights, key)
	g.mu.Unlock()
	close(f.done)
}

// remove closes and deletes a realm. All of its tenant hear of it; who watched it goes to
// the last active realm, or to none.
func (s *socket) remove(id, requestID string) error {
	g, key := s.g, realmKey{s.tenant, id}
	g.mu.Lock()
	g.removing[key]++
	g.mu.Unlock()
	// Not cancelled: half a removal is worse than a late stop.
	if err := s.tenant.Realms.Remove(context.WithoutCancel(g.ctx), id); err != nil {
		g.removed(key)
		g.unpark(key)
		return err
	}
	defer g.removed(key) // until everybody is on their way: they wait for it
	current, _ := s.tenant.Realms.Current()
	if current != nil && current.ID() == id {
		current = nil
	}
	told := g.encode(&wire.RealmRemoved{RealmID: id})
	for _, other := range g.of(s.tenant) {
		frame := told
		if other == s {
			frame = g.encode(&wire.RealmRemoved{RequestID: requestID, RealmID: id})
		}
		other.mu.Lock()
		full := other.pushLocked(item{frame: frame})
		if other.watches == id {
			full = other.switchLocked(&turnOver{realm: current, told: true}) || full
		}
		other.mu.Unlock()
		if full {
			other.close(wire.CloseTooSlow, "too slow")
		}
	}
	return nil
}

func (g *Gate) removed(key realmKey) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.removing[key]--; g.removing[key] <= 0 {
		delete(g.removing, key)
	}
}

// unpark finds a place for the sockets whose realm closed for a removal that then
// failed: the realm again, if it opens.
func (g *Gate) unpark(key realmKey) {
	var realm Realm
	for _, s := range g.of(key.tenant) {
		s.mu.Lock()
		parked := s.watches == key.id && s.now.welcomed && s.now.realm == nil && s.wanted == s.now.switches
		s.mu.Unlock()
		if !parked {
			continue
		}
		if realm == nil {
			if again, err := key.tenant.Realms.Open(g.ctx, key.id); err == nil {
				realm = again
			} // else its people watch none, which they are told; the sender gets the error
		}
		s.mu.Lock()
		full := s.switchLocked(&turnOver{realm: realm, told: true})
		s.mu.Unlock()
		if full {
			s.close(wire.CloseTooSlow, "too slow")
		}
	}
}

// Opened moves every socket of the tenant that watches no realm to one that has become
// its last active, and nobody else. The gate calls it for what people link and resume;
// the app calls it where the server opened a realm by itself (-repo).
func (g *Gate) Opened(tenant string, realm Realm) {
	for i := range g.cfg.Tenants {
		if t := &g.cfg.Tenants[i]; t.Name == tenant {
			for _, s := range g.of(t) {
				s.adopt(realm)
			}
		}
	}
}

// of gives a tenant's sockets as of now.
func (g *Gate) of(t *Tenant) []*socket {
	return slices.DeleteFunc(g.all(), func(s *socket) bool { return s.tenant != t })
}

// adopt moves s if it watches no realm. A socket that has not said hello yet is
// only told: its hello attaches it.
func (s *socket) adopt(realm Realm) {
	s.mu.Lock()
	var full bool
	switch {
	case s.role == "" || s.watches != "":
	case s.greeted:
		full = s.switchLocked(&turnOver{realm: realm, told: true})
	default:
		full = s.pushLocked(item{info: true})
	}
	s.mu.Unlock()
	if full {
		s.close(wire.CloseTooSlow, "too slow")
	}
}
