package gate

import (
	"net"
	"net/http"

	"agentdungeon/shared/wire"
)

// share returns the links by which others come to the tenant of a host who sent r (P2.7). They hold tokens, so they are
// in no log and no cache. The owner's token of a server without tokens is in none of them.
func (a *access) share(r *http.Request, tenant *Tenant) wire.Share {
	bases, local := a.bases(r)
	if a.open != nil {
		return wire.Share{Host: bases, Spectator: []string{}, Open: true, Local: local}
	}
	links := a.links(tenant, bases)
	return wire.Share{Host: links.Host, Spectator: links.Spectator, Local: local}
}

// bases returns the addresses of this server as "http://host:port/", first the one by which r came. local reports that
// only this machine reaches them; otherwise those that only this machine reaches are left out.
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
