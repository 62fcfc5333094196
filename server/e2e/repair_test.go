package e2e

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentdungeon/shared/wire"
)

// inDatabase runs a query on a stopped realm.db.
func inDatabase(t *testing.T, path, query string, ask func(*sql.Rows)) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro&immutable=1")
	must(t, err)
	rows, err := db.Query(query)
	must(t, err)
	for rows.Next() {
		ask(rows)
	}
	must(t, rows.Err())
	must(t, rows.Close())
	must(t, db.Close())
}

// takeLog moves the log of a killed realm into its database and leaves an empty one.
func takeLog(t *testing.T, dir string) {
	t.Helper()
	database(t, filepath.Join(dir, "realm.db"), "PRAGMA wal_checkpoint(TRUNCATE)")
	must(t, os.WriteFile(filepath.Join(dir, "realm.db-wal"), nil, 0o600))
}

// flip flips one bit of a text that a file contains exactly once.
func flip(t *testing.T, path string, text []byte) {
	t.Helper()
	raw, err := os.ReadFile(path)
	must(t, err)
	at := bytes.Index(raw, text)
	if at < 0 {
		t.Fatalf("%q does not lie in one piece in %s", text, path)
	}
	raw[at+len(text)/2] ^= 1
	must(t, os.WriteFile(path, raw, 0o600))
}

// messagePages returns the content of a database and the pages of it that hold rows of the table messages, in the
// order of the rows. The pages are parts of the content.
func messagePages(t *testing.T, path string) (raw []byte, pages [][]byte) {
	t.Helper()
	raw, err := os.ReadFile(path)
	must(t, err)
	inDatabase(t, path, "SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = 'leaf' ORDER BY path", func(rows *sql.Rows) {
		var n int
		must(t, rows.Scan(&n))
		pages = append(pages, raw[(n-1)*4096:][:4096])
	})
	return raw, pages
}

// flipMessage flips one bit of a text in a row of the table messages. Other tables can contain the text, too.
func flipMessage(t *testing.T, path, text string) {
	t.Helper()
	raw, pages := messagePages(t, path)
	for _, page := range pages {
		if at := bytes.Index(page, []byte(text)); at >= 0 {
			page[at+len(text)/2] ^= 1
			must(t, os.WriteFile(path, raw, 0o600))
			return
		}
	}
	t.Fatalf("%q does not lie in one piece on the %d pages of messages", text, len(pages))
}

// garble overwrites a page of the table messages, from the second half of its pages if possible. A page that contains
// the text in the parameter not is never chosen.
func garble(t *testing.T, path, not string) {
	t.Helper()
	raw, pages := messagePages(t, path)
	half := len(pages) / 2
	for _, page := range slices.Concat(pages[half:], pages[:half]) {
		if not != "" && bytes.Contains(page, []byte(not)) {
			continue
		}
		for i := range page {
			page[i] = byte(i * 7)
		}
		must(t, os.WriteFile(path, raw, 0o600))
		return
	}
	t.Fatalf("messages has only %d pages, and all hold %q", len(pages), not)
}

// checkReport has the fields of the output of "check -json" that these tests use.
type checkReport struct {
	Realms []struct {
		RealmID  string
		Damage   []string
		Database *struct {
			Events, Messages struct{ Known, Readable, Damaged, Unreadable int64 }
		}
		Opening string
		Salvage *struct{ Messages, MessagesKnown, Events, EventsKnown int64 }
	}
	Copies []string
}

func (h *Home) check(t *testing.T) (code int, r checkReport) {
	t.Helper()
	code, out, errs := h.Run("check", "-worlds", h.Worlds, "-json")
	if err := json.Unmarshal([]byte(out), &r); err != nil || len(r.Realms) != 1 {
		t.Fatalf("check: %d %s%s (%v)", code, out, errs, err)
	}
	return code, r
}

