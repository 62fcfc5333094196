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
	"time"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// salvage is the state of one salvage.
type salvage struct {
	r   *opening
	rem *Remains
	old *oldJournal    // nil if nothing can be read
	w   *tables.Writer // of the new journal
	// suffix is what the old files get in their names when they are set aside.
	suffix string

	sealed      int64 // rows up to this seq must have a checksum
	floor, head int64 // of the new journal; the head is also the origin's seq
	events      int64 // number of events that could be read
	rows        int64 // number of transcript rows that could be read
	heads       int64 // number of conversation heads that could be read only in part
	// knownRows is the number of rows that a checkpoint has counted, countedTo its seq; lastGap is the
	// last lost event.
	knownRows, countedTo, lastGap int64
	erased                        map[string]bool // conversations and people that must not come back
}

// rebuild makes a new journal. It returns the world that the realm continues from and the notice to report.
// aside are names that were set aside before. The caller has closed no handle of rem.
func (r *opening) rebuild(ctx context.Context, rem *Remains, gens []*generation, aside []string) (*origin,
	*tables.Notice, error) {
	if err := r.readable(gens); err != nil {
		return nil, nil, err
	}
	var spoiled []string
	for _, g := range gens {
		if g.spoiled() || g.loaded != nil && !r.ours(g.loaded.World) {
			spoiled = append(spoiled, g.name)
		}
	}
	names, err := r.files.SetAside(spoiled...)
	if err != nil {
		return nil, nil, err
	}
	if err := rem.Close(); err != nil {
		return nil, nil, fmt.Errorf("close %s: %w", sqlite.JournalFile, err)
	}
	suffix, err := r.files.Folder.AsideSuffix(time.Now(), sqlite.JournalFiles...)
	if err != nil {
		return nil, nil, err
	}
	s := &salvage{r: r, rem: rem, suffix: suffix, erased: map[string]bool{}}
	told := &tables.Notice{SetAside: slices.Concat(aside, names)}
	from, err := s.make(ctx, gens, told)
	if err != nil {
		return nil, nil, fmt.Errorf("rebuild %s: %w", sqlite.JournalFile, err)
	}
	moved, err := r.finish(suffix)
	if err != nil {
		return nil, nil, err
	}
	told.SetAside = slices.Concat(aside, names, moved)
	if from.file == "" && from.source != world.RestoredFromNothing {
		at, err := foldedAt(from)
		if err == nil {
			err = r.files.WriteCheckpoint(at)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return from, told, nil
}

// readable loads the checkpoints. It returns an error if the disk cannot read one, or if a newer version wrote
// one and no earlier one can be used: that file may hold what nothing else does.
func (r *opening) readable(gens []*generation) error {
	found := false
	for _, g := range gens {
		g.load(r.files)
		if g.unread() || !found && errors.Is(g.err, disk.ErrNewer) {
			return g.err
		}
		found = found || g.loaded != nil && r.ours(g.loaded.World)
	}
	return nil
}

func (s *salvage) make(ctx context.Context, gens []*generation, told *tables.Notice) (from *origin, err error) {
	err = s.reading(ctx, func() error {
		return tables.Make(s.r.files.Folder, "", func(w *tables.Writer) (err error) {
			if from, err = s.write(ctx, w, gens, told); err != nil {
				return err
			}
			return w.FillSearch()
		})
	})
	return from, err
}

// foretell writes the new journal to a scratch database, calls look with it, and changes nothing in the realm's
// folder.
func (s *salvage) foretell(ctx context.Context, gens []*generation, told *tables.Notice,
	look func(*origin, *tables.Writer) error) error {
	return s.reading(ctx, func() error {
		w, err := tables.OpenScratch(ctx)
		if err != nil {
			return err
		}
		_, err = w.Transact(func() error {
			if err := w.Run(tables.Schema + tables.SearchSchema); err != nil {
				return err
			}
			from, err := s.write(ctx, w, gens, told)
			if err != nil {
				return err
			}
			return look(from, w)
		})
		return errors.Join(err, w.Close())
	})
}

// reading runs do with the old journal open.
func (s *salvage) reading(ctx context.Context, do func() error) (err error) {
	if s.rem.there {
		if s.old, err = openOld(ctx, s.r.path); err != nil {
			return err
		}
		if s.old != nil {
			defer func() { err = errors.Join(err, s.old.close()) }()
		}
	}
	return do()
}

// write fills the new journal, except for its search index.
func (s *salvage) write(ctx context.Context, w *tables.Writer, gens []*generation, told *tables.Notice) (*origin,
	error) {
	s.w = w
	if err := s.copyTables(ctx, gens); err != nil {
		return nil, err
	}
	from, err := s.choose(ctx, gens)
	if err != nil {
		return nil, err
	}
	if err := s.fill(ctx, from.world); err != nil {
		return nil, err
	}
	if err := s.markGaps(ctx); err != nil {
		return nil, err
	}
	if err := s.markRows(ctx); err != nil {
		return nil, err
	}
	return from, s.tell(from, told)
}

// tell writes what the next opening reads first: the floor, the world that the realm continues from, its epoch,
// and the result of the salvage.
func (s *salvage) tell(from *origin, told *tables.Notice) error {
	there, err := s.lying()
	if err != nil {
		return err
	}
	told.SetAside = slices.Concat(told.SetAside, there)
	told.Head, told.Source, told.Since = from.seq, from.source, from.savedAt
	var known int64 // rows of which only events are left are known, and lost
	if err := sqlite.One(context.Background(), s.w, []any{&known}, "SELECT count(*) FROM messages"); err != nil {
		return err
	}
	known = max(known, s.knownRows)
	sum := &world.Salvage{
		At: s.r.now, Events: s.events, EventsKnown: s.head - max(min(s.floor, s.rem.floor),
			1) + 1, Messages: s.rows, MessagesKnown: known, SetAside: there,
	}
	told.TranscriptsLost = s.rows < known || s.rem.logLost || s.old == nil || s.lastGap > s.countedTo
	if s.old != nil || s.rem.there {
		told.Salvage = sum
	}
	if from.source == world.RestoredFromNothing && len(told.SetAside) == 0 {
		leftOver, err := s.r.leftOver()
		if err != nil {
			return err
		}
		if !leftOver { // the first opening of a realm
			told.Source, told.TranscriptsLost, told.Salvage = "", false, nil
		}
	}
	if told.Salvage != nil { // a reader of the realm does not fold realm:restored
		from.world.Salvage = told.Salvage
	}
	meta := map[string]string{tables.MetaFloor: fmt.Sprint(s.floor), tables.MetaOpen: "0", tables.MetaReady: s.suffix}
	if s.rows > 0 {
		meta[tables.MetaPlain] = "0" // the old journal may have been of an older version
	}
	for key, value := range meta {
		if err := s.w.SetMeta(key, value); err != nil {
			return err
		}
	}
	if err := s.w.SetNotice(told); err != nil {
		return err
	}
	at, err := foldedAt(from)
	if err != nil {
		return err
	}
	if err := s.w.InsertBase(at); err != nil {
		return err
	}
	if from.epoch == "" {
		return nil
	}
	return s.w.InsertLine(world.Line{Epoch: from.epoch, FromSeq: max(from.seq, 1), OpenedAt: from.savedAt})
}

// lying returns the names that the old files will get.
func (s *salvage) lying() (names []string, err error) {
	for _, name := range sqlite.JournalFiles {
		there, err := s.r.files.Folder.Has(name)
		if err != nil {
			return nil, err
		}
		if there && !strings.HasSuffix(name, "-shm") { // examining the database has created it
			names = append(names, disk.AsideName(name, s.suffix))
		}
	}
	return names, nil
}

// candidate is a world that a salvage may start from.
type candidate struct {
	origin
	line bool // the events after it are of its epoch
}

// choose takes the newest world that can be used and folds the readable events after it. It skips lost events.
// The origin's seq is the head, so that no number is assigned twice.
func (s *salvage) choose(ctx context.Context, gens []*generation) (*origin, error) {
	list, err := s.candidates(ctx, gens)
	if err != nil {
		return nil, err
	}
	// The newest comes first: fewest unreadable events follow it.
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.seq, a.seq) })
	for _, c := range list {
		from := c.origin
		if c.line {
			if err := s.fold(ctx, &from); err != nil {
				return nil, err
			}
		}
		if from.world.Validate() != nil {
			continue
		}
		if from.seq == s.head && from.file == files.StateFile {
			return &from, nil
		}
		from.file, from.epoch = "", rand.Text() // no file has this world, and no client has seen it
		if from.seq == 0 && s.head == 0 {
			break
		}
		from.seq, from.world.Tick = s.head, s.head
		return &from, nil
	}
	from := &origin{source: world.RestoredFromNothing, seq: s.head, world: s.r.clean(), land: world.NewLand(), older: true}
	if from.world.Tick = s.head; s.head > 0 {
		from.epoch = rand.Text()
	}
	return from, nil
}

