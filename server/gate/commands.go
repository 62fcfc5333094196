package gate

import (
	"context"
	"errors"
	"slices"
	"time"

	"agentdungeon/server/realm"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
)

// frame acts on one text frame. Reader only.
func (s *socket) frame(data []byte) {
	cmd, requestID, e := wire.Decode(data)
	now := time.Now()
	taken := s.rate.ReserveN(now, 1)
	if wait := taken.DelayFrom(now); wait > 0 {
		// Refused, so nothing is taken; and read slower, so that a flood costs its
		// sender more than us. This is not a bad frame.
		taken.CancelAt(now)
		s.fail(requestID, wire.Errorf(wire.RateLimited, "too many commands at once; try again in a moment"))
		pause := time.NewTimer(wait)
		defer pause.Stop()
		select {
		case <-pause.C:
		case <-s.ctx.Done():
		}
		return
	}
	if e == nil {
		e = s.allowed(cmd)
	}
	if e != nil {
		s.fail(requestID, e)
		if s.bad++; s.bad >= wire.MaxBadFrames {
			s.end(wire.CloseBadFrames, "too many bad frames")
		}
		return
	}
	s.bad = 0
	if e := s.act(cmd, requestID); e != nil {
		s.fail(requestID, e)
	}
}

// allowed holds a command against the sender's role and against the contract's
// list of what is taken before welcome.
func (s *socket) allowed(cmd wire.Command) *wire.Error {
	switch cmd.(type) {
	case *wire.Hello, *wire.Register, *wire.ListRealms, *wire.SpectatorSay, *wire.ConversationOpen, *wire.ConversationList, *wire.TeamList, *wire.SkillOpen,
		*wire.GetAgentDetails, *wire.MapRoom, *wire.NavigateEnter, *wire.NavigateBack:
	default:
		if s.role != wire.RoleHost {
			return wire.Errorf(wire.NotAllowed, "spectators look and speak; this is for hosts")
		}
	}
	switch cmd.(type) {
	case *wire.Hello, *wire.Register, *wire.ListRealms, *wire.LinkRepo, *wire.ResumeRealm:
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.now.welcomed {
		return wire.Errorf(wire.NotReady, "say hello first")
	}
	return nil
}

// act does what a command asks for, or hands it to the realm.
func (s *socket) act(cmd wire.Command, requestID string) *wire.Error {
	switch c := cmd.(type) {
	case *wire.Hello:
		return s.hello(c, requestID)
	case *wire.Register:
		s.register(c, requestID)
		return nil
	case *wire.ListRealms:
		return s.list(requestID)
	case *wire.LinkRepo, *wire.ResumeRealm, *wire.RemoveRealm:
		return s.long(cmd, requestID)
	case *wire.StartProcess:
		s.mu.Lock()
		attached := s.now.realm != nil
		s.mu.Unlock()
		if c.Path != "" || c.Bare || !attached {
			// It makes or opens a realm first: what is known to be refused there is
			// refused before, so that it changes nothing (B22).
			if !s.tenant.offers(c.TemplateID) {
				return wire.Errorf(wire.NotFound, "there is no template %s", c.TemplateID)
			}
			return s.long(cmd, requestID)
		}
	}
	return s.submit(cmd, requestID)
}

// offers says whether there is a template of that id; "" is the default.
func (t *Tenant) offers(id string) bool {
	return id == "" || slices.ContainsFunc(t.Realms.Templates(), func(t wire.TemplateInfo) bool { return t.ID == id })
}

func (s *socket) submit(cmd wire.Command, requestID string) *wire.Error {
	s.mu.Lock()
	now := s.now
	s.mu.Unlock()
	if now.realm == nil {
		return wire.Errorf(wire.NotReady, "no realm is open here; link a folder or resume a realm first")
	}
	return now.realm.Submit(s.sender(), requestID, cmd, now.viewer)
}

// sender is who sits here, with the role of the connection.
func (s *socket) sender() realm.Person {
	s.mu.Lock()
	defer s.mu.Unlock()
	person := s.person
	person.Role = s.role
	return person
}

// hello attaches: to the realm it names, else to the last active one, else to none.
func (s *socket) hello(c *wire.Hello, requestID string) *wire.Error {
	if c.Protocol != wire.Protocol {
		s.end(wire.CloseProtocol, "this server speaks another protocol version")
		return nil
	}
	s.helloDue.Stop()
	pos := watch.Position{Epoch: c.Epoch, LastSeq: c.LastSeq}
	to, _ := s.tenant.Realms.Current()
	if c.RealmID != nil && *c.RealmID != "" && (to == nil || to.ID() != *c.RealmID) {
		named, err := s.tenant.Realms.Open(s.ctx, *c.RealmID)
		var refused *wire.Error
		switch {
		case err == nil:
			to = named
		case errors.As(err, &refused) && refused.Code == wire.NotFound:
			// It was removed while the tab was away, or is not this tenant's: the tab lands
			// where the others are, and welcome says where that is.
			pos = watch.Position{}
		default:
			return s.g.shown(err, "open a realm to watch")
		}
	}
	t := &turnOver{realm: to, pos: pos, answers: true, requestID: requestID}
	s.mu.Lock()
	s.greeted = true
	full := s.switchLocked(t)
	s.mu.Unlock()
	if full {
		s.close(wire.CloseTooSlow, "too slow")
		return nil
	}
	if to == nil {
		// A realm that was opened between the question above and the switch has not
		// seen this socket among those that watch none.
		if late, ok := s.tenant.Realms.Current(); ok {
			s.adopt(late)
		}
	}
	select {
	case <-t.done: // what comes next goes to the new realm
	case <-s.ctx.Done():
	}
	return nil
}

// register gives the sender a seat, or takes theirs back.
func (s *socket) register(c *wire.Register, requestID string) {
	id, ok := seated(s.g.cfg.Key, s.tenant.Name, c.Seat)
	s.mu.Lock()
	if !ok {
		if id = s.person.SpectatorID; id == "" { // else: a new name on the same seat
			id = newSpectatorID()
		}
	}
	if s.now.realm != nil && s.now.realm.Erased(id) {
		id = newSpectatorID()
	}
	person := realm.Person{SpectatorID: id, Name: c.Name, Color: c.Color, Role: s.role}
	s.person = person
	if s.now.viewer != nil {
		s.now.viewer.Identify(wire.Spectator(person))
	}
	s.mu.Unlock()
	for _, old := range s.g.seat(s, id, c.Tab) {
		old.close(wire.CloseElsewhere, "this tab is open elsewhere")
	}
	s.send(&wire.SpectatorWelcome{
		RequestID: requestID, SpectatorID: id, Name: c.Name, Color: c.Color, Role: s.role, Seat: sign(s.g.cfg.Key, s.tenant.Name, id),
	})
}

func (s *socket) list(requestID string) *wire.Error {
	list, err := s.tenant.Realms.List(s.ctx)
	if err != nil {
		return s.g.shown(err, "list the realms")
	}
	list.RequestID = requestID
	if list.Realms == nil {
		list.Realms = []wire.RealmInfo{}
	}
	if s.role != wire.RoleHost {
		// Where things lie on the host's disk is not for those who follow a link.
		open := append([]wire.RealmInfo{}, list.Realms...)
		for i := range open {
			open[i].Path = ""
		}
		list.Realms = open
	}
	s.send(&list)
	return nil
}

// info is server:info for a socket: about a realm, about no realm, or (nil) about its
// tenant's last active one.
func (s *socket) info(of *Realm) []byte {
	g, realms, role := s.g, s.tenant.Realms, s.role
	var realm Realm
	if of != nil {
		realm = *of
	} else {
		realm, _ = realms.Current()
	}
	f := &wire.ServerInfo{
		Protocol: wire.Protocol, Version: g.cfg.Version, GamePhase: realms.Phase(),
		Addresses: g.cfg.Addresses, Port: g.cfg.Port, Role: role,
		Templates: realms.Templates(), Driver: realms.Driver(),
	}
	switch {
	case realm != nil:
		id := realm.ID()
		epoch, seq := realm.Position()
		f.GamePhase, f.RealmID, f.Epoch, f.Seq = wire.PhasePlaying, &id, &epoch, seq
	case f.GamePhase == wire.PhasePlaying:
		f.GamePhase = wire.PhaseOnboarding // playing is somewhere: here is none
	}
	if role == wire.RoleHost {
		f.Offer = realms.Offer()
	}
	if f.Addresses == nil {
		f.Addresses = []string{}
	}
	if f.Templates == nil {
		f.Templates = []wire.TemplateInfo{}
	}
	return g.encode(f)
}

// shown is what a person is told of an error: its own words where it has some for
// them; others are logged here and shown as internal.
func (g *Gate) shown(err error, doing string) *wire.Error {
	var e *wire.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, watch.ErrStopped):
		return wire.Errorf(wire.NotReady, "this realm has just closed; try again")
	case errors.Is(err, context.Canceled) && g.ctx.Err() != nil:
		return wire.Errorf(wire.NotReady, "the server is stopping; try again when it is back")
	default:
		g.log.Error().Err(err).Msg(doing)
		if reason := wire.DiskReason(err); reason != "" {
			return wire.Errorf(wire.Unsaved, "%s Nothing was changed; try again when it can be written.", reason)
		}
		return wire.Errorf(wire.Internal, "that went wrong inside the server; its log says more")
	}
}
