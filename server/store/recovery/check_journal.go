package recovery

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// checkJournal reads realm.db and its log in place, as an opening reads them. If an opening or a repair would rebuild
// the journal, checkJournal does so in a scratch database to report the result. An error comes from the disk.
func (c *Checked) checkJournal(ctx context.Context, d *realmDir, checkpoints []*checkpointFile) (err error) {
	begins := ""
	rebuilt := d.files.Folder.Path(tables.NewFile)
	if suffix, err := rebuiltSuffix(ctx, rebuilt); err == nil && suffix != "" {
		d.path, begins = rebuilt, "completes a salvage that was interrupted, and "
	}
	x, err := examineInPlace(ctx, d.path, 1)
	if err != nil {
		if errors.Is(err, disk.ErrNewer) {
			c.damaged("%s", err)
			c.Opening = "is refused: a newer version wrote the database"
			return nil
		}
		return err
	}
	defer func() { err = errors.Join(err, x.close()) }()
	if x.exists {
		c.Database = &CheckedDatabase{Schema: x.version, LogBytes: -1, Pages: []CheckedPages{}, Lines: len(x.lines)}
		for path, bytes := range map[string]*int64{d.path: &c.Database.Bytes, d.path + "-wal": &c.Database.LogBytes} {
			if info, err := os.Stat(path); err == nil {
				*bytes = info.Size()
			}
		}
		if !x.isWhole() || x.rewrite != nil {
			if err := c.listPages(ctx, x); err != nil {
				return err
			}
		}
	}
	if err := c.checkOpening(ctx, d, x, checkpoints); err != nil {
		return err
	}
	if x.isWhole() && x.rewrite == nil {
		if err := c.checkDeep(ctx, x); err != nil {
			return err
		}
	}
	if c.rebuildFor == nil && x.isWhole() && x.version == tables.Version {
		err := c.countWhole(ctx, x)
		if err == nil || !sqlite.IsDamage(err) {
			c.Opening = begins + c.Opening
			return err
		}
		c.rebuildFor = err
		c.damagedJournal(err)
	}
	if err := c.checkRebuild(ctx, d, x, checkpoints); err != nil {
		return err
	}
	c.Opening = begins + c.Opening
	return nil
}

// damagedJournal adds a line for err, an error about the journal, to the damage.
func (c *Checked) damagedJournal(err error) {
	c.damaged("%s: %s", sqlite.JournalFile, strings.TrimPrefix(err.Error(), disk.ErrCorrupt.Error()+": "))
}

// checkOpening finds out what an opening would do with the journal.
func (c *Checked) checkOpening(ctx context.Context, d *realmDir, x *examined, checkpoints []*checkpointFile) error {
	c.Opening = "opens it as it is"
	state := checkpoints[0]
	if !x.exists {
		if state.loaded == nil && checkpoints[1].loaded == nil && c.SetAside.Count == 0 && c.Whole() {
			c.Opening = "begins an empty realm"
			return nil
		}
		c.rebuildFor = fmt.Errorf("%w: there is no %s", disk.ErrCorrupt, sqlite.JournalFile)
		c.damaged("%s is missing", sqlite.JournalFile)
		return nil
	}
	if x.logLost {
		c.damaged("%s-wal is missing: the database was not closed, and what was written last may be lost", sqlite.JournalFile)
	}
	if x.isWhole() {
		_, _, err := d.chooseWorld(ctx, x, checkpoints)
		if err != nil && !sqlite.IsDamage(err) {
			return err
		}
		x.damage = err
	}
	if !x.isWhole() {
		c.rebuildFor = x.damage
		c.damagedJournal(x.damage)
		return nil
	}
	if state.isUsable(d) && state.relate(x) == foreign {
		c.damaged("%s does not belong to the same history of the realm as %s: an opening sets it aside",
			state.name, sqlite.JournalFile)
	}
	switch {
	case x.rewrite != nil:
		c.rewriteFor = x.rewrite
		c.damagedJournal(x.rewrite)
		c.Opening = "rebuilds the database from its own tables; nothing is lost"
	case x.version < tables.Version:
		c.Opening = fmt.Sprintf("migrates the database from schema %d to %d", x.version, tables.Version)
	}
	return nil
}

