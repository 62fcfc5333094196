package gate

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"

	"agentdungeon/server/report"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

var built = fstest.MapFS{
	"index.html":              {Data: []byte(`<!doctype html><title>x</title><meta nonce="` + noncePlace + `">` + strings.Repeat(" ", 1000))},
	"assets/main-abc123.js":   {Data: []byte(strings.Repeat("let a = 1;\n", 1000))},
	"assets/hero-abc123.png":  {Data: []byte("\x89PNG" + strings.Repeat("\x01\x02", 1000))},
	"assets/odd-abc123.unfit": {Data: []byte("x")},
	"assets/folder.js/a.js":   {Data: []byte("x")},
}

func TestPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{}, func(c *Config) { c.Page = built })
		for _, c := range []struct {
			path, kind, cache string
			status            int
		}{
			{"/", "text/html; charset=utf-8", "no-cache", 200},
			{"/index.html", "text/html; charset=utf-8", "no-cache", 200},
			{"/assets/main-abc123.js", "text/javascript; charset=utf-8", "private, max-age=31536000, immutable", 200},
			{"/assets/hero-abc123.png", "image/png", "private, max-age=31536000, immutable", 200},
			{"/assets/", "", "", 404},
			{"/assets", "", "", 404},
			{"/assets/folder.js", "", "", 404},
			{"/assets/odd-abc123.unfit", "", "", 404},
			{"/assets/none.js", "", "", 404},
			{"/../index.html", "", "", 404},
			{"/assets/../index.html", "", "", 404},
			{"//index.html", "", "", 404},
			{"/%2e%2e/index.html", "", "", 404},
			{"/%00.js", "", "", 404},
			{"/apiary.html", "", "", 404},
		} {
			status, res := h.get(c.path)
			if status != c.status {
				t.Errorf("%s: %d", c.path, status)
			}
			if status == 200 && (res.Header.Get("Content-Type") != c.kind || res.Header.Get("Cache-Control") != c.cache) {
				t.Errorf("%s: %v", c.path, res.Header)
			}
			header := res.Header
			csp := header.Get("Content-Security-Policy")
			script, _, _ := strings.Cut(csp[strings.Index(csp, "script-src"):], ";")
			if script != "script-src 'self'" || strings.Contains(csp, "unsafe") || strings.Contains(csp, "blob:") || !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "frame-ancestors 'none'") ||
				!strings.Contains(csp, "ws://localhost:3001 ") || !strings.Contains(csp, "base-uri 'none'") {
				t.Errorf("%s: %s", c.path, csp)
			}
			if header.Get("X-Content-Type-Options") != "nosniff" || header.Get("Referrer-Policy") != "no-referrer" || header.Get("X-Frame-Options") != "DENY" {
				t.Errorf("%s: %v", c.path, header)
			}
		}
		if status, _ := h.ask(http.MethodPost, "/", nil); status != 405 {
			t.Errorf("POST /: %d", status)
		}
	})
}

// The page itself may use styles with a nonce that no other answer has. Every other file of the page gets no inline
// style. The locked page and the page that answers a link may use only the style whose hash is in their policy.
// P1.11.
func TestStylesAreThePagesOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{}, withTokens, func(c *Config) { c.Page = built })
		styles := func(path string, header ...string) (sources, body string, of http.Header) {
			t.Helper()
			_, res := h.get(path, header...)
			_, csp, _ := strings.Cut(res.Header.Get("Content-Security-Policy"), "style-src ")
			sources, _, _ = strings.Cut(csp, ";")
			return sources, text(t, res), res.Header
		}
		host := []string{"Authorization", "Bearer " + tokens.Host, "Accept-Encoding", "gzip", "If-None-Match", `"x"`}
		seen := map[string]bool{}
		for _, path := range []string{"/", "/index.html", "/r/r1/f/a.go", "/"} {
			sources, body, header := styles(path, host...)
			_, nonce, _ := strings.Cut(body, `<meta nonce="`)
			nonce, _, _ = strings.Cut(nonce, `"`)
			if len(nonce) < 22 || seen[nonce] || sources != "'self' 'nonce-"+nonce+"'" || header.Get("ETag") != "" {
				t.Errorf("P1.11: %s: %s, the page has %q, %v", path, sources, nonce, header)
			}
			seen[nonce] = true
		}
		if sources, _, _ := styles("/assets/main-abc123.js", host[:2]...); sources != "'self'" {
			t.Errorf("P1.11: a script: %s", sources)
		}
		for _, path := range []string{"/", "/r/r1", "/?token=wrong", "/?token=" + tokens.Host, "/r/r1?token=" + tokens.Host} {
			sources, body, _ := styles(path)
			_, style, _ := strings.Cut(body, "<style>")
			style, _, _ = strings.Cut(style, "</style>")
			if style == "" || sources != digest(style) || strings.Contains(body, "style=") {
				t.Errorf("P1.11: %s: %s: %s", path, sources, body)
			}
		}
	})
}

