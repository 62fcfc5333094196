package gate

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"
	"golang.org/x/time/rate"

	"agentdungeon/server/realm"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
)

// reader is the state of a socket's reader goroutine.
type reader struct {
	s     *socket
	rate  *rate.Limiter // limits commands
	bad   int           // number of bad frames in a row
	ended bool          // the reader ignores further frames
}

// run is the body of the reader goroutine. It returns when the connection has ended, and then closes done.
func (r *reader) run(done chan<- struct{}) {
	s := r.s
	defer close(done)
	defer s.recovered()
	for {
		// Read gets a context that never ends: if it ended, the library would close the connection without a
		// close code.
		kind, data, err := s.conn.Read(context.Background())
		if err != nil {
			r.broken(err)
			return
		}
		switch {
		case r.ended || s.ctx.Err() != nil: // the socket is closing: read on, but only to receive the peer's close frame
		case kind != websocket.MessageText:
			r.end(wire.CloseBinary, "frames must be text")
		case !utf8.Valid(data):
			r.end(wire.CloseNotUTF8, "frames must be UTF-8")
		default:
			r.frame(data)
		}
	}
}

// broken closes the socket after a read has failed with err. It chooses the close code by err.
func (r *reader) broken(err error) {
	var op *net.OpError
	switch {
	case errors.Is(err, errFrameSize), errors.Is(err, websocket.ErrMessageTooBig):
		r.end(wire.CloseTooLarge, "the frame is too large")
	case websocket.CloseStatus(err) != -1: // the peer has sent a close frame, and the library has answered it
		r.s.close(wire.CloseCode(websocket.StatusNormalClosure), "")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		errors.Is(err, io.ErrClosedPipe), errors.As(err, &op):
		r.s.close(wire.CloseGoingAway, "")
		r.s.link.cut()
	default:
		r.end(wire.CloseCode(websocket.StatusProtocolError), "this is not the WebSocket protocol")
	}
}

// end makes the writer close the socket once it has sent all queued frames, such as the answers to earlier
// commands. The reader ignores all further frames.
func (r *reader) end(code wire.CloseCode, reason string) {
	r.ended = true
	r.s.push(item{end: closing{code, reason}})
}

// frame handles one text frame.
func (r *reader) frame(data []byte) {
	s := r.s
	cmd, requestID, e := wire.Decode(data)
	now := time.Now()
	taken := r.rate.ReserveN(now, 1)
	if wait := taken.DelayFrom(now); wait > 0 {
		// Refuse the command, return to the rate limiter what the command took, and wait before the next read. So a
		// client that sends too much slows itself down. A refused command does not count as a bad frame.
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
		if r.bad++; r.bad >= wire.MaxBadFrames {
			r.end(wire.CloseBadFrames, "too many bad frames")
		}
		return
	}
	r.bad = 0
	if e := r.act(cmd, requestID); e != nil {
		s.fail(requestID, e)
	}
}

