package gate

import (
	"context"
	"errors"

	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
)

// info returns an encoded server:info for the socket. If the parameter shown is nil, the frame describes the tenant's
// last active realm. Otherwise it describes the realm to which shown points, or no realm if that is nil.
func (s *socket) info(shown *Realm) []byte {
	g, realms, role := s.g, s.by.tenant.Realms, s.by.role
	var realm Realm
	if shown != nil {
		realm = *shown
	} else {
		realm, _ = realms.Current()
	}
	f := &wire.ServerInfo{
		Protocol: wire.Protocol, Version: g.cfg.Version, GamePhase: realms.Phase(),
		Addresses: g.cfg.Addresses, Port: g.cfg.Port, Role: role, Guest: s.by.guest(),
		Templates: s.by.tenant.templates(), Driver: s.by.tenant.About.Driver,
	}
	switch {
	case realm != nil:
		id := realm.ID()
		epoch, seq := realm.Position()
		f.GamePhase, f.RealmID, f.Epoch, f.Seq = wire.PhasePlaying, &id, &epoch, seq
	case f.GamePhase == wire.PhasePlaying:
		f.GamePhase = wire.PhaseOnboarding // the tenant's realm is open, but this socket watches none
	}
	if role == wire.RoleHost {
		f.Offer = s.by.tenant.About.Offer
	}
	if f.Addresses == nil {
		f.Addresses = []string{}
	}
	if f.Templates == nil {
		f.Templates = []wire.TemplateInfo{}
	}
	of := infoOf{tenant: s.by.tenant, role: role, guest: s.by.guest(), phase: f.GamePhase, seq: f.Seq}
	if realm != nil {
		of.realm, of.epoch = *f.RealmID, *f.Epoch
	}
	last := g.info.Load()
	if last == nil || last.of != of || !sameList(last.templates, f.Templates) {
		last = &encodedInfo{of, f.Templates, g.encode(f)}
		g.info.Store(last)
	}
	return last.frame
}

// encodedInfo is an encoded server:info, which is stored because people who connect at the same time mostly get the
// same one.
type encodedInfo struct {
	of        infoOf
	templates []wire.TemplateInfo
	frame     []byte
}

// infoOf has the fields of server:info that differ between sockets, except the templates. It is the key of an
// encodedInfo.
type infoOf struct {
	tenant       *Tenant
	role, phase  string
	guest        bool
	realm, epoch string
	seq          int64
}

// sameList reports whether x and y are the same slice, not only equal ones. A list of templates that has changed is
// another slice.
func sameList(x, y []wire.TemplateInfo) bool {
	return len(x) == len(y) && (len(x) == 0 || &x[0] == &y[0])
}

// shown returns the error that a client gets in place of err. It returns a *wire.Error unchanged. It logs any other
// error and returns an error that hides the details; the parameter doing is the message of the log line and says what
// the gate was doing.
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
			return wire.Errorf(wire.Unsaved, "%s Nothing was changed; try again when this is corrected.", reason)
		}
		return wire.Errorf(wire.Internal, "the server failed; its log has the error")
	}
}

// encode returns f as JSON. Encoding a frame of package wire never fails. If it did, the client would get an
// object with only a type, which clients ignore.
func (g *Gate) encode(f wire.Frame) []byte {
	b, err := wire.Encode(f)
	if err != nil {
		g.log.Error().Err(err).Str("frame", f.FrameType()).Msg("a frame could not be encoded")
		return []byte(`{"type":"` + f.FrameType() + `"}`)
	}
	return b
}
