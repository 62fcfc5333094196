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
)

// Tokens open the gate. Empty ones open nothing; with both empty only loopback
// clients come in, and everybody is host.
type Tokens struct {
	Host      string // may do everything
	Spectator string // may look, register and speak
}

// MinToken is the least length of a token in characters.
const MinToken = 16

// DeriveTokens makes what is missing from the store's secret key, so that links
// and open tabs outlive a restart. host is the token that the operator chose, ""
// for none; another choice there changes the spectators' link too.
func DeriveTokens(key []byte, host string) Tokens {
	if host == "" {
		host = base64.RawURLEncoding.EncodeToString(mac(key, "host token", "")[:16])
	}
	return Tokens{Host: host, Spectator: base64.RawURLEncoding.EncodeToString(mac(key, "spectator token", host)[:16])}
}

// IsLoopback says whether addr ("host:port") listens for this machine only.
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

// CheckListen refuses to listen on addr without the tokens that it needs (B8).
func CheckListen(addr string, t Tokens) error {
	if t.Host == "" && t.Spectator == "" {
		if IsLoopback(addr) {
			return nil
		}
		return fmt.Errorf("%s is not a loopback address: a token is needed so that not everybody on the network is host", addr)
	}
	for _, token := range []string{t.Host, t.Spectator} {
		if token != "" && len(token) < MinToken {
			return fmt.Errorf("a token has at least %d characters", MinToken)
		}
	}
	if t.Host == t.Spectator {
		return errors.New("the tokens of hosts and spectators must differ")
	}
	return nil
}

// access answers two questions about a request: was it meant for this server (Host
// and Origin), and what may its sender do (tokens).
type access struct {
	hosts  map[string]bool // allowed Host names beside loopback, lower case
	grants []grant
	cookie string
}

// grant is a token in the forms in which it is compared.
type grant struct {
	role   string
	token  [sha256.Size]byte // of the token
	pass   string            // the cookie's value: made of the token, and not the token
	passed [sha256.Size]byte // of pass
	link   string            // the token, for links
}

func newAccess(cfg Config) *access {
	a := &access{hosts: map[string]bool{}, cookie: "agentdungeon_" + strconv.Itoa(cfg.Port)}
	for _, h := range cfg.Hosts {
		a.hosts[strings.ToLower(hostOnly(h))] = true
	}
	for _, addr := range cfg.Addresses {
		a.hosts[strings.ToLower(hostOnly(addr))] = true
	}
	for _, t := range []struct{ role, token string }{
		{wire.RoleHost, cfg.Tokens.Host},
		{wire.RoleSpectator, cfg.Tokens.Spectator},
	} {
		if t.token == "" {
			continue
		}
		pass := base64.RawURLEncoding.EncodeToString(mac(cfg.Key, "pass of "+t.role, t.token))
		a.grants = append(a.grants, grant{
			role: t.role, token: sha256.Sum256([]byte(t.token)),
			pass: pass, passed: sha256.Sum256([]byte(pass)), link: t.token,
		})
	}
	return a
}

// meant says whether the request was addressed to this server by a page of this
// server or by no page. Both are checked: a page of another site whose name
// resolves to this machine (DNS rebinding) has an Origin equal to its Host.
func (a *access) meant(r *http.Request) error {
	host := hostOnly(r.Host)
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return errors.New("the Host header has no valid port")
		}
	}
	if !loopbackName(host) && !a.hosts[strings.ToLower(host)] && !ownAddress(r, host) {
		return fmt.Errorf("this server does not go by the name %q; start it with -host to allow a name", clip(host))
	}
	if origins := r.Header.Values("Origin"); len(origins) > 1 || len(origins) == 1 && !sameOrigin(origins[0], r.Host) {
		return errors.New("a page of another site may not talk to this server")
	}
	return nil
}

// ownAddress says whether host is the address at which this connection arrived;
// addresses may change while the server runs.
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

// hostOnly is a host without its port and brackets.
func hostOnly(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.TrimSuffix(strings.TrimPrefix(hostport, "["), "]")
}

// role of the sender of a request, "" when it may not come in. What the request
// says itself (a header, then the link's query) counts before the cookie.
func (a *access) role(r *http.Request) string {
	if len(a.grants) == 0 {
		// A server without tokens listens on loopback only. Should it ever be reached
		// from elsewhere, by a mistake in its set-up, nobody becomes host by it.
		if remote, err := netip.ParseAddrPort(r.RemoteAddr); err == nil && !remote.Addr().Unmap().IsLoopback() {
			return ""
		}
		return wire.RoleHost
	}
	if header := r.Header.Get("Authorization"); header != "" {
		scheme, token, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return ""
		}
		return a.roleOf(strings.TrimSpace(token))
	}
	if token := r.URL.Query().Get("token"); token != "" {
		return a.roleOf(token)
	}
	for _, c := range r.CookiesNamed(a.cookie) {
		sum := sha256.Sum256([]byte(c.Value))
		for _, g := range a.grants {
			if subtle.ConstantTimeCompare(sum[:], g.passed[:]) == 1 {
				return g.role
			}
		}
	}
	return ""
}

// roleOf a token. Hashes are compared: neither content nor length shows in time.
func (a *access) roleOf(token string) (role string) {
	sum := sha256.Sum256([]byte(token))
	for _, g := range a.grants {
		if subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1 {
			role = g.role
		}
	}
	return role
}

// admit gives the browser a cookie in place of a token. It lasts a year: the token
// decides how long access lasts, and a new token ends it.
func (a *access) admit(w http.ResponseWriter, r *http.Request, role string) {
	for _, g := range a.grants {
		if g.role == role {
			http.SetCookie(w, &http.Cookie{
				Name: a.cookie, Value: g.pass, Path: "/", MaxAge: 365 * 24 * 3600,
				HttpOnly: true, SameSite: http.SameSiteStrictMode,
				Secure: r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https"),
			})
		}
	}
}

// Links to print for addresses ("host:port"): the hosts' and, where tokens are in
// use, the spectators'. They are secrets then: print them, never log them.
func (g *Gate) Links(addresses []string) (host, spectator []string) {
	if len(g.access.grants) == 0 {
		for _, addr := range addresses {
			host = append(host, "http://"+addr+"/")
		}
		return host, nil
	}
	for _, addr := range addresses {
		for _, t := range g.access.grants {
			link := "http://" + addr + "/?token=" + url.QueryEscape(t.link)
			if t.role == wire.RoleHost {
				host = append(host, link)
			} else {
				spectator = append(spectator, link)
			}
		}
	}
	return host, spectator
}

func clip(s string) string {
	if len(s) > 100 {
		return strings.ToValidUTF8(s[:100], "") + "..."
	}
	return s
}
