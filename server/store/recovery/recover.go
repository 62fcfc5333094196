package recovery

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/spf13/afero"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/erasure"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/journal"
	"agentdungeon/server/store/lock"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Opened is a realm restored from its folder, with a new epoch.
type Opened struct {
	Saved   world.Saved
	Journal *journal.Journal
	Files   *files.Realm
	Eraser  *erasure.Eraser
	// Warnings are faults that did not prevent the opening, for the server's log: for example vaults or a
	// checkpoint that could not be read.
	Warnings []error
	// Unwritable is the error that prevented an opening for writing, nil if there was none. The realm is then open
	// for reading until the first commit that finds the folder writable (Journal.OnBegin).
	Unwritable error
}

// MarkAuto records in the journal and in Saved.Lines that the server continues the realm's process by itself: no
// person has asked for it.
func (o *Opened) MarkAuto() error {
	if err := o.Journal.MarkAuto(); err != nil {
		return err
	}
	o.Saved.Lines[len(o.Saved.Lines)-1].Auto = true
	return nil
}

// Open restores a realm from what its folder still holds, and begins a new epoch. recoveryTable in recover_test.go
// lists the cases. dir is the realm's folder on the real file system; its JSON files are read and written through fs.
// If the folder holds nothing, Open creates the realm from realm and defaults. realm.Tenant must be valid
// (ErrNoTenant, S1-08).
//
// Damaged files never prevent an opening (S3-17): they get new names, which contain the time, and Saved.Restored lists
// these names. The same happens to a checkpoint of a newer version if the journal is intact. If a newer version wrote
// the journal, or a checkpoint that may be the only one with some of the data, Open returns ErrNewer and changes
// nothing. Open also returns errors of the disk, which do not mean that a file is damaged. If the folder cannot be
// written, Open opens the realm for reading if possible, and Opened.Unwritable is the reason. After a crash between any
// two steps of Open, the next opening restores the same realm.
func Open(ctx context.Context, fs afero.Fs, dir string, realm world.Realm, defaults world.Settings,
	now time.Time) (*Opened, error) {
	if !wire.ValidTenant(realm.Tenant) {
		return nil, fmt.Errorf("open realm %s of tenant %q: %w", realm.ID, realm.Tenant, files.ErrNoTenant)
	}
	d := newRealmDir(files.OpenRealm(fs, dir), realm, defaults, now)
	o, err := (&opening{realmDir: d}).open(ctx)
	if err != nil && !errors.Is(err, disk.ErrNewer) && !errors.Is(err, disk.ErrLocked) && ctx.Err() == nil {
		// A folder that cannot be written is the clearest reason for the failure.
		if werr := d.files.Folder.TakesWriting(); werr != nil {
			err = fmt.Errorf("%w: %w", err, werr)
		}
		var rerr error
		o, rerr = d.openReading(ctx, err, d.openLater)
		if rerr != nil && !errors.Is(rerr, disk.ErrMissing) {
			err = fmt.Errorf("the realm cannot be opened for reading either: %w; %w", rerr, err)
		}
	}
	if o == nil {
		return nil, fmt.Errorf("open realm %s: %w", realm.ID, err)
	}
	return o, nil
}

func newRealmDir(files *files.Realm, realm world.Realm, defaults world.Settings, now time.Time) *realmDir {
	return &realmDir{files: files, path: filepath.Join(files.Dir(), sqlite.JournalFile), realm: realm,
		defaults: defaults, now: world.TimeOf(now)}
}

// openLater opens a realm for writing that was open only for reading. It begins the epoch that openReading has chosen.
func (d *realmDir) openLater(epoch string) (*Opened, error) {
	now := newRealmDir(d.files, d.realm, d.defaults, time.Now())
	return (&opening{realmDir: now, epoch: epoch}).open(context.Background())
}

// opening opens one realm for writing. It holds what the steps of open pass on to each other.
type opening struct {
	*realmDir
	epoch string // the epoch to begin; "" to choose a new one
	// A repair checks a journal more thoroughly than an opening does, and sets these two errors. rebuildFor is the
	// reason for which the journal must be rebuilt although an opening would use it as it is. rewriteFor is the
	// reason for which it must be rewritten from its own tables. Each is nil if there is no such reason.
	rebuildFor, rewriteFor error

	journal     *examined
	checkpoints []*checkpointFile
	warnings    []error
}

