package recovery

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/salvage"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// rebuild makes a new journal of the checkpoints and of what can be read of the damaged journal. It returns the
// world from which the realm continues and the notice for its clients. setAside has the names of the files that this
// opening has already set aside.
func (d *realmDir) rebuild(ctx context.Context, damaged *examined, checkpoints []*checkpointFile,
	setAside []string) (*origin, *tables.Notice, error) {
	if err := d.requireReadable(checkpoints); err != nil {
		return nil, nil, err
	}
	var unusable []string
	for _, c := range checkpoints {
		if c.isSpoiled() || c.loaded != nil && !c.isUsable(d) {
			unusable = append(unusable, c.name)
		}
	}
	names, err := d.files.SetAside(unusable...)
	if err != nil {
		return nil, nil, err
	}
	setAside = slices.Concat(setAside, names)
	if err := damaged.close(); err != nil {
		return nil, nil, fmt.Errorf("close %s: %w", sqlite.JournalFile, err)
	}
	suffix, err := d.files.Folder.AsideSuffix(time.Now(), sqlite.JournalFiles...)
	if err != nil {
		return nil, nil, err
	}
	r := &rebuilder{realmDir: d, damaged: damaged, checkpoints: checkpoints, suffix: suffix,
		notice: &tables.Notice{SetAside: setAside}}
	from, err := r.makeJournal(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("rebuild %s: %w", sqlite.JournalFile, err)
	}
	moved, err := d.putInPlace(suffix)
	if err != nil {
		return nil, nil, err
	}
	r.notice.SetAside = slices.Concat(setAside, moved)
	if from.file == "" && from.source != world.RestoredFromNothing {
		at, err := from.checkpoint()
		if err == nil {
			err = d.files.WriteCheckpoint(at)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return from, r.notice, nil
}

// requireReadable loads the checkpoints. It returns an error if the disk cannot read one of them. It also returns
// an error if a newer version wrote one, because only that file may have some of the data, unless a checkpoint
// before it in the list can be used.
func (d *realmDir) requireReadable(checkpoints []*checkpointFile) error {
	found := false
	for _, c := range checkpoints {
		c.load(d.files)
		if c.isUnread() || !found && errors.Is(c.err, disk.ErrNewer) {
			return c.err
		}
		found = found || c.isUsable(d)
	}
	return nil
}

// finishRebuild completes a rebuild that was interrupted after its journal was complete.
func (d *realmDir) finishRebuild(ctx context.Context) error {
	suffix, err := rebuiltSuffix(ctx, d.files.Folder.Path(tables.NewFile))
	if err != nil || suffix == "" { // an incomplete new journal stays: the next rebuild removes it
		return err
	}
	_, err = d.putInPlace(suffix)
	return err
}

// rebuiltSuffix returns the suffix for the old files that the new journal at path replaces. It returns "" if there
// is no new journal or if the new journal is not complete.
func rebuiltSuffix(ctx context.Context, path string) (string, error) {
	if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
		return "", nil // the new journal still has a log; renaming only the database would lose what the log holds
	}
	source, err := salvage.OpenSource(ctx, path)
	if err != nil || source == nil {
		return "", err
	}
	return source.Meta(ctx, tables.MetaReady), source.Close()
}

// putInPlace sets aside the old files that are still there and renames the new journal to realm.db. It returns
// the new names of the files that it set aside.
func (d *realmDir) putInPlace(suffix string) ([]string, error) {
	names, err := d.files.Folder.MoveAside(suffix, sqlite.JournalFiles...)
	if err != nil {
		return names, err
	}
	return names, tables.PutInPlace(d.files.Folder)
}

// rebuilder fills a new journal.
type rebuilder struct {
	*realmDir
	damaged     *examined
	checkpoints []*checkpointFile
	suffix      string // the suffix that the names of the old files get when these are set aside
	notice      *tables.Notice
	source      *salvage.Source // nil if nothing of the damaged journal can be read
	w           *tables.Writer
	journal     *salvage.Journal
	// countedRows is the highest number of rows that a checkpoint has counted; countedAt is the seq of that
	// checkpoint.
	countedRows, countedAt int64
}

// makeJournal writes the new journal to tables.NewFile.
func (r *rebuilder) makeJournal(ctx context.Context) (from *origin, err error) {
	err = r.withSource(ctx, func() error {
		return tables.Make(r.files.Folder, "", func(w *tables.Writer) (err error) {
			if from, err = r.fill(ctx, w); err != nil {
				return err
			}
			return w.FillSearch()
		})
	})
	return from, err
}

// predict writes the new journal to a scratch database and calls the function f with it. It changes nothing in the
// realm's folder. Check uses it to report what a rebuild would save.
func (r *rebuilder) predict(ctx context.Context, f func(*origin, *tables.Writer) error) error {
	return r.withSource(ctx, func() error {
		w, err := tables.OpenScratch(ctx)
		if err != nil {
			return err
		}
		_, err = w.Transact(func() error {
			if err := w.Run(tables.Schema + tables.SearchSchema); err != nil {
				return err
			}
			from, err := r.fill(ctx, w)
			if err != nil {
				return err
			}
			return f(from, w)
		})
		return errors.Join(err, w.Close())
	})
}

// withSource calls f while the damaged journal is open.
func (r *rebuilder) withSource(ctx context.Context, f func() error) (err error) {
	if r.damaged.exists {
		if r.source, err = salvage.OpenSource(ctx, r.path); err != nil {
			return err
		}
	}
	if r.source != nil {
		defer func() { err = errors.Join(err, r.source.Close()) }()
	}
	return f()
}

// fill fills the new journal, except for its search index.
func (r *rebuilder) fill(ctx context.Context, w *tables.Writer) (*origin, error) {
	var err error
	if r.journal, err = salvage.Copy(ctx, r.source, w, r.damaged.floor, r.knownHead()); err != nil {
		return nil, err
	}
	r.w = w
	from, err := r.chooseWorld(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.journal.Complete(ctx, from.world, r.now); err != nil {
		return nil, err
	}
	return from, r.writeResult(ctx, from)
}

// knownHead returns the highest seq of the checkpoints of this journal or, if nothing of the journal can be read, of
// all checkpoints. Clients have seen events up to that seq, so the realm must not assign these numbers again.
// knownHead also sets countedRows and countedAt.
func (r *rebuilder) knownHead() (head int64) {
	for _, c := range r.checkpoints {
		if !c.isUsable(r.realmDir) {
			continue
		}
		related := r.isFollowed(c) || c.relate(r.damaged) == trimmed
		if related && c.loaded.Messages > r.countedRows {
			r.countedRows, r.countedAt = c.loaded.Messages, c.loaded.Seq
		}
		if related || r.source == nil {
			head = max(head, c.loaded.Seq)
		}
	}
	return head
}

// isFollowed reports whether the events after a checkpoint are those of the damaged journal. It returns true if
// the journal's epochs cannot be read.
func (r *rebuilder) isFollowed(c *checkpointFile) bool {
	at := c.relate(r.damaged)
	return at == inside || at == ahead || len(r.damaged.lines) == 0
}

// candidate is a world, from a checkpoint or a base, from which the realm could continue.
type candidate struct {
	*origin
	foldable bool // the journal has the events after this world
}

// chooseWorld takes the newest valid world and folds the readable events after it. If there is none, it takes the world
// of a new realm. The result has the journal's head as its seq, so that no number is assigned twice.
func (r *rebuilder) chooseWorld(ctx context.Context) (*origin, error) {
	list, err := r.candidates(ctx)
	if err != nil {
		return nil, err
	}
	head := r.journal.Head
	// The newest world comes first, because it is followed by the fewest unreadable events.
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.seq, a.seq) })
	for _, c := range list {
		from := c.origin
		if c.foldable {
			if from, err = r.fold(ctx, from); err != nil {
				return nil, err
			}
		}
		if from.world.Validate() != nil {
			continue
		}
		if from.seq == head && from.file == files.StateFile && !r.damaged.exists {
			return from, nil
		}
		// No file has this world. Under the same seq, clients of the damaged realm may have seen other rows. The new epoch
		// makes sure that they get a snapshot (P7.4a).
		from.file, from.epoch = "", rand.Text()
		if from.seq == 0 && head == 0 {
			break
		}
		from.seq, from.world.Tick = head, head
		return from, nil
	}
	from := &origin{source: world.RestoredFromNothing, seq: head, world: r.newWorld(), land: world.NewLand(), older: true}
	if from.world.Tick = head; head > 0 {
		from.epoch = rand.Text()
	}
	return from, nil
}

