package recovery

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
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
	// Warnings are faults that did not prevent the opening, for the log: for example vaults or a
	// checkpoint that could not be read.
	Warnings []error
	// Unwritable is why the realm is open for reading only at first, nil if it is open for writing. See
	// Journal.OnBegin.
	Unwritable error
}

// MarkAuto records in the journal and in Saved.Lines that the server's start, and not a person, resumed the
// process.
func (o *Opened) MarkAuto() error {
	if err := o.Journal.MarkAuto(); err != nil {
		return err
	}
	o.Saved.Lines[len(o.Saved.Lines)-1].Auto = true
	return nil
}

// Open restores a realm from what its folder still holds, by the table in recover_test.go ("Start"), and
// begins a new epoch. dir is a real folder, fs the file system of its JSON files. realm and defaults are used
// to create the realm if its folder holds nothing; its tenant must be named (ErrNoTenant, S1-08).
//
// Damaged files never prevent an opening (S3-17): they are renamed with the time, and Saved.Restored names
// them. Open returns ErrNewer before it changes anything, and errors of the disk, which say nothing about the
// files. If the folder cannot be written, the realm is opened for reading if possible, and Opened.Unwritable
// says why. The order of the steps ensures that after a crash between any two of them the next opening
// restores the same realm.
func Open(ctx context.Context, fs afero.Fs, dir string, realm world.Realm, defaults world.Settings,
	now time.Time) (*Opened, error) {
	if !wire.ValidTenant(realm.Tenant) {
		return nil, fmt.Errorf("open realm %s of tenant %q: %w", realm.ID, realm.Tenant, files.ErrNoTenant)
	}
	files := files.OpenRealm(fs, dir)
	begin := func(now time.Time, epoch string) *opening {
		return newOpening(files, realm, defaults, now, epoch)
	}
	o, err := begin(now, "").open(ctx)
	if err != nil && !errors.Is(err, disk.ErrNewer) && !errors.Is(err, disk.ErrLocked) && ctx.Err() == nil {
		if werr := files.Folder.TakesWriting(); werr != nil { // the clearest reason
			err = fmt.Errorf("%w: %w", err, werr)
		}
		var rerr error
		o, rerr = begin(now, "").openReading(ctx, err, func(epoch string) (*Opened, error) {
			return begin(time.Now(), epoch).open(context.Background())
		})
		if rerr != nil && !errors.Is(rerr, disk.ErrMissing) {
			err = fmt.Errorf("it cannot be opened for reading either: %w; %w", rerr, err)
		}
	}
	if o == nil {
		return nil, fmt.Errorf("open realm %s: %w", realm.ID, err)
	}
	return o, nil
}

type opening struct {
	files    *files.Realm
	path     string // of realm.db
	realm    world.Realm
	defaults world.Settings
	now      world.Time
	epoch    string // of this opening; "" for a new one
	// A repair checks more than an opening. anew is why it rebuilds the journal from what can be read, index
	// why from its own tables, although an opening would use the journal as it is. nil for no reason.
	anew, index error
	warnings    []error
}

// newOpening prepares an opening with that epoch, "" for a new one. realm and defaults are used to create the
// realm if its folder holds nothing.
func newOpening(files *files.Realm, realm world.Realm, defaults world.Settings, now time.Time,
	epoch string) *opening {
	return &opening{
		files: files, path: filepath.Join(files.Dir(), sqlite.JournalFile),
		realm: realm, defaults: defaults, now: world.TimeOf(now), epoch: epoch,
	}
}

// origin is a world to start from.
type origin struct {
	source  string // world.RestoredFromCheckpoint and so on
	file    string // the checkpoint's file, "" for none
	epoch   string // the epoch of seq
	seq     int64
	savedAt world.Time // when the world was written
	world   *world.World
	land    *world.Land // the last known land; must not be changed
	older   bool        // written before worlds had instances, or folded from events of that time
}

