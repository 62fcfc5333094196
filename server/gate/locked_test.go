package gate

import (
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
)

// The locked page says why it is shown and what to do. It has the page's colours, light and dark, and needs
// no script and no other file.
func TestLockedPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms("r1"), Limits{}, withTokens)
		form := func(pasted string) (int, *http.Response) {
			return h.ask("POST", "/access", strings.NewReader(url.Values{"token": {pasted}}.Encode()), "Content-Type", "application/x-www-form-urlencoded")
		}
		tokensCSS, err := os.ReadFile("../../client/src/styles/tokens.css")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name string
			ask  func() (int, *http.Response)
			says string
		}{
			{"without a token", func() (int, *http.Response) { return h.get("/") }, "has not opened one yet"},
			{"after the refresh", func() (int, *http.Response) { return h.get("/?again=1") }, "has not opened one yet"},
			{"a wrong link", func() (int, *http.Response) { return h.get("/?token=wrong") }, "This link is wrong"},
			{"a wrong token", func() (int, *http.Response) { return form("wrong") }, "This token is wrong"},
		} {
			status, res := c.ask()
			body := text(t, res)
			if status != 401 || res.Header.Get("Cache-Control") != "no-store" || !strings.Contains(body, c.says) || !strings.Contains(body, "ask them for a link") {
				t.Errorf("%s: %d %s", c.name, status, body)
			}
			// With a stricter policy a browser sends no origin with the form, and the gate would refuse the form.
			if policy := res.Header.Get("Referrer-Policy"); policy != "same-origin" {
				t.Errorf("%s: Referrer-Policy %s", c.name, policy)
			}
			if found := regexp.MustCompile(`<script|src=|url\(|@import|href="[^d]`).FindString(body); found != "" {
				t.Errorf("%s: it loads or runs something: %s", c.name, found)
			}
			if !strings.Contains(body, "prefers-color-scheme:light") || !strings.Contains(body, `<label for="token">`) {
				t.Errorf("%s: %s", c.name, body)
			}
			colours := regexp.MustCompile(`#[0-9a-f]{6}`).FindAllString(body, -1)
			if len(colours) < 20 {
				t.Errorf("%s: %d colours", c.name, len(colours))
			}
			for _, colour := range colours {
				if !strings.Contains(string(tokensCSS), colour) {
					t.Errorf("%s: %s is no colour of the page's", c.name, colour)
				}
			}
		}
		for _, pasted := range []string{tokens.Host, "  " + tokens.Host + "\n", "http://10.0.0.7:3001/?token=" + tokens.Host} {
			if status, res := form(pasted); status != 303 || len(res.Cookies()) != 1 {
				t.Errorf("%q: %d", pasted, status)
			}
		}
	})
}
