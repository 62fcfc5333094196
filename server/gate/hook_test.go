package gate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/shadow"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// fakeHooks answers the hooks of some programs.
type fakeHooks struct{}

func (fakeHooks) Heard() map[string]world.Time { return map[string]world.Time{"claude": 1} }

func (fakeHooks) Handle(_ context.Context, by shadow.Caller, payload []byte) (shadow.Answer, error) {
	switch by.Program {
	case "quiet":
		return shadow.Answer{}, nil
	case "away":
		return shadow.Answer{}, errors.New("the disk is away")
	case "other":
		return shadow.Answer{}, wire.Errorf(wire.NotFound, "no such program")
	}
	return shadow.Answer{Text: fmt.Appendf(nil, "%s %s", by.Program, payload), Wake: by.Wake}, nil
}

func takesHooks(c *Config) { c.Tenants[0].Hooks = fakeHooks{} }

// On a server without tokens everybody on the machine is a host, but only a request with the token of the printed link
// is the owner's. The gate accepts hooks, answers to doors and words to agents only from the owner. Requests of another
// site's page are refused even with the token, and so are a spectator and a host of another tenant on a server with
// tokens (P17.8, P17.14).
func TestOnlyTheOwnerAnswers(t *testing.T) {
	const owner = "the-owners-token-1"
	others := Tokens{Host: "another-tenants-host", Spectator: "another-tenants-spectator"}
	for name, c := range map[string]struct {
		change func(*Config)
		token  string
		status int
	}{
		"loopback, the link's token": {func(c *Config) { c.Tenants[0].Tokens.Owner = owner }, owner, 200},
		"loopback, no token":         {func(c *Config) { c.Tenants[0].Tokens.Owner = owner }, "", 403},
		"loopback, a wrong token":    {func(c *Config) { c.Tenants[0].Tokens.Owner = owner }, "wrong-token-wrong-token", 403},
		"a host":                     {func(c *Config) { c.Tenants[0].Tokens = tokens }, tokens.Host, 200},
		"a spectator":                {func(c *Config) { c.Tenants[0].Tokens = tokens }, tokens.Spectator, 403},
		"a host of another tenant": {func(c *Config) {
			c.Tenants[0].Tokens = tokens
			c.Tenants = append(c.Tenants, Tenant{Name: "other", Tokens: others, Realms: c.Tenants[0].Realms})
		}, others.Host, 403},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := open(t, newRealms("r1"), Limits{}, takesHooks, c.change)
				header := []string{"Authorization", "Bearer " + c.token}
				if c.token == "" {
					header = nil
				}
				status, res := h.ask("POST", "/api/hook?program=claude", strings.NewReader("{}"), header...)
				if body := text(t, res); status != c.status || status == 200 && body != "claude {}" {
					t.Errorf("%d %q, want %d", status, body, c.status)
				}
				status, res = h.ask("POST", "/api/hook?program=claude", strings.NewReader("{}"), append(header, "Origin", "http://evil.example")...)
				if text(t, res); status != 403 {
					t.Errorf("another site's page gets %d", status)
				}
				s := h.dial(header...)
				early := s.expect("server:info")["guest"] == true // before the page asks for a name
				s.hello()
				s.send("type", "spectator:register", "name", "Ada", "color", "#aabbcc")
				guest := s.expect("spectator:welcome")["guest"] == true
				if guest != early {
					t.Errorf("server:info says guest: %v, and spectator:welcome says %v", early, guest)
				}
				if guest != (c.status == 403 && c.token != tokens.Spectator) {
					t.Errorf("guest: %v", guest)
				}
				s.send("type", "door:answer", "requestId", "q1", "doorId", "d1", "choice", "allow")
				s.send("type", "agent:tell", "requestId", "q2", "agentId", "claude:s1", "text", "Go on.")
				s.send("type", "agent:stop", "requestId", "q3", "agentId", "claude:s1")
				for _, command := range []string{"door:answer", "agent:tell", "agent:stop"} {
					if c.status == 403 {
						if got := s.expect("error"); got["code"] != string(wire.NotAllowed) {
							t.Errorf("%s gets %v", command, got)
						}
					}
				}
				synctest.Wait()
				if n := len(h.realms.known["r1"].inputs()); (n == 3) != (c.status == 200) {
					t.Errorf("%d commands reach the realm", n)
				}
			})
		})
	}
}