func (o *opening) open(ctx context.Context) (_ *Opened, err error) {
	if err := o.files.Folder.Create(); err != nil {
		return nil, err
	}
	held, err := lock.HoldRealm(o.files.Dir())
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, held.Release())
		}
	}()
	if err := o.finishRebuild(ctx); err != nil {
		return nil, err
	}
	// An opening needs state.json in any case. Read it while the journal is examined: reading changes nothing, and
	// for 10 MB it takes as long as all other steps of an opening together. The newest events are read meanwhile, too.
	o.checkpoints = newCheckpointFiles()
	var reading sync.WaitGroup
	reading.Go(func() { o.checkpoints[0].load(o.files) })
	if o.journal, err = examine(ctx, o.path); err == nil {
		o.journal.readNewest(ctx)
	}
	reading.Wait()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, o.journal.close()) }()
	if o.journal.isWhole() {
		o.journal.damage = o.rebuildFor
		o.journal.rewrite = cmp.Or(o.journal.rewrite, o.rewriteFor)
	}
	from, notice, err := o.prepare(ctx)
	for rewritten := false; err == nil; rewritten = true {
		opened, beginErr := o.begin(ctx, from, notice)
		if beginErr == nil {
			return opened, opened.hold(held)
		}
		if !o.journal.isWhole() || !isBroken(beginErr) {
			return nil, beginErr
		}
		// Some damage, for example of a table's index, causes an error only when the journal is written. Then rewrite the
		// journal from its tables and try again; if that fails too, rebuild it.
		if !rewritten {
			err = o.rewrite(beginErr)
		} else {
			err = o.markDamaged(beginErr)
		}
		if err == nil && !o.journal.isWhole() {
			from, notice, err = o.rebuild(ctx, o.journal, o.checkpoints, notice.SetAside)
		}
	}
	return nil, err
}

// prepare makes realm.db usable by this version: as it is, migrated, rewritten or rebuilt. It returns the world to
// start from and the notice for the realm's clients.
//
// The handle on an intact journal stays open until begin has opened another one. SQLite removes the index of the
// log when the last handle is closed. Then the next handle would read the whole log to create the index again,
// which may take as long as an opening.
func (o *opening) prepare(ctx context.Context) (*origin, *tables.Notice, error) {
	if o.journal.isWhole() {
		from, warnings, err := o.chooseWorld(ctx, o.journal, o.checkpoints)
		o.warnings = append(o.warnings, warnings...)
		switch {
		case err == nil:
			err = o.update()
		case sqlite.IsDamage(err):
			o.journal.damage, err = err, nil
		}
		if err != nil {
			return nil, nil, err
		}
		if o.journal.isWhole() {
			notice, err := o.keep(from)
			return from, notice, err
		}
	}
	return o.rebuild(ctx, o.journal, o.checkpoints, nil)
}

// update migrates an intact journal to this version or rewrites its damaged indexes, before anything else is written.
// If the journal turns out to be damaged meanwhile, update marks the journal as damaged.
func (o *opening) update() error {
	if o.journal.rewrite != nil {
		return o.rewrite(o.journal.rewrite)
	}
	if o.journal.version == tables.Version {
		return nil
	}
	if err := o.journal.close(); err != nil {
		return err
	}
	return o.markDamaged(tables.Migrate(o.path, o.journal.version))
}

// rewrite rebuilds the journal from its own tables. The parameter why is the reason, which becomes a warning. If the
// journal turns out to be damaged, rewrite marks it as damaged.
func (o *opening) rewrite(why error) error {
	o.journal.newest = nil
	if err := o.journal.close(); err != nil {
		return err
	}
	if err := tables.Rewrite(o.files.Folder, o.journal.logLost); err != nil {
		return o.markDamaged(err)
	}
	o.warnings = append(o.warnings, fmt.Errorf("%s was rebuilt from its own tables, nothing is lost: %w",
		sqlite.JournalFile, why))
	return nil
}

// markDamaged handles err, the error of a use of the journal. If err shows that the file is damaged, it marks the
// journal as damaged and returns nil. It returns any other error, which comes from the disk or a mistake in this
// program; then no file is set aside.
func (o *opening) markDamaged(err error) error {
	if err == nil || !isBroken(err) {
		return err
	}
	o.journal.damage = err
	return nil
}

