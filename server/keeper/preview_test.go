package keeper

import (
	"context"
	"errors"
	"testing"
	"time"

	"agentdungeon/shared/wire"
)

// A folder keeps the land of its preview when it is linked, and a preview writes nothing. P5.1a.
func TestPreviewIsTheLandThatIsLinked(t *testing.T) {
	s := newShelf()
	keep(t, s, func(t *testing.T, home *Tenant) {
		p, err := home.Preview(t.Context(), "/repo/x")
		if err != nil || p.RealmID != "free-x" || p.Name != "x" || len(p.Country.Sites) == 0 {
			t.Fatalf("P5.1a: %+v, %v", p, err)
		}
		if realms, _ := s.Realms(); len(realms) != 0 {
			t.Errorf("P5.1a: the preview made a realm: %+v", realms)
		}
		r, err := home.Link(t.Context(), "/repo/x", func(wire.RealmProgress) {})
		if err != nil || r.ID() != p.RealmID {
			t.Errorf("P5.1a: the linked realm is not that of the preview: %v", err)
		}
		for path, code := range map[string]wire.Code{"/repo/x": wire.Conflict, "/elsewhere": wire.NotFound, "/repo/unreadable": ""} {
			var refused *wire.Error
			_, err := home.Preview(t.Context(), path)
			if err == nil || errors.As(err, &refused) != (code != "") || code != "" && refused.Code != code {
				t.Errorf("P5.1a: %s has the preview %v, want the error %q", path, err, code)
			}
		}
	})
}

// A preview is read again after a while, with the same id, and a second request waits for the first one's reading.
func TestPreviewIsReadAgain_P5_1a(t *testing.T) {
	keep(t, newShelf(), func(t *testing.T, home *Tenant) {
		ask := func() *wire.Preview {
			p, err := home.Preview(t.Context(), "/repo/x")
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		first := ask()
		if ask() != first {
			t.Error("the folder was read twice within a minute")
		}
		home.lastPreview("/repo/x").at = time.Now().Add(-previewAge)
		if later := ask(); later == first || later.RealmID != first.RealmID {
			t.Errorf("after a minute: %+v, want the same id, read again", later)
		}
		home.k.previewing <- struct{}{}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := home.Preview(ctx, "/repo/y"); err == nil {
			t.Error("a preview was made while another folder was read")
		}
		<-home.k.previewing
	})
}
