package gate

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"

	"agentdungeon/shared/wire"
)

// flight is a long command under way. If the same person sends the same command again on another socket, for
// example after the first connection was cut, the second command waits for the flight and is not executed.
type flight struct {
	cmd   wire.Command
	done  chan struct{}
	realm Realm // result of the command; valid once done is closed
	err   error
}

// errUnfinished is the error of a flight whose command has not ended, or has panicked.
var errUnfinished = errors.New("the command did not end")

// long executes a command that links, resumes or removes a realm, or that starts a process in another realm.
// It executes the command in a goroutine. A socket can have one long command under way.
func (s *socket) long(cmd wire.Command, requestID string) *wire.Error {
	s.mu.Lock()
	busy := s.busy
	s.busy = true
	person := s.person.SpectatorID
	s.mu.Unlock()
	if busy {
		return wire.Errorf(wire.Conflict,
			"your previous command is still under way: realms are linked, opened and removed one at a time")
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
		key = s.by.tenant.Name + " " + person + " " + requestID
	}
	free := sync.OnceFunc(func() {
		s.mu.Lock()
		s.busy = false
		s.mu.Unlock()
	})
	go func() {
		defer g.wg.Done()
		defer s.recovered()
		e := s.runLong(cmd, requestID, key, free)
		free()
		if e != nil {
			s.fail(requestID, e)
		}
	}()
	return nil
}

// runLong executes a long command, and switches the sender to the new realm, and those of the tenant's other sockets
// that watch no realm. If the command fails, no socket switches (B22). It calls free before it answers, so that the
// person who has the answer can send the next long command.
func (s *socket) runLong(cmd wire.Command, requestID, key string, free func()) *wire.Error {
	g := s.g
	f, first := g.joinFlight(cmd, key)
	switch {
	case f == nil:
		return wire.Errorf(wire.Conflict, "another command with this requestId is under way")
	case first:
		func() {
			defer g.endFlight(f, key) // deferred, so that sockets that wait for the flight continue even after a panic
			f.realm, f.err = s.perform(cmd, requestID, free)
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
			free()
			s.send(&wire.RealmRemoved{RequestID: requestID, RealmID: cmd.(*wire.RemoveRealm).RealmID})
		}
		return nil
	}
	t := &turnOver{realm: f.realm, told: true, requestID: requestID}
	_, starts := cmd.(*wire.StartProcess)
	if starts {
		t.cause, t.free = cmd, free
	}
	s.mu.Lock()
	s.switchLocked(t)
	s.mu.Unlock()
	if first {
		g.Opened(s.by.tenant.Name, f.realm)
	}
	select {
	case <-t.done:
	case <-s.ctx.Done():
		return nil
	}
	if t.err != nil {
		return g.shown(t.err, "attach to a realm")
	}
	if requestID != "" && !starts { // a command that starts a process is answered by the realm, all others here
		free()
		s.send(&wire.CommandReply{RequestID: requestID, Command: cmd.CommandType()})
	}
	return nil
}

// perform makes the keeper execute a long command. The command continues if the sender's connection ends. So a person
// who reloads the page during a scan still gets the realm. When the server stops, the keeper cancels the command
// unless it has already changed something.
func (s *socket) perform(cmd wire.Command, requestID string, free func()) (Realm, error) {
	g, realms := s.g, s.by.tenant.Realms
	switch c := cmd.(type) {
	case *wire.LinkRepo:
		return realms.Link(g.ctx, c.Path, s.progress(requestID))
	case *wire.ResumeRealm:
		return realms.Resume(g.ctx, c.RealmID)
	case *wire.RemoveRealm:
		return nil, s.remove(c.RealmID, requestID, free)
	case *wire.StartProcess:
		if c.Path != "" {
			return realms.Link(g.ctx, c.Path, s.progress(requestID))
		}
		return realms.Bare(g.ctx, c.Problem)
	}
	return nil, wire.Errorf(wire.UnknownType, "this server does not know the message type %q", cmd.CommandType())
}

func (s *socket) progress(requestID string) func(wire.RealmProgress) {
	return func(p wire.RealmProgress) {
		p.RequestID = requestID
		s.push(item{frame: s.g.encode(&p), progress: true})
	}
}

// joinFlight registers a long command under key and returns its flight; first is then true. If the same command is
// already under way with this key, joinFlight returns that command's flight. If a different command is under way with
// this key, joinFlight returns nil.
func (g *Gate) joinFlight(cmd wire.Command, key string) (f *flight, first bool) {
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

func (g *Gate) endFlight(f *flight, key string) {
	g.mu.Lock()
	delete(g.flights, key)
	g.mu.Unlock()
	close(f.done)
}

// remove closes and deletes a realm and sends realm:removed to all sockets of its tenant. Sockets that watch
// the realm switch to the last active realm, or to none.
func (s *socket) remove(id, requestID string, free func()) error {
	g, key := s.g, realmKey{s.by.tenant, id}
	g.mu.Lock()
	g.removing[key]++
	g.mu.Unlock()
	// Remove does not end with g.ctx: a server that stops waits, so that no realm is removed only in part.
	if err := s.by.tenant.Realms.Remove(context.WithoutCancel(g.ctx), id); err != nil {
		g.endRemoval(key)
		g.reattach(key)
		return err
	}
	defer g.endRemoval(key) // runs after the switches below are queued; orphaned relies on this order
	current, _ := s.by.tenant.Realms.Current()
	if current != nil && current.ID() == id {
		current = nil
	}
	told := g.encode(&wire.RealmRemoved{RealmID: id})
	free()
	for _, other := range g.of(s.by.tenant) {
		frame := told
		if other == s {
			frame = g.encode(&wire.RealmRemoved{RequestID: requestID, RealmID: id})
		}
		other.mu.Lock()
		other.pushLocked(item{frame: frame})
		if other.watches == id {
			other.switchLocked(&turnOver{realm: current, told: true})
		}
		other.mu.Unlock()
	}
	return nil
}

func (g *Gate) endRemoval(key realmKey) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.removing[key]--; g.removing[key] <= 0 {
		delete(g.removing, key)
	}
}

// reattach undoes what a failed removal did to sockets: the keeper closed their realm for the removal.
// reattach opens the realm again and switches the sockets to it, or to no realm if it does not open.
func (g *Gate) reattach(key realmKey) {
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
			} // if the realm does not open, the sockets watch no realm, and the sender has got the error of the removal
		}
		s.mu.Lock()
		s.switchLocked(&turnOver{realm: realm, told: true})
		s.mu.Unlock()
	}
}

// Opened is called when realm has become the last active realm of a tenant. The sockets of the tenant that watch no
// realm begin to watch this one. The gate calls Opened for realms that people link, resume or make without a folder;
// the app calls it for the realm of -repo.
func (g *Gate) Opened(tenant string, realm Realm) {
	for i := range g.cfg.Tenants {
		if t := &g.cfg.Tenants[i]; t.Name == tenant {
			for _, s := range g.of(t) {
				s.adopt(realm)
			}
		}
	}
}

// of returns all open sockets of the tenant t.
func (g *Gate) of(t *Tenant) []*socket {
	return slices.DeleteFunc(g.all(), func(s *socket) bool { return s.by.tenant != t })
}

// adopt switches s to realm if s watches none. If s has not sent hello yet, adopt only sends it server:info;
// its hello attaches s to a realm.
func (s *socket) adopt(realm Realm) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.by.role == "" || s.watches != "":
	case s.greeted:
		s.switchLocked(&turnOver{realm: realm, told: true})
	default:
		s.pushLocked(item{info: true})
	}
}
