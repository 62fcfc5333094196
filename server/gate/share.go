package gate

import (
	"net"
	"net/http"

	"agentdungeon/shared/wire"
)

// share returns the links that a host, who has sent r, can give to others so that they reach the host's tenant (P2.7).
// The links hold tokens, so they must not be logged or cached. They never hold the owner's token of a server without
// tokens.
func (a *access) share(r *http.Request, tenant *Tenant) wire.Share {
	bases, local := a.bases(r)
	if a.open != nil {
		return wire.Share{Host: bases, Spectator: []string{}, Open: true, Local: local}
	}
	links := a.links(tenant, bases)
	return wire.Share{Host: links.Host, Spectator: links.Spectator, Local: local}
}

// bases returns the addresses of this server as "http://host:port/", first the address to which r was sent. If local is
// true, only this machine can reach them. Otherwise bases leaves out addresses that only this machine can reach.
func (a *access) bases(r *http.Request) (bases []string, local bool) {
	own := scheme(r) + "://" + r.Host + "/"
	if !loopbackName(hostOnly(r.Host)) {
		bases = append(bases, own)
	}
	for _, addr := range a.addresses {
		base := "http://" + addr + "/"
		if host, _, err := net.SplitHostPort(addr); err == nil && !loopbackName(host) && base != own {
			bases = append(bases, base)
		}
	}
	if len(bases) > 0 {
		return bases, false
	}
	return []string{own}, true
}
