package recovery

import (
	"context"
	"errors"
	"fmt"
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
	After *Checked `json:"after,omitempty"` // the check of the copy; nil if no copy was made
	// Unread is the number of bytes that the disk could not read. The copy has zeros in their place. Links has the
	// names of the links, which are not copied.
	Unread int64    `json:"unreadBytes,omitempty"`
	Links  []string `json:"links,omitempty"`
}

// Repair copies a tenant's realm and makes the copy intact: it salvages what can be read of a damaged journal,
// records gaps for unreadable events, marks damaged rows, and sets unusable files aside. The realm's own folder is
// only read. dst is the path of the copy; if it is "", the copy is <realm>.repaired-<time> beside the realm. Nothing
// may exist at that path yet, but its parent folder must exist.
//
// Repair returns a *LockedError if a server has locked the worlds folder, ErrLocked (wrapped) if another program has
// the realm open, and ErrNewer if a newer version wrote the realm. After an error there is no copy.
func Repair(ctx context.Context, fsys afero.Fs, dir, tenant, realmID, dst string, now time.Time) (done *Repaired,
	err error) {
	done = new(Repaired)
	err = withRealms(fsys, dir, tenant, realmID, func(w *files.Stopped, entries []files.RealmEntry) error {
		if len(entries) != 1 {
			return fmt.Errorf("tenant %s has no realm %q in %s", tenant, realmID, dir)
		}
		return repairRealm(ctx, w, done, entries[0], dst, now)
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
	if taken, err := in.Has(name); err != nil {
		return err
	} else if taken {
		return fmt.Errorf("%s exists already", to)
	}
	part := to + partSuffix // the copy is renamed to its final name when it is complete
	if err := os.Mkdir(part, disk.FolderPerm); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(part))
		}
	}()
	if done.Links, err = copyFolder(from, part, func(rel string) bool {
		return rel == sqlite.JournalFile+"-shm" // the -shm file is not copied: SQLite creates it again
	}, func(from, to string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return copyFile(from, to, func(out, in *os.File, size int64) error {
			unread, err := writeReadable(out, in, size)
			done.Unread += unread
			return err
		})
	}); err != nil {
		return fmt.Errorf("copy the realm's folder: %w", err)
	}
	if err := openCopy(ctx, w, done.Before, part, now); err != nil {
		return err
	}
	after, err := check(ctx, w, done.Before.entry, part)
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

// openCopy repairs a copy of a damaged realm in the folder dir: it opens the realm there, which repairs it, and
// closes the realm.
func openCopy(ctx context.Context, w *files.Stopped, before *Checked, dir string, now time.Time) error {
	home := files.OpenRealm(w.FS(), dir)
	// A normal opening reads state.prev.json only if state.json cannot be used, but the copy must have no damaged file.
	if before.States[1].Problem != "" {
		if _, err := home.SetAside(files.PreviousFile); err != nil {
			return err
		}
	}
	o, err := (&opening{realmDir: newRealmDir(home, before.entry.Realm(), before.defaults, now),
		rebuildFor: before.rebuildFor, rewriteFor: before.rewriteFor}).open(ctx)
	if err != nil {
		return err
	}
	return o.Journal.Close()
}
