package gate

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"

	"agentdungeon/server/source"
	"agentdungeon/shared/wire"
)

// The routes for files pass the tenant, the realm, the path and the role of the sender to the functions of the app,
// and answer with the code of a refusal. P19.1, P19.2, P19.8.
func TestFileRoutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{}, withTokens, func(c *Config) {
			c.File = func(_ context.Context, tenant, id string, want source.Want) (*wire.FileText, error) {
				switch {
				case id == "away":
					return nil, errors.New("the disk is away, and this is nobody's business")
				case tenant != c.Tenants[0].Name || id != "r1":
					return nil, wire.Errorf(wire.NotFound, "there is no realm %s", id)
				case !want.Host:
					return nil, wire.FilesForHosts
				case want.Path == "large":
					return nil, wire.Errorf(wire.TooLarge, "too large")
				}
				return &wire.FileText{Path: want.Path, Rev: want.Rev, Text: "<b>\n"}, nil
			}
			c.Past = func(_ context.Context, _, _ string, want source.Want) (*wire.FilePast, error) {
				return &wire.FilePast{Path: want.Path}, nil
			}
			c.Files = func(_ context.Context, tenant, id, words string) (*wire.FilesFound, error) {
				switch {
				case words == "away":
					return nil, errors.New("the disk is away, and this is nobody's business")
				case tenant != c.Tenants[0].Name || id != "r1":
					return nil, wire.Errorf(wire.NotFound, "there is no realm %s", id)
				}
				return &wire.FilesFound{Files: []wire.FoundFile{{Path: words}}}, nil
			}
		})
		for _, c := range []struct {
			path, token, body string
			status            int
		}{
			{"r1/file?path=src%2Fa%2525.go&rev=HEAD", tokens.Host, `"path":"src/a%25.go","rev":"HEAD"`, 200},
			{"r1/file?path=a", tokens.Spectator, `"code":"not_allowed"`, 403},
			{"r1/file?path=a", "", `"code":"not_allowed"`, 401},
			{"r1/file?path=a", "a wrong token of a stranger", `"code":"not_allowed"`, 401},
			{"r2/file?path=a", tokens.Host, `"code":"not_found"`, 404},
			{"away/file?path=a", tokens.Host, "try again", 503},
			{"r1/file?path=large", tokens.Host, `"code":"too_large"`, 400},
			{"r1/file?path=" + strings.Repeat("a", wire.MaxPath+1), tokens.Host, `"code":"too_large"`, 400},
			{"r1/file?path=a&tenant=other", tokens.Host, `"code":"not_allowed"`, 403},
			{"r1/past?path=a", tokens.Host, `"path":"a"`, 200},
			{"r1/files?q=a+%25", tokens.Host, `{"files":[{"path":"a %"}]}`, 200},
			{"r1/files?q=a%ff", tokens.Spectator, `{"files":[{"path":"a "}]}`, 200},
			{"r1/files?q=a", "", `"code":"not_allowed"`, 401},
			{"r2/files?q=a", tokens.Spectator, `"code":"not_found"`, 404},
			{"r1/files?q=away", tokens.Host, "try again", 503},
			{"r1/files?q=" + strings.Repeat("a", maxQuery+1), tokens.Host, `"code":"too_large"`, 400},
		} {
			status, res := h.get("/api/realms/"+c.path, "Authorization", "Bearer "+c.token)
			if body := text(t, res); status != c.status || !strings.Contains(body, c.body) || strings.Contains(body, "nobody's") ||
				res.Header.Get("Cache-Control") != "no-store" || res.Header.Get("Content-Type") != "application/json" {
				t.Errorf("P19.1: %s: %d %q", c.path, status, body)
			}
		}
		if status, _ := h.ask("POST", "/api/realms/r1/file?path=a", nil, "Authorization", "Bearer "+tokens.Host); status != 405 {
			t.Errorf("P19.1: POST: %d", status)
		}
	})
}

