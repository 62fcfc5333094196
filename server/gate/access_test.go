package gate

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/shared/wire"
)

// B8: on every path, the gate refuses pages of other sites and requests whose Host name was made to point
// here (DNS rebinding).
// P2.3.
func TestHostAndOrigin(t *testing.T) {
	g := New(Config{Tenants: of1(newRealms("r1")), Key: testKey, Port: 3001, Hosts: []string{"dungeon.example", "Proxy.Example:8443"}, Addresses: []string{"192.168.1.5:3001", "[fd00::5]:3001"}, Log: zerolog.Nop()})
	g.SetReady()
	for _, c := range []struct {
		host, origin string
		local        string
		ok           bool
	}{
		{host: "localhost:3001", ok: true},
		{host: "LOCALHOST:3001", ok: true},
		{host: "localhost", ok: true},
		{host: "127.0.0.1:3001", ok: true},
		{host: "127.1.2.3:9", ok: true},
		{host: "[::1]:3001", ok: true},
		{host: "dungeon.example", ok: true},
		{host: "DUNGEON.example:80", ok: true},
		{host: "proxy.example", ok: true},
		{host: "192.168.1.5:3001", ok: true},
		{host: "[fd00::5]:3001", ok: true},
		{host: "10.0.0.7:3001", local: "10.0.0.7:3001", ok: true},
		{host: "10.0.0.8:3001", local: "10.0.0.7:3001"},
		{host: "192.168.1.6:3001"},
		{host: "attacker.example:3001"},
		{host: "attacker.example:3001", origin: "http://attacker.example:3001"}, // rebinding: they are equal
		{host: "localhost.attacker.example"},
		{host: "127.0.0.1.attacker.example:3001"},
		{host: "dungeon.example.attacker.example"},
		{host: ""},
		{host: "localhost:3001;x"},
		{host: "localhost:99999"},
		{host: "localhost:3001", origin: "http://localhost:3001", ok: true},
		{host: "localhost:3001", origin: "http://LOCALHOST:3001", ok: true},
		{host: "localhost", origin: "http://localhost:80", ok: true},
		{host: "dungeon.example", origin: "https://dungeon.example", ok: true},
		{host: "dungeon.example:443", origin: "https://dungeon.example", ok: true},
		{host: "dungeon.example", origin: "https://dungeon.example:8443"},
		{host: "localhost:3001", origin: "http://localhost:5173"},
		{host: "localhost:3001", origin: "http://127.0.0.1:3001"},
		{host: "localhost:3001", origin: "https://attacker.example"},
		{host: "localhost:3001", origin: "null"},
		{host: "localhost:3001", origin: "file://"},
		{host: "localhost:3001", origin: "ftp://localhost:3001"},
		{host: "localhost:3001", origin: "http://localhost:3001@attacker.example"},
		{host: "localhost:3001", origin: "http://attacker@localhost:3001"},
		{host: "localhost:3001", origin: "localhost:3001"},
		{host: "localhost:3001", origin: "://"},
	} {
		for _, path := range []string{"/healthz", "/", "/ws", "/api/x"} {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Host, r.RemoteAddr = c.host, "127.0.0.1:5000"
			if c.origin != "" {
				r.Header.Set("Origin", c.origin)
			}
			if c.local != "" {
				addr, err := net.ResolveTCPAddr("tcp", c.local)
				if err != nil {
					t.Fatal(err)
				}
				r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(addr)))
			}
			w := httptest.NewRecorder()
			g.Handler().ServeHTTP(w, r)
			if ok := w.Code != http.StatusForbidden; ok != c.ok {
				t.Errorf("Host %q Origin %q %s: %d", c.host, c.origin, path, w.Code)
			}
		}
	}
}

func TestTwoOriginsAreNone(t *testing.T) {
	g := New(Config{Tenants: of1(newRealms()), Key: testKey, Log: zerolog.Nop()})
	r := httptest.NewRequest(http.MethodGet, "/healthz", nil)
	r.Host = "localhost"
	r.Header["Origin"] = []string{"http://localhost", "http://attacker.example"}
	w := httptest.NewRecorder()
	g.Handler().ServeHTTP(w, r)
	if w.Code != http.StatusForbidden {
		t.Errorf("got %d", w.Code)
	}
}