// checkRebuild rebuilds the journal in a scratch database, if an opening or a repair would rebuild it, and reports the
// result. It does the same with a database of an older version, because this is the only way to read such a database
// without changing it.
func (c *Checked) checkRebuild(ctx context.Context, d *realmDir, x *examined, checkpoints []*checkpointFile) error {
	older := x.isWhole() && x.version < tables.Version
	if c.rebuildFor == nil && !older {
		return nil
	}
	r := &rebuilder{realmDir: d, damaged: x, checkpoints: checkpoints, notice: new(tables.Notice)}
	err := r.predict(ctx, func(from *origin, w *tables.Writer) error {
		if c.Database == nil {
			c.Database = &CheckedDatabase{LogBytes: -1, Pages: []CheckedPages{}}
		}
		db, result := c.Database, r.notice.Salvage
		if err := db.count(ctx, w, r.journal.Floor, r.journal.Head); err != nil {
			return err
		}
		if result != nil {
			db.Events.Known, db.Messages.Known, db.Messages.Readable = result.EventsKnown, result.MessagesKnown, result.Messages
		}
		db.Events.Readable = r.journal.Events
		db.Heads.Bad = int(r.journal.Heads)
		if older {
			if db.Events.Lost > 0 || db.Heads.Bad > 0 {
				c.rebuildFor = fmt.Errorf("%w: %d events cannot be read, and %d conversations only in part", disk.ErrCorrupt,
					db.Events.Lost, db.Heads.Bad)
				c.damaged("%s: %s", sqlite.JournalFile, c.rebuildFor)
			}
			return nil
		}
		if x.isWhole() {
			return nil // an opening would use this journal as it is, so the result of the rebuild does not apply
		}
		c.Salvage = result
		switch {
		case from.source == world.RestoredFromNothing:
			c.Opening = "begins an empty realm and sets the present files aside"
		case result == nil:
			c.Opening = fmt.Sprintf("continues from %s; the transcripts are lost", sourceName(from.source))
		default:
			c.Opening = fmt.Sprintf("salvages what can be read (%s) and continues from %s", result, sourceName(from.source))
		}
		return nil
	})
	if errors.Is(err, disk.ErrNewer) {
		c.damaged("%s", err)
		c.Opening = "is refused: a newer version wrote some of the files"
		return nil
	}
	return err
}

// checkDeep examines all pages of a journal of any size and compares each index with its table. An opening does not
// take the time for that.
func (c *Checked) checkDeep(ctx context.Context, x *examined) error {
	x.deep = true
	err := x.checkPages(ctx)
	if err != nil && !sqlite.IsDamage(err) {
		return err
	}
	if c.rebuildFor = err; err == nil {
		c.rewriteFor, err = x.rewrite, x.rewrite
	}
	if err == nil {
		return nil
	}
	c.damagedJournal(err)
	return c.listPages(ctx, x)
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

// listPages records the tables with damaged pages.
func (c *Checked) listPages(ctx context.Context, x *examined) error {
	if x.db == nil || x.version == 0 {
		return nil
	}
	for _, table := range slices.Concat([]string{"sqlite_schema"}, tables.NamesOf(x.version), x.searchTables()) {
		verdicts, err := x.verdicts(ctx, table)
		if err != nil && !sqlite.IsDamage(err) {
			return err
		}
		if err != nil {
			verdicts = []string{err.Error()}
		}
		if says := shorten(verdicts); says != "ok" {
			c.Database.Pages = append(c.Database.Pages, CheckedPages{table, says})
		}
	}
	return nil
}
