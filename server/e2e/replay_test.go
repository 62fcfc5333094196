package e2e

import (
	"database/sql"
	"path/filepath"
	"testing"

	"agentdungeon/shared/wire"
)

// A tab whose replay would need a damaged event can still connect: it gets a snapshot instead of its replay, and
// continues like every other tab (P5.4).
func TestDamagedEventLocksNobodyOut(t *testing.T) {
	t.Parallel()
	d := newDamage(t)
	behind := NewTab(t, NewLedger(t), "Ben")
	behind.Join(d.life)
	behind.Close()
	d.tab.Do("damaged", &wire.SpectatorSay{Text: "what the disk forgets"})
	d.tab.Do("kept", &wire.SpectatorSay{Text: "what it keeps"})
	if code := d.life.Stop(); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	db, err := sql.Open("sqlite", filepath.Join(d.home.Worlds, d.tab.RealmID, "realm.db"))
	must(t, err)
	res, err := db.Exec("UPDATE journal SET frame = CAST(replace(CAST(frame AS TEXT), 'disk forgets', 'disk fprgets') AS BLOB) WHERE CAST(frame AS TEXT) LIKE '%disk forgets%'")
	must(t, err)
	if n, err := res.RowsAffected(); n != 1 || err != nil {
		t.Fatalf("%d events were damaged: %v", n, err)
	}
	must(t, db.Close())
	d.life = d.home.Start()
	behind.Join(d.life) // fails if the tab cannot connect
	if w := behind.Welcome; w.Continuity != wire.ContinuitySnapshot || w.Reason != wire.SnapshotDamaged {
		t.Errorf("it is welcomed with %s %s", w.Continuity, w.Reason)
	}
	d.tab.MustReplay = true // this tab had got the event before the damage
	d.tab.Join(d.life)
	behind.Do("on", &wire.SpectatorSay{Text: "and on"})
	sameAsFresh(t, d.life, behind)
	sameAsFresh(t, d.life, d.tab)
	if code := d.life.Stop(); code != 0 {
		t.Errorf("exit code %d\n%s", code, d.life.Log())
	}
}