// A hook gets the text to print, nothing, or an error. GET returns when each program's hooks last called. The printed
// link of a server without tokens has the owner's token, and a browser that opens it gets the owner's cookie (P17.8).
func TestHook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{}, takesHooks, func(c *Config) { c.Tenants[0].Tokens.Owner = "the-owners-token-1" })
		link, err := url.Parse(h.gate.Links([]string{"localhost:3001"})[0].Host[0])
		if err != nil || link.Query().Get("token") != "the-owners-token-1" {
			t.Fatalf("the link is %v (%v)", link, err)
		}
		_, res := h.get(link.RequestURI())
		text(t, res)
		if len(res.Cookies()) != 1 {
			t.Fatalf("the link gives the cookies %v", res.Cookies())
		}
		cookie := []string{"Cookie", res.Cookies()[0].Name + "=" + res.Cookies()[0].Value}
		for _, c := range []struct {
			method, path, payload, body string
			status                      int
		}{
			{"POST", "/api/hook?program=quiet", "{}", "", 204},
			{"POST", "/api/hook?program=away", "{}", "cannot be handled", 503},
			{"POST", "/api/hook?program=other", "{}", "no such program", 404},
			{"POST", "/api/hook?program=claude", strings.Repeat("x", maxHook+1), "too long", 413},
			{"GET", "/api/hook", "", `{"heard":{"claude":`, 200},
			{"DELETE", "/api/hook", "", "this resource needs the method", 405},
		} {
			status, res := h.ask(c.method, c.path, strings.NewReader(c.payload), cookie...)
			if body := text(t, res); status != c.status || !strings.Contains(body, c.body) || strings.Contains(body, "disk") {
				t.Errorf("%s %s: %d %q", c.method, c.path, status, body)
			}
		}
		time.Sleep(time.Second) // the server ends the connection of the long payload
	})
}

// Only the owner can ask at /mcp, as with hooks: the token of the printed link is needed even on loopback. The gate
// refuses another local user, a spectator, a host of another tenant and another site's page, and accepts a host name of
// -host (P17.13).
func TestOnlyTheOwnerAsks_P17_13(t *testing.T) {
	const owner = "the-owners-token-1"
	others := Tokens{Host: "another-tenants-host", Spectator: "another-tenants-spectator"}
	tenants := func(c *Config) {
		c.Tenants[0].Tokens = tokens
		c.Tenants = append(c.Tenants, Tenant{Name: "other", Tokens: others, Realms: c.Tenants[0].Realms, Facts: c.Tenants[0].Facts})
	}
	loopback := func(c *Config) { c.Tenants[0].Tokens.Owner = owner }
	for name, c := range map[string]struct {
		change func(*Config)
		header []string
		status int
	}{
		"loopback, the link's token":       {loopback, []string{"Authorization", "Bearer " + owner}, 200},
		"loopback, a name of -host":        {loopback, []string{"Authorization", "Bearer " + owner, "Host", "dungeon.example"}, 200},
		"loopback, a name of another site": {loopback, []string{"Authorization", "Bearer " + owner, "Host", "evil.example"}, 403},
		"loopback, no token":               {loopback, nil, 403},
		"loopback, a wrong token":          {loopback, []string{"Authorization", "Bearer wrong-token-wrong-token"}, 403},
		"another site's page":              {loopback, []string{"Authorization", "Bearer " + owner, "Origin", "http://evil.example"}, 403},
		"a page of an opaque origin":       {loopback, []string{"Authorization", "Bearer " + owner, "Origin", "null"}, 403},
		"a host":                           {tenants, []string{"Authorization", "Bearer " + tokens.Host}, 200},
		"no token where one is needed":     {tenants, nil, 401},
		"a spectator":                      {tenants, []string{"Authorization", "Bearer " + tokens.Spectator}, 403},
		"a host of another tenant":         {tenants, []string{"Authorization", "Bearer " + others.Host}, 403},
		"a spectator of another tenant":    {tenants, []string{"Authorization", "Bearer " + others.Spectator}, 403},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				answers := func(c *Config) {
					c.Hosts = []string{"dungeon.example"}
					c.Tenants[0].Facts = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ })
				}
				h := open(t, newRealms("r1"), Limits{}, answers, c.change)
				for _, method := range []string{"POST", "GET", "DELETE"} {
					status, res := h.ask(method, "/mcp", strings.NewReader("{}"), c.header...)
					if body := text(t, res); status != c.status || strings.Contains(body, owner) {
						t.Errorf("%s: %d %q, want %d", method, status, body, c.status)
					}
				}
				if (asked == 3) != (c.status == 200) || asked != 0 && asked != 3 {
					t.Errorf("%d requests are answered", asked)
				}
			})
		})
	}
}

