package journal

import (
	"context"
	"sync"
	"time"

	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// This file exports internals for the tests of this package.

type Age = age

type LogLimits = logLimits

const MaxMarks = maxMarks

const MaxStep = maxStep

var ReadAge = readAge

const TrimDays = trimDays

type TrimLimits = trimLimits

func (x *Journal) LimitsRef() *logLimits { return &x.log.limits }

func (x *Journal) LogBytes() int64 { return x.db.logBytes() }

func (x *Journal) MuRef() *sync.Mutex { return &x.db.mu }

func (x *Journal) NextKickRef() *int64 { return &x.log.nextKick }

func (x *Journal) PackStep(a0 int64, a1 int64, a2 int) error { return x.tidy.packStep(a0, a1, a2) }

func (x *Journal) PathRef() *string { return &x.db.path }

func (x *Journal) PlainRef() *int64 { return &x.tidy.plain }

func (x *Journal) TidyStep() (bool, error) { return x.tidy.step() }

func (x *Journal) TrimsRef() *trimLimits { return &x.tidy.trims }

// Trim deletes the events before seq in as many steps as it takes.
func (x *Journal) Trim(ctx context.Context, before int64) error {
	x.tidy.mu.Lock()
	defer x.tidy.mu.Unlock()
	return x.tidy.trim(ctx, before, 1<<62)
}

func (x *Journal) UnsureRef() *bool { return &x.db.unsure }

func (x *Journal) Write(a0 string, a1 func() error) error { return x.db.write(a0, a1) }

func (x *age) Step(a0 int64, a1 world.Time, a2 time.Duration) int64 { return x.step(a0, a1, a2) }

// Writer returns the connection that writes; nil while it could not be opened again.
func (x *Journal) Writer() *tables.Writer { return x.db.w }

// Reopen closes every handle and opens them again, without a prepared statement.
func (x *Journal) Reopen() error { return x.db.reopen() }

// SetPacking sets how many events make a block, and how many of the newest stay rows.
func (x *Journal) SetPacking(events, rows int64) {
	x.tidy.mu.Lock()
	defer x.tidy.mu.Unlock()
	x.db.mu.Lock()
	defer x.db.mu.Unlock()
	x.tidy.packs = packLimits{Events: events, Rows: rows}
}