// allowed returns an error if only hosts, or only the owner, may send cmd, or if cmd may not come before welcome.
func (s *socket) allowed(cmd wire.Command) *wire.Error {
	switch cmd.(type) {
	case *wire.Hello, *wire.Register, *wire.ListRealms, *wire.SpectatorSay, *wire.ConversationOpen,
		*wire.ConversationList, *wire.TeamList, *wire.SkillOpen, *wire.GetAgentDetails, *wire.MapRoom,
		*wire.NavigateEnter, *wire.NavigateBack, *wire.FileOpen:
	default:
		if s.by.role != wire.RoleHost {
			return wire.Errorf(wire.NotAllowed, "spectators can only look and speak; this command is for hosts")
		}
	}
	switch cmd.(type) {
	case *wire.Hello, *wire.Register, *wire.ListRealms, *wire.LinkRepo, *wire.ResumeRealm:
		return nil
	case *wire.DoorAnswer, *wire.AgentTell, *wire.AgentStop:
		if !s.by.owner {
			return wire.Errorf(wire.NotAllowed, onlyOwner)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.now.welcomed {
		return wire.Errorf(wire.NotReady, "the first command must be hello")
	}
	return nil
}

// act executes a command that the gate itself handles, or passes the command to the realm.
func (r *reader) act(cmd wire.Command, requestID string) *wire.Error {
	s := r.s
	switch c := cmd.(type) {
	case *wire.Hello:
		return r.hello(c, requestID)
	case *wire.Register:
		s.register(c, requestID)
		return nil
	case *wire.ListRealms:
		return s.list(requestID)
	case *wire.SessionList:
		return s.sessions(requestID)
	case *wire.LinkRepo, *wire.ResumeRealm, *wire.RemoveRealm:
		return s.long(cmd, requestID)
	case *wire.StartProcess:
		s.mu.Lock()
		attached := s.now.realm != nil
		s.mu.Unlock()
		if c.Path != "" || c.Bare || !attached {
			// This command first makes or opens a realm. Refuse an unknown template before anything changes
			// (B22).
			if !s.by.tenant.offers(c.TemplateID) {
				return wire.Errorf(wire.NotFound, "there is no template %s", c.TemplateID)
			}
			return s.long(cmd, requestID)
		}
	}
	return s.submit(cmd, requestID)
}

// offers reports whether the tenant has a template with that id. "" stands for the default template.
func (t *Tenant) offers(id string) bool {
	return id == "" || slices.ContainsFunc(t.templates(), func(t wire.TemplateInfo) bool { return t.ID == id })
}

func (s *socket) submit(cmd wire.Command, requestID string) *wire.Error {
	s.mu.Lock()
	now := s.now
	s.mu.Unlock()
	if now.realm == nil {
		return wire.Errorf(wire.NotReady, "this connection watches no realm; link a folder or resume a realm first")
	}
	return now.realm.Submit(s.sender(), requestID, cmd, now.viewer)
}

// hello attaches the socket to the realm c.RealmID. If the command names no realm, or one that does not exist, hello
// attaches the socket to the last active realm. If that realm is not open, the socket watches none.
func (r *reader) hello(c *wire.Hello, requestID string) *wire.Error {
	s := r.s
	if c.Protocol != wire.Protocol {
		r.end(wire.CloseProtocol, "this server speaks another protocol version")
		return nil
	}
	s.helloDue.Stop()
	pos := watch.Position{Epoch: c.Epoch, LastSeq: c.LastSeq, MapGeneration: c.MapGeneration}
	to, _ := s.by.tenant.Realms.Current()
	if c.RealmID != nil && *c.RealmID != "" && (to == nil || to.ID() != *c.RealmID) {
		named, err := s.by.tenant.Realms.Open(s.ctx, *c.RealmID)
		var refused *wire.Error
		switch {
		case err == nil:
			to = named
		case errors.As(err, &refused) && refused.Code == wire.NotFound:
			// The realm was removed or belongs to another tenant. Attach the socket to the last active realm;
			// the frame welcome names it.
			pos = watch.Position{}
		default:
			return s.g.shown(err, "open a realm to watch")
		}
	}
	t := &turnOver{realm: to, pos: pos, answers: true, requestID: requestID}
	s.mu.Lock()
	s.greeted = true
	s.switchLocked(t)
	s.mu.Unlock()
	if to == nil {
		// Opened may have run between Current and switchLocked, and has then skipped this socket, because it had not
		// finished its hello. So attach the socket now.
		if late, ok := s.by.tenant.Realms.Current(); ok {
			s.adopt(late)
		}
	}
	select {
	case <-t.done: // wait until the switch has ended, so that further commands go to the new realm
	case <-s.ctx.Done():
	}
	return nil
}

// register sends the sender a signed seat. If the command has a valid seat, the sender keeps its spectatorId.
func (s *socket) register(c *wire.Register, requestID string) {
	id, ok := seated(s.g.cfg.Key, s.by.tenant.Name, c.Seat)
	s.mu.Lock()
	if !ok {
		if id = s.person.SpectatorID; id == "" { // a person who has registered on this socket before only changes their name
			id = newSpectatorID()
		}
	}
	if s.now.realm != nil && s.now.realm.Erased(id) {
		id = newSpectatorID()
	}
	person := realm.Person{SpectatorID: id, Name: c.Name, Color: c.Color, Role: s.by.role}
	s.person = person
	if s.now.viewer != nil {
		s.now.viewer.Identify(person.Listed())
	}
	s.mu.Unlock()
	for _, old := range s.g.seat(s, id, c.Tab) {
		old.close(wire.CloseElsewhere, "this tab is open elsewhere")
	}
	s.send(&wire.SpectatorWelcome{
		RequestID: requestID, SpectatorID: id, Name: c.Name, Color: c.Color, Role: s.by.role,
		Guest: s.by.guest(),
		Seat:  sign(s.g.cfg.Key, s.by.tenant.Name, id),
	})
}

// sessions answers session:list for the realm of the socket.
func (s *socket) sessions(requestID string) *wire.Error {
	s.mu.Lock()
	now := s.now
	s.mu.Unlock()
	listed := wire.SessionsListed{Sessions: []wire.CodingSession{}, Programs: []wire.CodingProgram{}}
	if list := s.by.tenant.Sessions; list != nil && now.realm != nil {
		var err error
		if listed, err = list(s.ctx, now.realm.ID()); err != nil {
			return s.g.shown(err, "list the sessions of coding agents")
		}
	}
	listed.RequestID = requestID
	s.send(&listed)
	return nil
}

func (s *socket) list(requestID string) *wire.Error {
	list, err := s.by.tenant.Realms.List(s.ctx)
	if err != nil {
		return s.g.shown(err, "list the realms")
	}
	list.RequestID = requestID
	if list.Realms == nil {
		list.Realms = []wire.RealmInfo{}
	}
	if s.by.role != wire.RoleHost {
		// Only hosts may see paths of the host's disk (P2.4).
		list.Realms = slices.Clone(list.Realms)
		for i := range list.Realms {
			list.Realms[i].Path = ""
		}
	}
	s.send(&list)
	return nil
}