func (r *opening) open(ctx context.Context) (_ *Opened, err error) {
	if err := r.files.Folder.Create(); err != nil {
		return nil, err
	}
	held, err := lock.HoldRealm(r.files.Dir())
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, held.Release())
		}
	}()
	if err := r.finishSalvage(ctx); err != nil {
		return nil, err
	}
	gens := generations()
	// The table needs state.json whatever the journal says. Reading it changes
	// nothing, and at 10 MB it takes as long as the rest of an opening together.
	var reading sync.WaitGroup
	reading.Go(func() { gens[0].load(r.files) })
	rem, err := examine(ctx, r.path)
	reading.Wait()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rem.Close()) }()
	if rem.Whole() {
		rem.Damage = r.anew
		rem.index = cmp.Or(rem.index, r.index)
	}
	from, told, err := r.prepare(ctx, rem, gens)
	for mended := false; err == nil; mended = true {
		o, berr := r.begin(ctx, rem, from, told)
		if berr == nil {
			return o, o.hold(held)
		}
		if !rem.Whole() || !sqlite.IsBroken(berr) && !errors.Is(berr, disk.ErrCorrupt) {
			return nil, berr
		}
		// Damage that no examination sees and using it meets, as in an index of a table.
		if !mended {
			err = r.mend(rem, berr)
		} else {
			err = abandon(rem, berr)
		}
		if err == nil && !rem.Whole() {
			from, told, err = r.rebuild(ctx, rem, gens, told.SetAside)
		}
	}
	return nil, err
}

// prepare makes realm.db one that can go on: as it is, or made anew of what it still gives.
// The handle on a journal that goes on stays open until begin has another: with the last
// handle goes the index of the log, and the next one reads the whole log again to make it, as
// long as an opening may take.
func (r *opening) prepare(ctx context.Context, rem *Remains, gens []*generation) (*origin, *tables.Notice, error) {
	if rem.Whole() {
		from, err := r.fromJournal(ctx, rem, gens)
		switch {
		case err == nil:
			err = r.renew(rem)
		case sqlite.IsDamage(err):
			rem.Damage, err = err, nil
		}
		if err != nil {
			return nil, nil, err
		}
		if rem.Whole() {
			told, err := r.keep(rem, gens, from)
			return from, told, err
		}
	}
	return r.rebuild(ctx, rem, gens, nil)
}

// begin opens the journal for a new epoch and reads the state that the actor starts from.
func (r *opening) begin(ctx context.Context, rem *Remains, from *origin, told *tables.Notice) (*Opened, error) {
	lastAt := rem.lastOf(from)
	line := world.Line{Epoch: cmp.Or(r.epoch, rand.Text()), FromSeq: from.seq + 1, OpenedAt: r.now}
	if rem.tenant != "" && rem.tenant != r.realm.Tenant {
		// The folder is the authority (files/registry_open.go); realm:restored tells the new one.
		r.warnings = append(r.warnings, fmt.Errorf(
			"the realm was tenant %s's and lies in tenant %s's folder: it is that one's from now on",
			rem.tenant, r.realm.Tenant))
	}
	// Nothing changes the world from here on until the actor has it. Encoding 10 MB takes
	// as long as opening the journal, which waits for the disk.
	var encoded []byte
	var encoding sync.WaitGroup
	defer encoding.Wait()
	encoding.Go(func() {
		if raw, err := world.EncodeState(from.world, from.land); err == nil { // else the actor meets it
			encoded = raw
		}
	})
	j, err := journal.Open(r.path, r.realm.Tenant, line, told)
	if cerr := rem.Close(); err == nil && cerr != nil {
		err = errors.Join(cerr, j.Close())
	}
	if err != nil {
		return nil, err
	}
	o := &Opened{Journal: j, Files: r.files, Eraser: erasure.New(j)}
	r.files.CountMessages(j.Messages)
	pending, err := o.Eraser.Resume(ctx, r.files, from.world,
		func() (world.Checkpoint, error) { return foldedAt(from) })
	if err != nil {
		return nil, errors.Join(err, j.Close())
	}
	if o.Saved, err = r.load(ctx, j, from, told); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	encoding.Wait()
	o.Saved.LastAt, o.Saved.Erasures, o.Saved.Encoded = lastAt, pending, encoded
	o.Warnings = r.warnings
	return o, nil
}

// lastOf is when the last event was, as far as it is known.
func (r *Remains) lastOf(from *origin) world.Time {
	if r.Whole() && r.lastAt > 0 {
		return r.lastAt
	}
	return from.savedAt
}

