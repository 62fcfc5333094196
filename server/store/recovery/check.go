package recovery

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/afero"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

// Checked is the result of checking a realm's folder. Counts are complete; lists have at most maxListed
// entries.
type Checked struct {
	RealmID string `json:"realmId"`
	Tenant  string `json:"tenant"`
	Dir     string `json:"dir"`
	Bytes   int64  `json:"bytes"` // size of the folder in bytes
	// Damage lists what is damaged, missing or unreadable. It is empty if the realm is intact.
	Damage   []string         `json:"damage"`
	More     int              `json:"moreDamage,omitempty"` // number of damages that Damage does not list
	States   []CheckedState   `json:"states"`
	Database *CheckedDatabase `json:"database,omitempty"` // nil if there is none
	Vaults   CheckedFiles     `json:"vaults"`
	Skills   CheckedFiles     `json:"skills"`
	SetAside CheckedFiles     `json:"setAside"`
	Opening  string           `json:"opening"` // what an opening of the realm would do
	Salvage  *world.Salvage   `json:"salvage,omitempty"`
	// salvages is why a repair rebuilds the journal from what can be read, index why it rebuilds it from
	// its own tables; nil if there is no reason.
	salvages, index error
	entry           files.RealmEntry
	beginning       world.Settings
}

// CheckedState is one of the two checkpoints.
type CheckedState struct {
	Name     string     `json:"name"`
	There    bool       `json:"there"`
	Seq      int64      `json:"seq,omitempty"`
	SavedAt  world.Time `json:"savedAt,omitempty"`
	Messages int64      `json:"messages,omitempty"` // rows of the transcripts at that time, 0: not counted
	Problem  string     `json:"problem,omitempty"`
}

// CheckedDatabase is realm.db and its log. If the database is damaged, counts are those of a salvage.
type CheckedDatabase struct {
	Schema   int             `json:"schema"` // 0: it cannot be read
	Bytes    int64           `json:"bytes"`
	LogBytes int64           `json:"logBytes"` // -1: there is no log
	Pages    []CheckedPages  `json:"pages"`    // tables with damaged pages
	Lines    int             `json:"lines"`
	Events   CheckedEvents   `json:"events"`
	Messages CheckedMessages `json:"messages"`
	Heads    CheckedFiles    `json:"conversations"`
	Runs     int64           `json:"runs"`
	Bases    int             `json:"bases"`
	BadBases int             `json:"badBases,omitempty"`
	Erasures int             `json:"erasures,omitempty"` // unfinished erasures
}

// CheckedPages is SQLite's report on a table's pages.
type CheckedPages struct {
	Table string `json:"table"`
	Says  string `json:"says"`
}

// CheckedEvents counts events. Unreadable ones are damaged. Lost ones are gaps that an earlier salvage or
// erasure has recorded, and cannot be restored.
type CheckedEvents struct {
	Known      int64         `json:"known"`
	Readable   int64         `json:"readable"`
	Unreadable int64         `json:"unreadable"`
	Lost       int64         `json:"lost"`
	Blocks     int           `json:"blocks"`
	Where      []CheckedSpan `json:"where,omitempty"` // the unreadable or lost events
}

// CheckedSpan is the events From..To.
type CheckedSpan struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
	Lost bool  `json:"lost,omitempty"`
}

// CheckedMessages counts rows of transcripts. The checksum of a damaged row is wrong. Marked rows are known
// as damaged since an earlier salvage or erasure, and are shown as damaged.
type CheckedMessages struct {
	Known    int64    `json:"known"`
	Readable int64    `json:"readable"`
	Damaged  int64    `json:"damaged"`
	Marked   int64    `json:"marked"`
	Unsealed int64    `json:"withoutChecksum"` // rows of older versions
	Where    []string `json:"where,omitempty"` // conversation/message of damaged rows
}

// CheckedFiles counts files, or other things that have names, and lists the names that a person should
// see.
type CheckedFiles struct {
	Count int      `json:"count"`
	Bad   int      `json:"bad,omitempty"`
	Names []string `json:"names,omitempty"`
}