// isBroken reports whether an error shows that the journal's file is damaged.
func isBroken(err error) bool { return sqlite.IsBroken(err) || errors.Is(err, disk.ErrCorrupt) }

// keep sets aside the checkpoints that are damaged, of a newer version, or not of the journal, which is intact and
// stays as it is. It returns the notice, with which this opening reports to clients what it has restored.
func (o *opening) keep(from *origin) (*tables.Notice, error) {
	notice := from.notice(o.journal)
	var unusable []string
	for _, c := range o.checkpoints {
		if c.isSpoiled() || c.loaded != nil && c.relate(o.journal) == foreign {
			unusable = append(unusable, c.name)
		}
	}
	var err error
	if notice.SetAside, err = o.files.SetAside(unusable...); err != nil {
		return nil, err
	}
	last := o.journal.notice
	if last == nil || last.Head != from.seq {
		return notice, nil
	}
	// The last opening stored what it has restored, but the realm was closed before clients were told. So this
	// opening reports it too.
	notice.SetAside = slices.Concat(last.SetAside, notice.SetAside)
	notice.SetAside = notice.SetAside[max(len(notice.SetAside)-maxSetAside, 0):]
	if last.TranscriptsLost || last.Salvage != nil {
		notice.Source, notice.Since = last.Source, last.Since
	}
	notice.TranscriptsLost = notice.TranscriptsLost || last.TranscriptsLost
	notice.Salvage = last.Salvage
	if last.Source == "" && len(notice.SetAside) == 0 && !notice.TranscriptsLost {
		notice.Source = "" // the realm was never used before, so its notice has no source
	}
	return notice, nil
}

// maxSetAside is the maximum number of files that were set aside whose names an opening reports, including those that
// the last opening has not reported.
const maxSetAside = 100

// begin opens the journal for a new epoch and reads the state that the actor starts from.
func (o *opening) begin(ctx context.Context, from *origin, notice *tables.Notice) (*Opened, error) {
	lastAt := o.journal.timeAt(from)
	line := world.Line{Epoch: cmp.Or(o.epoch, rand.Text()), FromSeq: from.seq + 1, OpenedAt: o.now}
	if was := o.journal.tenant; was != "" && was != o.realm.Tenant {
		// The folder decides which tenant has the realm (files/adopt.go). The event realm:restored names the new
		// tenant.
		o.warnings = append(o.warnings, fmt.Errorf(
			"the realm belonged to tenant %s; its folder is now in the folder of tenant %s, so it belongs to that tenant",
			was, o.realm.Tenant))
	}
	// The first client needs the encoded world. For a world of 10 MB the encoding takes 13 ms, and opening the
	// journal, which mostly waits for the disk, takes 20 ms. So encode while the journal is opened.
	from.settle()
	var encoding sync.WaitGroup
	encoding.Go(func() { _, _ = from.state() }) // the calls of state below get the error
	defer encoding.Wait()                       // rebuild may change the world after begin has failed
	j, err := journal.Open(o.path, o.realm.Tenant, line, notice)
	if cerr := o.journal.close(); err == nil && cerr != nil {
		err = errors.Join(cerr, j.Close())
	}
	if err != nil {
		return nil, err
	}
	opened := &Opened{Journal: j, Files: o.files, Eraser: erasure.New(j)}
	o.files.CountMessages(j.Messages)
	pending, err := opened.Eraser.Resume(ctx, o.files, from.world, from.checkpoint)
	if err != nil {
		return nil, errors.Join(err, j.Close())
	}
	var warnings []error
	if opened.Saved, warnings, err = o.load(ctx, j, from, notice); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	opened.Saved.LastAt, opened.Saved.Erasures = lastAt, pending
	if o.journal.isWhole() {
		opened.Saved.Newest = o.journal.newest
	}
	opened.Warnings = append(o.warnings, warnings...)
	return opened, nil
}

// hold records the folder of the opened realm. From now on the realm notices if its folder is moved. The journal
// frees the folder's lock when it is closed.
func (o *Opened) hold(folder *lock.Folder) error {
	if err := o.Journal.Hold(folder); err != nil {
		return errors.Join(err, o.Journal.Close())
	}
	o.Files.Hold(folder)
	return nil
}