// renew makes a whole journal one that this version writes, before anything else is
// written: of this version's tables, with a search index that is whole. Where it turns
// out to be damaged after all, it marks it so.
func (r *opening) renew(rem *Remains) error {
	if rem.version == tables.Version && rem.index == nil {
		return nil
	}
	if rem.index != nil {
		return r.mend(rem, rem.index)
	}
	if err := rem.Close(); err != nil {
		return err
	}
	if err := tables.Migrate(r.path, rem.version); err != nil {
		return abandon(rem, err)
	}
	return nil
}

// mend makes a journal anew from its own tables because of why.
func (r *opening) mend(rem *Remains, why error) error {
	if err := rem.Close(); err != nil {
		return err
	}
	if err := tables.Rewrite(r.files.Folder, rem.logLost); err != nil {
		return abandon(rem, err)
	}
	r.warnings = append(r.warnings, fmt.Errorf("%s was made anew from its own tables, nothing is lost: %w",
		sqlite.JournalFile, why))
	return nil
}

// abandon marks a journal as damaged after an error of using it shows that. Any other error
// is the disk's, or our mistake, and is returned: then nothing is taken away.
func abandon(rem *Remains, err error) error {
	if !sqlite.IsBroken(err) && !errors.Is(err, disk.ErrCorrupt) {
		return err
	}
	rem.Damage = err
	return nil
}

// keep goes on with a whole journal: what is not of its line is set aside.
func (r *opening) keep(rem *Remains, gens []*generation, from *origin) (*tables.Notice, error) {
	told := &tables.Notice{Head: from.seq, Source: from.source, Since: from.savedAt, TranscriptsLost: rem.logLost}
	var aside []string
	for _, g := range gens {
		if g.spoiled() || g.loaded != nil && g.standing(rem) == otherLine {
			aside = append(aside, g.name)
		}
	}
	var err error
	if told.SetAside, err = r.files.SetAside(aside...); err != nil {
		return nil, err
	}
	if rem.told != nil && rem.told.Head == from.seq {
		// The opening before this one ended before it could tell; this one tells for it.
		told.SetAside = append(slices.Clone(rem.told.SetAside), told.SetAside...)
		if len(told.SetAside) > maxTold {
			told.SetAside = told.SetAside[len(told.SetAside)-maxTold:]
		}
		if rem.told.TranscriptsLost || rem.told.Salvage != nil {
			told.Source, told.Since = rem.told.Source, rem.told.Since
		}
		told.TranscriptsLost = told.TranscriptsLost || rem.told.TranscriptsLost
		told.Salvage = rem.told.Salvage
		if rem.told.Source == "" && len(told.SetAside) == 0 && !told.TranscriptsLost {
			told.Source = "" // still the first opening
		}
	}
	return told, nil
}

// maxTold bounds the names that a notice carries from opening to opening.
const maxTold = 100

// leftOver says whether the folder holds traces of an earlier life: an opening that
// was cut short after it had set things aside, or vaults.
func (r *opening) leftOver() (bool, error) {
	for _, d := range []disk.Folder{r.files.Folder, r.files.KnowledgeFolder} {
		entries, err := d.List()
		if err != nil {
			return false, err
		}
		for _, e := range entries {
			if d.Dir == r.files.KnowledgeFolder.Dir || strings.Contains(e.Name(), ".aside-") {
				return true, nil
			}
		}
	}
	return false, nil
}

// ours says whether a world that no journal vouches for is this realm's: another
// realm's is never restored in its place.
func (r *opening) ours(w *world.World) bool {
	return r.realm.ID == "" || w.Realm.ID == "" || w.Realm.ID == r.realm.ID
}

// clean is the world of a realm of which nothing is left but where it points.
func (r *opening) clean() *world.World {
	w := world.New(r.realm)
	w.Settings = r.defaults
	w.Fill()
	return w
}

// foldedAt is the world that an opening has folded, as state.json keeps it.
func foldedAt(from *origin) (world.Checkpoint, error) {
	raw, err := world.EncodeState(from.world, from.land)
	if err != nil {
		return world.Checkpoint{}, err
	}
	return world.Checkpoint{Epoch: from.epoch, Seq: from.seq, SavedAt: from.savedAt, World: raw}, nil
}

// hold gives an opened realm its location: from here on it is noticed when it is moved, and the
// folder is let go of when the journal is closed.
func (o *Opened) hold(folder *lock.Folder) error {
	if err := o.Journal.Hold(folder); err != nil {
		return errors.Join(err, o.Journal.Close())
	}
	o.Files.Hold(folder)
	return nil
}
