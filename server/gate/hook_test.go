package gate

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// fakeHooks answers the hooks of some programs.
type fakeHooks struct{}

func (fakeHooks) Heard() map[string]world.Time { return map[string]world.Time{"claude": 1} }

func (fakeHooks) Handle(_ context.Context, program string, payload []byte) ([]byte, error) {
	switch program {
	case "quiet":
		return nil, nil
	case "away":
		return nil, errors.New("the disk is away")
	case "other":
		return nil, wire.Errorf(wire.NotFound, "no such program")
	}
	return fmt.Appendf(nil, "%s %s", program, payload), nil
}

func takesHooks(c *Config) { c.Tenants[0].Hooks = fakeHooks{} }

// On a server without tokens everybody on the machine is a host, but only who shows the token of the printed link is the
// owner: nobody else's hook is taken, and nobody else answers doors. Another site's page is refused with the token,
// too, and so are a spectator and a host of another tenant on a server with tokens (P17.8).
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
				s.expect("server:info")
				s.hello()
				s.send("type", "spectator:register", "name", "Ada", "color", "#aabbcc")
				guest := s.expect("spectator:welcome")["guest"] == true
				if guest != (c.status == 403 && c.token != tokens.Spectator) {
					t.Errorf("guest: %v", guest)
				}
				s.send("type", "door:answer", "requestId", "q1", "doorId", "d1", "choice", "allow")
				if c.status == 403 {
					if got := s.expect("error"); got["code"] != string(wire.NotAllowed) {
						t.Errorf("door:answer gets %v", got)
					}
				}
				synctest.Wait()
				if n := len(h.realms.known["r1"].inputs()); (n == 1) != (c.status == 200) {
					t.Errorf("%d commands reach the realm", n)
				}
			})
		})
	}
}

// A hook gets what it prints, nothing, or an error; GET says when each program was heard. The printed link of a server
// without tokens has the owner's token, and a browser that opens it gets the owner's cookie (P17.8).
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
			{"DELETE", "/api/hook", "", "ask for this with", 405},
		} {
			status, res := h.ask(c.method, c.path, strings.NewReader(c.payload), cookie...)
			if body := text(t, res); status != c.status || !strings.Contains(body, c.body) || strings.Contains(body, "disk") {
				t.Errorf("%s %s: %d %q", c.method, c.path, status, body)
			}
		}
		time.Sleep(time.Second) // the server ends the connection of the long payload
	})
}

// Only the owner asks at /mcp, as with hooks: on loopback, too, the token of the printed link is needed. Another local
// user, a spectator, a host of another tenant and another site's page are refused; a name of -host is not (P17.13).
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

// A tenant without Facts answers none, and until the realms are restored nobody is answered (P17.13).
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