// /mcp of a tenant without Facts answers 404, and 503 until the realms are restored (P17.13).
func TestNobodyAnswers(t *testing.T) {
	answers := func(c *Config) {
		c.Tenants[0].Facts = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it is answered") })
		c.Version = "not ready"
	}
	for status, change := range map[int]func(*Config){404: func(*Config) {}, 503: answers} {
		synctest.Test(t, func(t *testing.T) {
			h := open(t, newRealms("r1"), Limits{}, func(c *Config) { c.Tenants[0].Tokens = tokens }, change)
			got, res := h.ask("POST", "/mcp", nil, "Authorization", "Bearer "+tokens.Host)
			if text(t, res); got != status {
				t.Errorf("%d, want %d", got, status)
			}
		})
	}
}

// An answer whose text shall wake the agent has the exit code 2, with which the hook command must end (P17.14).
func TestAHookWakesItsAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{}, takesHooks, func(c *Config) { c.Tenants[0].Tokens.Owner = "the-owners-token-1" })
		for query, exit := range map[string]string{"": "", "&wake=1": "2"} {
			status, res := h.ask("POST", "/api/hook?program=claude"+query, strings.NewReader("{}"), "Authorization", "Bearer the-owners-token-1")
			if body := text(t, res); status != 200 || body != "claude {}" || res.Header.Get("Agentdungeon-Exit") != exit {
				t.Errorf("%q: %d %q, exit %q", query, status, body, res.Header.Get("Agentdungeon-Exit"))
			}
		}
	})
}

// If a message to an agent cannot be written to the hook, the gate calls Lost, which puts the message back into the
// queue (P17.14).
func TestAWordThatIsNotWritten(t *testing.T) {
	lost := false
	hooks := lostHooks{func() { lost = true }}
	g := New(Config{Tenants: []Tenant{{Name: "default", Realms: newRealms("r1"), Hooks: hooks}}, Key: testKey, Port: 3001})
	r := httptest.NewRequest("POST", "/api/hook?program=claude&wake=1", strings.NewReader("{}"))
	g.serveHook(&brokenWriter{httptest.NewRecorder()}, r, &pass{tenant: &Tenant{Hooks: hooks}}, "")
	if !lost {
		t.Error("the word is lost")
	}
}

// lostHooks answers with a message to an agent. The gate calls lost if the hook has not got the message.
type lostHooks struct{ lost func() }

func (h lostHooks) Handle(context.Context, shadow.Caller, []byte) (shadow.Answer, error) {
	return shadow.Answer{Text: []byte("Go on."), Wake: true, Lost: h.lost}, nil
}

func (lostHooks) Heard() map[string]world.Time { return nil }

// brokenWriter is a connection that has ended.
type brokenWriter struct{ *httptest.ResponseRecorder }

func (*brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func (*brokenWriter) SetReadDeadline(time.Time) error  { return nil }
func (*brokenWriter) SetWriteDeadline(time.Time) error { return nil }

// Hosts get the sessions of their realm; spectators, and hosts of a tenant without any, do not (P17.15).
func TestSessionsAreListedForHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{}, func(c *Config) {
			c.Tenants[0].Tokens = tokens
			c.Tenants[0].Sessions = func(_ context.Context, realmID string) (wire.SessionsListed, error) {
				return wire.SessionsListed{Sessions: []wire.CodingSession{{AgentID: "claude:s1", Dir: "/of/" + realmID}}}, nil
			}
		})
		for token, want := range map[string]string{tokens.Host: "/of/r1", tokens.Spectator: string(wire.NotAllowed)} {
			s := h.dial("Authorization", "Bearer "+token)
			s.expect("server:info")
			s.hello()
			s.send("type", "session:list", "requestId", "q1")
			kind := "error"
			if token == tokens.Host {
				kind = "session:listed"
			}
			if got := s.expect(kind); got["requestId"] != "q1" || !strings.Contains(fmt.Sprint(got), want) {
				t.Errorf("%v, want %s", got, want)
			}
		}
	})
}