// B8: a server that listens on an address that is not loopback needs tokens.
// P2.1.
func TestCheckListen(t *testing.T) {
	good := Tokens{Host: "0123456789abcdef", Spectator: "fedcba9876543210"}
	for _, c := range []struct {
		addr   string
		tokens Tokens
		ok     bool
	}{
		{"127.0.0.1:3001", Tokens{}, true},
		{"localhost:0", Tokens{}, true},
		{"[::1]:3001", Tokens{}, true},
		{"[::ffff:127.0.0.1]:3001", Tokens{}, true},
		{":3001", Tokens{}, false},
		{"0.0.0.0:3001", Tokens{}, false},
		{"[::]:3001", Tokens{}, false},
		{"192.168.1.5:3001", Tokens{}, false},
		{"dungeon.example:3001", Tokens{}, false},
		{"nonsense", Tokens{}, false},
		{"0.0.0.0:3001", good, true},
		{"127.0.0.1:3001", good, true},
		{"0.0.0.0:3001", Tokens{Host: "short", Spectator: good.Spectator}, false},
		{"0.0.0.0:3001", Tokens{Host: good.Host, Spectator: "short"}, false},
		{"0.0.0.0:3001", Tokens{Host: good.Host, Spectator: good.Host}, false},
		{"0.0.0.0:3001", DeriveTokens(testKey, "default", ""), true},
		{"0.0.0.0:3001", DeriveTokens(testKey, "default", good.Host), true},
	} {
		if err := CheckListen(c.addr, c.tokens); (err == nil) != c.ok {
			t.Errorf("%s %+v: %v", c.addr, c.tokens, err)
		}
	}
}

func TestDerivedTokensOutliveARestartAndChangeWithTheChoice(t *testing.T) {
	a, b := DeriveTokens(testKey, "default", ""), DeriveTokens(testKey, "default", "")
	c, d := DeriveTokens(testKey, "default", "chosen by the operator"), DeriveTokens([]byte("another key, another key"), "default", "")
	if a != b || a.Host == a.Spectator || len(a.Host) < MinToken {
		t.Errorf("%+v and %+v", a, b)
	}
	if c.Host != "chosen by the operator" || c.Spectator == a.Spectator || d.Host == a.Host || d.Spectator == a.Spectator {
		t.Errorf("%+v, %+v, %+v", a, c, d)
	}
}

// On a server without tokens, everybody on this machine is host. Other machines get in by the owner's token alone, also
// if they come through a proxy on this machine. P2.1.
func TestWithoutTokensOnlyThisMachineComesIn(t *testing.T) {
	const owner = "the owner's own token"
	g := New(Config{
		Tenants: []Tenant{{Name: "default", Realms: newRealms(), Tokens: Tokens{Owner: owner}}}, Key: testKey,
		Hosts: []string{"dungeon.example"}, Addresses: []string{"192.168.1.5:3001"}, Log: zerolog.Nop(),
	})
	for _, c := range []struct {
		remote, host, header string
		want                 int
	}{
		{"127.0.0.1:5", "127.0.0.1:3001", "", 404},
		{"[::1]:5", "[::1]:3001", "", 404},
		{"[::ffff:127.0.0.1]:5", "localhost:3001", "", 404},
		{"192.168.1.9:5", "localhost:3001", "", 401},
		{"[fd00::9]:5", "localhost:3001", "", 401},
		{"127.0.0.1:5", "dungeon.example", "", 401},
		{"127.0.0.1:5", "192.168.1.5:3001", "", 401},
		{"127.0.0.1:5", "localhost:3001", "X-Forwarded-For", 401},
		{"127.0.0.1:5", "localhost:3001", "X-Forwarded-Host", 401},
		{"127.0.0.1:5", "localhost:3001", "X-Real-IP", 401},
		{"127.0.0.1:5", "localhost:3001", "Forwarded", 401},
		{"127.0.0.1:5", "localhost:3001", "Via", 401},
		{"192.168.1.9:5", "localhost:3001", "X-Forwarded-For", 401},
	} {
		for _, token := range []string{"", owner} {
			r := httptest.NewRequest(http.MethodGet, "/api/x", nil)
			r.Host, r.RemoteAddr = c.host, c.remote
			if c.header != "" {
				r.Header.Set(c.header, "127.0.0.1")
			}
			want := c.want
			if token != "" {
				r.Header.Set("Authorization", "Bearer "+token)
				want = 404
			}
			w := httptest.NewRecorder()
			g.Handler().ServeHTTP(w, r)
			if w.Code != want {
				t.Errorf("P2.1: %+v with the token %q: %d, not %d", c, token, w.Code, want)
			}
		}
	}
}

