package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/afero"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

func TestFirstOpeningAndCleanRestart(t *testing.T) { // S3-12
	r := newRig(t)
	if r.o.Saved.Restored != nil || r.o.Saved.Head != 0 || r.o.Journal.Floor() != 1 || len(r.o.Saved.Lines) != 1 {
		t.Fatalf("a new realm: %+v, floor %d", r.o.Saved, r.o.Journal.Floor())
	}
	sameJSON(t, "a new world", r.o.Saved.World, world.New(rigRealm))
	r.tell()
	r.checkpoint()
	head, epoch := r.w.Tick, r.o.Saved.Epoch
	r.close()
	if left := journalFilesIn(t, r.dir); !slices.Equal(left, []string{JournalFile}) {
		t.Fatalf("a clean close leaves %v", left)
	}
	o := mustOpen(t, r.dir)
	s := o.Saved
	sameJSON(t, "world", s.World, r.w)
	if s.Head != head || s.LastAt != r.at || len(s.Lines) != 2 || s.Lines[0].Epoch != epoch || s.Lines[1].FromSeq != head+1 || s.Lines[1].Epoch != s.Epoch || s.Epoch == epoch {
		t.Fatalf("head %d, last at %d, lines %+v", s.Head, s.LastAt, s.Lines)
	}
	if res := s.Restored; res == nil || res.Source != world.RestoredFromCheckpoint || res.RestoredTo != head || res.TranscriptsLost || len(res.SetAside) > 0 || res.StageTurnCounts != nil || res.AgentTurnCounts != nil {
		t.Fatalf("restored %+v", res)
	}
	if got := readAll(t, o.Journal, 0); !slices.EqualFunc(got, r.frames, slices.Equal) {
		t.Fatal("the frames differ")
	}
	if len(s.Conversations) != 1 {
		t.Fatalf("%d conversations", len(s.Conversations))
	}
	c := s.Conversations[0]
	if len(c.Messages) != 4 || c.HasMore || c.Messages[3].Status != world.MessageOpen || c.Messages[3].Content != "" {
		t.Fatalf("messages %+v", c.Messages)
	}
	if len(c.Runs) != 3 || c.Runs[0].RequestID != "t1" || c.Runs[2].Status != world.RunRunning || c.Runs[2].Turn.N != 2 {
		t.Fatalf("runs %+v", c.Runs)
	}
	if len(c.StageRows) != 2 || c.StageRows[0].MessageID != "m1" || c.StageRows[1].MessageID != "m2" || c.LastTurnAt == 0 {
		t.Fatalf("stage rows %+v, last turn at %d", c.StageRows, c.LastTurnAt)
	}
}

// An opening that ended before anything happened is still the first one.
func TestFirstOpeningTwice(t *testing.T) {
	r := newRig(t)
	r.close()
	o := mustOpen(t, r.dir)
	if o.Saved.Restored != nil || o.Saved.Head != 0 {
		t.Fatalf("restored %+v, head %d", o.Saved.Restored, o.Saved.Head)
	}
}

// recoveryCase damages a folder and says what must come of it. The folder is that
// of a rig killed at its head with state.prev.json at prev, state.json at state
// and ten more events behind it; the journal has its log beside it.
type recoveryCase struct {
	name   string
	damage func(t *testing.T, k *killedRig)
	// What must come back.
	head   int64 // 0: the rig's head; seqState, seqPrev, seqBase: that of this place; seqNone: 0
	source string
	lost   bool     // rows of transcripts
	other  bool     // the world lacks an event that is lost
	aside  []string // what must have been set aside, sorted, without the times
}

const (
	seqState = -1 - iota
	seqPrev
	seqBase
	seqNone
)

// killedRig is such a folder with what it once held.
type killedRig struct {
	dir               string
	r                 *rig
	base, prev, state int64
	worlds            map[int64]string // JSON by seq
}

func newKilledRig(t testing.TB) *killedRig {
	t.Helper()
	r := newRig(t)
	k := &killedRig{r: r, worlds: map[int64]string{0: string(mustJSON(t, r.w))}}
	mark := func() int64 {
		k.worlds[r.w.Tick] = string(mustJSON(t, r.w))
		return r.w.Tick
	}
	r.tell()
	if err := r.o.Journal.SaveBase(r.worldNow()); err != nil {
		t.Fatal(err)
	}
	k.base = mark()
	r.say(3)
	r.checkpoint()
	k.prev = mark()
	r.say(3)
	r.checkpoint()
	k.state = mark()
	r.say(10)
	mark()
	k.dir = r.killed()
	return k
}

