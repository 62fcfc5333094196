package recovery

import (
	"fmt"

	"agentdungeon/server/store/files"
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
	// rebuildFor is the reason for which a repair rebuilds the journal from what can be read. rewriteFor is the
	// reason for which a repair rewrites the journal from the journal's own tables. Each is nil if there is no such
	// reason.
	rebuildFor, rewriteFor error
	entry                  files.RealmEntry
	defaults               world.Settings
}

// CheckedState is one of the two checkpoints.
type CheckedState struct {
	Name     string     `json:"name"`
	There    bool       `json:"there"`
	Seq      int64      `json:"seq,omitempty"`
	SavedAt  world.Time `json:"savedAt,omitempty"`
	Messages int64      `json:"messages,omitempty"` // number of transcript rows at SavedAt; 0 if they were not counted
	Problem  string     `json:"problem,omitempty"`
}

// CheckedDatabase is realm.db and its log. If the database is damaged, it counts what a salvage would save.
type CheckedDatabase struct {
	Schema   int             `json:"schema"` // version of the tables; 0 if it cannot be read
	Bytes    int64           `json:"bytes"`
	LogBytes int64           `json:"logBytes"` // -1 if there is no log
	Pages    []CheckedPages  `json:"pages"`    // tables with damaged pages
	Lines    int             `json:"lines"`    // number of epochs
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

// CheckedEvents counts the events of a journal. Unreadable counts damaged events. Lost counts events for which an
// earlier salvage or erasure has recorded a gap; they cannot be restored.
type CheckedEvents struct {
	Known      int64         `json:"known"`
	Readable   int64         `json:"readable"`
	Unreadable int64         `json:"unreadable"`
	Lost       int64         `json:"lost"`
	Blocks     int           `json:"blocks"`
	Where      []CheckedSpan `json:"where,omitempty"` // the unreadable or lost events
}

// CheckedSpan is a range of events, including From and To.
type CheckedSpan struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
	Lost bool  `json:"lost,omitempty"`
}

// CheckedMessages counts rows of transcripts. A damaged row has a wrong checksum. A marked row was found damaged by an
// earlier salvage or erasure, and is shown as damaged.
type CheckedMessages struct {
	Known    int64    `json:"known"`
	Readable int64    `json:"readable"`
	Damaged  int64    `json:"damaged"`
	Marked   int64    `json:"marked"`
	Unsealed int64    `json:"withoutChecksum"` // rows of older versions
	Where    []string `json:"where,omitempty"` // conversation/message of damaged rows
}

// CheckedFiles counts files, or other things that have names, and lists those that a person should look at.
type CheckedFiles struct {
	Count int      `json:"count"`
	Bad   int      `json:"bad,omitempty"`
	Names []string `json:"names,omitempty"`
}

// maxListed is the maximum length of each list in a Checked.
const maxListed = 20

// Whole reports whether nothing is damaged.
func (c *Checked) Whole() bool { return len(c.Damage) == 0 }

// damaged adds a line to c.Damage, or counts it in c.More if c.Damage is full.
func (c *Checked) damaged(format string, args ...any) {
	if len(c.Damage) == maxListed {
		c.More++
		return
	}
	c.Damage = append(c.Damage, fmt.Sprintf(format, args...))
}

// list adds a name to f.Names unless that is full.
func (f *CheckedFiles) list(name string) {
	if len(f.Names) < maxListed {
		f.Names = append(f.Names, name)
	}
}