func TestPageIsPackedAndRevalidated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{}, func(c *Config) { c.Page = built })
		_, plain := h.get("/assets/main-abc123.js")
		_, packed := h.get("/assets/main-abc123.js", "Accept-Encoding", "br, gzip")
		if plain.Header.Get("Content-Encoding") != "" || packed.Header.Get("Content-Encoding") != "gzip" || packed.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%v, %v", plain.Header, packed.Header)
		}
		z, err := gzip.NewReader(packed.Body)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(z)
		if err != nil || string(body) != text(t, plain) {
			t.Errorf("the packed file differs: %v", err)
		}
		if _, res := h.get("/assets/hero-abc123.png", "Accept-Encoding", "gzip"); res.Header.Get("Content-Encoding") != "" {
			t.Error("a picture is packed again")
		}
		if _, res := h.get("/", "Accept-Encoding", "gzip;q=0"); res.Header.Get("Content-Encoding") != "" {
			t.Error("packed for one who does not want it")
		}
		tag := plain.Header.Get("ETag")
		if tag == "" || tag == packed.Header.Get("ETag") {
			t.Errorf("tags %q and %q", tag, packed.Header.Get("ETag"))
		}
		if status, _ := h.get("/assets/main-abc123.js", "If-None-Match", tag); status != 304 {
			t.Errorf("unchanged: %d", status)
		}
	})
}

// P1.1.
func TestProbesAndTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		problem := ""
		h := open(t, newRealms(), Limits{}, func(c *Config) {
			c.Version = "not ready"
			c.Unsaved = func() string { return problem }
		})
		if status, _ := h.get("/healthz"); status != 200 {
			t.Errorf("/healthz: %d", status)
		}
		status, res := h.get("/readyz")
		if body := text(t, res); status != 503 || !strings.Contains(body, "restored") {
			t.Errorf("/readyz before: %d %q", status, body)
		}
		h.gate.SetReady()
		h.gate.SetReady() // twice is nothing
		if status, _ := h.get("/readyz"); status != 200 {
			t.Errorf("/readyz after: %d", status)
		}
		problem = "The disk is full."
		status, res = h.get("/readyz")
		if body := text(t, res); status != 503 || !strings.Contains(body, problem) {
			t.Errorf("/readyz while nothing can be saved: %d %q", status, body)
		}
		if status, _ := h.get("/healthz"); status != 200 { // a restart makes no room
			t.Errorf("/healthz while nothing can be saved: %d", status)
		}
		problem = ""
		if status, _ := h.get("/readyz"); status != 200 {
			t.Errorf("/readyz when everything can be saved again: %d", status)
		}
		status, res = h.get("/api/anything")
		if body := text(t, res); status != 404 || body != "{\"code\":\"not_found\",\"message\":\"there is no such resource\"}\n" {
			t.Errorf("/api: %d %q", status, body)
		}
		if status, res := h.get("/"); status != 404 || !strings.Contains(text(t, res), "make page") {
			t.Errorf("no page built: %d", status)
		}
		h.gate.stop()
		status, res = h.get("/readyz")
		if body := text(t, res); status != 503 || !strings.Contains(body, "stopping") {
			t.Errorf("/readyz while stopping: %d %q", status, body)
		}
	})
}

// P1.1.
func TestExportRoute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{}, func(c *Config) {
			c.Export = func(_ context.Context, _, id string, want report.Want) (*report.File, error) {
				format := want.Format
				switch {
				case id == "away":
					return nil, errors.New("the disk is away, and this is nobody's business")
				case id != "r1":
					return nil, wire.Errorf(wire.NotFound, "there is no realm %s", id)
				case format == "pdf":
					return nil, wire.Errorf(wire.BadField, "format must be another")
				}
				return &report.File{Name: "r1.md", Type: "text/markdown; charset=utf-8", Data: []byte(id + " as " + format)}, nil
			}
		})
		for _, c := range []struct {
			path, body string
			status     int
		}{
			{"/api/realms/r1/export", "r1 as markdown", 200},
			{"/api/realms/r1/export?format=sarif", "r1 as sarif", 200},
			{"/api/realms/r1/export?format=pdf", "must be another", 400},
			{"/api/realms/r2/export", "no realm r2", 404},
			{"/api/realms/away/export", "try again", 503},
			{"/api/realms/../export", "no such resource", 404},
			{"/api/realms/r1/export/", "no such resource", 404},
		} {
			status, res := h.get(c.path)
			if body := text(t, res); status != c.status || !strings.Contains(body, c.body) || strings.Contains(body, "business") {
				t.Errorf("%s: %d %q", c.path, status, body)
			}
			if status == 200 && res.Header.Get("Content-Disposition") != `attachment; filename="r1.md"` {
				t.Errorf("%s: %v", c.path, res.Header)
			}
		}
	})
}

