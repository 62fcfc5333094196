package app

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// A command on a stopped folder whose database cannot be read reports that the transcripts are lost and where
// the file is. Otherwise a list would look complete, and an erasure needless (S1-25).
func TestCommandsOnALostDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		worlds := filepath.Join(t.TempDir(), "worlds")
		ctx, osfs := context.Background(), afero.NewOsFs()
		a := start(t, worlds, castFile(t, stalled))
		r := link(t, a, repo(t))
		submit(t, r, &wire.StartProcess{Problem: "what now?", TemplateID: "standard_brainstorm"})
		time.Sleep(time.Minute)
		id := r.ID()
		stop(t, a)
		list := func() (string, error) {
			var out bytes.Buffer
			err := stopped(osfs, worlds, id).Conversations(ctx, Listing{}, &out)
			return out.String(), err
		}
		if _, err := list(); err != nil {
			t.Fatalf("while it is whole: %v", err)
		}
		if err := os.WriteFile(filepath.Join(worlds, id, "realm.db"), []byte(strings.Repeat("no database. ", 999)), 0o600); err != nil {
			t.Fatal(err)
		}
		tells := func(what string, err error) {
			t.Helper()
			if err == nil || !strings.Contains(err.Error(), "has set the database aside: realm.aside-") {
				t.Errorf("%s: %v", what, err)
			}
		}
		for range 2 { // each command says it again, until a server has reported it
			_, err := list()
			tells("a list", err)
		}
		tells("the audit", stopped(osfs, worlds, id).Audit(ctx, 0, false, new(bytes.Buffer)))
		_, err := stopped(osfs, worlds, id).Erase(ctx, world.Erasure{Conversations: []string{"c1"}, Reason: world.ErasedOnRequest, Who: "test"}, zerolog.Nop())
		tells("an erasure", err)
	})
}

// stopped returns a realm of the default tenant in a worlds folder without a server.
func stopped(fs afero.Fs, worlds, id string) Stopped {
	return Stopped{FS: fs, Worlds: worlds, Tenant: world.DefaultTenant, Realm: id}
}