// The address of a place (see place.go) is answered with the page, whether the thing exists or not. Without a token
// every place gets the same locked page. A token in its form or in a link leads on to the place. P19.6.
func TestPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{}, withTokens, func(c *Config) {
			c.Page = fstest.MapFS{"index.html": {Data: []byte("<title>the page</title>")}}
		})
		host := []string{"Authorization", "Bearer " + tokens.Host}
		_, res := h.get("/", host...)
		page := text(t, res)
		for _, place := range []string{"/r/r1", "/r/none/f/a/b.js", "/r/r1/f/src/a%252F%20b.go", "/r/r1/finding/x", "/r/"} {
			status, res := h.get(place, host...)
			if body := text(t, res); status != 200 || body != page || res.Header.Get("Cache-Control") != "no-cache" ||
				!strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
				t.Errorf("P19.6: %s: %d %q", place, status, body)
			}
		}
		locked := func(path string) string {
			status, res := h.get(path)
			body := text(t, res)
			if status != 401 || !strings.Contains(res.Header.Get("Content-Security-Policy"), "script-src "+scriptPolicy+";") {
				t.Errorf("P19.6: %s: %d %v", path, status, res.Header)
			}
			return body
		}
		known, unknown := locked("/r/r1/f/a.go"), locked("/r/r9/f/b.go")
		if strings.ReplaceAll(known, "/r/r1/f/a.go", "/r/r9/f/b.go") != unknown {
			t.Errorf("P19.6: a stranger sees a difference:\n%s\n%s", known, unknown)
		}
		if !strings.Contains(known, `name="to" value="/r/r1/f/a.go"`) || !strings.Contains(known, `content="0;url=/r/r1/f/a.go?again=1"`) {
			t.Errorf("P19.6: %s", known)
		}
		if body := locked(`/r/"><img src=x>`); strings.Contains(body, "<img") {
			t.Errorf("P19.6: %s", body)
		}
		_, res = h.get("/r/r1/f/a.go?token=" + tokens.Host)
		if body := text(t, res); len(res.Cookies()) != 1 || !strings.Contains(body, `href="/r/r1/f/a.go"`) || strings.Contains(body, tokens.Host) {
			t.Errorf("P19.6: a link with a token leads to %s", body)
		}
		form := func(to, token string) *http.Response {
			_, res := h.ask("POST", "/access", strings.NewReader(url.Values{"token": {token}, "to": {to}}.Encode()), "Content-Type", "application/x-www-form-urlencoded")
			return res
		}
		for to, want := range map[string]string{
			"/r/r1/f/a%20b.go#L12": "/r/r1/f/a%20b.go#L12", "": "/", "/": "/", "//evil.example/r/x": "/", "https://evil.example/r/x": "/", "/api/realms/r1/export": "/",
			"/r/x?token=y": "/", "/\\evil.example/r/": "/", "javascript:alert(1)": "/", "/r/" + strings.Repeat("a", maxPlace): "/",
		} {
			if res := form(to, tokens.Host); res.StatusCode != 303 || res.Header.Get("Location") != want {
				t.Errorf("P19.6: %q leads to %s, want %s", to, res.Header.Get("Location"), want)
			}
		}
		if body := text(t, form("/r/r1/f/a.go#L12", "wrong")); !strings.Contains(body, `value="/r/r1/f/a.go#L12"`) || !strings.Contains(body, "This token is wrong") {
			t.Errorf("P19.6: after a wrong token the place is lost: %s", body)
		}
	})
}