// The log says that requests were refused because of their Host, Origin or token, once a minute and without the token.
func TestRefusedRequestsAreLogged(t *testing.T) {
	var log bytes.Buffer
	g := New(Config{Tenants: []Tenant{{Name: "default", Realms: newRealms(), Tokens: tokens}}, Key: testKey, Log: zerolog.New(&log)})
	for range 50 {
		for _, change := range []func(*http.Request){
			func(r *http.Request) { r.Host = "elsewhere.example" },
			func(r *http.Request) { r.Header.Set("Origin", "https://dungeon.example") },
			func(r *http.Request) { r.Header.Set("Authorization", "Bearer guess-number-0001") },
			func(r *http.Request) { r.URL.RawQuery = "token=guess-number-0002" },
			func(*http.Request) {}, // a person who opens the page without a token
		} {
			r := httptest.NewRequest(http.MethodGet, "/api/x", nil)
			r.Host, r.RemoteAddr = "localhost:3001", "127.0.0.1:5"
			change(r)
			g.Handler().ServeHTTP(httptest.NewRecorder(), r)
		}
	}
	if n := g.Stats().Refused; n != 250 {
		t.Errorf("%d requests are counted", n)
	}
	text := log.String()
	if strings.Count(text, "\n") != 2 || strings.Count(text, "elsewhere.example") == 0 || strings.Count(text, "a wrong token") != 1 ||
		strings.Contains(text, "guess-number") {
		t.Errorf("the log has\n%s", text)
	}
}

var tokens = Tokens{Host: "host-token-0123456789", Spectator: "spectator-token-0123456789"}

func withTokens(c *Config) { c.Tenants[0].Tokens = tokens }

// P2.2.
func TestTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{}, withTokens)
		cookie := func(token string) string {
			_, res := h.get("/?token=" + token)
			if len(res.Cookies()) == 0 {
				return ""
			}
			c := res.Cookies()[0]
			if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Secure {
				t.Errorf("cookie %+v", c)
			}
			if strings.Contains(c.Value, token) {
				t.Error("the cookie is the token itself")
			}
			return c.Name + "=" + c.Value
		}
		hostCookie, spectatorCookie := cookie(tokens.Host), cookie(tokens.Spectator)
		if hostCookie == "" || spectatorCookie == "" || hostCookie == spectatorCookie {
			t.Fatalf("cookies %q and %q", hostCookie, spectatorCookie)
		}
		if cookie("wrong-token-0123456789") != "" {
			t.Error("a wrong token got a cookie")
		}
		for _, c := range []struct {
			name   string
			path   string
			header []string
			role   string
		}{
			{"nothing", "", nil, ""},
			{"wrong bearer", "", []string{"Authorization", "Bearer wrong"}, ""},
			{"empty bearer", "", []string{"Authorization", "Bearer "}, ""},
			{"another scheme", "", []string{"Authorization", "Basic " + tokens.Host}, ""},
			{"host bearer", "", []string{"Authorization", "Bearer " + tokens.Host}, "host"},
			{"lower-case scheme", "", []string{"Authorization", "bearer " + tokens.Host}, "host"},
			{"spectator bearer", "", []string{"Authorization", "Bearer " + tokens.Spectator}, "spectator"},
			{"host cookie", "", []string{"Cookie", hostCookie}, "host"},
			{"spectator cookie", "", []string{"Cookie", spectatorCookie}, "spectator"},
			{"the token as cookie", "", []string{"Cookie", "agentdungeon_3001=" + tokens.Host}, ""},
			{"empty cookie", "", []string{"Cookie", "agentdungeon_3001="}, ""},
			{"query", "?token=" + tokens.Spectator, nil, "spectator"},
			{"wrong query, good cookie", "?token=wrong", []string{"Cookie", hostCookie}, ""},
			{"prefix", "", []string{"Authorization", "Bearer " + tokens.Host[:10]}, ""},
			{"longer", "", []string{"Authorization", "Bearer " + tokens.Host + "x"}, ""},
		} {
			status, res := h.get("/api/x"+c.path, c.header...)
			if want := map[bool]int{true: 404, false: 401}[c.role != ""]; status != want || res.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%s: /api answers %d %s", c.name, status, res.Header.Get("Content-Type"))
			}
			if c.path != "" {
				continue
			}
			cl := h.dial(c.header...)
			if c.role == "" {
				cl.closed(wire.CloseNotAllowed) // and no frame before it
				continue
			}
			if m := cl.expect("server:info"); m["role"] != c.role || (m["offer"] != nil) != (c.role == "host") {
				t.Errorf("%s: server:info %v", c.name, m)
			}
		}
	})
}

