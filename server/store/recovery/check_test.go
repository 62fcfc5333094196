package recovery_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/lock"
	"agentdungeon/server/store/recovery"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/storetest"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// folderOf returns the mode, time and bytes of each file in a folder, by path.
func folderOf(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	storetest.Must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		all[path] = fmt.Sprint(info.Mode(), info.ModTime().UnixNano())
		if info.Mode().IsRegular() {
			raw, err := os.ReadFile(path)
			all[path] += string(raw)
			return err
		}
		return nil
	}))
	return all
}

// still fails the test if f changes anything in a folder.
func still(t testing.TB, what, dir string, do func()) {
	t.Helper()
	before := folderOf(t, dir)
	do()
	if after := folderOf(t, dir); !maps.Equal(before, after) {
		for name, is := range after {
			if before[name] != is {
				t.Errorf("%s changed %s", what, name)
			}
		}
		t.Errorf("%s changed the folder: %d files, before %d", what, len(after), len(before))
	}
}

func checkOne(t testing.TB, k *storetest.KilledRig) *recovery.Checked {
	t.Helper()
	found, err := recovery.Check(t.Context(), afero.NewOsFs(), filepath.Dir(k.Dir), world.DefaultTenant, storetest.RigRealm.ID)
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	return found[0]
}

type wound struct {
	name, says string
	do         func(t *testing.T, k *storetest.KilledRig)
}

// wounds are kinds of damage to a killed realm; do makes the damage. says is a part of the damage that a check must
// report, "" if it must report none.
var wounds = []wound{
	{"nothing", "", func(*testing.T, *storetest.KilledRig) {}},
	{"a bit of an event", "events cannot be read", func(t *testing.T, k *storetest.KilledRig) { k.TakeLog(t); k.FlipEvent(t, k.R.W.Tick/2) }},
	{"a bit of the last event", "realm.db: ", func(t *testing.T, k *storetest.KilledRig) { k.TakeLog(t); k.FlipEvent(t, k.R.W.Tick) }},
	{"a row's text", "1 messages are not what was stored", func(t *testing.T, k *storetest.KilledRig) {
		k.SQL(t, "UPDATE messages SET content = replace(content, 'tower', 'towel') WHERE message_id = 'askrow7'")
	}},
	{"who said a row", "1 messages are not what was stored", func(t *testing.T, k *storetest.KilledRig) {
		k.SQL(t, "UPDATE messages SET spectator_id = 's2' WHERE message_id = 'askrow7'")
	}},
	{"a packed text", "1 messages are not what was stored", func(t *testing.T, k *storetest.KilledRig) {
		k.SQL(t, "UPDATE messages SET packed = x'0102', content = '' WHERE message_id = 'row9'")
	}},
	{"a head", "1 heads of conversations cannot be read", func(t *testing.T, k *storetest.KilledRig) {
		k.SQL(t, "UPDATE conversations SET team = '{no' WHERE conversation_id = 'chat2'")
	}},
	{"a base", "1 bases cannot be read", func(t *testing.T, k *storetest.KilledRig) {
		k.SQL(t, "UPDATE bases SET world = x'00' WHERE seq = (SELECT max(seq) FROM bases)")
	}},
	{"a page", "realm.db: ", func(t *testing.T, k *storetest.KilledRig) {
		k.TakeLog(t)
		raw, err := os.ReadFile(k.Path(sqlite.JournalFile))
		storetest.Must(t, err)
		page := raw[(k.Root(t, "messages")-1)*4096:][:4096]
		for i := range page {
			page[i] = byte(i * 7)
		}
		k.Write(t, sqlite.JournalFile, raw)
	}},
	{"a part of the log", "realm.db: ", func(t *testing.T, k *storetest.KilledRig) {
		raw, err := os.ReadFile(k.Path(sqlite.JournalFile + "-wal"))
		storetest.Must(t, err)
		k.Write(t, sqlite.JournalFile+"-wal", raw[:len(raw)/5])
	}},
	{"the log", "realm.db-wal is missing", func(t *testing.T, k *storetest.KilledRig) { k.Remove(t, sqlite.JournalFile+"-wal") }},
	{"the database", "realm.db is missing", func(t *testing.T, k *storetest.KilledRig) { k.Remove(t, sqlite.JournalFile, sqlite.JournalFile+"-wal") }},
	{"an empty database", "it is empty", func(t *testing.T, k *storetest.KilledRig) { k.Write(t, sqlite.JournalFile, nil) }},
	{"no database", "realm.db: ", func(t *testing.T, k *storetest.KilledRig) {
		k.Write(t, sqlite.JournalFile, bytes.Repeat([]byte("no database "), 9999))
	}},
	{"an index", "realm.db: ", func(t *testing.T, k *storetest.KilledRig) {
		k.Unindexed(t, "conversations_status", "UPDATE conversations SET status = 'completed' WHERE conversation_id = 'chat1'")
	}},
	{"the search index", "realm.db: ", func(t *testing.T, k *storetest.KilledRig) { k.SQL(t, "DROP TABLE search") }},
	{"state.json", "state.json: ", func(t *testing.T, k *storetest.KilledRig) { k.Write(t, files.StateFile, []byte("{")) }},
	{"state.prev.json", "state.prev.json: ", func(t *testing.T, k *storetest.KilledRig) { k.Write(t, files.PreviousFile, []byte("{")) }},
	{"a vault", "knowledge/bard.json: ", func(t *testing.T, k *storetest.KilledRig) {
		storetest.Must(t, os.MkdirAll(k.Path("knowledge"), 0o700))
		k.Write(t, "knowledge/bard.json", []byte("{"))
	}},
}

