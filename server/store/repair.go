package store

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

	"agentdungeon/shared/world"
)

// Repaired is what came of a repair.
type Repaired struct {
	Before *Checked `json:"before"`
	// Dir is the repaired copy, "" where the realm is whole and there was nothing to repair.
	Dir   string   `json:"dir,omitempty"`
	After *Checked `json:"after,omitempty"` // nil without one
	// Unread is how many bytes of the realm's files the disk did not give: they are zeros in
	// the copy. Links, which are not copied, are named in Links.
	Unread int64    `json:"unreadBytes,omitempty"`
	Links  []string `json:"links,omitempty"`
}

// Repair copies a tenant's realm to the folder to, or to <realm>.repaired-<time> beside it where
// that is "", and makes a whole realm of the copy: what can be read of a damaged journal is salvaged,
// events that cannot be read become gaps, damaged rows are marked, files that cannot be used are
// set aside. The realm itself is only read. to must not be there, and its parent must.
//
// A folder that a server holds is a *LockedError, a realm that another process has open ErrLocked
// (wrapped), one that a newer version wrote ErrNewer. After an error there is no copy.
func Repair(ctx context.Context, fsys afero.Fs, dir, tenant, realmID, to string, now time.Time) (done *Repaired, err error) {
	dir, err = cleanDir(fsys, dir)
	if err != nil {
		return nil, err
	}
	release, err := keepStill(fsys, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	s := readingStore(fsys, dir)
	entries, err := s.entries(tenant, realmID)
	if err != nil {
		return nil, err
	}
	if len(entries) != 1 {
		return nil, fmt.Errorf("tenant %s has no realm %q in %s", tenant, realmID, dir)
	}
	e := entries[0]
	from := s.tenantRoot(tenant).path(e.ID)
	done = new(Repaired)
	if done.Before, err = s.check(ctx, e, from); err != nil || done.Before.Whole() {
		return done, err
	}
	if len(done.Before.States) == 0 {
		return done, fmt.Errorf("realm %s: %s", e.ID, done.Before.Damage[0])
	}
	held, err := s.holdStill(from)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, held.release()) }()
	if to == "" {
		to = from + repairedSuffix + now.UTC().Format("20060102T150405Z")
	}
	if to, err = filepath.Abs(to); err != nil {
		return done, err
	}
	if rel, err := filepath.Rel(from, to); err == nil && !strings.HasPrefix(rel, "..") {
		return done, fmt.Errorf("%s lies in the realm's own folder, which is not changed", to)
	}
	if err := s.repairTo(ctx, done, from, to, now); err != nil {
		return done, fmt.Errorf("repair realm %s: %w", e.ID, err)
	}
	return done, nil
}

func (s *Store) repairTo(ctx context.Context, done *Repaired, from, to string, now time.Time) (err error) {
	in, name := folder{s.root.fs, filepath.Dir(to)}, filepath.Base(to)
	if taken, err := in.has(name); err != nil || taken {
		return errors.Join(err, fmt.Errorf("%s is there already", to))
	}
	part := to + partSuffix // it is whole when it has its name
	if err := os.Mkdir(part, folderPerm); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(part))
		}
	}()
	if done.Links, err = copyFolder(from, part, func(rel string, _ fs.DirEntry) bool {
		return rel == JournalFile+"-shm" // the log's index is made anew
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
	files := OpenFiles(s.root.fs, part)
	if before.States[1].Problem != "" { // an opening looks at it only where it needs it
		if _, err := files.SetAside(PreviousFile); err != nil {
			return err
		}
	}
	r := &recovery{
		driver: sqliteDriver, files: files, path: filepath.Join(part, JournalFile),
		realm: before.entry.Realm(), defaults: before.beginning, now: world.TimeOf(now), anew: before.salvages, index: before.index,
	}
	o, err := r.open(ctx)
	if err != nil {
		return err
	}
	if err := o.Journal.Close(); err != nil {
		return err
	}
	after, err := s.check(ctx, before.entry, part)
	if err != nil {
		return err
	}
	if !after.Whole() {
		return fmt.Errorf("the copy is not whole either: %s", strings.Join(after.Damage, "; "))
	}
	after.Dir, done.After, done.Dir = to, after, to
	if err := in.rename(name+partSuffix, name); err != nil {
		return err
	}
	return in.sync()
}

// copyReadable copies what the disk gives of a file; zeros stand for the rest, which unread
// counts.
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
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, filePerm)
	if err != nil {
		return 0, err
	}
	if unread, err = writeReadable(out, in, info.Size()); err == nil {
		err = out.Sync()
	}
	return unread, errors.Join(err, out.Close())
}

// sectorBytes is the least that a disk cannot read, on most of them.
const sectorBytes = 4096

// writeReadable writes size bytes of in to out, zeros for those that cannot be read.
func writeReadable(out io.Writer, in io.ReaderAt, size int64) (unread int64, err error) {
	const chunk = 256 * sectorBytes
	buf := make([]byte, chunk)
	for at, step := int64(0), int64(chunk); at < size; {
		part := buf[:min(step, size-at)]
		n, err := in.ReadAt(part, at)
		if n < len(part) {
			if step > sectorBytes { // what of it cannot be read?
				step = sectorBytes
				continue
			}
			if err == nil || errors.Is(err, io.EOF) {
				return unread, fmt.Errorf("it got shorter: %w", io.ErrUnexpectedEOF)
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