// candidates returns the checkpoints, the bases and, if the journal has all numbers from 1 on, the world before
// the first event.
func (r *rebuilder) candidates(ctx context.Context) ([]candidate, error) {
	var list []candidate
	for _, c := range r.checkpoints {
		if !c.isUsable(r.realmDir) {
			continue
		}
		o := c.take()
		if o.source == world.RestoredFromCheckpoint {
			o.source = world.RestoredFromState
		}
		list = append(list, candidate{o, r.isFollowed(c)})
	}
	if r.source == nil {
		return list, nil
	}
	bases, err := r.source.Bases(ctx)
	if err != nil {
		return nil, err
	}
	for _, b := range bases {
		if b.Seq < r.journal.Floor-1 || b.Seq > r.journal.Head {
			continue
		}
		w, land, err := r.source.Base(ctx, b)
		if err == nil {
			list = append(list, candidate{baseOrigin(b, w, land, ""), true})
		} else if !sqlite.IsDamage(err) {
			return nil, err
		}
	}
	if r.journal.Floor == 1 && r.journal.Events > 0 {
		list = append(list, candidate{r.firstOrigin(), true})
	}
	return list, nil
}

// maxUnfoldable is the maximum number of events that a fold skips because they cannot be applied without the lost
// events. If there are more, the fold is given up.
const maxUnfoldable = 20