// candidates returns the checkpoints, the bases and, if the journal has all numbers from the first on, the
// empty world.
func (s *salvage) candidates(ctx context.Context, gens []*generation) ([]candidate, error) {
	var list []candidate
	for _, g := range gens {
		if g.loaded == nil || !s.r.ours(g.loaded.World) {
			continue
		}
		c := candidate{origin: *g.origin()}
		if c.source == world.RestoredFromCheckpoint {
			c.source = world.RestoredFromState
		}
		// Without epochs it is unknown whose the events are: they are taken for the realm's.
		on := g.standing(s.rem)
		c.line = on == onLine || on == ahead || len(s.rem.Lines) == 0
		list = append(list, c)
	}
	if s.old == nil {
		return list, nil
	}
	bases, err := s.old.bases(ctx)
	if err != nil {
		return nil, err
	}
	for _, b := range bases {
		if b.seq >= s.floor-1 && b.seq <= s.head {
			list = append(list, candidate{origin: b, line: true})
		}
	}
	if s.floor == 1 && s.events > 0 {
		list = append(list, candidate{origin: *s.r.fromFirst(), line: true})
	}
	return list, nil
}

// maxUnfoldable is the number of events that a fold may skip because they do not fit a world that lacks lost
// events. If there are more, the world stays as it was before them.
const maxUnfoldable = 20

