package recovery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/afero"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/sqlite"
)

// Repaired is the result of a repair.
type Repaired struct {
	Before *Checked `json:"before"`
	// Dir is the repaired copy, "" if the realm is intact and needed no repair.
	Dir   string   `json:"dir,omitempty"`
	After *Checked `json:"after,omitempty"` // nil without a copy
	// Unread is the number of bytes that the disk could not read: they are zeros in the copy. Links names
	// the links, which are not copied.
	Unread int64    `json:"unreadBytes,omitempty"`
	Links  []string `json:"links,omitempty"`
}

// Repair copies a tenant's realm to the folder to, or to <realm>.repaired-<time> beside it if to is "", and
// makes the copy intact: it salvages what can be read of a damaged journal, records gaps for unreadable
// events, marks damaged rows, and sets unusable files aside. It only reads the realm itself. to must not
// exist, and its parent must.
//
// It returns a *LockedError if a server holds the worlds folder, ErrLocked (wrapped) if another process has the
// realm open, and ErrNewer if a newer version wrote it. After an error there is no copy.
func Repair(ctx context.Context, fsys afero.Fs, dir, tenant, realmID, to string, now time.Time) (done *Repaired,
	err error) {
	done = new(Repaired)
	err = inStopped(fsys, dir, tenant, realmID, func(w *files.Stopped, entries []files.RealmEntry) error {
		if len(entries) != 1 {
			return fmt.Errorf("tenant %s has no realm %q in %s", tenant, realmID, dir)
		}
		return repairRealm(ctx, w, done, entries[0], to, now)
	})
	return done, err
}

func repairRealm(ctx context.Context, w *files.Stopped, done *Repaired, e files.RealmEntry, to string,
	now time.Time) (err error) {
	from := w.RealmDir(e)
	if done.Before, err = check(ctx, w, e, from); err != nil || done.Before.Whole() {
		return err
	}
	if len(done.Before.States) == 0 {
		return fmt.Errorf("realm %s: %s", e.ID, done.Before.Damage[0])
	}
	held, err := w.HoldRealm(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	if to == "" {
		to = from + files.RepairedSuffix + now.UTC().Format("20060102T150405Z")
	}
	if to, err = filepath.Abs(to); err != nil {
		return err
	}
	if rel, err := filepath.Rel(from, to); err == nil && !strings.HasPrefix(rel, "..") {
		return fmt.Errorf("%s is inside the realm's own folder, which must not change", to)
	}
	if err := repairTo(ctx, w, done, from, to, now); err != nil {
		return fmt.Errorf("repair realm %s: %w", e.ID, err)
	}
	return nil
}

func repairTo(ctx context.Context, w *files.Stopped, done *Repaired, from, to string, now time.Time) (err error) {
	in, name := disk.At(w.FS(), filepath.Dir(to)), filepath.Base(to)
	if taken, err := in.Has(name); err != nil || taken {
		return errors.Join(err, fmt.Errorf("%s exists already", to))
	}
	part := to + partSuffix // it gets its final name when it is complete
	if err := os.Mkdir(part, disk.FolderPerm); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(part))
		}
	}()
	if done.Links, err = copyFolder(from, part, func(rel string, _ fs.DirEntry) bool {
		return rel == sqlite.JournalFile+"-shm" // SQLite creates the log's index again
	}, func(from, to string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		unread, err := copyReadable(from, to)
		done.Unread += unread
		return err
	}); err != nil {
		return fmt.Errorf("copy it: %w", err)
	}
	before := done.Before
	home := files.OpenRealm(w.FS(), part)
	if before.States[1].Problem != "" { // an opening looks at it only where it needs it
		if _, err := home.SetAside(files.PreviousFile); err != nil {
			return err
		}
	}
	r := newOpening(home, before.entry.Realm(), before.beginning, now, "")
	r.anew, r.index = before.salvages, before.index
	o, err := r.open(ctx)
	if err != nil {
		return err
	}
	if err := o.Journal.Close(); err != nil {
		return err
	}
	after, err := check(ctx, w, before.entry, part)
	if err != nil {
		return err
	}
	if !after.Whole() {
		return fmt.Errorf("the copy is damaged too: %s", strings.Join(after.Damage, "; "))
	}
	after.Dir, done.After, done.Dir = to, after, to
	if err := in.Rename(name+partSuffix, name); err != nil {
		return err
	}
	return in.Sync()
}

// copyReadable copies what the disk can read of a file. It writes zeros for the rest, which unread
// counts in bytes.
func copyReadable(from, to string) (unread int64, err error) {
	in, err := os.Open(from)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	info, err := in.Stat()
	if err != nil {
		return 0, err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, disk.FilePerm)
	if err != nil {
		return 0, err
	}
	if unread, err = writeReadable(out, in, info.Size()); err == nil {
		err = out.Sync()
	}
	return unread, errors.Join(err, out.Close())
}

// sectorBytes is the smallest range that most disks can fail to read.
const sectorBytes = 4096

// writeReadable writes size bytes of in to out, with zeros for those that cannot be read.
func writeReadable(out io.Writer, in io.ReaderAt, size int64) (unread int64, err error) {
	const chunk = 256 * sectorBytes
	buf := make([]byte, chunk)
	for at, step := int64(0), int64(chunk); at < size; {
		part := buf[:min(step, size-at)]
		n, err := in.ReadAt(part, at)
		if n < len(part) {
			if step > sectorBytes { // find out which part of the range cannot be read
				step = sectorBytes
				continue
			}
			if err == nil || errors.Is(err, io.EOF) {
				return unread, fmt.Errorf("the file became shorter: %w", io.ErrUnexpectedEOF)
			}
			clear(part)
			unread += int64(len(part))
		}
		if _, err := out.Write(part); err != nil {
			return unread, err
		}
		if at += int64(len(part)); at%chunk == 0 {
			step = chunk
		}
	}
	return unread, nil
}
