package journal

import (
	"database/sql"
	"sync"
	"time"

	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// What the tests of this package see of its inside.

type Age = age

var InWord = inWord

type LogLimits = logLimits

const MaxMarks = maxMarks

const MaxSearchBytes = maxSearchBytes

const MaxStep = maxStep

var ReadAge = readAge

var SearchWords = searchWords

const ShownBytes = shownBytes

const TrimDays = trimDays

type TrimLimits = trimLimits

func (x *Journal) LimitsRef() *logLimits { return &x.limits }

func (x *Journal) LogBytes() int64 { return x.logBytes() }

func (x *Journal) MuRef() *sync.Mutex { return &x.mu }

func (x *Journal) NextKickRef() *int64 { return &x.nextKick }

func (x *Journal) PackStep(a0 int64, a1 int64, a2 int) error { return x.packStep(a0, a1, a2) }

func (x *Journal) PathRef() *string { return &x.path }

func (x *Journal) PlainRef() *int64 { return &x.plain }

func (x *Journal) ReaderRef() **sql.DB { return &x.reader }

func (x *Journal) TidyStep() (bool, error) { return x.tidyStep() }

func (x *Journal) TrimsRef() *trimLimits { return &x.trims }

func (x *Journal) UnsureRef() *bool { return &x.unsure }

func (x *Journal) Write(a0 string, a1 func() error) error { return x.write(a0, a1) }

func (x *age) Step(a0 int64, a1 world.Time, a2 time.Duration) int64 { return x.step(a0, a1, a2) }

func (x sought) Match(a0 bool) string { return x.match(a0) }

func (x *sought) PhrasesRef() *[][]string { return &x.phrases }

// Writer is the connection that writes; nil while it could not be opened again.
func (x *Journal) Writer() *tables.Writer { return x.w }

// Reopen closes every handle and opens them again, without a prepared statement.
func (x *Journal) Reopen() error { return x.reopen() }

// SetPacking sets how many events make a block, and how many of the newest stay rows.
func (x *Journal) SetPacking(events, rows int64) {
	x.tidying.Lock()
	defer x.tidying.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.packs = packLimits{Events: events, Rows: rows}
}
