package recovery_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/journal"
	"agentdungeon/server/store/recovery"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/storetest"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

func TestFirstOpeningAndCleanRestart(t *testing.T) { // S3-12
	r := storetest.NewRig(t)
	if r.O.Saved.Restored != nil || r.O.Saved.Head != 0 || r.O.Journal.Floor() != 1 || len(r.O.Saved.Lines) != 1 {
		t.Fatalf("a new realm: %+v, floor %d", r.O.Saved, r.O.Journal.Floor())
	}
	storetest.SameJSON(t, "a new world", r.O.Saved.World, world.New(storetest.RigRealm))
	r.Tell()
	r.Checkpoint()
	head, epoch := r.W.Tick, r.O.Saved.Epoch
	r.Close()
	if left := journalFilesIn(t, r.Dir); !slices.Equal(left, []string{sqlite.JournalFile}) {
		t.Fatalf("a clean close leaves %v", left)
	}
	o := storetest.MustOpen(t, r.Dir)
	s := o.Saved
	storetest.SameJSON(t, "world", s.World, r.W)
	if s.Head != head || s.LastAt != r.At || len(s.Lines) != 2 || s.Lines[0].Epoch != epoch || s.Lines[1].FromSeq != head+1 || s.Lines[1].Epoch != s.Epoch || s.Epoch == epoch {
		t.Fatalf("head %d, last at %d, lines %+v", s.Head, s.LastAt, s.Lines)
	}
	if res := s.Restored; res == nil || res.Source != world.RestoredFromCheckpoint || res.RestoredTo != head || res.TranscriptsLost || len(res.SetAside) > 0 || res.StageTurnCounts != nil || res.AgentTurnCounts != nil {
		t.Fatalf("restored %+v", res)
	}
	if got := storetest.ReadAll(t, o.Journal, 0); !slices.EqualFunc(got, r.Frames, slices.Equal) {
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

// If the first opening ended before anything happened, the next opening is the first one too.
func TestFirstOpeningTwice(t *testing.T) {
	r := storetest.NewRig(t)
	r.Close()
	o := storetest.MustOpen(t, r.Dir)
	if o.Saved.Restored != nil || o.Saved.Head != 0 {
		t.Fatalf("restored %+v, head %d", o.Saved.Restored, o.Saved.Head)
	}
}

// recoveryCase damages a folder and has the expected result. The folder is the one of a realm that was killed after its
// last event: state.prev.json is at prev, state.json at state, ten events follow, and the journal has its log.
type recoveryCase struct {
	name   string
	damage func(t *testing.T, k *storetest.KilledRig)
	// What must come back.
	head   int64 // the argument for KilledRig.Seq, such as 0 for the last event before the kill
	source string
	lost   bool     // rows of transcripts
	other  bool     // the world lacks an event that is lost
	aside  []string // what must have been set aside, sorted, without the times
}

func newKilledRig(t testing.TB) *storetest.KilledRig {
	t.Helper()
	r := storetest.NewRig(t)
	k := &storetest.KilledRig{R: r, Worlds: map[int64]string{0: string(storetest.MustJSON(t, r.W))}}
	mark := func() int64 {
		k.Worlds[r.W.Tick] = string(storetest.MustJSON(t, r.W))
		return r.W.Tick
	}
	r.Tell()
	if err := r.O.Journal.SaveBase(r.WorldNow()); err != nil {
		t.Fatal(err)
	}
	k.Base = mark()
	r.Say(3)
	r.Checkpoint()
	k.Prev = mark()
	r.Say(3)
	r.Checkpoint()
	k.State = mark()
	r.Say(10)
	mark()
	k.Dir = r.Killed()
	return k
}

func both(fs ...func(*testing.T, *storetest.KilledRig)) func(*testing.T, *storetest.KilledRig) {
	return func(t *testing.T, k *storetest.KilledRig) {
		for _, f := range fs {
			f(t, k)
		}
	}
}

func garbling(names ...string) func(*testing.T, *storetest.KilledRig) {
	return func(t *testing.T, k *storetest.KilledRig) {
		for _, n := range names {
			k.Garble(t, n)
		}
	}
}

func removing(names ...string) func(*testing.T, *storetest.KilledRig) {
	return func(t *testing.T, k *storetest.KilledRig) { k.Remove(t, names...) }
}

func cutting(name string, keep float64) func(*testing.T, *storetest.KilledRig) {
	return func(t *testing.T, k *storetest.KilledRig) {
		info, err := os.Stat(k.Path(name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(k.Path(name), int64(float64(info.Size())*keep)); err != nil {
			t.Fatal(err)
		}
	}
}

func running(statements ...string) func(*testing.T, *storetest.KilledRig) {
	return func(t *testing.T, k *storetest.KilledRig) { k.SQL(t, statements...) }
}

// forging replaces a frame and its checksum, counted back from the last event.
func forging(back int, change func([]byte) []byte) func(*testing.T, *storetest.KilledRig) {
	return func(t *testing.T, k *storetest.KilledRig) {
		db, err := sqlite.Open(t.Context(), k.Path(sqlite.JournalFile), sqlite.ModeWrite, 1)
		storetest.Must(t, err)
		var seq int64
		var frame []byte
		storetest.Must(t, sqlite.One(t.Context(), db, []any{&seq, &frame}, "SELECT seq, frame FROM journal ORDER BY seq DESC LIMIT 1 OFFSET ?", back))
		forged := change(frame)
		if slices.Equal(forged, frame) {
			t.Fatalf("event %d is as it was: %s", seq, frame)
		}
		_, err = db.Exec("UPDATE journal SET frame = ?, sum = ? WHERE seq = ?", forged, tables.FrameSum(forged, 0, ""), seq)
		storetest.Must(t, err)
		storetest.Must(t, db.Close())
		k.SQL(t)
	}
}

func otherEpoch(epoch string, names ...string) func(*testing.T, *storetest.KilledRig) {
	return func(t *testing.T, k *storetest.KilledRig) {
		for _, n := range names {
			k.Rewrite(t, n, func(c *world.Checkpoint, _ *world.World) { c.Epoch = epoch })
		}
	}
}

func at(seq int64, name string) func(*testing.T, *storetest.KilledRig) {
	return func(t *testing.T, k *storetest.KilledRig) {
		k.Rewrite(t, name, func(c *world.Checkpoint, w *world.World) { c.Seq, w.Tick = seq, seq })
	}
}

// recoveryTable lists what an opening does with the files that it finds.
var recoveryTable = []recoveryCase{
	// state.json is at or below the head, and the journal has its epoch.
	{name: "killed", damage: both(), source: world.RestoredFromCheckpoint},
	{name: "killed, previous checkpoint damaged", damage: garbling("state.prev.json"), source: world.RestoredFromCheckpoint, aside: []string{}},
	{name: "killed, the -shm of another life", damage: func(t *testing.T, k *storetest.KilledRig) { k.Write(t, "realm.db-shm", make([]byte, 32768)) }, source: world.RestoredFromCheckpoint},
	// state.json is ahead, damaged, of an epoch that the journal lacks, or newer; the journal can
	// be read.
	{name: "state damaged", damage: garbling("state.json"), source: world.RestoredFromPrevious, aside: storetest.State},
	{name: "state cut", damage: cutting("state.json", 0.9), source: world.RestoredFromPrevious, aside: storetest.State},
	{name: "state empty", damage: cutting("state.json", 0), source: world.RestoredFromPrevious, aside: storetest.State},
	{name: "state missing, between two renames", damage: removing("state.json"), source: world.RestoredFromPrevious},
	{name: "state a folder", damage: both(removing("state.json"), func(t *testing.T, k *storetest.KilledRig) { storetest.Mkdir(t, k.Path("state.json")) }), source: world.RestoredFromPrevious, aside: storetest.State},
	{name: "both checkpoints damaged", damage: garbling(storetest.States...), source: world.RestoredFromBase, aside: storetest.States},
	{name: "both checkpoints missing", damage: removing(storetest.States...), source: world.RestoredFromBase},
	{name: "both missing, newest base damaged", damage: both(removing(storetest.States...), running("UPDATE bases SET world = x'7b7d00' WHERE seq > 0")), source: world.RestoredFromJournal},
	{name: "both missing, no base", damage: both(removing(storetest.States...), running("DELETE FROM bases")), source: world.RestoredFromJournal},
	{name: "state newer", damage: storetest.NewerIn("state.json"), source: world.RestoredFromPrevious, aside: storetest.State},
	{name: "both newer", damage: both(storetest.NewerIn("state.json"), storetest.NewerIn("state.prev.json")), source: world.RestoredFromBase, aside: storetest.States},
	{name: "state of another line", damage: otherEpoch("ELSEWHERE", "state.json"), source: world.RestoredFromPrevious, aside: storetest.State},
	{name: "state of a later copy, ahead on its own line", damage: both(otherEpoch("LATER", "state.json"), at(5000, "state.json")), source: world.RestoredFromPrevious, aside: storetest.State},
	{name: "both of a later copy", damage: both(otherEpoch("LATER", storetest.States...), at(5000, "state.json")), source: world.RestoredFromBase, aside: storetest.States},
	{name: "state before its line began", damage: both(running("UPDATE line SET from_seq = 15")), source: world.RestoredFromCheckpoint, aside: []string{}},
	{name: "state of another realm", damage: both(otherEpoch("FOREIGN", "state.json"), func(t *testing.T, k *storetest.KilledRig) {
		k.Rewrite(t, "state.json", func(_ *world.Checkpoint, w *world.World) { w.Realm.ID = "other" })
	}), source: world.RestoredFromPrevious, aside: storetest.State},
	// realm.db is missing, cut, damaged, or without its -wal.
	{name: "journal missing", damage: removing(storetest.AllDB...), head: storetest.SeqState, source: world.RestoredFromState, lost: true},
	{name: "journal missing, its log left", damage: removing("realm.db"), head: storetest.SeqState, source: world.RestoredFromState, lost: true, aside: []string{"realm.db-wal"}},
	{name: "log missing", damage: removing("realm.db-wal"), head: storetest.SeqState, source: world.RestoredFromState, lost: true, aside: []string{"realm.db"}},
	{name: "log cut to nothing", damage: cutting("realm.db-wal", 0), head: storetest.SeqState, source: world.RestoredFromState, lost: true, aside: []string{"realm.db"}},
	{name: "log cut", damage: cutting("realm.db-wal", 0.5), head: storetest.SeqState, source: world.RestoredFromState, lost: true, aside: storetest.AllDB},
	{name: "log missing, state damaged", damage: both(removing("realm.db-wal"), garbling("state.json")), head: storetest.SeqPrev, source: world.RestoredFromPrevious, lost: true, aside: []string{"realm.db", "state.json"}},
	{name: "log of another life", damage: func(t *testing.T, k *storetest.KilledRig) { k.Write(t, "realm.db-wal", make([]byte, 50_000)) }, head: storetest.SeqState, source: world.RestoredFromState, lost: true, aside: storetest.AllDB},
	{name: "journal empty beside its log", damage: cutting("realm.db", 0), head: storetest.SeqState, source: world.RestoredFromState, lost: true, aside: storetest.AllDB},
	{name: "journal not a database", damage: func(t *testing.T, k *storetest.KilledRig) {
		k.Write(t, "realm.db", []byte(strings.Repeat("not a database\n", 1000)))
	}, source: world.RestoredFromState, aside: storetest.AllDB}, // the log still has its pages
	{name: "journal a folder", damage: both(removing(storetest.AllDB...), func(t *testing.T, k *storetest.KilledRig) { storetest.Mkdir(t, k.Path("realm.db")) }), head: storetest.SeqState, source: world.RestoredFromState, lost: true, aside: []string{"realm.db"}},
	{name: "journal of another program", damage: both(removing(storetest.AllDB...), func(t *testing.T, k *storetest.KilledRig) {
		k.Write(t, "realm.db", nil)
		k.SQL(t, "CREATE TABLE notes (text)", "PRAGMA user_version = 1")
	}), head: storetest.SeqState, source: world.RestoredFromState, lost: true, aside: []string{"realm.db"}},
	// The journal is damaged: all events that can be read count, and a gap stands for the others.
	{name: "journal with a trigger", damage: running("CREATE TRIGGER own AFTER INSERT ON journal BEGIN DELETE FROM messages; END"), source: world.RestoredFromState, aside: storetest.DBOnly},
	{name: "a hole", damage: running("DELETE FROM journal WHERE seq = 5"), source: world.RestoredFromState, aside: storetest.DBOnly},
	{name: "a hole after the checkpoint", damage: both(func(t *testing.T, k *storetest.KilledRig) {
		k.SQL(t, "DELETE FROM journal WHERE seq = (SELECT max(seq) - 4 FROM journal)")
	}), source: world.RestoredFromState, lost: true, other: true, aside: storetest.DBOnly},
	{name: "the first events missing", damage: running("DELETE FROM journal WHERE seq < 5"), source: world.RestoredFromState, aside: storetest.DBOnly},
	{name: "an event that is not JSON", damage: forging(3, func([]byte) []byte { return []byte("{{") }), source: world.RestoredFromState, lost: true, other: true, aside: storetest.DBOnly},
	{name: "an event under another number", damage: forging(3, func(frame []byte) []byte {
		return []byte(strings.Replace(string(frame), `"seq":29,`, `"seq":92,`, 1))
	}), source: world.RestoredFromState, lost: true, other: true, aside: storetest.DBOnly},
	{name: "an event with a turned bit", damage: func(t *testing.T, k *storetest.KilledRig) {
		k.SQL(t, "UPDATE journal SET frame = CAST(replace(CAST(frame AS TEXT), 'xxxx', 'xxyx') AS BLOB) WHERE seq = (SELECT max(seq) - 3 FROM journal)")
	}, source: world.RestoredFromState, lost: true, other: true, aside: storetest.DBOnly},
	{name: "no line", damage: running("DELETE FROM line"), source: world.RestoredFromBase, aside: storetest.States},
	{name: "damaged, states missing: the base and the tail", damage: both(removing(storetest.States...), running("DROP INDEX commands_at", "UPDATE meta SET value = '2' WHERE key = 'floor'")), source: world.RestoredFromBase, aside: storetest.DBOnly},
	{name: "damaged, states missing, no base", damage: both(removing(storetest.States...), running("DELETE FROM bases", "DELETE FROM journal WHERE seq = 9")), source: world.RestoredFromJournal, lost: true, other: true, aside: storetest.DBOnly},
	// Both gone.
	{name: "all gone", damage: removing(append(slices.Clone(storetest.States), storetest.AllDB...)...), head: storetest.SeqNone},
	{name: "all damaged", damage: both(removing("realm.db-wal"), func(t *testing.T, k *storetest.KilledRig) {
		for _, n := range append([]string{sqlite.JournalFile}, storetest.States...) {
			k.Write(t, n, []byte("dust"))
		}
	}), head: storetest.SeqNone, source: world.RestoredFromNothing, lost: true, aside: []string{"realm.db", "state.json", "state.prev.json"}},
	{name: "journal missing, states damaged", damage: both(removing(storetest.AllDB...), garbling(storetest.States...)), head: storetest.SeqNone, source: world.RestoredFromNothing, lost: true, aside: storetest.States},
	{name: "journal missing, state of another realm", damage: both(removing("state.prev.json", "realm.db", "realm.db-wal"), func(t *testing.T, k *storetest.KilledRig) {
		k.Rewrite(t, "state.json", func(_ *world.Checkpoint, w *world.World) { w.Realm.ID = "other" })
	}), head: storetest.SeqNone, source: world.RestoredFromNothing, lost: true, aside: storetest.State},
	// The log was moved into the database before it disappeared: as far as anybody can tell,
	// nothing is missing, and the journal has later events than state.json.
	{name: "log missing, all of it moved before", damage: both(running("PRAGMA wal_checkpoint(TRUNCATE)"), removing("realm.db-wal")), source: world.RestoredFromCheckpoint, lost: true},
}

func TestRecoveryTable(t *testing.T) { // S3-12, S3-17, S3-18, B10
	whole := newKilledRig(t)
	for _, c := range recoveryTable {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := whole.Copy(t)
			c.damage(t, k)
			o := storetest.MustOpen(t, k.Dir)
			head := k.Seq(c.head)
			if o.Saved.Head != head || o.Saved.World.Tick != head {
				t.Fatalf("head %d, tick %d, want %d; restored %+v", o.Saved.Head, o.Saved.World.Tick, head, o.Saved.Restored)
			}
			checkRestored(t, k, o, c)
			if o.Saved.Restored != nil && len(storetest.AsideNames(t, k.Dir)) != len(o.Saved.Restored.SetAside) {
				t.Errorf("set aside %v and told %v", storetest.AsideNames(t, k.Dir), o.Saved.Restored.SetAside)
			}
			checkGoesOn(t, k, o, head)
		})
	}
}

func checkRestored(t *testing.T, k *storetest.KilledRig, o *recovery.Opened, c recoveryCase) {
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
		if info, err := os.Stat(k.Path(n)); err != nil {
			t.Errorf("set aside and gone: %v", err)
		} else if ext == "db-shm" || ext == "db-wal" && info.Size() == 0 {
			names = names[:len(names)-1] // made by looking
		}
	}
	slices.Sort(names)
	if c.aside != nil && strings.Join(names, " ") != strings.Join(c.aside, " ") {
		t.Errorf("says it set aside %v, want %v", names, c.aside)
	}
	if w, ok := k.Worlds[o.Saved.Head]; ok && c.source != world.RestoredFromNothing && !c.other {
		storetest.SameJSON(t, "world", storetest.WithoutSalvage(o.Saved.World), json.RawMessage(w))
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

// checkGoesOn commits on the recovered realm, closes it and opens it again: numbers continue, events can be
// read, and the second opening changes nothing.
func checkGoesOn(t *testing.T, k *storetest.KilledRig, o *recovery.Opened, head int64) {
	t.Helper()
	if lines := o.Saved.Lines; lines[len(lines)-1].FromSeq != head+1 || lines[len(lines)-1].Epoch != o.Saved.Epoch {
		t.Fatalf("lines %+v at head %d", lines, head)
	}
	again := &storetest.Rig{T: t, Dir: k.Dir, O: o, W: o.Saved.World.Clone(), At: max(o.Saved.LastAt, k.R.At)}
	for _, f := range readPast(t, o.Journal, head) {
		if k.R.Frames != nil && !slices.Equal(f.Bytes, k.R.Frames[f.Seq-1]) {
			t.Fatalf("frame %d differs", f.Seq)
		}
	}
	again.Commit(&world.RealmRestored{Source: "x", RestoredTo: head, MissingMembers: []world.Member{}})
	again.Say(3)
	if _, err := o.Journal.Read(context.Background(), head, 10); err != nil {
		t.Fatal(err)
	}
	again.Checkpoint()
	again.Close()
	aside := storetest.AsideNames(t, k.Dir)
	o2 := storetest.MustOpen(t, k.Dir)
	storetest.SameJSON(t, "world after", o2.Saved.World, again.W)
	if o2.Saved.Restored.Source != world.RestoredFromCheckpoint || len(o2.Saved.Restored.SetAside) > 0 || o2.Saved.Restored.TranscriptsLost {
		t.Errorf("the second opening: %+v", o2.Saved.Restored)
	}
	if now := storetest.AsideNames(t, k.Dir); !slices.Equal(now, aside) {
		t.Errorf("the second opening set aside %v after %v", now, aside)
	}
}

// readPast reads all events that a journal still has, and skips those that are lost or trimmed.
func readPast(t testing.TB, j *journal.Journal, head int64) (out []world.Frame) {
	t.Helper()
	for after := j.Floor() - 1; after < head; {
		frames, err := j.Read(t.Context(), after, 1)
		switch {
		case errors.Is(err, disk.ErrCorrupt):
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
	for _, name := range sqlite.JournalFiles {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			out = append(out, name)
		}
	}
	return out
}

// A row that an unfinished run left open is loaded however many rows follow it, so that the next opening can
// close it.
func TestOpenRowsComeBackFromBeforeTheWindow(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	for i := range 2 * wire.ViewMessages {
		r.Commit(&world.MessageAdded{ConversationID: "c1", Message: world.Message{
			MessageID: "later" + storetest.Itoa(int64(i)), ConversationID: "c1", Role: world.RoleSystem, Name: "system", Content: "x", Status: world.MessageDone, At: r.At,
		}})
	}
	o := storetest.MustOpen(t, r.Killed())
	rows := o.Saved.Conversations[0].Messages
	if len(rows) != wire.ViewMessages+1 || rows[0].MessageID != "m4" || rows[0].Status != world.MessageOpen {
		t.Fatalf("%d rows, first %+v", len(rows), rows[0])
	}
}