// The locked page asks for the token and accepts it from its form. The form never leads to another site. P2.2.
func TestTokenPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{}, withTokens)
		status, res := h.get("/")
		body := text(t, res)
		if status != 401 || !strings.Contains(body, `action="/access"`) || !strings.Contains(body, `url=/?again=1`) || strings.Contains(body, "<script") {
			t.Errorf("%d %s", status, body)
		}
		if _, res := h.get("/?again=1"); strings.Contains(text(t, res), "refresh") {
			t.Error("it refreshes for ever")
		}
		if status, _ := h.get("/assets/x.js"); status != 401 {
			t.Errorf("an asset without a token: %d", status)
		}
		if status, _ := h.get("/healthz"); status != 200 {
			t.Errorf("/healthz without a token: %d", status)
		}
		form := func(token string) (int, *http.Response) {
			return h.ask("POST", "/access", strings.NewReader(url.Values{"token": {token}}.Encode()), "Content-Type", "application/x-www-form-urlencoded")
		}
		if status, res := form("wrong"); status != 401 || len(res.Cookies()) != 0 {
			t.Errorf("a wrong token: %d", status)
		}
		status, res = form(tokens.Host)
		if status != 303 || res.Header.Get("Location") != "/" || len(res.Cookies()) != 1 {
			t.Errorf("the right token: %d %v", status, res.Header)
		}
		if status, _ := h.get("/access"); status != 405 {
			t.Errorf("GET /access: %d", status)
		}
		status, res = h.get("/?token=" + tokens.Host)
		if status != 200 || res.Header.Get("Cache-Control") != "no-store" || res.Header.Get("Referrer-Policy") != "no-referrer" || strings.Contains(text(t, res), tokens.Host) {
			t.Errorf("the link: %d %v", status, res.Header)
		}
		_, res = h.get("/?token="+tokens.Host, "X-Forwarded-Proto", "https")
		if c := res.Cookies(); len(c) != 1 || !c[0].Secure {
			t.Errorf("behind TLS the cookie is %v", c)
		}
	})
}

// B8: spectators may send only some commands, and their role follows from the token of the connection, even if a
// frame names another role.
func TestSpectatorsLookRegisterAndSpeak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		realms := newRealms("r1")
		h := open(t, realms, Limits{}, withTokens)
		c := h.dial("Authorization", "Bearer "+tokens.Spectator)
		c.expect("server:info")
		c.hello()
		if m := c.register("Ada", "role", "host"); m["role"] != "spectator" {
			t.Errorf("%v", m)
		}
		c.send("type", "player:list-realms")
		if m := c.expect("realm:list"); m["realms"].([]any)[0].(map[string]any)["path"] != "" {
			t.Errorf("a spectator sees where things lie: %v", m)
		}
		for _, f := range [][]any{
			{"type", "player:link-repo", "path", "/x"},
			{"type", "player:resume-realm", "realmId", "r1"},
			{"type", "player:remove-realm", "realmId", "r1"},
			{"type", "player:start-process", "problem", "p"},
			{"type", "process:take-role", "roleId", "a"},
			{"type", "player:command", "text", "/dismiss a"},
			{"type", "player:update-settings", "settings", map[string]any{"maxAgents": 3}},
			{"type", "player:dismiss-agent", "agentId", "a"},
			{"type", "chat.send", "conversationId", "c", "content", "hi", "requestId", "q"},
		} {
			c.send(f...)
			c.refused(wire.NotAllowed)
		}
		c.send("type", "spectator:command", "text", "hi")
		c.send("type", "map:room", "path", "")
		synctest.Wait()
		in := realms.known["r1"].inputs()
		if len(in) != 2 || in[0].from.Role != wire.RoleSpectator {
			t.Errorf("submitted %+v", in)
		}
		if realms.opened != 0 {
			t.Errorf("%d long commands reached the keeper", realms.opened)
		}
	})
}

