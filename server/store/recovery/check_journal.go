package recovery

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// checkJournal reads realm.db and its log in place, as an opening reads them. If an opening would rebuild the
// journal, it does that in a scratch database to report the result. An error comes from the
// disk.
func (c *Checked) checkJournal(ctx context.Context, r *opening, gens []*generation) (err error) {
	ends := ""
	if fresh := filepath.Join(filepath.Dir(r.path), tables.NewFile); isReady(ctx, fresh) {
		r.path, ends = fresh, "ends a salvage that was cut short, and "
	}
	rem, m, err := examineImage(ctx, r.path)
	if err != nil {
		if errors.Is(err, disk.ErrNewer) {
			c.damaged("%s", err)
			c.Opening = "is refused: a newer version wrote the database"
			return nil
		}
		return err
	}
	defer func() {
		err = errors.Join(err, rem.Close())
		if m != nil {
			err = errors.Join(err, m.Close())
		}
	}()
	if rem.there {
		c.Database = &CheckedDatabase{Schema: rem.version, LogBytes: -1, Pages: []CheckedPages{}, Lines: len(rem.Lines)}
		for path, bytes := range map[string]*int64{r.path: &c.Database.Bytes, r.path + "-wal": &c.Database.LogBytes} {
			if info, err := os.Stat(path); err == nil {
				*bytes = info.Size()
			}
		}
		if !rem.Whole() || rem.index != nil {
			if err := c.checkPages(ctx, rem); err != nil {
				return err
			}
		}
	}
	if err := c.checkOpening(ctx, r, rem, gens); err != nil {
		return err
	}
	if rem.Whole() && rem.index == nil {
		if err := c.checkDeep(ctx, rem); err != nil {
			return err
		}
	}
	if c.salvages == nil && rem.Whole() && rem.version == tables.Version {
		err := c.countWhole(ctx, rem)
		if err == nil || !sqlite.IsDamage(err) {
			c.Opening = ends + c.Opening
			return err
		}
		c.salvages = err
		c.damaged("%s: %s", sqlite.JournalFile, err)
	}
	if err := c.checkSalvage(ctx, r, rem, gens); err != nil {
		return err
	}
	c.Opening = ends + c.Opening
	return nil
}

// checkOpening finds out what an opening would do with the journal.
func (c *Checked) checkOpening(ctx context.Context, r *opening, rem *Remains, gens []*generation) error {
	c.Opening = "opens it as it is"
	state := gens[0]
	switch {
	case !rem.there:
		if state.loaded == nil && gens[1].loaded == nil && c.SetAside.Count == 0 && c.Whole() {
			c.Opening = "begins an empty realm"
			return nil
		}
		c.salvages = fmt.Errorf("%w: there is no %s", disk.ErrCorrupt, sqlite.JournalFile)
		c.damaged("%s is missing", sqlite.JournalFile)
		return nil
	case rem.logLost:
		c.damaged("%s-wal is missing: the database was not closed, and what was written last may be lost", sqlite.JournalFile)
	}
	if rem.Whole() {
		_, err := r.fromJournal(ctx, rem, gens)
		if err != nil && !sqlite.IsDamage(err) {
			return err
		}
		rem.Damage = err
	}
	if !rem.Whole() {
		c.salvages = rem.Damage
		c.damaged("%s: %s", sqlite.JournalFile, strings.TrimPrefix(rem.Damage.Error(), disk.ErrCorrupt.Error()+": "))
		return nil
	}
	if g := state; g.loaded != nil && r.ours(g.loaded.World) && g.standing(rem) == otherLine {
		c.damaged("%s is of another life of the realm than %s: an opening sets it aside", g.name, sqlite.JournalFile)
	}
	switch {
	case rem.index != nil:
		c.index = rem.index
		c.damaged("%s: %s", sqlite.JournalFile, strings.TrimPrefix(rem.index.Error(), disk.ErrCorrupt.Error()+": "))
		c.Opening = "makes the database anew from its own tables; nothing is lost"
	case rem.version < tables.Version:
		c.Opening = fmt.Sprintf("migrates the database from schema %d to %d", rem.version, tables.Version)
	}
	return nil
}

