package gate

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"agentdungeon/shared/wire"
)

// A host sees the map of the offered folder before it is linked, and nobody else does. P5.1a.
func TestOffer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, newRealms(), Limits{}, withTokens)
		for _, c := range []struct {
			offer, token, body string
			status             int
		}{
			{"/home/somebody/one", tokens.Host, `"name":"one"`, 200},
			{"/home/somebody/one", tokens.Spectator, `"code":"not_allowed"`, 403},
			{"/home/somebody/one", "", `"code":"not_allowed"`, 401},
			{"/home/somebody/linked", tokens.Host, `"code":"conflict"`, 409},
			{"/home/somebody/broken", tokens.Host, "cannot be shown", 503},
			{"", tokens.Host, `"code":"not_found"`, 404},
		} {
			h.gate.cfg.Tenants[0].About.Offer = c.offer
			status, res := h.get("/api/offer", "Authorization", "Bearer "+c.token)
			if body := text(t, res); status != c.status || !strings.Contains(body, c.body) ||
				strings.Contains(body, "nobody's") || res.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("P5.1a: %+v: %d %q", c, status, body)
			}
		}
	})
}

func (k *fakeRealms) Preview(_ context.Context, path string) (*wire.Preview, error) {
	switch filepath.Base(path) {
	case "linked":
		return nil, wire.Errorf(wire.Conflict, "%s is linked", path)
	case "broken":
		return nil, errors.New("the disk is away, and this is nobody's business")
	}
	return &wire.Preview{Name: filepath.Base(path)}, nil
}