func TestEveryCommandIsEitherForSpectatorsOrRefusedToThem(t *testing.T) {
	may := map[string]bool{"hello": true, "spectator:register": true, "player:list-realms": true, "spectator:command": true, "map:room": true, "player:get-agent-details": true,
		"player:navigate-enter": true, "player:navigate-back": true, "conversation.open": true, "conversation.list": true, "team:list": true, "skill:open": true, "file:open": true}
	s := &socket{by: pass{role: wire.RoleSpectator}}
	s.now.welcomed = true
	for _, cmd := range wire.Commands() {
		e := s.allowed(cmd)
		if may[cmd.CommandType()] != (e == nil) {
			t.Errorf("%s: %v", cmd.CommandType(), e)
		}
	}
}

func TestLinks(t *testing.T) {
	addresses := []string{"192.168.1.5:3001", "[fd00::5]:3001"}
	links := New(Config{Key: testKey, Tenants: of1(nil)}).Links(addresses)
	if len(links) != 1 || len(links[0].Host) != 2 || links[0].Host[1] != "http://[fd00::5]:3001/" || links[0].Spectator != nil {
		t.Errorf("%v", links)
	}
	links = New(Config{Key: testKey, Tenants: []Tenant{
		{Name: "default", Tokens: Tokens{Host: "a token & more, yes", Spectator: tokens.Spectator}},
		{Name: "b", Tokens: Tokens{Host: "the other tenant's token", Spectator: "the other tenant's second"}},
	}}).Links(addresses)
	if len(links) != 2 || links[1].Tenant != "b" || len(links[0].Host) != 2 || len(links[0].Spectator) != 2 ||
		links[0].Host[0] != "http://192.168.1.5:3001/?token=a+token+%26+more%2C+yes" || links[0].Spectator[0] != "http://192.168.1.5:3001/?token="+tokens.Spectator ||
		links[1].Host[1] != "http://[fd00::5]:3001/?token=the+other+tenant%27s+token" {
		t.Errorf("%v", links)
	}
}