// A check reports the damage and what an opening would do, and changes nothing. A repair makes an intact copy of
// the realm and does not change the realm itself (S3-17).
func TestCheckAndRepair(t *testing.T) {
	whole := talkRig(t, 30)
	for _, wound := range wounds {
		t.Run(wound.name, func(t *testing.T) {
			t.Parallel()
			k := whole.Copy(t)
			wound.do(t, k)
			worlds := filepath.Dir(k.Dir)
			var c *recovery.Checked
			still(t, "a check", worlds, func() { c = checkOne(t, k) })
			if c.Whole() != (wound.says == "") || !strings.Contains(strings.Join(c.Damage, "\n"), wound.says) {
				t.Fatalf("damage %q, to be said is %q", c.Damage, wound.says)
			}
			if n, what, counted := counted(c, wound.says); counted && n != 1 {
				t.Errorf("%d %s are counted: %+v", n, what, c.Database)
			}
			if left, err := filepath.Glob(filepath.Join(os.TempDir(), "etilqs_*")); err != nil || len(left) > 0 {
				t.Errorf("left in the temporary folder: %v", left)
			}

			opened := k.Copy(t)
			o := storetest.MustOpen(t, opened.Dir)
			r := o.Saved.Restored
			if foretold := c.Salvage; (foretold == nil) != (r.Salvage == nil) || foretold != nil && foretold.String() != r.Salvage.String() {
				t.Errorf("foretold is %v, an opening gave %v", foretold, r.Salvage)
			} else if foretold != nil && !strings.Contains(c.Opening, r.Salvage.String()) {
				t.Errorf("an opening %s", c.Opening)
			}
			rows, _ := storetest.ShownRows(t, o)
			if db := c.Database; db != nil && db.Messages.Readable > int64(len(rows)) {
				t.Errorf("%d rows are readable, and %d are shown", db.Messages.Readable, len(rows))
			}
			storetest.Must(t, o.Journal.Close())

			var done *recovery.Repaired
			still(t, "a repair", k.Dir, func() {
				var err error
				done, err = recovery.Repair(t.Context(), afero.NewOsFs(), worlds, world.DefaultTenant, storetest.RigRealm.ID, "", time.Now())
				storetest.Must(t, err)
			})
			if wound.says == "" {
				if done.Dir != "" || done.After != nil {
					t.Fatalf("a whole realm was repaired: %+v", done)
				}
				return
			}
			if filepath.Dir(done.Dir) != worlds || !strings.HasPrefix(filepath.Base(done.Dir), storetest.RigRealm.ID+".repaired-") {
				t.Fatalf("the copy is %s", done.Dir)
			}
			// Moved to the realm's place, the repaired copy is an intact realm with every row that
			// could be read.
			if found, err := recovery.Check(t.Context(), afero.NewOsFs(), worlds, world.DefaultTenant, ""); err != nil || len(found) != 1 {
				t.Errorf("the copy is taken for a realm: %d are found, %v", len(found), err)
			}
			if names, err := files.Copies(afero.NewOsFs(), worlds, world.DefaultTenant); err != nil || len(names) != 1 || names[0] != filepath.Base(done.Dir) {
				t.Errorf("copies: %v, %v", names, err)
			}
			storetest.Must(t, os.Rename(k.Dir, k.Dir+".damaged"))
			storetest.Must(t, os.Rename(done.Dir, k.Dir))
			if c = checkOne(t, k); !c.Whole() {
				t.Fatalf("the copy is not whole: %q", c.Damage)
			}
			again := storetest.MustOpen(t, k.Dir)
			if shown, _ := storetest.ShownRows(t, again); len(shown) < len(rows) {
				t.Errorf("the repaired realm shows %d rows, the damaged one %d", len(shown), len(rows))
			}
			if r := again.Saved.Restored; done.Before.Salvage != nil && r.Salvage == nil {
				t.Errorf("the opening does not tell of the salvage: %+v", r)
			}
			goesOn(t, k, again)
		})
	}
}