// Only hosts on this machine accept a finding in the linked folder. P19.7.
func TestAcceptIsForHostsHere(t *testing.T) {
	g := New(Config{
		Key: testKey, Port: 3001, Tenants: of1(nil), Hosts: []string{"dungeon.example"}, Addresses: []string{"192.168.1.5:3001"},
		Accept: func(_ context.Context, _, id string, what wire.FindingAccept) (*wire.FindingAccepted, error) {
			if id != "r1" || what.FindingID != "f1" {
				return nil, wire.Errorf(wire.NotFound, "there is no such finding")
			}
			return &wire.FindingAccepted{Path: ".agentdungeon-review", Line: "a -- " + what.Reason, Written: what.Write}, nil
		},
	})
	g.cfg.Tenants[0].Tokens = tokens
	g.access = newAccess(g.cfg)
	for _, c := range []struct {
		token, body, remote, host, proxy, says string
		status                                 int
	}{
		{tokens.Host, `{"findingId":"f1","reason":"x","write":true}`, "127.0.0.1:5", "localhost:3001", "", `"written":true`, 200},
		{tokens.Host, `{"findingId":"f1","reason":"x"}`, "[::1]:5", "[::1]:3001", "", `"line":"a -- x","written":false`, 200},
		{tokens.Host, `{"findingId":"f2","reason":"x"}`, "127.0.0.1:5", "127.0.0.1:3001", "", `"not_found"`, 404},
		{tokens.Host, `[]`, "127.0.0.1:5", "localhost:3001", "", `"bad_json"`, 400},
		{tokens.Host, `{"findingId":"f1","reason":"x"}`, "127.0.0.1:5", "localhost:3001", "10.0.0.7", `"not_allowed"`, 403},
		{tokens.Host, `{"findingId":"f1","reason":"x"}`, "127.0.0.1:5", "dungeon.example", "", `"not_allowed"`, 403},
		{tokens.Host, `{"findingId":"f1","reason":"x"}`, "192.168.1.9:5", "192.168.1.5:3001", "", `"not_allowed"`, 403},
		{tokens.Host, `{"findingId":"f1","reason":"x"}`, "192.168.1.9:5", "localhost:3001", "", `"not_allowed"`, 403},
		{tokens.Spectator, `{"findingId":"f1","reason":"x"}`, "127.0.0.1:5", "localhost:3001", "", `"not_allowed"`, 403},
		{"", `{"findingId":"f1","reason":"x"}`, "127.0.0.1:5", "localhost:3001", "", `"not_allowed"`, 401},
	} {
		r := httptest.NewRequest("POST", "/api/realms/r1/accept", strings.NewReader(c.body))
		r.RemoteAddr, r.Host = c.remote, c.host
		r.Header.Set("Authorization", "Bearer "+c.token)
		if c.proxy != "" {
			r.Header.Set("X-Forwarded-For", c.proxy)
		}
		w := httptest.NewRecorder()
		g.Handler().ServeHTTP(w, r)
		if body := w.Body.String(); w.Code != c.status || !strings.Contains(body, c.says) {
			t.Errorf("P19.7: %+v: %d %s", c, w.Code, body)
		}
	}
}

// Whoever watches a realm learns which of its findings are accepted. P19.9.
func TestAcceptedIsForWhoeverWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{}, withTokens, func(c *Config) {
			c.Accepted = func(_ context.Context, tenant, id string) (*wire.FindingsAccepted, error) {
				switch {
				case id == "away":
					return nil, errors.New("the disk is away, and this is nobody's business")
				case tenant != c.Tenants[0].Name || id != "r1":
					return nil, wire.Errorf(wire.NotFound, "there is no realm %s", id)
				}
				return &wire.FindingsAccepted{Findings: []string{"f1"}}, nil
			}
		})
		for _, c := range []struct {
			method, realm, token, body string
			status                     int
		}{
			{"GET", "r1", tokens.Host, `{"findings":["f1"]}`, 200},
			{"GET", "r1", tokens.Spectator, `{"findings":["f1"]}`, 200},
			{"GET", "r1", "", `"code":"not_allowed"`, 401},
			{"GET", "r2", tokens.Host, `"code":"not_found"`, 404},
			{"GET", "away", tokens.Host, "try again", 503},
			{"POST", "r1", tokens.Host, "needs the method GET", 405},
		} {
			_, res := h.ask(c.method, "/api/realms/"+c.realm+"/accepted", nil, "Authorization", "Bearer "+c.token)
			if body := text(t, res); res.StatusCode != c.status || !strings.Contains(body, c.body) || strings.Contains(body, "business") {
				t.Errorf("P19.9: %+v: %d %s", c, res.StatusCode, body)
			}
		}
	})
}
