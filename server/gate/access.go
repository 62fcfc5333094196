package gate

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Tokens are the tokens of one tenant. An empty token gives nobody access. If no tenant has a token, the gate admits
// only loopback clients, as hosts of the first tenant.
type Tokens struct {
	Host      string // of people who may do everything
	Spectator string // of people who may watch, give themselves a name, and speak
	// Owner is the token by which the person who runs the server is recognized on a server without other tokens; "" for
	// none. On other servers the token of the first tenant's hosts does this.
	Owner string
}

// MinToken is the minimum length of a token in characters.
const MinToken = 16

// DeriveTokens returns the tokens of a tenant. host is the host token that the operator has chosen. If host is empty,
// the host token is derived from key, the store's secret key. The spectators' token is derived from key and the host
// token. Derived tokens are the same after a restart, so that links and open pages still work, and differ between
// tenants and roles (S1-08).
func DeriveTokens(key []byte, tenant, host string) Tokens {
	if host == "" {
		text := tenant
		if tenant == world.DefaultTenant {
			// The token of the default tenant is derived as in versions without tenants, so that their links still work.
			text = ""
		}
		host = base64.RawURLEncoding.EncodeToString(mac(key, "host token", text)[:16])
	}
	return Tokens{Host: host, Spectator: base64.RawURLEncoding.EncodeToString(mac(key, "spectator token", host)[:16])}
}

// IsLoopback reports whether only this machine can reach addr ("host:port").
func IsLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	return loopbackName(host)
}

func loopbackName(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// CheckListen returns an error if addr is not a loopback address and no tenant has a token (B8), or if a token
// is too short or is given twice.
func CheckListen(addr string, tenants ...Tokens) error {
	given := map[string]bool{}
	for _, t := range tenants {
		for _, token := range []string{t.Host, t.Spectator} {
			switch {
			case token == "":
			case len(token) < MinToken:
				return fmt.Errorf("a token has at least %d characters", MinToken)
			case given[token]:
				return errors.New("each tenant needs its own tokens, and its hosts and spectators need different ones")
			}
			given[token] = true
		}
	}
	delete(given, "")
	if len(given) == 0 && !IsLoopback(addr) {
		return fmt.Errorf("%s is not a loopback address: without a token everybody on the network would be host", addr)
	}
	return nil
}

// access checks the Host and Origin headers of requests, and finds the tenant and the role of a sender by the
// sender's token.
type access struct {
	hosts     map[string]bool // allowed Host names besides loopback, lower case
	addresses []string        // Config.Addresses
	grants    []*grant
	cookie    string
	open      *pass // on a server without tokens, the pass of a sender who sends no token; otherwise nil
}

// pass is the tenant and the role of a sender.
type pass struct {
	tenant *Tenant
	role   string
	// owner is set if the sender has proved by a token to be the person who runs the server. Only the owner may make
	// programs run as that person (P17.8), because on loopback everybody on the machine is a host, even without a token.
	owner bool
}

// guest reports whether the sender is a host who may not do what only the owner may.
func (p pass) guest() bool { return p.role == wire.RoleHost && !p.owner }

// grant is a token and the pass that the token gives to its sender.
type grant struct {
	pass
	token      string
	cookie     string // value of the cookie, derived from the token
	tokenHash  [sha256.Size]byte
	cookieHash [sha256.Size]byte
}

func newAccess(cfg Config) *access {
	a := &access{hosts: map[string]bool{}, addresses: cfg.Addresses, cookie: "agentdungeon_" + strconv.Itoa(cfg.Port)}
	for _, h := range cfg.Hosts {
		a.hosts[strings.ToLower(hostOnly(h))] = true
	}
	for _, addr := range cfg.Addresses {
		a.hosts[strings.ToLower(hostOnly(addr))] = true
	}
	for i := range cfg.Tenants {
		tenant := &cfg.Tenants[i]
		for _, t := range []struct{ role, token string }{
			{wire.RoleHost, tenant.Tokens.Host},
			{wire.RoleSpectator, tenant.Tokens.Spectator},
		} {
			if t.token == "" {
				continue
			}
			owns := i == 0 && t.role == wire.RoleHost
			a.grants = append(a.grants, newGrant(cfg.Key, pass{tenant, t.role, owns}, t.token))
		}
	}
	if first := &cfg.Tenants[0]; len(a.grants) == 0 {
		a.open = &pass{tenant: first, role: wire.RoleHost}
		if owner := first.Tokens.Owner; owner != "" {
			a.grants = append(a.grants, newGrant(cfg.Key, pass{first, wire.RoleHost, true}, owner))
		}
	}
	return a
}

func newGrant(key []byte, p pass, token string) *grant {
	cookie := base64.RawURLEncoding.EncodeToString(mac(key, "pass of "+p.role, token))
	return &grant{
		pass: p, token: token, cookie: cookie,
		tokenHash: sha256.Sum256([]byte(token)), cookieHash: sha256.Sum256([]byte(cookie)),
	}
}

// checkOrigin returns an error unless the Host header names this server and the Origin header names one of its own
// pages or is absent. A check that Origin and Host are equal would not be enough: under DNS rebinding, a page of
// another site has an Origin equal to its Host.
func (a *access) checkOrigin(r *http.Request) error {
	host := hostOnly(r.Host)
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return errors.New("the Host header has no valid port")
		}
	}
	if !loopbackName(host) && !a.hosts[strings.ToLower(host)] && !ownAddress(r, host) {
		return fmt.Errorf("this server is not known as %q; start it with -host to allow a name", clip(host))
	}
	if origins := r.Header.Values("Origin"); len(origins) > 1 || len(origins) == 1 && !sameOrigin(origins[0], r.Host) {
		return fmt.Errorf("a page of another site may not talk to this server: the page is of %q, and the Host header "+
			"names %q (a proxy in front of this server must pass the Host header on)", clip(origins[0]), clip(r.Host))
	}
	return nil
}