// Only hosts get links to share, and only those of their own tenant. The link with the address that the host's
// browser uses comes first, unless it is a loopback address and others exist. P2.7.
func TestShare(t *testing.T) {
	second := Tokens{Host: "the other tenant's token", Spectator: "the other tenant's second"}
	lan, here := []string{"192.168.1.5:3001", "127.0.0.1:3001"}, []string{"127.0.0.1:3001"}
	for _, c := range []struct {
		addresses          []string
		token, host, proto string
		open               bool
		says               string
		status             int
	}{
		{lan, tokens.Host, "localhost:3001", "", false, `{"host":["http://192.168.1.5:3001/?token=` + tokens.Host + `"],"spectator":["http://192.168.1.5:3001/?token=` + tokens.Spectator + `"]}`, 200},
		{lan, tokens.Host, "dungeon.example", "https", false, `{"host":["https://dungeon.example/?token=` + tokens.Host + `","http://192.168.1.5:3001/?token=` + tokens.Host + `"],`, 200},
		{lan, tokens.Host, "192.168.1.5:3001", "", false, `{"host":["http://192.168.1.5:3001/?token=` + tokens.Host + `"],`, 200},
		{here, tokens.Host, "localhost:3001", "", false, `{"host":["http://localhost:3001/?token=` + tokens.Host + `"],"spectator":["http://localhost:3001/?token=` + tokens.Spectator + `"],"local":true}`, 200},
		{here, second.Host, "127.0.0.1:3001", "", false, `{"host":["http://127.0.0.1:3001/?token=the+other+tenant%27s+token"],"spectator":["http://127.0.0.1:3001/?token=the+other+tenant%27s+second"],"local":true}`, 200},
		{here, "", "127.0.0.1:3001", "", true, `{"host":["http://127.0.0.1:3001/"],"spectator":[],"open":true,"local":true}`, 200},
		{here, "the owner's own token", "127.0.0.1:3001", "", true, `{"host":["http://127.0.0.1:3001/"],"spectator":[],"open":true,"local":true}`, 200},
		{here, tokens.Spectator, "localhost:3001", "", false, `"not_allowed"`, 403},
		{here, "", "localhost:3001", "", false, `"not_allowed"`, 401},
	} {
		var log bytes.Buffer
		cfg := Config{Key: testKey, Port: 3001, Hosts: []string{"dungeon.example"}, Addresses: c.addresses, Log: zerolog.New(&log)}
		cfg.Tenants = []Tenant{{Name: "default", Tokens: tokens}, {Name: "b", Tokens: second}}
		if c.open {
			cfg.Tenants = []Tenant{{Name: "default", Tokens: Tokens{Owner: "the owner's own token"}}}
		}
		r := httptest.NewRequest("GET", "/api/share", nil)
		r.RemoteAddr, r.Host = "127.0.0.1:5", c.host
		if c.token != "" {
			r.Header.Set("Authorization", "Bearer "+c.token)
		}
		r.Header.Set("X-Forwarded-Proto", c.proto)
		w := httptest.NewRecorder()
		New(cfg).Handler().ServeHTTP(w, r)
		if body := w.Body.String(); w.Code != c.status || !strings.HasPrefix(body, c.says) && (c.status == 200 || !strings.Contains(body, c.says)) {
			t.Errorf("P2.7: %s at %s: %d %s", c.token, c.host, w.Code, body)
		}
		if w.Header().Get("Cache-Control") != "no-store" || log.Len() > 0 {
			t.Errorf("P2.7: %v, log %s", w.Header(), &log)
		}
	}
}

// P2.5.
func TestPerRemoteLimitSparesLoopback(t *testing.T) {
	g := New(Config{Key: testKey, Tenants: of1(nil), Limits: Limits{Sockets: 100, PerRemote: 2}})
	place := func(remote string) error { return g.reserve(netip.MustParseAddr(remote)) }
	for range 3 {
		if err := place("127.0.0.1"); err != nil {
			t.Errorf("loopback: %v", err)
		}
	}
	first, second, third := place("10.0.0.1"), place("10.0.0.1"), place("10.0.0.1")
	if first != nil || second != nil || third == nil || place("10.0.0.2") != nil {
		t.Errorf("%v, %v, %v", first, second, third)
	}
	g.release(netip.MustParseAddr("10.0.0.1"))
	if err := place("10.0.0.1"); err != nil {
		t.Errorf("after one left: %v", err)
	}
}

// The log has no tokens, seats, names and words, at any level.
func TestSecretsStayOutOfTheLog(t *testing.T) {
	var log bytes.Buffer
	var seat string
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{}, withTokens, func(c *Config) { c.Log = zerolog.New(zerolog.SyncWriter(&log)).Level(zerolog.TraceLevel) })
		h.get("/?token=" + tokens.Host)
		h.get("/?token=wrong-token-0123456789")
		c := h.dial("Authorization", "Bearer "+tokens.Host)
		c.expect("server:info")
		c.hello()
		seat = c.register("Ada-Secret-Name")["seat"].(string)
		c.send("type", "player:command", "text", "secret words")
		c.send("type", "player:start-process", "problem", "secret words", "path", "/secret/words")
		c.refused(wire.NotFound)
		c.text(`{"type":"secret words"`)
		c.refused(wire.BadJSON)
		other := h.dial("Authorization", "Bearer "+tokens.Host)
		other.expect("server:info")
		other.register("Ada-Secret-Name", "seat", seat)
		c.closed(wire.CloseElsewhere)
		time.Sleep(time.Second)
	})
	if log.Len() == 0 {
		t.Fatal("nothing was logged: this test sees nothing")
	}
	for _, secret := range []string{tokens.Host, tokens.Spectator, "wrong-token", seat, "Secret-Name", "secret words", "/secret"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log holds %q:\n%s", secret, log.String())
		}
	}
}