// A realm with conversations is killed, and its files are damaged. check says what is damaged and what an opening will
// do, repair makes an intact copy, and neither changes anything. Then the server opens the damaged realm, logs once
// what could be read, and a report says it too (S3-17).
func TestCheckRepairAndOpen(t *testing.T) {
	t.Parallel()
	d := newDamage(t)
	id := d.tab.RealmID
	d.saved()
	if code, out, errs := d.home.Run("check", "-worlds", d.home.Worlds); code != 1 || !strings.Contains(errs, fmt.Sprintf("process %d at %s holds", d.life.PID, d.life.Addr)) {
		t.Errorf("check beside the server: %d %s%s", code, out, errs)
	}
	if code, out, errs := d.home.Run("repair", "-worlds", d.home.Worlds, "-realm", id); code != 1 || !strings.Contains(errs, fmt.Sprintf("process %d", d.life.PID)) {
		t.Errorf("repair beside the server: %d %s%s", code, out, errs)
	}
	d.life.Kill()
	if code, r := d.home.check(t); code != 0 || len(r.Realms[0].Damage) > 0 {
		t.Fatalf("a killed realm: %d %+v", code, r)
	}
	for _, wound := range []struct {
		name, says string
		salvaged   bool // by an opening
		do         func(t *testing.T, dir, path string)
	}{
		{"a bit of an event", "1 events cannot be read", false, func(t *testing.T, dir, path string) {
			takeLog(t, dir)
			var frame []byte
			inDatabase(t, path, "SELECT frame FROM journal WHERE seq = 12", func(rows *sql.Rows) { must(t, rows.Scan(&frame)) })
			flip(t, path, frame)
		}},
		{"a bit of a text", "1 messages are not what was stored", false, func(t *testing.T, dir, path string) {
			takeLog(t, dir)
			var text []byte
			inDatabase(t, path, "SELECT message_id || conversation_id FROM messages WHERE packed IS NULL ORDER BY seq LIMIT 1", func(rows *sql.Rows) { must(t, rows.Scan(&text)) })
			database(t, path, "UPDATE messages SET content = content || 'x' WHERE message_id || conversation_id = '"+string(text)+"'")
			must(t, os.WriteFile(path+"-wal", nil, 0o600))
		}},
		{"a page", "realm.db: ", true, func(t *testing.T, dir, path string) {
			takeLog(t, dir)
			garble(t, path, "")
		}},
		{"the log cut", "realm.db: ", true, func(t *testing.T, dir, path string) {
			info, err := os.Stat(path + "-wal")
			must(t, err)
			must(t, os.Truncate(path+"-wal", info.Size()/2))
		}},
		{"no log", "realm.db-wal is missing", true, func(t *testing.T, dir, path string) { must(t, os.Remove(path+"-wal")) }},
	} {
		t.Run(wound.name, func(t *testing.T) {
			t.Parallel()
			home := NewHome(t, server, d.home.Args...)
			must(t, os.CopyFS(home.Worlds, os.DirFS(d.home.Worlds)))
			dir := filepath.Join(home.Worlds, id)
			wound.do(t, dir, filepath.Join(dir, "realm.db"))
			before := snapshotOf(t, dir)

			code, r := home.check(t)
			said := r.Realms[0]
			if code != 1 || !strings.Contains(strings.Join(said.Damage, "\n"), wound.says) || (said.Salvage != nil) != wound.salvaged {
				t.Fatalf("check: %d %+v", code, said)
			}
			if db := said.Database; strings.Contains(wound.says, "events cannot") && db.Events.Unreadable != 1 || strings.Contains(wound.says, "messages are not") && db.Messages.Damaged != 1 {
				t.Errorf("check counts: %+v", db)
			}
			code, out, errs := home.Run("repair", "-worlds", home.Worlds, "-realm", id)
			if code != 0 || !strings.Contains(out, "mv "+dir+" ") {
				t.Fatalf("repair: %d %s%s", code, out, errs)
			}
			if after := snapshotOf(t, dir); strings.Join(before, "\n") != strings.Join(after, "\n") {
				t.Errorf("the realm was touched:\n%v\nwas\n%v", after, before)
			}
			if code, r = home.check(t); code != 1 || len(r.Copies) != 1 {
				t.Fatalf("copies: %+v", r.Copies)
			}

			// The copy is opened in a worlds folder of its own.
			other := NewHome(t, server)
			must(t, os.MkdirAll(other.Worlds, 0o700))
			must(t, os.Rename(filepath.Join(home.Worlds, r.Copies[0]), filepath.Join(other.Worlds, id)))
			if code, r := other.check(t); code != 0 || len(r.Realms[0].Damage) > 0 {
				t.Errorf("the copy: %d %+v", code, r.Realms[0])
			}
			l := other.Start()
			tab := NewTab(t, NewLedger(t), "Ben")
			tab.Join(l)
			if c := tab.Do("resume", &wire.ResumeRealm{RealmID: id}); c.Code != "" {
				t.Errorf("resume the copy: %s", c.Answer)
			}
			if code := l.Stop(); code != 0 {
				t.Errorf("exit code %d\n%s", code, l.Log())
			}

			// The damaged realm itself is opened.
			l = home.Start()
			tab = NewTab(t, NewLedger(t), "Cyn")
			tab.Join(l)
			if c := tab.Do("after", &wire.SpectatorSay{Text: "after the damage"}); c.Code != "" {
				t.Errorf("a word: %s", c.Answer)
			}
			want := 0
			figures := ""
			if s := said.Salvage; s != nil {
				want, figures = 1, fmt.Sprintf("%d of %d messages, %d of %d events", s.Messages, s.MessagesKnown, s.Events, s.EventsKnown)
				if !strings.Contains(said.Opening, figures) {
					t.Errorf("an opening %s", said.Opening)
				}
			}
			if log := l.Log(); strings.Count(log, "the realm's database was damaged") != want || !strings.Contains(log, figures) {
				t.Errorf("to be in the log once: %q\n%s", figures, log)
			}
			if code, out, errs := home.Run("export", "-worlds", home.Worlds, "-realm", id); code != 0 || !strings.Contains(out, figures) {
				t.Errorf("export: %d %s, want %s\n%s", code, errs, figures, out)
			}
			if code := l.Stop(); code != 0 {
				t.Errorf("exit code %d\n%s", code, l.Log())
			}
		})
	}
}