// fold applies the later events of the new journal to a copy of the world in the parameter from, and returns the
// result. It skips lost events, and events that cannot be applied without the lost ones. If it must skip more than
// maxUnfoldable, or the result is not valid, fold returns that argument unchanged.
func (r *rebuilder) fold(ctx context.Context, from *origin) (*origin, error) {
	skip := map[int64]bool{}
	for len(skip) <= maxUnfoldable {
		to := *from
		to.world = from.world.Clone()
		fold := world.NewFold(to.world)
		err := tables.EachEvent(ctx, r.w, from.seq, true, tables.SkipLost, func(e *tables.EventRow) (bool, error) {
			if skip[e.Seq] {
				return true, nil
			}
			return true, to.apply(fold, e)
		})
		if misfit, ok := errors.AsType[*foldError](err); ok {
			skip[misfit.seq] = true
			continue
		}
		if err == nil && to.world.Validate() != nil {
			break
		}
		return &to, err
	}
	return from, nil
}

// writeResult writes the values that the next opening reads first: the floor (the lowest seq of the journal), the
// notice for clients, and the world from which the realm continues, with its epoch.
func (r *rebuilder) writeResult(ctx context.Context, from *origin) error {
	if err := r.fillNotice(ctx, from); err != nil {
		return err
	}
	if r.notice.Salvage != nil { // a program that reads this base without opening the realm gets no event realm:restored
		from.world.Salvage = r.notice.Salvage
	}
	meta := map[string]string{tables.MetaFloor: fmt.Sprint(r.journal.Floor), tables.MetaOpen: "0",
		tables.MetaReady: r.suffix}
	if r.journal.Rows > 0 {
		meta[tables.MetaPlain] = "0" // texts of an older version may be unpacked, so tidying must examine all rows
	}
	for key, value := range meta {
		if err := r.w.SetMeta(key, value); err != nil {
			return err
		}
	}
	if err := r.w.SetNotice(r.notice); err != nil {
		return err
	}
	at, err := from.checkpoint()
	if err != nil {
		return err
	}
	if err := r.w.InsertBase(at); err != nil {
		return err
	}
	if from.epoch == "" {
		return nil
	}
	return r.w.InsertLine(world.Line{Epoch: from.epoch, FromSeq: max(from.seq, 1), OpenedAt: from.savedAt})
}

// fillNotice records in r.notice, which clients get, which world was restored, how many events and rows were saved,
// and which files the new journal replaces.
func (r *rebuilder) fillNotice(ctx context.Context, from *origin) error {
	old, err := r.oldFiles()
	if err != nil {
		return err
	}
	n, j := r.notice, r.journal
	n.SetAside = slices.Concat(n.SetAside, old)
	n.Head, n.Source, n.Since = from.seq, from.source, from.savedAt
	var known int64 // all rows in the new database; j.Rows lacks those that were restored from events
	if err := sqlite.One(ctx, r.w, []any{&known}, "SELECT count(*) FROM messages"); err != nil {
		return err
	}
	known = max(known, r.countedRows)
	n.TranscriptsLost = j.Rows < known || r.damaged.logLost || r.source == nil || j.LastGap > r.countedAt
	if r.damaged.exists {
		n.Salvage = &world.Salvage{
			At: r.now, Events: j.Events, EventsKnown: j.Head - max(min(j.Floor, r.damaged.floor), 1) + 1,
			Messages: j.Rows, MessagesKnown: known, SetAside: old,
		}
	}
	if from.source == world.RestoredFromNothing && len(n.SetAside) == 0 {
		used, err := r.wasUsed()
		if err != nil {
			return err
		}
		if !used { // at the first opening of a realm there is nothing to report
			n.Source, n.TranscriptsLost, n.Salvage = "", false, nil
		}
	}
	return nil
}

// oldFiles returns the names that the files of the damaged journal will get.
func (r *rebuilder) oldFiles() (names []string, err error) {
	for _, name := range sqlite.JournalFiles {
		there, err := r.files.Folder.Has(name)
		if err != nil {
			return nil, err
		}
		// The -shm file does not count, because the examination of the journal has created it.
		if there && !strings.HasSuffix(name, "-shm") {
			names = append(names, disk.AsideName(name, r.suffix))
		}
	}
	return names, nil
}