// Only hosts may export a session of a party, which has one format.
func TestExportOfASession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{}, func(c *Config) {
			c.Tenants[0].Tokens = tokens
			c.Session = func(_ context.Context, tenant, id, session string) (*report.File, error) {
				if session != "s-1" {
					return nil, wire.Errorf(wire.NotFound, "there is no session %q here", session)
				}
				return &report.File{Name: session + ".json", Type: "application/json", Data: []byte(tenant + " " + id + " " + session)}, nil
			}
		})
		for _, c := range []struct {
			query, token, body string
			status             int
		}{
			{"session=s-1", tokens.Host, world.DefaultTenant + " r1 s-1", 200},
			{"session=s-2", tokens.Host, "there is no session", 404},
			{"session=", tokens.Host, "there is no session", 404},
			{"session=s-1&format=json", tokens.Host, "one format", 400},
			{"session=s-1", tokens.Spectator, "only hosts", 403},
		} {
			status, res := h.get("/api/realms/r1/export?"+c.query, "Authorization", "Bearer "+c.token)
			if body := text(t, res); status != c.status || !strings.Contains(body, c.body) {
				t.Errorf("%s: %d %q", c.query, status, body)
			}
			if status == 200 && res.Header.Get("Content-Disposition") != `attachment; filename="s-1.json"` {
				t.Errorf("%s: %v", c.query, res.Header)
			}
		}
	})
}

// P9.19.
func TestSearch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{})
		for _, c := range []struct {
			path, body string
			status     int
		}{
			{"/api/search?q=a+b&conversation=c1&limit=7", `{"hits":[{"seq":7,"messageId":"m","conversationId":"c1"`, 200},
			{"/api/search?q=x", `"title":"r1"`, 200},
			{"/api/search?q=x&realm=r1", `"parts":[{"text":"x","hit":true}]`, 200},
			{"/api/search", `{"hits":[]}`, 200},
			{"/api/search?q=x&realm=r9", "no realm", 404},
			{"/api/search?q=x&realm=..", "are ids", 400},
			{"/api/search?q=x&conversation=a%2Fb", "are ids", 400},
			{"/api/search?q=x&limit=0", "limit must be", 400},
			{"/api/search?q=away", "try again", 503},
		} {
			status, res := h.get(c.path)
			if body := text(t, res); status != c.status || !strings.Contains(body, c.body) || strings.Contains(body, "disk") {
				t.Errorf("%s: %d %q", c.path, status, body)
			}
		}
	})
}

// The search of a spectator, and only that, leaves out private conversations (P17.5).
func TestSearchBySpectators(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{}, func(c *Config) { c.Tenants[0].Tokens = tokens })
		for token, want := range map[string]string{tokens.Host: `"messageId":"m"`, tokens.Spectator: `"messageId":"public"`} {
			status, res := h.get("/api/search?q=x", "Authorization", "Bearer "+token)
			if body := text(t, res); status != 200 || !strings.Contains(body, want) {
				t.Errorf("%d %q, want %s", status, body, want)
			}
		}
	})
}

// The export of a spectator, and only that, is one for spectators (P17.5).
func TestExportBySpectators(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{}, func(c *Config) {
			c.Tenants[0].Tokens = tokens
			c.Export = func(_ context.Context, _, _ string, want report.Want) (*report.File, error) {
				return &report.File{Name: "r1.md", Data: fmt.Appendf(nil, "public %t", want.Public)}, nil
			}
		})
		for token, want := range map[string]string{tokens.Host: "public false", tokens.Spectator: "public true"} {
			_, res := h.get("/api/realms/r1/export?conversation=private-c", "Authorization", "Bearer "+token)
			if body := text(t, res); body != want {
				t.Errorf("%q, want %s", body, want)
			}
		}
	})
}

