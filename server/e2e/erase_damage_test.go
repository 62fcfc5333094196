package e2e

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// database runs statements on a stopped realm.db. Each uses a handle of its own, so that it sees the tables as the
// earlier statement has declared them.
func database(t *testing.T, path string, statements ...string) {
	t.Helper()
	for _, s := range statements {
		db, err := sql.Open("sqlite", path)
		must(t, err)
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		must(t, db.Close())
	}
}

// flipped flips one bit in the stored frame of the event that has the message.
func flipped(t *testing.T, path, messageID string) {
	t.Helper()
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: "mode=ro&immutable=1"}).String())
	must(t, err)
	var frame []byte
	must(t, db.QueryRow("SELECT frame FROM journal WHERE message_id = ?", messageID).Scan(&frame))
	must(t, db.Close())
	raw, err := os.ReadFile(path)
	must(t, err)
	at := bytes.Index(raw, frame)
	if at < 0 {
		t.Fatalf("the event of %s does not lie in one piece", messageID)
	}
	raw[at+len(frame)/2] ^= 1
	must(t, os.WriteFile(path, raw, 0o600))
}

// A stopped realm.db has one wrong bit, and damage that only a deletion finds. An erasure by command and one through
// the server, and retention by command and by the server's own pass, end with the requested result, and all other
// conversations stay (S1-19, S1-15, S3-17). P16.3a.
func TestErasingAroundDamage(t *testing.T) {
	t.Parallel()
	damages := map[string]func(t *testing.T, path string){
		"a bit of its event":     func(t *testing.T, path string) { flipped(t, path, "m-gone") },
		"a bit of another event": func(t *testing.T, path string) { flipped(t, path, "m-kept") },
		"an index": func(t *testing.T, path string) {
			database(t, path, "UPDATE conversations SET status = 'complete_' WHERE conversation_id = 'gone'",
				"CREATE TABLE kept AS SELECT * FROM sqlite_schema WHERE name = 'conversations_status'",
				"PRAGMA writable_schema = 1; DELETE FROM sqlite_schema WHERE name = 'conversations_status'",
				"UPDATE conversations SET status = 'completed' WHERE conversation_id = 'gone'",
				"PRAGMA writable_schema = 1; INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) SELECT type, name, tbl_name, rootpage, sql FROM kept; DROP TABLE kept")
		},
	}
	erase := func(t *testing.T, home *Home) {
		t.Helper()
		code, out, errs := home.Run("erase", "-worlds", home.Worlds, "-realm", "r", "-conversation", "gone", "-json")
		var r world.Receipt
		if err := json.Unmarshal([]byte(out), &r); code != 0 || err != nil || r.DoneAt == 0 || r.ConversationID != "gone" {
			t.Errorf("erase: %d %s%s (%v)", code, out, errs, err)
		}
	}
	ways := map[string]func(t *testing.T, home *Home){
		"erase": erase,
		"erase through the server": func(t *testing.T, home *Home) {
			l := home.Start()
			tab := NewTab(t, NewLedger(t), "Ada")
			tab.Join(l)
			tab.Do("resume", &wire.ResumeRealm{RealmID: "r"})
			erase(t, home)
			again := NewTab(t, NewLedger(t), "Ben")
			again.Join(l)
			if _, w := again.Position(); w == nil || w.Realm.ID != "r" {
				t.Error("who comes then is in no realm")
			}
			if code := l.Stop(); code != 0 {
				t.Errorf("the server ended with %d\n%s", code, l.Log())
			}
		},
		"retention": func(t *testing.T, home *Home) {
			if code, out, errs := home.Run("retention", "-worlds", home.Worlds, "-force"); code != 0 || strings.Contains(out, "problem") {
				t.Errorf("retention: %d %s%s", code, out, errs)
			}
		},
		"retention by itself": func(t *testing.T, home *Home) {
			now, err := json.Marshal(world.TimeOf(time.Now()))
			must(t, err)
			file(t, filepath.Join(home.Worlds, "retention.json"), `{"schema":1,"seenAt":`+string(now)+`,"waits":0}`)
			l := home.Start()
			eventually(t, "the pass at the start", func() bool { return len(holding(t, filepath.Join(home.Worlds, "r"), "zyz-gone")) == 0 })
			if code := l.Stop(); code != 0 {
				t.Errorf("the server ended with %d\n%s", code, l.Log())
			}
		},
	}
	for what, damage := range damages {
		for how, way := range ways {
			t.Run(fmt.Sprintf("%s, %s", what, how), func(t *testing.T) {
				t.Parallel()
				home := NewHome(t, server)
				agedRealm(t, home.Worlds, "default", "r", aged{"gone", world.ConversationCompleted, 100}, aged{"kept", world.ConversationActive, 10}, aged{"other", world.ConversationCompleted, 9})
				dir := filepath.Join(home.Worlds, "r")
				damage(t, filepath.Join(dir, "realm.db"))
				way(t, home)
				if left := holding(t, dir, "zyz-gone"); len(left) > 0 {
					t.Errorf("the words are left in %v", left)
				}
				code, out, errs := home.Run("conversations", "-worlds", home.Worlds, "-realm", "r", "-content")
				if code != 0 || !strings.Contains(out, "make it say zyz-kept") || !strings.Contains(out, "make it say zyz-other") || strings.Contains(out, "zyz-gone") {
					t.Errorf("conversations: %d %s%s", code, out, errs)
				}
				if aside, err := filepath.Glob(filepath.Join(dir, "*.aside-*")); err != nil || len(aside) > 0 {
					t.Errorf("set aside: %v, %v", aside, err)
				}
			})
		}
	}
}