// ownAddress reports whether host is the local IP address of the request's connection. The addresses of the
// machine may change while the server runs, so newAccess cannot list them.
func ownAddress(r *http.Request, host string) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	own, err := netip.ParseAddrPort(local.String())
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap() == own.Addr().Unmap()
}

func sameOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || u.User != nil {
		return false
	}
	var standard string
	switch u.Scheme {
	case "http":
		standard = ":80"
	case "https":
		standard = ":443"
	default:
		return false
	}
	return strings.EqualFold(strings.TrimSuffix(u.Host, standard), strings.TrimSuffix(host, standard))
}

// hostOnly returns the host of "host:port" or of "host", without the brackets of an IPv6 address.
func hostOnly(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.TrimSuffix(strings.TrimPrefix(hostport, "["), "]")
}

// pass returns the pass of a request's sender, or nil if the sender has no access. A token in the
// Authorization header or in the query takes precedence over the cookie.
func (a *access) pass(r *http.Request) *pass {
	by := a.shown(r)
	if by != nil || a.open == nil {
		return by
	}
	// A server without tokens listens on loopback only. If other machines reach it nevertheless, perhaps through a proxy,
	// they get no access.
	if remote, err := netip.ParseAddrPort(r.RemoteAddr); err == nil && !remote.Addr().Unmap().IsLoopback() {
		return nil
	}
	if forwarded(r) || !loopbackName(hostOnly(r.Host)) {
		return nil
	}
	return a.open
}

// forwarded reports whether a proxy has passed the request on for somebody else.
func forwarded(r *http.Request) bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via"} {
		if len(r.Header.Values(name)) > 0 {
			return true
		}
	}
	return false
}

// shown returns the pass that belongs to the token or the cookie in a request, or nil if the request has no valid one.
func (a *access) shown(r *http.Request) *pass {
	if header := r.Header.Get("Authorization"); header != "" {
		scheme, token, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return nil
		}
		return a.passOf(strings.TrimSpace(token))
	}
	if token := r.URL.Query().Get("token"); token != "" {
		return a.passOf(token)
	}
	for _, c := range r.CookiesNamed(a.cookie) {
		sum := sha256.Sum256([]byte(c.Value))
		for _, g := range a.grants {
			if subtle.ConstantTimeCompare(sum[:], g.cookieHash[:]) == 1 {
				return &g.pass
			}
		}
	}
	return nil
}

// passOf returns the pass that a token gives, or nil if the token is unknown. It compares hashes, so that the
// time of the comparison reveals neither the content nor the length of a token.
func (a *access) passOf(token string) (found *pass) {
	sum := sha256.Sum256([]byte(token))
	for _, g := range a.grants {
		if subtle.ConstantTimeCompare(sum[:], g.tokenHash[:]) == 1 {
			found = &g.pass
		}
	}
	return found
}

// admit sends the browser a cookie. by is the sender's pass, and the cookie belongs to it. For a year the browser
// sends the cookie instead of the token. A new token makes the cookie of the old one invalid. A browser holds the
// cookie of one tenant at a time.
func (a *access) admit(w http.ResponseWriter, r *http.Request, by *pass) {
	for _, g := range a.grants {
		if &g.pass == by {
			http.SetCookie(w, &http.Cookie{
				Name: a.cookie, Value: g.cookie, Path: "/", MaxAge: 365 * 24 * 3600,
				HttpOnly: true, SameSite: http.SameSiteStrictMode,
				Secure: scheme(r) == "https",
			})
		}
	}
}

// scheme returns the scheme by which a browser reached the server, directly or through a proxy.
func scheme(r *http.Request) string {
	if r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") {
		return "https"
	}
	return "http"
}

// Links has the links that the people of one tenant open.
type Links struct {
	Tenant    string
	Host      []string // one for each address
	Spectator []string // one for each address; none if no tenant has tokens
}

// Links returns the links of each tenant, one for each address ("host:port") and role. On a server without tokens only
// the first tenant has links, all for hosts. These links have the owner's token, because only the owner may do some
// things even on such a server. Links with tokens are secrets: print them, never log them.
func (g *Gate) Links(addresses []string) []Links {
	bases := make([]string, len(addresses))
	for i, addr := range addresses {
		bases[i] = "http://" + addr + "/"
	}
	if open := g.access.open; open != nil {
		open := Links{Tenant: open.tenant.Name, Host: bases}
		for i := range bases {
			for _, owner := range g.access.grants {
				bases[i] += "?token=" + url.QueryEscape(owner.token)
			}
		}
		return []Links{open}
	}
	var out []Links
	for i := range g.cfg.Tenants {
		out = append(out, g.access.links(&g.cfg.Tenants[i], bases))
	}
	return out
}

// links returns the links of a tenant with tokens. bases are addresses of the server: "http://host:port/".
func (a *access) links(tenant *Tenant, bases []string) Links {
	out := Links{Tenant: tenant.Name}
	for _, base := range bases {
		for _, t := range a.grants {
			link := base + "?token=" + url.QueryEscape(t.token)
			switch {
			case t.tenant != tenant:
			case t.role == wire.RoleHost:
				out.Host = append(out.Host, link)
			default:
				out.Spectator = append(out.Spectator, link)
			}
		}
	}
	return out
}

func clip(s string) string {
	if len(s) > 100 {
		return strings.ToValidUTF8(s[:100], "") + "..."
	}
	return s
}