// Only hosts may list conversations. An error before the first byte of the answer has its own status; a
// later one cuts the answer (S1-25).
// P9.19a.
func TestConversations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{}, func(c *Config) {
			c.Tenants[0].Tokens = tokens
			c.Conversations = func(_ context.Context, w io.Writer, _, id, format, _ string, content bool) error {
				switch {
				case id == "away":
					return errors.New("the disk is away")
				case id != "r1":
					return wire.Errorf(wire.NotFound, "there is no realm %s", id)
				case format == "pdf":
					return wire.Errorf(wire.BadField, "format must be another")
				}
				_, err := fmt.Fprintf(w, "%s as %s, content %t", id, format, content)
				return err
			}
		})
		for _, c := range []struct {
			path, token, body string
			status            int
		}{
			{"/api/realms/r1/conversations", tokens.Host, "r1 as json, content false", 200},
			{"/api/realms/r1/conversations?format=text&content=1", tokens.Host, "r1 as text, content true", 200},
			{"/api/realms/r1/conversations", tokens.Spectator, "only hosts", 403},
			{"/api/realms/r1/conversations", "", "a token is needed", 401},
			{"/api/realms/r2/conversations", tokens.Host, "no realm r2", 404},
			{"/api/realms/r1/conversations?format=pdf", tokens.Host, "must be another", 400},
			{"/api/realms/away/conversations", tokens.Host, "try again", 503},
		} {
			headers := []string{}
			if c.token != "" {
				headers = []string{"Authorization", "Bearer " + c.token}
			}
			status, res := h.get(c.path, headers...)
			if body := text(t, res); status != c.status || !strings.Contains(body, c.body) || strings.Contains(body, "disk") {
				t.Errorf("%s: %d %q", c.path, status, body)
			}
		}
	})
}

func text(t *testing.T, res *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Only hosts may erase and read the audit (S1-19, S1-25). Each refusal has its own status.
// P16.9.
func TestErasingAndTheAudit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{}, func(c *Config) {
			c.Tenants[0].Tokens = tokens
			c.Erase = func(_ context.Context, _, id string, e world.Erasure) (world.Receipt, error) {
				switch {
				case id == "away":
					return world.Receipt{}, errors.New("the disk is away")
				case e.SpectatorID == "p2":
					return world.Receipt{}, wire.Errorf(wire.Unsaved, "nothing was begun")
				case len(e.Conversations) == 1 && e.Conversations[0] == "c9":
					return world.Receipt{}, wire.Errorf(wire.Conflict, "it runs")
				}
				return world.Receipt{ErasureID: "e1", RealmID: id, SpectatorID: e.SpectatorID}, nil
			}
			c.Audit = func(_ context.Context, w io.Writer, _, id, format string, since world.Time) error {
				if id == "away" {
					return errors.New("the disk is away")
				}
				_, err := fmt.Fprintf(w, "%s as %s since %s", id, format, since)
				return err
			}
		})
		for _, c := range []struct {
			method, path, token, body, want string
			status                          int
		}{
			{"POST", "/api/realms/r1/erase", tokens.Host, `{"spectatorId":"p1"}`, `"erasureId":"e1"`, 200},
			{"POST", "/api/realms/r1/erase", tokens.Host, `{"spectatorId":"p1","conversationId":"c1"}`, "either", 400},
			{"POST", "/api/realms/r1/erase", tokens.Host, `{"spectatorId":"not an id"}`, "spectatorId", 400},
			{"POST", "/api/realms/r1/erase", tokens.Host, `nonsense`, "JSON object", 400},
			{"POST", "/api/realms/r1/erase", tokens.Host, `{"spectatorId":"p2"}`, "nothing was begun", 503},
			{"POST", "/api/realms/r1/erase", tokens.Host, `{"conversationId":"c9"}`, "it runs", 409},
			{"POST", "/api/realms/away/erase", tokens.Host, `{"conversationId":"c1"}`, "try again", 503},
			{"POST", "/api/realms/r1/erase", tokens.Spectator, `{"spectatorId":"p1"}`, "only hosts", 403},
			{"POST", "/api/realms/r1/erase", "", `{"spectatorId":"p1"}`, "a token is needed", 401},
			{"GET", "/api/realms/r1/erase", tokens.Host, "", "the method POST", 405},
			{"GET", "/api/realms/r1/audit", tokens.Host, "", "r1 as json since ", 200},
			{"GET", "/api/realms/r1/audit?format=text&since=2026-01-31T10:00:00Z", tokens.Host, "", "r1 as text since 2026-01-31T10:00:00.000Z", 200},
			{"GET", "/api/realms/r1/audit?since=yesterday", tokens.Host, "", "since must be", 400},
			{"GET", "/api/realms/r1/audit", tokens.Spectator, "", "only hosts", 403},
			{"GET", "/api/realms/away/audit", tokens.Host, "", "try again", 503},
			{"POST", "/api/realms/r1/audit", tokens.Host, "", "the method GET", 405},
		} {
			headers := []string{}
			if c.token != "" {
				headers = []string{"Authorization", "Bearer " + c.token}
			}
			status, res := h.ask(c.method, c.path, strings.NewReader(c.body), headers...)
			if body := text(t, res); status != c.status || !strings.Contains(body, c.want) || strings.Contains(body, "the disk") {
				t.Errorf("%s %s %s: %d %q", c.method, c.path, c.body, status, body)
			}
		}
	})
}

// get requests a page over a pipe of its own. header has pairs, which may include "Host".
func (h *house) get(path string, header ...string) (status int, res *http.Response) {
	h.t.Helper()
	return h.ask(http.MethodGet, path, nil, header...)
}
