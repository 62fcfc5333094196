package app

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"testing/synctest"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/wire"
)

// A server starts although its realm can only be read, unless the start resumes one of its sessions; then the
// start fails with the reason (S2-B7).
func TestABrokenRealmKeepsNoServerFromStarting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		worlds := filepath.Join(t.TempDir(), "worlds")
		a := start(t, worlds, castFile(t, partyScript))
		r := link(t, a, repo(t))
		a.session(t, "guild", "What should we do first?")
		synctest.Wait()
		db, err := sql.Open("sqlite", filepath.Join(worlds, r.ID(), sqlite.JournalFile))
		if err != nil {
			t.Fatal(err)
		}
		db.SetMaxOpenConns(1)
		starts := func(when string, resume Resume, well bool) {
			t.Helper()
			if _, err := a.resumeSession(context.Background(), resume); (err == nil) != well {
				t.Errorf("%s: %v", when, err)
			}
		}
		do := func(query string) {
			t.Helper()
			if _, err := db.Exec(query); err != nil {
				t.Error(err)
			}
		}
		do("INSERT INTO journal SELECT seq + 1, at, type, v, request_id, text_at, sum, message_id, frame FROM journal ORDER BY seq DESC LIMIT 1")
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		submit(t, r, &wire.SpectatorSay{Text: "and now?"})
		synctest.Wait()
		starts("it can only be read", Resume{}, true)
		starts("it can only be read, and a session is asked for", Resume{Wanted: true}, false)
		if _, err := a.Stop(); err == nil {
			t.Error("it stops as if nothing were")
		}
	})
}