func (k *killedRig) path(name string) string { return filepath.Join(k.dir, name) }

func (k *killedRig) copy(t testing.TB) *killedRig {
	t.Helper()
	c := *k
	c.dir = filepath.Join(t.TempDir(), rigRealm.ID)
	copyDir(t, k.dir, c.dir)
	return &c
}

func (k *killedRig) seq(n int64) int64 {
	switch n {
	case 0:
		return k.r.w.Tick
	case seqState:
		return k.state
	case seqPrev:
		return k.prev
	case seqBase:
		return k.base
	case seqNone:
		return 0
	}
	return n
}

func (k *killedRig) garble(t testing.TB, name string) {
	t.Helper()
	raw, err := os.ReadFile(k.path(name))
	if err != nil {
		t.Fatal(err)
	}
	raw[len(raw)/2] ^= 0x55
	k.write(t, name, raw)
}

func (k *killedRig) write(t testing.TB, name string, raw []byte) {
	t.Helper()
	if err := os.WriteFile(k.path(name), raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

func (k *killedRig) remove(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.RemoveAll(k.path(name)); err != nil {
			t.Fatal(err)
		}
	}
}

// rewrite changes a checkpoint's file through its own format.
func (k *killedRig) rewrite(t testing.TB, name string, change func(c *world.Checkpoint, w *world.World)) {
	t.Helper()
	files := OpenFiles(afero.NewOsFs(), k.dir)
	c, err := files.LoadCheckpoint(name)
	if err != nil {
		t.Fatal(err)
	}
	change(&c.Checkpoint, c.World)
	c.Checkpoint.World = mustJSON(t, c.World)
	raw, err := encodeCheckpoint(c.Checkpoint, c.Messages)
	if err != nil {
		t.Fatal(err)
	}
	k.write(t, name, raw)
}

// sql runs statements on the folder's database and leaves them in its log.
func (k *killedRig) sql(t testing.TB, statements ...string) {
	t.Helper()
	dsn, err := sqliteDSN(k.path(JournalFile), modeWrite)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open(sqliteDriver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	// The last handle has taken the log along; the mark says that one belongs there.
	if _, err := os.Stat(k.path(JournalFile + "-wal")); err != nil {
		k.write(t, JournalFile+"-wal", nil)
	}
}

var (
	allDB   = []string{"realm.db", "realm.db-wal"}
	dbOnly  = []string{"realm.db"} // its log is empty
	state   = []string{"state.json"}
	states  = []string{"state.json", "state.prev.json"}
	newerIn = func(name string) func(*testing.T, *killedRig) {
		return func(t *testing.T, k *killedRig) {
			raw, err := os.ReadFile(k.path(name))
			if err != nil {
				t.Fatal(err)
			}
			k.write(t, name, []byte(strings.Replace(string(raw), `"schema": 1`, `"schema": 99`, 1)))
		}
	}
)

func both(fs ...func(*testing.T, *killedRig)) func(*testing.T, *killedRig) {
	return func(t *testing.T, k *killedRig) {
		for _, f := range fs {
			f(t, k)
		}
	}
}

func garbling(names ...string) func(*testing.T, *killedRig) {
	return func(t *testing.T, k *killedRig) {
		for _, n := range names {
			k.garble(t, n)
		}
	}
}

func removing(names ...string) func(*testing.T, *killedRig) {
	return func(t *testing.T, k *killedRig) { k.remove(t, names...) }
}

func cutting(name string, keep float64) func(*testing.T, *killedRig) {
	return func(t *testing.T, k *killedRig) {
		info, err := os.Stat(k.path(name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(k.path(name), int64(float64(info.Size())*keep)); err != nil {
			t.Fatal(err)
		}
	}
}

func running(statements ...string) func(*testing.T, *killedRig) {
	return func(t *testing.T, k *killedRig) { k.sql(t, statements...) }
}

// forging replaces a frame, so many events before the last, with its sum.
func forging(back int, change func([]byte) []byte) func(*testing.T, *killedRig) {
	return func(t *testing.T, k *killedRig) {
		db, err := openSQLite(t.Context(), sqliteDriver, k.path(JournalFile), modeWrite, 1)
		must(t, err)
		var seq int64
		var frame []byte
		must(t, one(t.Context(), db, []any{&seq, &frame}, "SELECT seq, frame FROM journal ORDER BY seq DESC LIMIT 1 OFFSET ?", back))
		forged := change(frame)
		if slices.Equal(forged, frame) {
			t.Fatalf("event %d is as it was: %s", seq, frame)
		}
		_, err = db.Exec("UPDATE journal SET frame = ?, sum = ? WHERE seq = ?", forged, frameSum(forged, 0, ""), seq)
		must(t, err)
		must(t, db.Close())
		k.sql(t)
	}
}

func otherEpoch(epoch string, names ...string) func(*testing.T, *killedRig) {
	return func(t *testing.T, k *killedRig) {
		for _, n := range names {
			k.rewrite(t, n, func(c *world.Checkpoint, _ *world.World) { c.Epoch = epoch })
		}
	}
}

func at(seq int64, name string) func(*testing.T, *killedRig) {
	return func(t *testing.T, k *killedRig) {
		k.rewrite(t, name, func(c *world.Checkpoint, w *world.World) { c.Seq, w.Tick = seq, seq })
	}
}

// recoveryTable says what an opening does with what it finds, row by row, and what may come together.
var recoveryTable = []recoveryCase{
	// state.json at or below the head, its epoch on the line.
	{name: "killed", damage: both(), source: world.RestoredFromCheckpoint},
	{name: "killed, previous generation damaged", damage: garbling("state.prev.json"), source: world.RestoredFromCheckpoint, aside: []string{}},
	{name: "killed, the -shm of another life", damage: func(t *testing.T, k *killedRig) { k.write(t, "realm.db-shm", make([]byte, 32768)) }, source: world.RestoredFromCheckpoint},
	// state.json ahead, damaged, of another line or newer, beside a readable journal.
	{name: "state damaged", damage: garbling("state.json"), source: world.RestoredFromPrevious, aside: state},
	{name: "state cut", damage: cutting("state.json", 0.9), source: world.RestoredFromPrevious, aside: state},
	{name: "state empty", damage: cutting("state.json", 0), source: world.RestoredFromPrevious, aside: state},
	{name: "state missing, between two renames", damage: removing("state.json"), source: world.RestoredFromPrevious},
	{name: "state a folder", damage: both(removing("state.json"), func(t *testing.T, k *killedRig) { mkdir(t, k.path("state.json")) }), source: world.RestoredFromPrevious, aside: state},
	{name: "both generations damaged", damage: garbling(states...), source: world.RestoredFromBase, aside: states},
	{name: "both generations missing", damage: removing(states...), source: world.RestoredFromBase},
	{name: "both missing, newest base damaged", damage: both(removing(states...), running("UPDATE bases SET world = x'7b7d00' WHERE seq > 0")), source: world.RestoredFromJournal},
	{name: "both missing, no base", damage: both(removing(states...), running("DELETE FROM bases")), source: world.RestoredFromJournal},
	{name: "state newer", damage: newerIn("state.json"), source: world.RestoredFromPrevious, aside: state},
	{name: "both newer", damage: both(newerIn("state.json"), newerIn("state.prev.json")), source: world.RestoredFromBase, aside: states},
	{name: "state of another line", damage: otherEpoch("ELSEWHERE", "state.json"), source: world.RestoredFromPrevious, aside: state},
	{name: "state of a later copy, ahead on its own line", damage: both(otherEpoch("LATER", "state.json"), at(5000, "state.json")), source: world.RestoredFromPrevious, aside: state},
	{name: "both of a later copy", damage: both(otherEpoch("LATER", states...), at(5000, "state.json")), source: world.RestoredFromBase, aside: states},
	{name: "state before its line began", damage: both(running("UPDATE line SET from_seq = 15")), source: world.RestoredFromCheckpoint, aside: []string{}},
	{name: "state of another realm", damage: both(otherEpoch("FOREIGN", "state.json"), func(t *testing.T, k *killedRig) {
		k.rewrite(t, "state.json", func(_ *world.Checkpoint, w *world.World) { w.Realm.ID = "other" })
	}), source: world.RestoredFromPrevious, aside: state},
	// realm.db missing, cut, damaged, or without its -wal.
	{name: "journal missing", damage: removing(allDB...), head: seqState, source: world.RestoredFromState, lost: true},
	{name: "journal missing, its log left", damage: removing("realm.db"), head: seqState, source: world.RestoredFromState, lost: true, aside: []string{"realm.db-wal"}},
	{name: "log missing", damage: removing("realm.db-wal"), head: seqState, source: world.RestoredFromState, lost: true, aside: []string{"realm.db"}},
	{name: "log cut to nothing", damage: cutting("realm.db-wal", 0), head: seqState, source: world.RestoredFromState, lost: true, aside: []string{"realm.db"}},
	{name: "log cut", damage: cutting("realm.db-wal", 0.5), head: seqState, source: world.RestoredFromState, lost: true, aside: allDB},
	{name: "log missing, state damaged", damage: both(removing("realm.db-wal"), garbling("state.json")), head: seqPrev, source: world.RestoredFromPrevious, lost: true, aside: []string{"realm.db", "state.json"}},
	{name: "log of another life", damage: func(t *testing.T, k *killedRig) { k.write(t, "realm.db-wal", make([]byte, 50_000)) }, head: seqState, source: world.RestoredFromState, lost: true, aside: allDB},
	{name: "journal empty beside its log", damage: cutting("realm.db", 0), head: seqState, source: world.RestoredFromState, lost: true, aside: allDB},
	{name: "journal not a database", damage: func(t *testing.T, k *killedRig) {
		k.write(t, "realm.db", []byte(strings.Repeat("not a database\n", 1000)))
	}, source: world.RestoredFromState, aside: allDB}, // the log still has its pages
	{name: "journal a folder", damage: both(removing(allDB...), func(t *testing.T, k *killedRig) { mkdir(t, k.path("realm.db")) }), head: seqState, source: world.RestoredFromState, lost: true, aside: []string{"realm.db"}},
	{name: "journal of another program", damage: both(removing(allDB...), func(t *testing.T, k *killedRig) {
		k.write(t, "realm.db", nil)
		k.sql(t, "CREATE TABLE notes (text)", "PRAGMA user_version = 1")
	}), head: seqState, source: world.RestoredFromState, lost: true, aside: []string{"realm.db"}},
	// The journal is damaged: all that it still gives counts, and the rest is a gap.
	{name: "journal with a trigger", damage: running("CREATE TRIGGER own AFTER INSERT ON journal BEGIN DELETE FROM messages; END"), source: world.RestoredFromState, aside: dbOnly},
	{name: "a hole", damage: running("DELETE FROM journal WHERE seq = 5"), source: world.RestoredFromState, aside: dbOnly},
	{name: "a hole after the checkpoint", damage: both(func(t *testing.T, k *killedRig) {
		k.sql(t, "DELETE FROM journal WHERE seq = (SELECT max(seq) - 4 FROM journal)")
	}), source: world.RestoredFromState, lost: true, other: true, aside: dbOnly},
	{name: "the first events missing", damage: running("DELETE FROM journal WHERE seq < 5"), source: world.RestoredFromState, aside: dbOnly},
	{name: "an event that is not JSON", damage: forging(3, func([]byte) []byte { return []byte("{{") }), source: world.RestoredFromState, lost: true, other: true, aside: dbOnly},
	{name: "an event under another number", damage: forging(3, func(frame []byte) []byte {
		return []byte(strings.Replace(string(frame), `"seq":29,`, `"seq":92,`, 1))
	}), source: world.RestoredFromState, lost: true, other: true, aside: dbOnly},
	{name: "an event with a turned bit", damage: func(t *testing.T, k *killedRig) {
		k.sql(t, "UPDATE journal SET frame = CAST(replace(CAST(frame AS TEXT), 'xxxx', 'xxyx') AS BLOB) WHERE seq = (SELECT max(seq) - 3 FROM journal)")
	}, source: world.RestoredFromState, lost: true, other: true, aside: dbOnly},
	{name: "no line", damage: running("DELETE FROM line"), source: world.RestoredFromBase, aside: states},
	{name: "damaged, states missing: the base and the tail", damage: both(removing(states...), running("DROP INDEX commands_at", "UPDATE meta SET value = '2' WHERE key = 'floor'")), source: world.RestoredFromBase, aside: dbOnly},
	{name: "damaged, states missing, no base", damage: both(removing(states...), running("DELETE FROM bases", "DELETE FROM journal WHERE seq = 9")), source: world.RestoredFromJournal, lost: true, other: true, aside: dbOnly},
	// Both gone.
	{name: "all gone", damage: removing(append(slices.Clone(states), allDB...)...), head: seqNone},
	{name: "all damaged", damage: both(removing("realm.db-wal"), func(t *testing.T, k *killedRig) {
		for _, n := range append([]string{JournalFile}, states...) {
			k.write(t, n, []byte("dust"))
		}
	}), head: seqNone, source: world.RestoredFromNothing, lost: true, aside: []string{"realm.db", "state.json", "state.prev.json"}},
	{name: "journal missing, states damaged", damage: both(removing(allDB...), garbling(states...)), head: seqNone, source: world.RestoredFromNothing, lost: true, aside: states},
	{name: "journal missing, state of another realm", damage: both(removing("state.prev.json", "realm.db", "realm.db-wal"), func(t *testing.T, k *killedRig) {
		k.rewrite(t, "state.json", func(_ *world.Checkpoint, w *world.World) { w.Realm.ID = "other" })
	}), head: seqNone, source: world.RestoredFromNothing, lost: true, aside: state},
	// A journal whose log moved into it before it went away: nothing is missing as far
	// as anybody can say, and the journal knows more than state.json.
	{name: "log missing, all of it moved before", damage: both(running("PRAGMA wal_checkpoint(TRUNCATE)"), removing("realm.db-wal")), source: world.RestoredFromCheckpoint, lost: true},
}

func mkdir(t testing.TB, path string) {
	t.Helper()
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
}

func TestRecoveryTable(t *testing.T) { // S3-12, S3-17, S3-18, B10
	whole := newKilledRig(t)
	for _, c := range recoveryTable {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := whole.copy(t)
			c.damage(t, k)
			o := mustOpen(t, k.dir)
			head := k.seq(c.head)
			if o.Saved.Head != head || o.Saved.World.Tick != head {
				t.Fatalf("head %d, tick %d, want %d; restored %+v", o.Saved.Head, o.Saved.World.Tick, head, o.Saved.Restored)
			}
			checkRestored(t, k, o, c)
			if raw, err := json.Marshal(o.Saved.World); err != nil || !bytes.Equal(raw, o.Saved.Encoded) {
				t.Errorf("its encoded world is another one (%v)", err)
			}
			if o.Saved.Restored != nil && len(asideNames(t, k.dir)) != len(o.Saved.Restored.SetAside) {
				t.Errorf("set aside %v and told %v", asideNames(t, k.dir), o.Saved.Restored.SetAside)
			}
			checkGoesOn(t, k, o, head)
		})
	}
}

func checkRestored(t *testing.T, k *killedRig, o *OpenedRealm, c recoveryCase) {
	t.Helper()
	head := o.Saved.Head
	res := o.Saved.Restored
	if c.source == "" {
		if res != nil {
			t.Fatalf("restored %+v", res)
		}
		return
	}
	if res == nil || res.Source != c.source || res.TranscriptsLost != c.lost || res.RestoredTo != o.Saved.Head {
		t.Fatalf("restored %+v, want it from %s, transcripts lost %t", res, c.source, c.lost)
	}
	var names []string
	for _, n := range res.SetAside {
		stem, rest, _ := strings.Cut(n, ".aside-")
		_, ext, _ := strings.Cut(rest, ".")
		names = append(names, stem+"."+ext)
		if info, err := os.Stat(k.path(n)); err != nil {
			t.Errorf("set aside and gone: %v", err)
		} else if ext == "db-shm" || ext == "db-wal" && info.Size() == 0 {
			names = names[:len(names)-1] // made by looking
		}
	}
	slices.Sort(names)
	if c.aside != nil && strings.Join(names, " ") != strings.Join(c.aside, " ") {
		t.Errorf("says it set aside %v, want %v", names, c.aside)
	}
	if w, ok := k.worlds[o.Saved.Head]; ok && c.source != world.RestoredFromNothing && !c.other {
		sameJSON(t, "world", withoutSalvage(o.Saved.World), json.RawMessage(w))
	}
	if p := &o.Saved.World.ProcessState; p.ConversationID != "" && len(o.Saved.Conversations) != 1 {
		t.Errorf("%d conversations", len(o.Saved.Conversations))
	}
	if c.lost && o.Journal.Floor() > head { // S0-11: the counts are those of the empty transcript
		w := o.Saved.World.Clone()
		world.Apply(w, world.Event{Seq: w.Tick + 1, Body: res})
		for k, n := range w.ProcessState.AgentTurnCounts {
			if n != 0 || w.ProcessState.StageTurnCounts["one"] != 0 {
				t.Errorf("%s has %d turns in an empty transcript", k, n)
			}
		}
	}
}

// withoutSalvage is a world but for what it says of a salvage.
func withoutSalvage(w *world.World) *world.World {
	out := *w
	out.Salvage = nil
	return &out
}

// checkGoesOn commits on the recovered realm, closes it and opens it once more:
// numbers go on, what is kept can be read, and the second opening changes nothing.
func checkGoesOn(t *testing.T, k *killedRig, o *OpenedRealm, head int64) {
	t.Helper()
	if lines := o.Saved.Lines; lines[len(lines)-1].FromSeq != head+1 || lines[len(lines)-1].Epoch != o.Saved.Epoch {
		t.Fatalf("lines %+v at head %d", lines, head)
	}
	again := &rig{t: t, dir: k.dir, o: o, w: o.Saved.World.Clone(), at: max(o.Saved.LastAt, k.r.at)}
	for _, f := range readPast(t, o.Journal, head) {
		if k.r.frames != nil && !slices.Equal(f.Bytes, k.r.frames[f.Seq-1]) {
			t.Fatalf("frame %d differs", f.Seq)
		}
	}
	again.commit(&world.RealmRestored{Source: "x", RestoredTo: head, MissingMembers: []world.Member{}})
	again.say(3)
	if _, err := o.Journal.Read(context.Background(), head, 10); err != nil {
		t.Fatal(err)
	}
	again.checkpoint()
	again.close()
	aside := asideNames(t, k.dir)
	o2 := mustOpen(t, k.dir)
	sameJSON(t, "world after", o2.Saved.World, again.w)
	if o2.Saved.Restored.Source != world.RestoredFromCheckpoint || len(o2.Saved.Restored.SetAside) > 0 || o2.Saved.Restored.TranscriptsLost {
		t.Errorf("the second opening: %+v", o2.Saved.Restored)
	}
	if now := asideNames(t, k.dir); !slices.Equal(now, aside) {
		t.Errorf("the second opening set aside %v after %v", now, aside)
	}
}

// readPast reads all events that a journal still has, past what is lost or trimmed.
func readPast(t testing.TB, j *Journal, head int64) (out []world.Frame) {
	t.Helper()
	for after := j.Floor() - 1; after < head; {
		frames, err := j.Read(t.Context(), after, 1)
		switch {
		case errors.Is(err, ErrCorrupt):
			after++
		case err != nil || len(frames) != 1 || frames[0].Seq != after+1:
			t.Fatalf("read after %d: %d frames, %v", after, len(frames), err)
		default:
			out, after = append(out, frames...), after+1
		}
	}
	return out
}

func journalFilesIn(t testing.TB, dir string) []string {
	t.Helper()
	var out []string
	for _, name := range journalFiles {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			out = append(out, name)
		}
	}
	return out
}

// A row that a dead run left open is given back however much was said after it, so
// that the next life can close it.
func TestOpenRowsComeBackFromBeforeTheWindow(t *testing.T) {
	r := newRig(t)
	r.tell()
	for i := range 2 * wire.ViewMessages {
		r.commit(&world.MessageAdded{ConversationID: "c1", Message: world.Message{
			MessageID: "later" + itoa(int64(i)), ConversationID: "c1", Role: world.RoleSystem, Name: "system", Content: "x", Status: world.MessageDone, At: r.at,
		}})
	}
	o := mustOpen(t, r.killed())
	rows := o.Saved.Conversations[0].Messages
	if len(rows) != wire.ViewMessages+1 || rows[0].MessageID != "m4" || rows[0].Status != world.MessageOpen {
		t.Fatalf("%d rows, first %+v", len(rows), rows[0])
	}
}