// checkSalvage reports the result of a salvage, if one is needed, or if the database is of an older version,
// which only a salvage can read in place.
func (c *Checked) checkSalvage(ctx context.Context, r *opening, rem *Remains, gens []*generation) error {
	older := rem.Whole() && rem.version < tables.Version
	if c.salvages == nil && !older {
		return nil
	}
	s := &salvage{r: r, rem: rem, erased: map[string]bool{}}
	told := new(tables.Notice)
	err := s.foretell(ctx, gens, told, func(from *origin, w *tables.Writer) error {
		if c.Database == nil {
			c.Database = &CheckedDatabase{LogBytes: -1, Pages: []CheckedPages{}}
		}
		if err := c.count(ctx, w, s.floor, s.head); err != nil {
			return err
		}
		if sum := told.Salvage; sum != nil {
			c.Database.Events.Known, c.Database.Messages.Known = sum.EventsKnown, sum.MessagesKnown
			c.Database.Messages.Readable = sum.Messages
		}
		c.Database.Events.Readable = s.events
		c.Database.Heads.Bad = int(s.heads)
		if older {
			if lost := c.Database.Events.Lost; lost > 0 || s.heads > 0 {
				c.salvages = fmt.Errorf("%w: %d events and %d heads of conversations cannot be read", disk.ErrCorrupt, lost,
					s.heads)
				c.damaged("%s: %s", sqlite.JournalFile, c.salvages)
			}
			return nil
		}
		if rem.Whole() {
			return nil // an opening does the same either way
		}
		c.Salvage = told.Salvage
		switch {
		case from.source == world.RestoredFromNothing:
			c.Opening = "begins an empty realm and sets aside what is there"
		case told.Salvage == nil:
			c.Opening = fmt.Sprintf("goes on from %s, without what was said", sourceName(from.source))
		default:
			c.Opening = fmt.Sprintf("salvages what can be read (%s) and goes on from %s", told.Salvage, sourceName(from.source))
		}
		return nil
	})
	if errors.Is(err, disk.ErrNewer) {
		c.damaged("%s", err)
		c.Opening = "is refused: a newer version wrote some of it"
		return nil
	}
	return err
}

// checkDeep examines all pages of a journal of any size and compares each index with its table. An opening
// does not take the time for that.
func (c *Checked) checkDeep(ctx context.Context, rem *Remains) error {
	rem.deep = true
	err := rem.check(ctx)
	if err != nil && !sqlite.IsDamage(err) {
		return err
	}
	if c.salvages = err; err == nil {
		err, c.index = rem.index, rem.index
	}
	if err == nil {
		return nil
	}
	c.damaged("%s: %s", sqlite.JournalFile, strings.TrimPrefix(err.Error(), disk.ErrCorrupt.Error()+": "))
	return c.checkPages(ctx, rem)
}

// sourceName describes what a realm is restored from.
func sourceName(source string) string {
	switch source {
	case world.RestoredFromPrevious:
		return files.PreviousFile
	case world.RestoredFromBase, world.RestoredFromJournal:
		return sqlite.JournalFile
	}
	return files.StateFile
}

// checkPages records the tables with damaged pages.
func (c *Checked) checkPages(ctx context.Context, rem *Remains) error {
	if rem.db == nil || rem.version == 0 {
		return nil
	}
	for _, table := range slices.Concat([]string{"sqlite_schema"}, tables.NamesOf(rem.version), rem.searchTables()) {
		verdicts, err := sqlite.Column[string](ctx, rem.db,
			rem.pragma()+table+")") // at most 100
		if err != nil && !sqlite.IsDamage(err) {
			return err
		}
		if err != nil {
			verdicts = []string{err.Error()}
		}
		if says := strings.Join(verdicts[:min(len(verdicts), 3)], "; "); says != "ok" {
			c.Database.Pages = append(c.Database.Pages, CheckedPages{table, says})
		}
	}
	return nil
}

// isReady reports whether path is a journal that a salvage has completed (see finishSalvage).
func isReady(ctx context.Context, path string) bool {
	o, err := openOld(ctx, path)
	if err != nil || o == nil {
		return false
	}
	ready := o.meta(ctx, tables.MetaReady) != ""
	return o.close() == nil && ready
}

// examineImage is examine without any write: it reads the files in place, and no server may have them open.
// The caller closes both results; the image is nil if there is no database.
func examineImage(ctx context.Context, path string) (*Remains, *sqlite.Image, error) {
	r := &Remains{}
	m, err := sqlite.OpenImage(path)
	switch {
	case errors.Is(err, disk.ErrMissing):
		return r, nil, nil
	case errors.Is(err, disk.ErrCorrupt):
		r.there, r.Damage = true, err
		return r, nil, nil
	case err != nil:
		return nil, nil, err
	}
	r.there = true
	if r.db, err = m.Handle(ctx, 1, sqlite.CheckCells); err == nil {
		err = r.look(ctx, m.Log != nil)
	} else {
		r.db = nil
	}
	switch {
	case err == nil:
		return r, m, nil
	case !errors.Is(err, disk.ErrNewer) && sqlite.IsDamage(err):
		r.Damage = err
		return r, m, nil
	}
	return nil, nil, errors.Join(fmt.Errorf("examine %s: %w", sqlite.JournalFile, err), r.Close(), m.Close())
}