// maxListed limits the lists of a check.
const maxListed = 20

// Whole reports whether nothing is damaged.
func (c *Checked) Whole() bool { return len(c.Damage) == 0 }

// damaged adds a damage to the result.
func (c *Checked) damaged(format string, args ...any) {
	if len(c.Damage) == maxListed {
		c.More++
		return
	}
	c.Damage = append(c.Damage, fmt.Sprintf(format, args...))
}

func (f *CheckedFiles) name(name string) {
	if len(f.Names) < maxListed {
		f.Names = append(f.Names, name)
	}
}

// Check examines a tenant's realms, or one realm, in a worlds folder that no server holds. It changes nothing
// there and works on a read-only disk. It holds only the folder's locks, so that no server starts
// meanwhile. It returns a *LockedError if a server holds the folder, and ErrLocked (wrapped) if another
// process has a realm open. What is wrong with a realm is in its result; errors concern the
// folder.
func Check(ctx context.Context, fsys afero.Fs, dir, tenant, realmID string) (found []*Checked, err error) {
	err = inStopped(fsys, dir, tenant, realmID, func(w *files.Stopped, entries []files.RealmEntry) error {
		for _, e := range entries {
			c, err := check(ctx, w, e, w.RealmDir(e))
			if err != nil {
				return fmt.Errorf("check realm %s: %w", e.ID, err)
			}
			found = append(found, c)
		}
		return nil
	})
	return found, err
}

// inStopped calls do for a tenant's realms, or for one, while no server can open the worlds folder.
func inStopped(fsys afero.Fs, dir, tenant, realmID string, do func(w *files.Stopped,
	entries []files.RealmEntry) error) (err error) {
	w, err := files.Look(fsys, dir)
	if err != nil {
		return err
	}
	release, err := w.KeepStill()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	entries, err := w.Entries(tenant, realmID)
	if err != nil {
		return err
	}
	return do(w, entries)
}

// check examines the realm of e in the folder dir.
func check(ctx context.Context, w *files.Stopped, e files.RealmEntry, dir string) (c *Checked, err error) {
	c = &Checked{RealmID: e.ID, Tenant: e.Tenant, Dir: dir, Damage: []string{}, entry: e}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c.beginning = w.Defaults()
	if info, err := w.FS().Stat(dir); errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		c.damaged("its folder is not there")
		c.Opening = "forgets the realm"
		return c, nil
	}
	held, err := w.HoldRealm(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	if c.Bytes, err = files.SizeOf(w.FS(), dir); err != nil {
		return nil, err
	}
	r := newOpening(files.OpenRealm(w.FS(), dir), e.Realm(), c.beginning, time.Now(), "")
	gens := generations()
	c.checkStates(r, gens)
	c.checkFiles(r.files)
	if err := c.checkJournal(ctx, r, gens); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		c.damaged("%s cannot be checked: %s", sqlite.JournalFile, err)
		c.Opening = "fails in the same way, or tells what is wrong with the disk"
	}
	return c, nil
}

// checkStates examines both checkpoints.
func (c *Checked) checkStates(r *opening, gens []*generation) {
	for _, g := range gens {
		g.load(r.files)
		st := CheckedState{Name: g.name, There: !errors.Is(g.err, disk.ErrMissing)}
		switch {
		case g.loaded != nil && !r.ours(g.loaded.World):
			st.Problem = "it is of another realm"
		case g.loaded != nil:
		case st.There:
			st.Problem = strings.TrimPrefix(g.err.Error(), g.name+": ")
		}
		if g.loaded != nil {
			st.Seq, st.SavedAt, st.Messages = g.loaded.Seq, g.loaded.SavedAt, g.loaded.Messages
		}
		if st.Problem != "" {
			c.damaged("%s: %s", g.name, st.Problem)
		}
		c.States = append(c.States, st)
	}
}