// fold folds the events of the new journal after from. It skips lost events, and events that cannot be folded
// without these.
func (s *salvage) fold(ctx context.Context, from *origin) error {
	skip := map[int64]bool{}
	for len(skip) <= maxUnfoldable {
		to := *from
		to.world = from.world.Clone()
		var broke int64
		err := tables.EachEvent(ctx, s.w, from.seq, true, func(tables.Span, error) {},
			func(e *tables.EventRow) (bool, error) {
				ev, err := e.Event()
				if err != nil || skip[e.Seq] {
					return err == nil, err
				}
				if err := apply(to.world, ev); err != nil {
					broke = e.Seq
					return false, err
				}
				to.seq, to.savedAt, to.epoch, to.file = ev.Seq, ev.At, "", ""
				return true, nil
			})
		switch {
		case err == nil && to.world.Validate() == nil:
			*from = to
			return nil
		case err == nil:
			return nil // later events do not fit a world that lacks the lost ones
		case errors.Is(err, errFold):
			skip[broke] = true
		default:
			return err
		}
	}
	return nil
}

// markGaps records gaps for missing events from the floor to the head.
func (s *salvage) markGaps(ctx context.Context) error {
	if s.events == 0 { // nothing to read lies before what comes
		s.floor = s.head + 1
	}
	next := s.floor
	var gaps []tables.Span
	note := func(from, to int64) {
		if from > next {
			gaps = append(gaps, tables.Span{From: next, To: from - 1})
		}
		next = to + 1
	}
	for next <= s.head {
		p, err := tables.SpanOf(ctx, s.w, next, true)
		if err != nil {
			return err
		}
		last := s.head
		if p.From > 0 {
			last = p.From - 1
		}
		if err := tables.EachRowFrom(s.w, next, last, func(e *tables.EventRow) bool {
			note(e.Seq, e.Seq)
			return true
		}); err != nil {
			return err
		}
		if p.From > 0 {
			note(p.From, p.To)
			continue
		}
		if next <= s.head {
			note(s.head+1, s.head)
		}
	}
	for _, g := range gaps {
		s.lastGap = g.To
		if err := s.w.InsertGap(g.From, g.To); err != nil {
			return err
		}
	}
	return nil
}

// finishSalvage completes a salvage that a crash interrupted after its journal was complete.
func (r *opening) finishSalvage(ctx context.Context) error {
	path := filepath.Join(r.files.Dir(), tables.NewFile)
	if !disk.Exists(path) {
		return nil
	}
	db, err := sqlite.Open(ctx, path, sqlite.ModeRead, 1)
	if err != nil {
		return nil // the new journal is incomplete: the next salvage removes it
	}
	var suffix string
	err = sqlite.One(ctx, db, []any{&suffix}, "SELECT value FROM meta WHERE key = ?", tables.MetaReady)
	if cerr := db.Close(); cerr != nil {
		return fmt.Errorf("close %s: %w", tables.NewFile, cerr)
	}
	if err != nil {
		return nil
	}
	_, err = r.finish(suffix)
	return err
}

// finish sets aside the old files that are still in place and renames the new journal to realm.db. It returns
// the new names of the files that it set aside.
func (r *opening) finish(suffix string) ([]string, error) {
	names, err := r.files.Folder.MoveAside(suffix, sqlite.JournalFiles...)
	if err != nil {
		return names, err
	}
	return names, tables.PutInPlace(r.files.Folder)
}
