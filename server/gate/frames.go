package gate

import (
	"context"
	"errors"

	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
)

// info returns server:info for a socket, encoded. *of is the realm that it describes, nil for no
// realm; without of it describes the tenant's last active realm.
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
		Templates: s.tenant.templates(), Driver: s.tenant.About.Driver,
	}
	switch {
	case realm != nil:
		id := realm.ID()
		epoch, seq := realm.Position()
		f.GamePhase, f.RealmID, f.Epoch, f.Seq = wire.PhasePlaying, &id, &epoch, seq
	case f.GamePhase == wire.PhasePlaying:
		f.GamePhase = wire.PhaseOnboarding // a realm is open, but not for this socket
	}
	if role == wire.RoleHost {
		f.Offer = s.tenant.About.Offer
	}
	if f.Addresses == nil {
		f.Addresses = []string{}
	}
	if f.Templates == nil {
		f.Templates = []wire.TemplateInfo{}
	}
	return g.encode(f)
}

// shown returns the error that a person gets for err. A *wire.Error is returned unchanged. Any other error is
// logged with what the gate was doing and shown as internal.
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
			return wire.Errorf(wire.Unsaved, "%s Nothing was changed; try again when that is corrected.", reason)
		}
		return wire.Errorf(wire.Internal, "that went wrong inside the server; its log says more")
	}
}

// encode encodes a frame. Encoding never fails for frames of package wire; if it failed, clients would get an
// object that they ignore.
func (g *Gate) encode(f wire.Frame) []byte {
	b, err := wire.Encode(f)
	if err != nil {
		g.log.Error().Err(err).Str("frame", f.FrameType()).Msg("a frame could not be encoded")
		return []byte(`{"type":"` + f.FrameType() + `"}`)
	}
	return b
}
