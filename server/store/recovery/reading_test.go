package recovery_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/afero"

	"agentdungeon/server/soak"
	"agentdungeon/server/store/recovery"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/storetest"
	"agentdungeon/shared/world"
)

// An image reads what SQLite reads of a database and its log, wherever the log ends or is damaged (S3-17).
func TestImageIsWhatSQLiteReads(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	r.Say(20)
	log, err := os.ReadFile(filepath.Join(r.Dir, sqlite.JournalFile+"-wal"))
	storetest.Must(t, err)
	if len(log) < 4*4096 {
		t.Fatalf("the log has %d bytes", len(log))
	}
	for cut := 0; cut <= len(log); cut += 1777 {
		for _, flip := range []bool{false, true} {
			if soak.Skips(cut/1777, len(log)/1777+1) {
				continue
			}
			dir := r.Killed()
			cutLog := log[:cut:cut]
			if flip && cut > 3000 {
				cutLog = bytes.Clone(log)
				cutLog[cut-1] ^= 4
			}
			storetest.Must(t, os.WriteFile(filepath.Join(dir, sqlite.JournalFile+"-wal"), cutLog, 0o600))
			got := allOf(t, dir, true)
			if want := allOf(t, dir, false); got != want {
				t.Fatalf("the log cut at %d, flipped %t:\n got %s\nwant %s", cut, flip, storetest.Clipped([]byte(got)), storetest.Clipped([]byte(want)))
			}
		}
	}
}

// allOf returns the content of the tables of a folder's journal, read through an image or by SQLite.
func allOf(t *testing.T, dir string, byImage bool) string {
	t.Helper()
	ctx, path := context.Background(), filepath.Join(dir, sqlite.JournalFile)
	db, err := sqlite.Open(ctx, path, sqlite.ModeRead, 1)
	if byImage {
		storetest.Must(t, errors.Join(err, db.Close()))
		m, merr := sqlite.OpenImage(path)
		storetest.Must(t, merr)
		defer func() { storetest.Must(t, m.Close()) }()
		db, err = m.Handle(ctx, 1, sqlite.CheckCells)
	}
	storetest.Must(t, err)
	defer func() { storetest.Must(t, db.Close()) }()
	var out string
	storetest.Must(t, sqlite.One(ctx, db, []any{&out}, `SELECT (SELECT ifnull(group_concat(seq || hex(frame)), '') FROM journal) || '|' ||
		(SELECT ifnull(group_concat(message_id || content), '') FROM messages) || '|' || (SELECT group_concat(key || '=' || value) FROM meta)
		|| '|' || (SELECT count(*) FROM line)`))
	return out
}

// refusing is a file system that creates no files while err is set.
type refusing struct {
	afero.Fs
	err error
}

func (f *refusing) OpenFile(name string, flag int, perm os.FileMode) (afero.File, error) {
	if f.err != nil && flag&os.O_CREATE != 0 {
		return nil, &os.PathError{Op: "open", Path: name, Err: f.err}
	}
	return f.Fs.OpenFile(name, flag, perm)
}

// A realm that is open for reading has its world and events, and changes no byte of its folder. The first commit
// for which there is room opens it for writing, with the epoch that clients already have, and the next opening
// has what was committed.
func TestOpenForReading(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	r.Say(5)
	dir := r.Killed()
	before := filesIn(t, dir)
	fsys := &refusing{Fs: afero.NewOsFs(), err: syscall.ENOSPC}
	why := errors.New("no room")
	o, err := recovery.OpenReading(context.Background(), fsys, dir, storetest.RigRealm, storetest.RigStart, why)
	storetest.Must(t, err)
	defer func() { storetest.Must(t, o.Journal.Close()) }()
	if !errors.Is(o.Unwritable, why) {
		t.Errorf("it is unwritable because of %v", o.Unwritable)
	}
	storetest.SameJSON(t, "the world", o.Saved.World, r.W)
	frames := storetest.ReadAll(t, o.Journal, 0)
	if len(frames) != len(r.Frames) || !bytes.Equal(bytes.Join(frames, nil), bytes.Join(r.Frames, nil)) {
		t.Fatalf("it has %d events of %d", len(frames), len(r.Frames))
	}
	storetest.Must(t, o.MarkAuto())
	next := r.Batch(&world.FindingPosted{Finding: world.Finding{ID: "late", AgentID: "bard", Severity: "info", Title: "late", At: r.At}})
	for range 2 {
		if err := o.Journal.Commit(next); !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("a commit without room: %v", err)
		}
		if err := o.Journal.SaveBase(r.WorldNow()); err == nil {
			t.Error("a base was saved without room")
		}
	}
	if after := filesIn(t, dir); after != before {
		t.Errorf("the folder was\n%s\nand is\n%s", before, after)
	}
	fsys.err = nil
	begun := 0
	o.Journal.OnBegin(func([]error) { begun++ })
	storetest.Must(t, o.Journal.Commit(next))
	r.Fold(next)
	if again := storetest.ReadAll(t, o.Journal, 0); len(again) != len(r.Frames) || begun != 1 {
		t.Errorf("%d events of %d once there is room, begun %d times", len(again), len(r.Frames), begun)
	}
	storetest.Must(t, o.Journal.Close())
	again := storetest.MustOpen(t, dir)
	storetest.SameJSON(t, "the world at the next opening", again.Saved.World, r.W)
	lines := again.Saved.Lines
	if l := lines[len(lines)-2]; l.Epoch != o.Saved.Epoch || !l.Auto || l.FromSeq != o.Saved.Head+1 {
		t.Errorf("the line that was told is %+v in the journal, told was %s after %d", l, o.Saved.Epoch, o.Saved.Head)
	}
}

// A realm with an unfinished erasure is not opened for reading, because it would show words that are to be
// erased.
func TestNotOpenedForReading(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	storetest.Must(t, r.O.Eraser.IntendErasure(world.Erasure{ErasureID: "e1", At: r.At, Conversations: []string{"c1"}}))
	dir := r.Killed()
	if o, err := recovery.OpenReading(context.Background(), afero.NewOsFs(), dir, storetest.RigRealm, time.Time{}, errors.New("no room")); err == nil || !strings.Contains(err.Error(), "erasure e1 must end before") {
		t.Errorf("%v, %v", o, err)
	}
}

// filesIn returns the names and contents of the files in a folder.
func filesIn(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	storetest.Must(t, err)
	var b strings.Builder
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(dir, e.Name()))
		storetest.Must(t, err)
		b.WriteString(e.Name() + ":" + string(raw) + "\n")
	}
	return b.String()
}