// A repair marks a damaged row. The person who said the row can still be found, and a check does not count marked rows
// as new damage.
func TestMarkedRows(t *testing.T) {
	k := talkRig(t, 10)
	k.SQL(t, "UPDATE messages SET spectator_id = 's2' WHERE message_id = 'askrow7'")
	done, err := recovery.Repair(t.Context(), afero.NewOsFs(), filepath.Dir(k.Dir), world.DefaultTenant, storetest.RigRealm.ID, "", time.Now())
	storetest.Must(t, err)
	if m := done.After.Database.Messages; m.Marked != 1 || m.Damaged != 0 || m.Known != done.Before.Database.Messages.Known {
		t.Fatalf("after: %+v", m)
	}
	r := &storetest.KilledRig{Dir: done.Dir, R: k.R}
	o := storetest.MustOpen(t, r.Dir)
	defer o.Journal.Close()
	found := false
	storetest.Must(t, o.Journal.View(func(db *sql.DB) error {
		return tables.EachStored(t.Context(), db, func(s *tables.StoredRow) {
			if s.MessageID == "askrow7" {
				found = s.Damaged && s.Marked() && s.SaidBy("s1")
			}
		})
	}))
	if !found {
		t.Error("who said the row is not known any more")
	}
}

// A check and a repair refuse a folder that a server holds, and a realm that is open. A repair overwrites
// nothing, and leaves nothing after an error.
func TestRepairRefuses(t *testing.T) {
	k := talkRig(t, 5)
	k.SQL(t, "UPDATE messages SET content = 'x' WHERE message_id = 'row1'")
	worlds, osfs := filepath.Dir(k.Dir), afero.NewOsFs()
	try := func(ctx context.Context, to string) error {
		_, err := recovery.Repair(ctx, osfs, worlds, world.DefaultTenant, storetest.RigRealm.ID, to, time.Now())
		return err
	}
	s, err := files.Open(osfs, worlds, zerolog.Nop())
	storetest.Must(t, err)
	var locked *lock.LockedError
	if err := try(t.Context(), ""); !errors.As(err, &locked) || locked.PID != os.Getpid() {
		t.Errorf("a held folder: %v", err)
	}
	if _, err := recovery.Check(t.Context(), osfs, worlds, world.DefaultTenant, ""); !errors.As(err, &locked) {
		t.Errorf("a check of a held folder: %v", err)
	}
	storetest.Must(t, s.Close())
	held, err := lock.HoldRealm(k.Dir)
	storetest.Must(t, err)
	if err := try(t.Context(), ""); !errors.Is(err, disk.ErrLocked) {
		t.Errorf("an open realm: %v", err)
	}
	if _, err := recovery.Check(t.Context(), osfs, worlds, world.DefaultTenant, ""); !errors.Is(err, disk.ErrLocked) {
		t.Errorf("a check of an open realm: %v", err)
	}
	storetest.Must(t, held.Release())
	there := filepath.Join(t.TempDir(), "there")
	storetest.Must(t, os.WriteFile(there, []byte("mine"), 0o600))
	ended, end := context.WithCancel(t.Context())
	end()
	still(t, "a refused repair", worlds, func() {
		for _, to := range []string{there, k.Dir, filepath.Join(k.Dir, "copy"), filepath.Join(there, "copy"), filepath.Join(worlds, "no", "copy")} {
			if err := try(t.Context(), to); err == nil {
				t.Errorf("a copy was made in %s", to)
			}
		}
		if err := try(ended, filepath.Join(worlds, "ended")); !errors.Is(err, context.Canceled) {
			t.Errorf("ended: %v", err)
		}
	})
	k.SQL(t, fmt.Sprintf("PRAGMA user_version = %d", tables.Version+1))
	before := folderOf(t, worlds)
	if err := try(t.Context(), ""); !errors.Is(err, disk.ErrNewer) {
		t.Errorf("a newer database: %v", err)
	}
	if after := folderOf(t, k.Dir); len(after) > len(before) {
		t.Error("a failed repair has left something")
	}
	if left, err := filepath.Glob(worlds + "/*.repaired-*"); err != nil || len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// badDisk cannot read some sectors.
type badDisk struct {
	*bytes.Reader
	bad map[int64]bool
}

func (d badDisk) ReadAt(b []byte, off int64) (int, error) {
	for at := off; at < off+int64(len(b)); at += recovery.SectorBytes {
		if d.bad[at/recovery.SectorBytes] {
			n, _ := d.Reader.ReadAt(b[:at-off], off)
			return n, errors.New("input/output error")
		}
	}
	return d.Reader.ReadAt(b, off)
}

// Sectors that the disk cannot read are zeros in the copy and are counted; all others are copied.
func TestCopyOfABadDisk(t *testing.T) {
	raw := bytes.Repeat([]byte("0123456789abcdef"), 300*recovery.SectorBytes/16+7)
	var out bytes.Buffer
	unread, err := recovery.WriteReadable(&out, badDisk{bytes.NewReader(raw), map[int64]bool{3: true, 257: true, 300: true}}, int64(len(raw)))
	storetest.Must(t, err)
	want := bytes.Clone(raw)
	for _, at := range []int{3, 257, 300} {
		clear(want[at*recovery.SectorBytes : min((at+1)*recovery.SectorBytes, len(want))])
	}
	if !bytes.Equal(out.Bytes(), want) || unread != 2*recovery.SectorBytes+7*16 {
		t.Errorf("%d bytes of %d, %d were not read", out.Len(), len(raw), unread)
	}
	if _, err := recovery.WriteReadable(io.Discard, bytes.NewReader(raw), int64(len(raw))+1); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a file that got shorter: %v", err)
	}
}

// counted returns the number of damaged things that a check has found. The text says, which the check reports, names
// the kind of thing.
func counted(c *recovery.Checked, says string) (n int64, what string, counted bool) {
	d := c.Database
	switch {
	case strings.Contains(says, "events cannot"):
		return d.Events.Unreadable - d.Events.Lost, "events", true
	case strings.Contains(says, "messages are not"):
		return d.Messages.Damaged - d.Messages.Marked, "messages", true
	case strings.Contains(says, "heads"):
		return int64(d.Heads.Bad), "heads", true
	case strings.Contains(says, "bases"):
		return int64(d.BadBases), "bases", true
	}
	return 0, "", false
}
